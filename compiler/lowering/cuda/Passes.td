#ifndef BOOSTC_LOWERING_CUDA_PASSES
#define BOOSTC_LOWERING_CUDA_PASSES

include "compiler/lowering/target/TilingPolicy.td"

def ChooseDeviceLibraryPass : Pass<"boostc-choose-device-library", "::boostc::train::ProgramOp"> {
  let summary = "picks the library calls on a GPU";
  let description = [{
    In a program with `rt.cuda_target`, a matmul becomes a call of cuBLASLt and a
    convolution, or a gradient of one, a call of cuDNN where it is large enough to be worth
    a launch of its own: a generated kernel is fused with its neighbours, a library's is
    not. The pass gives such an op scratch memory, which the memory plan covers and which
    tells later passes that it is a call; the others get kernels. `library` is `auto`,
    `always` (every one whose operands the library can read) or `never`.

    cuDNN has no tensor cores for a convolution of 16-bit factors with a result in f32. The
    gradient of a weight is one: its result is rounded to 16 bits, and extended by an op of
    its own.

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
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
                           "::mlir::memref::MemRefDialect"];
}

def SplitReductionsPass : Pass<"boostc-split-reductions", "::boostc::train::ProgramOp"> {
  let summary = "splits long reductions with few results on a GPU";
  let description = [{
    In a program with `rt.cuda_target`, a matmul or a convolution with few results, each the
    sum of many terms, does not occupy many blocks: a weight gradient, say. The pass gives it
    memory for partial sums (split-K), where that is estimated to take half the time or less.
    Separate blocks then compute each partial sum, and a second kernel, which may be fused
    with what follows, adds them up in a fixed order.

    Before and after:
    ```mlir
    rt.matmul ins(transposed %dy, %x : ...) outs(%dw : memref<64x64xf32>)
    ```
    ```mlir
    %p = memref.alloc() : memref<32x4096xf32>
    rt.matmul ins(transposed %dy, %x : ...) outs(%dw : memref<64x64xf32>)
      partials(%p : memref<32x4096xf32>)
    ```
  }];
  let options = [
    TilingOption<"Which reductions are split">
  ];
  let dependentDialects = ["::mlir::memref::MemRefDialect"];
}

def SetCudaTargetPass : Pass<"boostc-set-cuda-target", "::boostc::train::ProgramOp"> {
  let summary = "says that a program is compiled for GPUs";
  let description = [{
    Puts the attribute `rt.cuda_target` on the program, next to `rt.cpu_target` where it is
    compiled for both kinds of device.
  }];
  let dependentDialects = ["::boostc::rt::RtDialect"];
}

def SplitTargetsPass : Pass<"boostc-split-targets", "::mlir::ModuleOp"> {
  let summary = "makes a program for each kind of device";
  let description = [{
    Up to here all devices share the program, with its library calls and fusions. From here
    on memory is planned and kernels are generated for one kind of device each: a program with
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
    others stay as they are. Every op, contractions included, becomes a kernel for a grid of
    blocks (compiler/lowering/cuda/GridNest.h): a thread computes one output or a tile of
    neighbours, and where there are few outputs and much to reduce, a warp or a block
    shares the reduction of one; blocks of a large contraction read its factors through
    shared memory (compiler/lowering/cuda/SharedMemoryTiling.h). Ops share a kernel where a thread needs of the one before
    only what it computed itself, where they are independent, each on blocks of its own, or
    where they are small, one after the other in one block
    (compiler/lowering/cuda/DeviceSchedule.h). Kernels that are made of equal ops in the same
    way are one (compiler/lowering/kernels/KernelSet.h); a kernel holds ops that the same
    variants of its function have, so that those have it in common. Results do not depend
    on the order in which blocks run; there are no atomics. A library call stays, and gets
    a kernel that computes the same right after it (`fallback`).

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
    TilingOption<"Which contractions are read through shared memory">
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
    small enough. A choice among buffers becomes one among their pointers, so that LLVM knows
    where these come from and how they are aligned.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::NVVM::NVVMDialect",
    "::mlir::cf::ControlFlowDialect", "::mlir::arith::ArithDialect",
    "::mlir::math::MathDialect", "::mlir::vector::VectorDialect"];
}

#endif // BOOSTC_LOWERING_CUDA_PASSES
