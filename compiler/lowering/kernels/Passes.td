#ifndef BOOSTC_LOWERING_KERNELS_PASSES
#define BOOSTC_LOWERING_KERNELS_PASSES

include "mlir/Pass/PassBase.td"

def MergeKernelsPass : Pass<"boostc-merge-kernels", "::boostc::train::ProgramOp"> {
  let summary = "makes equal kernels one";
  let description = [{
    Layers of one shape have kernels that differ in nothing but their names: addresses are
    arguments. The first of them stays, and the launches of the others launch it. A launch
    keeps its own location, so that what is said about it names its layer. Merges the kernels
    of programs for CPUs and for GPUs, those of all functions of the program. Kernels for GPUs
    may also be in LLVM's dialect, where those on buffers of other shapes may be equal.

    Before:
    ```mlir
    rt.launch @micro_kernel_1(%0, %1) extent(32) grain(1) : memref<32x8xf32>, memref<32x8xf32>
    rt.launch @micro_kernel_2(%1, %2) extent(32) grain(1) : memref<32x8xf32>, memref<32x8xf32>
    ```
    After, if `@micro_kernel_2` computes what `@micro_kernel_1` does:
    ```mlir
    rt.launch @micro_kernel_1(%0, %1) extent(32) grain(1) : memref<32x8xf32>, memref<32x8xf32>
    rt.launch @micro_kernel_1(%1, %2) extent(32) grain(1) : memref<32x8xf32>, memref<32x8xf32>
    ```
  }];
}

#endif // BOOSTC_LOWERING_KERNELS_PASSES
