#ifndef BOOSTC_RT_BASE
#define BOOSTC_RT_BASE

include "mlir/IR/OpBase.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "dialects/rt/RtEnums.td"
include "mlir/IR/Properties.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/DestinationStyleOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "dialects/interfaces/CollectiveOpInterface.td"
include "dialects/interfaces/ContractionOpInterface.td"
include "dialects/interfaces/CostOpInterface.td"
include "dialects/interfaces/ReferenceOpInterface.td"

def Rt_Dialect : Dialect {
  let name = "rt";
  let summary = "What the device executes";
  let description = [{
    One to one with runtime/abi/boost_abi.h. Library calls (`rt.matmul`, `rt.fill`) and
    structured ops with kernels of their own (`rt.convolution`) and `rt.collective` enter
    in phase `linalg` as destination-style ops on tensors, so that the interpreter can
    execute them, and become ops on memrefs in phase `buffers`. `rt.slot` and
    `rt.buffer` appear when memory is planned, `rt.gradients_ready` after that, `rt.launch` and
    `rt.launch_grid` in phase `rt`.
  }];
  let cppNamespace = "::boostc::rt";
  let useDefaultAttributePrinterParser = 1;
}

class Rt_Attr<string name, string mnemonic_> : AttrDef<Rt_Dialect, name> {
  let mnemonic = mnemonic_;
}

def Rt_InitializerAttr : Rt_Attr<"Initializer", "initializer"> {
  let summary = "how a parameter gets its first value";
  let description = [{
    `constant` (every element a), `uniform` ([a, b)), `normal` (mean a, standard
    deviation b) or `truncated_normal` (the same inside a - 2 b to a + 2 b); generated as in
    runtime/abi/boost_random.h.
  }];
  let parameters = (ins EnumParameter<Rt_InitializerKind>:$kind, "::mlir::FloatAttr":$a,
                        "::mlir::FloatAttr":$b);
  let assemblyFormat = "`<` $kind `,` $a `,` $b `>`";
  let genVerifyDecl = 1;
  let builders = [AttrBuilder<(ins "InitializerKind":$kind, "double":$a, "double":$b), [{
    auto type = ::mlir::Float64Type::get($_ctxt);
    return $_get($_ctxt, kind, ::mlir::FloatAttr::get(type, a),
                 ::mlir::FloatAttr::get(type, b));
  }]>];
}

def Rt_BindingAttr : Rt_Attr<"Binding", "binding"> {
  let summary = "what a function's argument or result is to the training step";
  let description = [{
    Sits on arguments and results of the step's functions under the name `rt.binding`.
    Two uses of an equal binding, in any functions, are the same memory. `other` marks
    the second operand set of `combine`.
  }];
  let parameters = (ins
    EnumParameter<Rt_BindingKind>:$kind,
    StringRefParameter<"of the parameter, state, accumulator, input or metric", "\"\"">:$name,
    DefaultValuedParameter<"bool", "false">:$other);
  let hasCustomAssemblyFormat = 1; // <gradient, "fc1.weight", other>
  let builders = [AttrBuilder<(ins "BindingKind":$kind,
                                   CArg<"::llvm::StringRef", "\"\"">:$name,
                                   CArg<"bool", "false">:$other), [{
    return $_get($_ctxt, kind, name, other);
  }]>];
  let skipDefaultBuilders = 1;
}

def Rt_CpuTargetAttr : Rt_Attr<"CpuTarget", "cpu_target"> {
  let summary = "the CPU and the threads a program is compiled for";
  let description = [{
    LLVM's name of the CPU, the features a machine must have to load the program, comma
    separated, and the number of threads the plan is made for. Sits on `train.program`
    under the name `rt.cpu_target`.
  }];
  let parameters = (ins StringRefParameter<"LLVM's name">:$cpu,
                        StringRefParameter<"comma separated">:$features,
                        "unsigned":$threads);
  let assemblyFormat = "`<` $cpu `,` $features `,` $threads `>`";
}

def Rt_CudaTargetAttr : Rt_Attr<"CudaTarget", "cuda_target"> {
  let summary = "the GPUs a program is compiled for";
  let description = [{
    The oldest architecture that runs it, 80 for sm_80. Sits on `train.program` under the
    name `rt.cuda_target`.
  }];
  let parameters = (ins "unsigned":$architecture);
  let assemblyFormat = "`<` $architecture `>`";
}

def Rt_WorkAttr : Rt_Attr<"Work", "work"> {
  let summary = "what a launch does, from shapes alone";
  let description = [{
    Floating-point operations (a multiply-add is two) and the bytes that it must read and
    write: each operand once, and nothing that the kernel has written itself is read.
    BoostWork in the ABI; profiles compare times with it.
  }];
  let parameters = (ins "int64_t":$flops, "int64_t":$read, "int64_t":$written);
  let assemblyFormat = "`<` struct(params) `>`";
}

def Rt_ReproducibleAttr : Rt_Attr<"Reproducible", "reproducible"> {
  let summary = "what the bits of a run may depend on";
  let description = [{
    Sits on `train.program` under the name `rt.reproducible`; a program without it is `on`.

    | level | bits depend neither on | but on |
    |---|---|---|
    | `off` | | how a step is split into ranks and micro-batches; number of threads |
    | `on` | that split, where micro-batches are a power of two | number of threads |
    | `strict` | that split, as `on`; number of threads | |
  }];
  let parameters = (ins EnumParameter<Rt_Reproducibility>:$level);
  let assemblyFormat = "`<` $level `>`";
}

def Rt_MatmulPrecisionAttr : Rt_Attr<"MatmulPrecision", "matmul_precision"> {
  let summary = "the precision of the factors of matmuls and convolutions";
  let description = [{
    Sits on `train.program` under the name `rt.matmul_precision`; a program without it is
    `float32`. With `tf32`, a library of a GPU may round each factor to 10 bits of mantissa
    before it is multiplied; sums are of f32. Kernels and CPUs compute in f32 all the same.
  }];
  let parameters = (ins EnumParameter<Rt_Precision>:$precision);
  let assemblyFormat = "`<` $precision `>`";
}

def Rt_WinogradAttr : Rt_Attr<"Winograd", "winograd"> {
  let summary = "which convolutions are computed by Winograd's algorithm on CPUs";
  let description = [{
    Sits on `train.program` under the name `rt.winograd`; a program without it is `off`. Winograd's
    algorithm F(2x2, 3x3) computes convolutions of 3x3 taps in f32 without strides, dilations and
    groups, and their gradients, with 16 multiplications instead of 36: those where the cost model
    expects it to be faster (`auto`), or all (`always`). Rounding errors are larger.
  }];
  let parameters = (ins EnumParameter<Rt_WinogradUse>:$use);
  let assemblyFormat = "`<` $use `>`";
}

class Rt_Op<string mnemonic, list<Trait> traits = []>
    : Op<Rt_Dialect, mnemonic, traits>;

#endif // BOOSTC_RT_BASE
