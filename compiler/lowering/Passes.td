#ifndef BOOSTC_LOWERING_PASSES
#define BOOSTC_LOWERING_PASSES

include "mlir/Pass/PassBase.td"

class TilingOption<string description>
    : Option<"tilingPolicy", "tiling", "::boostc::TilingPolicy", "::boostc::TilingPolicy::Auto", description, [{
        ::llvm::cl::values(
            clEnumValN(::boostc::TilingPolicy::Auto, "auto", "where that is estimated to be faster"),
            clEnumValN(::boostc::TilingPolicy::Always, "always", "wherever possible"),
            clEnumValN(::boostc::TilingPolicy::Never, "never", "nowhere"))}]>;

def LowerToLinalgPass : Pass<"boostc-lower-to-linalg", "::boostc::train::ProgramOp"> {
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

def FuseElementwisePass : Pass<"boostc-fuse-elementwise", "::boostc::train::ProgramOp"> {
  let summary = "fuses elementwise producers into their only user";
  let description = [{
    Upstream's elementwise fusion, restricted to producers with one use: what two ops read
    is computed once. An operand that is a fill of a scalar becomes that scalar in the
    body. Indices of loops that a body asks for become arithmetic on those of the op it
    ends up in.

    Before:
    ```mlir
    %a = linalg.generic {...} ins(%x) outs(%e) { ^bb0(%in: f32, %out: f32): // negf }
    %b = linalg.generic {...} ins(%a) outs(%e) { ^bb0(%in: f32, %out: f32): // exp }
    ```
    After, when `%b` is the only reader of `%a`:
    ```mlir
    %b = linalg.generic {...} ins(%x) outs(%e) { ^bb0(%in: f32, %out: f32): // negf, exp }
    ```
  }];
  let dependentDialects = ["::mlir::linalg::LinalgDialect", "::mlir::affine::AffineDialect"];
}

def AssignCollectiveIndicesPass
    : Pass<"boostc-assign-collective-indices", "::boostc::train::ProgramOp"> {
  let summary = "numbers the collectives of @update in their order";
  let description = [{
    A collective whose results nobody uses goes with the rest of what nobody uses, and
    leaves a hole in the numbers, by which ranks meet.

    Before:
    ```mlir
    %a = rt.collective all_reduce index(0) ...
    %b = rt.collective all_reduce index(2) ...
    ```
    After:
    ```mlir
    %a = rt.collective all_reduce index(0) ...
    %b = rt.collective all_reduce index(1) ...
    ```
  }];
}

def SetCpuTargetPass : Pass<"boostc-set-cpu-target", "::boostc::train::ProgramOp"> {
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

def RecomputePass : Pass<"boostc-recompute", "::boostc::train::ProgramOp"> {
  let summary = "computes cheap values again instead of keeping them";
  let description = [{
    A value that the forward part and, much later, the backward part read occupies memory in
    between. Where the most bytes are alive at once, the pass looks for the value that costs
    the fewest scalar operations for a byte among those that are not needed right there and
    whose inputs are alive at their next use anyway, and computes it again before that use.
    It repeats this until there is none, or `most` values are computed again. Elementwise
    ops and small reductions (pooling, normalisation) qualify, sums of products do not.
    Results are the same bits: the same op runs on the same inputs.

    The program's attribute `rt.recomputed` says how many values there are.

    Before:
    ```mlir
    %y = linalg.generic {...} ins(%x) outs(%e) { ^bb0(%in: f32, %out: f32): // tanh }
    %z = rt.matmul ins(%y, %w) ...
    ...
    %dw = rt.matmul ins(%y, %dz) ...
    %dx = linalg.generic {...} ins(%x, %dy) ...
    ```
    After:
    ```mlir
    %y = linalg.generic {...} ins(%x) outs(%e) { ^bb0(%in: f32, %out: f32): // tanh }
    %z = rt.matmul ins(%y, %w) ...
    ...
    %y2 = linalg.generic {...} ins(%x) outs(%e) { ^bb0(%in: f32, %out: f32): // tanh }
    %dw = rt.matmul ins(%y2, %dz) ...
    %dx = linalg.generic {...} ins(%x, %dy) ...
    ```
  }];
  let options = [
    Option<"most", "most", "uint64_t", "~uint64_t{0}", "Values to compute again at most">
  ];
  let dependentDialects = ["::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"];
}

def BufferizePass : Pass<"boostc-bufferize", "::boostc::train::ProgramOp"> {
  let summary = "turns tensors into buffers, functions into procedures on them";
  let description = [{
    Every argument becomes a memref; a result becomes a memref argument too, the same one
    when an argument has its binding (parameters of `update`). Values are then placed by
    one-shot bufferization, in place wherever that is legal: an update writes the weights
    themselves, a gradient is computed where `combine` and `update` will read it.

    An argument whose binding no result has is only read: `micro` never writes a
    parameter, even where writing it in place would save a buffer.

    Before:
    ```mlir
    func.func @update(%g: tensor<8xf32> {rt.binding = #rt.binding<gradient, "w">},
                      %w: tensor<8xf32> {rt.binding = #rt.binding<parameter, "w">})
        -> (tensor<8xf32> {rt.binding = #rt.binding<parameter, "w">}) {
      %new = linalg.generic {...} ins(%g : tensor<8xf32>) outs(%w : tensor<8xf32>) {...}
      return %new : tensor<8xf32>
    }
    ```
    After:
    ```mlir
    func.func @update(%g: memref<8xf32> {rt.binding = #rt.binding<gradient, "w">},
                      %w: memref<8xf32> {rt.binding = #rt.binding<parameter, "w">}) {
      linalg.generic {...} ins(%g : memref<8xf32>) outs(%w : memref<8xf32>) {...}
      return
    }
    ```
  }];
  let dependentDialects = ["::mlir::bufferization::BufferizationDialect",
    "::mlir::memref::MemRefDialect"];
}

def AssignLayoutsPass : Pass<"boostc-assign-layouts", "::boostc::train::ProgramOp"> {
  let summary = "chooses the order of dimensions in memory around convolutions";
  let description = [{
    A layout is the strides of a memref: shapes keep their meaning, and no op but the one
    that turns loops into code looks at them. Temporary inputs of convolutions lie with the
    batch innermost, so that a vector holds the same pixel of many samples, whatever the
    numbers of channels and pixels; inputs that come from outside are copied once per
    function. A collapsed view for a product stays a view, of a transposed matrix. Programs
    whose batch is smaller than four keep row-major inputs, and so do functions with a
    convolution that a library computes, which reads them so.

    Before and after:
    ```mlir
    %y = memref.alloc() : memref<32x6x28x28xf32>
    rt.convolution forward ins(%x, %w : ...) outs(%y : ...)
    ```
    ```mlir
    %y = memref.alloc() : memref<32x6x28x28xf32, strided<[1, 25088, 896, 32]>>
    rt.convolution forward ins(%x, %w : ...) outs(%y : ...)
    ```
  }];
  let dependentDialects = ["::mlir::memref::MemRefDialect"];
}

def ChooseContractionsPass : Pass<"boostc-choose-contractions", "::boostc::train::ProgramOp"> {
  let summary = "picks how each sum of products is computed";
  let description = [{
    A matrix product can be a library call or a kernel of our own, and such a kernel can cut
    the product into tiles in several ways. The pass puts the number of the candidate that
    is to be taken on each op as `rt.candidate`; an op without it takes the first one: the
    library where it has the op, else the tiles of least estimated cost. `boostc --tune` and
    `--tuned` run it with what was measured; in a pipeline of text it takes the same number
    everywhere (the last candidate where there are fewer).

    Before and after, with `candidate=1`:
    ```mlir
    rt.matmul ins(%x, %w : ...) outs(%y : memref<32x512xf32>)
    ```
    ```mlir
    rt.matmul ins(%x, %w : ...) outs(%y : memref<32x512xf32>) {rt.candidate = 1 : i64}
    ```
  }];
  let options = [
    Option<"candidate", "candidate", "unsigned", "0", "Number of the candidate to take">
  ];
}

def ChooseDeviceLibraryPass : Pass<"boostc-choose-device-library", "::boostc::train::ProgramOp"> {
  let summary = "picks what libraries compute on a GPU";
  let description = [{
    In a program with `rt.cuda_target`, a matrix product becomes a call of cuBLASLt and a
    convolution, or a gradient of one, a call of cuDNN where it is large enough to be worth
    a launch of its own: a generated kernel is fused with its neighbours, a library's is
    not. The pass gives such an op scratch memory, which the memory plan covers and which
    tells the passes behind that it is a call; the others get kernels. `library` is `auto`,
    `always` (every one whose operands the library can read) or `never`.

    Before and after, with `library=always`:
    ```mlir
    rt.matmul ins(%x, %w : ...) outs(%y : memref<32x512xf32>)
    ```
    ```mlir
    %s = memref.alloc() : memref<33554432xi8>
    rt.matmul ins(%x, %w : ...) outs(%y : memref<32x512xf32>) scratch(%s : memref<33554432xi8>)
    ```
  }];
  let options = [
    Option<"library", "library", "std::string", "\"auto\"", "auto, always or never">
  ];
  let dependentDialects = ["::mlir::memref::MemRefDialect"];
}

def SplitReductionsPass : Pass<"boostc-split-reductions", "::boostc::train::ProgramOp"> {
  let summary = "cuts long sums of few products apart on a GPU";
  let description = [{
    In a program with `rt.cuda_target`, a product or a convolution with few results, each the
    sum of many terms, is no work for many blocks: a weight gradient, say. The pass gives it
    memory for parts of the sums, where that is estimated to take half the time or less. Blocks
    of their own then compute each part, and a second kernel, which may be fused with what
    follows, adds the parts up in a fixed order.

    Before and after:
    ```mlir
    rt.matmul ins(transposed %dy, %x : ...) outs(%dw : memref<64x64xf32>)
    ```
    ```mlir
    %p = memref.alloc() : memref<32x4096xf32>
    rt.matmul ins(transposed %dy, %x : ...) outs(%dw : memref<64x64xf32>)
      parts(%p : memref<32x4096xf32>)
    ```
  }];
  let options = [
    TilingOption<"Which sums are cut">
  ];
  let dependentDialects = ["::mlir::memref::MemRefDialect"];
}

def ReserveScratchPass : Pass<"boostc-reserve-scratch", "::boostc::train::ProgramOp"> {
  let summary = "gives every library call the scratch memory it asks for";
  let description = [{
    Asks oneDNN for the scratch size of each product that is a library call, at the planned
    thread count and CPU, and allocates it around the call, so that the memory plan covers it. A call that has
    scratch, or needs none, stays as it is.

    Before and after:
    ```mlir
    rt.matmul ins(%x, %w : ...) outs(%y : memref<32x512xf32>)
    ```
    ```mlir
    %s = memref.alloc() : memref<263424xi8>
    rt.matmul ins(%x, %w : ...) outs(%y : memref<32x512xf32>) scratch(%s : memref<263424xi8>)
    ```
  }];
  let dependentDialects = ["::mlir::memref::MemRefDialect"];
}

def MarkGradientsReadyPass
    : Pass<"boostc-mark-gradients-ready", "::boostc::train::ProgramOp"> {
  let summary = "says where in @micro a collective could begin";
  let description = [{
    Puts an `rt.gradients_ready` behind the last op of `@micro` that touches what a collective of
    `@update` exchanges, as long as something is left to run beside it: the runtime begins
    the all-reduce of the last layers' gradients while those of the first are computed.
    It stops at the first collective whose operands are made in `@update`. On a GPU, which
    computes behind the host, the runtime has a collective wait for that place instead of
    for the whole of `@micro`.

    Before:
    ```mlir
    func.func @micro() {
      rt.matmul ins(...) outs(%last_layers_gradient : memref<10x84xf32>)
      rt.matmul ins(...) outs(%first_layers_gradient : memref<84x400xf32>)
    ```
    After:
    ```mlir
    func.func @micro() {
      rt.matmul ins(...) outs(%last_layers_gradient : memref<10x84xf32>)
      rt.gradients_ready index(0) (%last_layers_gradient : memref<10x84xf32>)
      rt.matmul ins(...) outs(%first_layers_gradient : memref<84x400xf32>)
    ```
  }];
}

def PlanMemoryPass : Pass<"boostc-plan-memory", "::boostc::train::ProgramOp"> {
  let summary = "gives every buffer an offset in an arena";
  let description = [{
    Bound arguments get slots in the arena of their binding (`rt.slot`), one per binding
    over all functions; temporaries get offsets in the transient arena such that two that
    are alive at the same time do not overlap (largest first, each at the lowest offset that is
    free, then better orders are searched for). Functions lose their arguments; every access goes through `rt.buffer`.
    The second operands of `combine` (bindings with `other`) have the offsets of the
    first, in arena `gradient_other`. An argument without a binding, or bound to two
    types, is an error.

    Before:
    ```mlir
    func.func @micro(%x: memref<25xf32> {rt.binding = #rt.binding<input, "x">}, ...) {
      %t = memref.alloc() : memref<25xf32>
    ```
    After:
    ```mlir
    rt.slot <input, "x"> batch[0] : memref<25xf32>
    func.func @micro() {
      %x = rt.buffer batch[0] : memref<25xf32>
      %t = rt.buffer transient[0] : memref<25xf32>
    ```
  }];
  let dependentDialects = ["::boostc::rt::RtDialect"];
}

def OutlineKernelsPass : Pass<"boostc-outline-kernels", "::boostc::train::ProgramOp"> {
  let summary = "turns linalg on buffers into kernels and launches";
  let description = [{
    Every linalg op becomes loops in a kernel function `(begin, end, buffers...)`, where
    [begin, end) is a piece of its outermost parallel loop. The loop over contiguous memory
    is innermost, in vectors: our own where its extent is a number of vectors
    (compiler/lowering/cpu/VectorNest.h), else those of LLVM's vectoriser. Neighbours share
    a kernel when each piece needs only what the same piece of the ones before wrote, and a
    nest when each iteration does; small ops run on one thread, or as pieces of a large
    neighbour, and share one kernel with their small neighbours. The buffers of a kernel do
    not overlap.

    A convolution becomes a kernel of its own, whose sums stay in vector registers, a tile
    at a time (compiler/lowering/cpu/ContractionPlan.h); so does a product whose `rt.candidate`
    says so. So do `rt.gather`, shared among threads by places, and `rt.scatter_add`, shared
    by columns (compiler/lowering/cpu/EmitGatherScatter.h).

    Before:
    ```mlir
    linalg.generic {...} ins(%z : memref<64x512xf32>) outs(%y : memref<64x512xf32>) {...}
    ```
    After:
    ```mlir
    rt.launch @micro_kernel_0(%z, %y) extent(64) grain(32)
        : memref<64x512xf32>, memref<64x512xf32>

    func.func private @micro_kernel_0(%begin: index, %end: index,
        %z: memref<64x512xf32> {llvm.noalias}, %y: memref<64x512xf32> {llvm.noalias})
        attributes {rt.kernel} {
      scf.for %i = %begin to %end step %c1 {
        scf.for %j = %c0 to %c512 step %c1 { ... }
    ```
  }];
  let options = [
    Option<"serialWork", "serial-work", "int64_t", "16384",
           "Loop iterations below which an op runs on one thread">
  ];
  let dependentDialects = ["::boostc::rt::RtDialect", "::mlir::scf::SCFDialect",
    "::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect",
    "::mlir::vector::VectorDialect", "::mlir::func::FuncDialect",
    "::mlir::LLVM::LLVMDialect"];
}

def SetCudaTargetPass : Pass<"boostc-set-cuda-target", "::boostc::train::ProgramOp"> {
  let summary = "says that a program is compiled for GPUs";
  let description = [{
    Puts the attribute `rt.cuda_target` on the program, beside `rt.cpu_target` where it is
    compiled for both kinds of device.
  }];
  let dependentDialects = ["::boostc::rt::RtDialect"];
}

def SplitTargetsPass : Pass<"boostc-split-targets", "::mlir::ModuleOp"> {
  let summary = "makes a program for each kind of device";
  let description = [{
    Up to here all devices share the program, with its library calls and fusions. From here
    on memory is planned and kernels are made for one kind of device each: a program with
    `rt.cpu_target` and `rt.cuda_target` becomes two, each with one of them. Their
    descriptors are put together again by boostc-lower-to-llvm.

    Before:
    ```mlir
    train.program @mlp ... attributes {rt.cpu_target = ..., rt.cuda_target = #rt.cuda_target<80>} {...}
    ```
    After:
    ```mlir
    train.program @mlp ... attributes {rt.cpu_target = ...} {...}
    train.program @mlp.cuda ... attributes {rt.cuda_target = #rt.cuda_target<80>} {...}
    ```
  }];
}

def OutlineDeviceKernelsPass : Pass<"boostc-outline-device-kernels", "::boostc::train::ProgramOp"> {
  let summary = "turns linalg on buffers into kernels and launches on a GPU";
  let description = [{
    The counterpart of boostc-outline-kernels for programs with `rt.cuda_target`;
    others stay as they are. Every op, contractions included, becomes work for a grid of
    blocks (compiler/lowering/cuda/GridNest.h): a thread computes one output or a tile of
    neighbours, and where there are few outputs and much to reduce, a warp or a block
    shares the reduction of one; blocks of a large sum of products read its factors through
    shared memory (compiler/lowering/cuda/SharedMemoryTiling.h). Ops share a kernel where a thread needs of the one before
    only what it computed itself, where they are independent, each on blocks of its own, or
    where they are small, one after the other in one block
    (compiler/lowering/cuda/DeviceSchedule.h). Results do not depend
    on the order in which blocks run; there are no atomics. A library call stays, and gets
    a kernel that computes the same right behind it (`fallback`).

    Before:
    ```mlir
    linalg.generic {...} ins(%z : memref<64x512xf32>) outs(%y : memref<64x512xf32>) {...}
    ```
    After:
    ```mlir
    rt.launch_grid @kernels::@micro_kernel_0(%z, %y) blocks(64) threads(128)
        writes [false, true] : memref<64x512xf32>, memref<64x512xf32>

    gpu.module @kernels {
      gpu.func @micro_kernel_0(%z: memref<64x512xf32>, %y: memref<64x512xf32>) kernel {
        %block = gpu.block_id x
        %thread = gpu.thread_id x
        ...
    ```
  }];
  let options = [
    TilingOption<"Which sums of products are read through shared memory">
  ];
  let dependentDialects = ["::boostc::rt::RtDialect", "::mlir::scf::SCFDialect",
    "::mlir::arith::ArithDialect", "::mlir::math::MathDialect",
    "::mlir::memref::MemRefDialect", "::mlir::gpu::GPUDialect",
    "::mlir::LLVM::LLVMDialect", "::mlir::vector::VectorDialect"];
}

def LowerDeviceKernelsPass : Pass<"boostc-lower-device-kernels", "::mlir::gpu::GPUModuleOp"> {
  let summary = "turns kernels for GPUs into LLVM's dialect";
  let description = [{
    Loops become branches, memrefs bare pointers, ids and shuffles ops of `nvvm`. exp, log
    and their like become polynomials, as on CPUs, so that no library of NVIDIA's is
    needed and its presence changes nothing. Offsets have 32 bits where the buffers are
    small enough.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::NVVM::NVVMDialect",
    "::mlir::cf::ControlFlowDialect", "::mlir::arith::ArithDialect",
    "::mlir::math::MathDialect", "::mlir::vector::VectorDialect"];
}

def LowerToLLVMPass : Pass<"boostc-lower-to-llvm", "::mlir::ModuleOp"> {
  let summary = "turns a program in phase rt into LLVM functions and its descriptor";
  let description = [{
    Kernels become functions on bare pointers, host functions become calls through the
    table of BoostEnv, and the program's declarations become the constant descriptor that
    `boost_program_query` returns, laid out by runtime/abi/boost_abi.h itself: the pass
    fills the structs of that header and writes their bytes.

    Before:
    ```mlir
    train.program @mlp ... { ... func.func @micro() { ... rt.launch @micro_kernel_0(...) ... } }
    ```
    After:
    ```mlir
    llvm.func internal @boost.micro(%env: !llvm.ptr, %arenas: !llvm.ptr) -> i32 { ... }
    llvm.func internal @micro_kernel_0(%begin: i64, %end: i64, ...) { ... }
    llvm.mlir.global internal constant @boost.descriptor() : ... { ... }
    llvm.func @boost_program_query(%max_version: i32) -> !llvm.ptr { ... }
    ```
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::cf::ControlFlowDialect"];
}

#endif // BOOSTC_LOWERING_PASSES
