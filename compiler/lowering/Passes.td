#ifndef BOOST_LOWERING_PASSES
#define BOOST_LOWERING_PASSES

include "mlir/Pass/PassBase.td"

def LowerToLinalgPass : Pass<"boost-lowering-lower-to-linalg", "::boostc::train::ProgramOp"> {
  let summary = "replaces nn and train ops by library calls and linalg";
  let description = [{
    Asks every op of every function for a library call (`LibraryCallOpInterface`) and, when
    there is none, for its lowering (`LowerToLinalgOpInterface`). Tensors keep value
    semantics. Splat constants become fills, so that no constant needs memory.

    Before and after:
    ```mlir
    %y = nn.relu %x : tensor<32x512xf32>
    ```
    ```mlir
    %e = tensor.empty() : tensor<32x512xf32>
    %y = linalg.generic {...} ins(%x) outs(%e) { ... }
    ```
  }];
  let options = [
    Option<"useLibrary", "use-library", "bool", "true",
           "Use the vendor library where it has the op">
  ];
  let dependentDialects = ["::mlir::linalg::LinalgDialect", "::mlir::arith::ArithDialect",
    "::mlir::math::MathDialect", "::mlir::tensor::TensorDialect",
    "::boostc::rt::RtDialect"];
}

def FuseElementwisePass : Pass<"boost-lowering-fuse-elementwise", "::boostc::train::ProgramOp"> {
  let summary = "fuses elementwise producers into their only user";
  let description = [{
    Upstream's elementwise fusion, restricted to producers with one use: what two ops read
    is computed once. Folds splat operands into the fused bodies.
  }];
  let dependentDialects = ["::mlir::linalg::LinalgDialect", "::mlir::affine::AffineDialect"];
}

def SetCpuTargetPass : Pass<"boost-lowering-set-cpu-target", "::boostc::train::ProgramOp"> {
  let summary = "records the CPU and the threads a program is compiled for";
  let description = [{
    Puts the attribute `rt.cpu_target` on the program: everything that code generation and
    the descriptor say about the CPU comes from it, so that a later phase can be compiled
    from text alone.
  }];
  let options = [
    Option<"cpu", "cpu", "std::string", "\"native\"",
           "native, x86-64-v3 (AVX2) or x86-64-v4 (AVX-512)">,
    Option<"threads", "threads", "unsigned", "0", "Threads to plan for; 0 = all cores">
  ];
  let dependentDialects = ["::boostc::rt::RtDialect"];
}

def BufferizePass : Pass<"boost-lowering-bufferize", "::boostc::train::ProgramOp"> {
  let summary = "turns tensors into buffers, functions into procedures on them";
  let description = [{
    Every argument becomes a memref; a result becomes a memref argument too, the same one
    when an argument has its binding (parameters of `update`). Values are then placed by
    one-shot bufferization, in place wherever that is legal: an update writes the weights
    themselves, a gradient is computed where `combine` and `update` will read it.

    What an argument without a result of its binding holds is never written.
  }];
  let dependentDialects = ["::mlir::bufferization::BufferizationDialect",
    "::mlir::memref::MemRefDialect"];
}

def ReserveScratchPass : Pass<"boost-lowering-reserve-scratch", "::boostc::train::ProgramOp"> {
  let summary = "gives every library call the scratch memory it asks for";
  let description = [{
    Asks oneDNN for the scratch size of each product at the planned thread count and CPU
    and allocates it around the call, so that the memory plan covers it.
  }];
  let dependentDialects = ["::mlir::memref::MemRefDialect"];
}

def PlanMemoryPass : Pass<"boost-lowering-plan-memory", "::boostc::train::ProgramOp"> {
  let summary = "gives every buffer an offset in an arena";
  let description = [{
    Bound arguments get slots in the arena of their binding (`rt.slot`), one per binding
    over all functions; temporaries get offsets in the transient arena such that two that
    are alive at the same time do not overlap (largest first, each at the lowest offset
    that is free). Functions lose their arguments; every access goes through `rt.buffer`.
  }];
  let dependentDialects = ["::boostc::rt::RtDialect"];
}

def OutlineKernelsPass : Pass<"boost-lowering-outline-kernels", "::boostc::train::ProgramOp"> {
  let summary = "turns linalg on buffers into kernels and launches";
  let description = [{
    Every linalg op becomes loops in a kernel function `(begin, end, buffers...)`, where
    [begin, end) is a piece of its outermost parallel loop. The loop over contiguous memory
    is innermost, for the vectoriser. Neighbours share a kernel when each piece needs only
    what the same piece of the ones before wrote; small ops run on one thread and share
    one kernel with their small neighbours.
  }];
  let options = [
    Option<"serialWork", "serial-work", "int64_t", "16384",
           "Loop iterations below which an op runs on one thread">
  ];
  let dependentDialects = ["::boostc::rt::RtDialect", "::mlir::scf::SCFDialect",
    "::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect",
    "::mlir::func::FuncDialect"];
}

def LowerToLLVMPass : Pass<"boost-lowering-lower-to-llvm", "::mlir::ModuleOp"> {
  let summary = "turns a program in phase rt into LLVM functions and its descriptor";
  let description = [{
    Kernels become functions on bare pointers, host functions become calls through the
    table of BoostEnv, and the program's declarations become the constant descriptor that
    `boost_program_query` returns, laid out by runtime/abi/boost_abi.h itself.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::cf::ControlFlowDialect"];
}

#endif // BOOST_LOWERING_PASSES
