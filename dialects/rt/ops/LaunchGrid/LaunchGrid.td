#ifndef BOOSTC_RT_LAUNCHGRID
#define BOOSTC_RT_LAUNCHGRID

include "dialects/rt/RtBase.td"

def Rt_LaunchGridOp : Rt_Op<"launch_grid", [
    DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "runs a generated kernel on a grid of a GPU";
  let description = [{
    Runs `kernel(buffers...)` on `blocks` blocks of `threads` threads, after everything
    before it. BoostEnv::launch in the ABI. `writes` says of each buffer
    whether the kernel writes it; buffers do not overlap. `work` is what it does, for
    profiles.

    A `fallback` computes the same as the library call right before it, and runs instead of
    it where the library is missing or slower, on the buffers of the call, in their order.

    Constraints:
    * (rt_launch_grid_c1) the kernel is a `gpu.func` (buffers...) marked `kernel`.
    * (rt_launch_grid_c2) there are 1 to 2^31 - 1 blocks of 1 to 1024 threads.
    * (rt_launch_grid_c3) `writes` has a value for each buffer.
    * (rt_launch_grid_c4) a library call with scratch memory is right before a `fallback`.

    Example:
    ```mlir
    rt.launch_grid @kernels::@micro_relu(%z, %y) blocks(128) threads(128) writes [false, true]
        : memref<32x512xf32>, memref<32x512xf32>
    ```
  }];
  let arguments = (ins SymbolRefAttr:$kernel, Variadic<AnyMemRef>:$buffers,
                       I64Attr:$blocks, I64Attr:$threads, DenseBoolArrayAttr:$writes,
                       UnitProp:$fallback, OptionalAttr<Rt_WorkAttr>:$work);
  let assemblyFormat = [{
    $kernel `(` $buffers `)` `blocks` `(` $blocks `)` `threads` `(` $threads `)`
    `writes` $writes (`fallback` $fallback^)? attr-dict `:` type($buffers)
    (`work` $work^)?
  }];
  let hasVerifier = 1;
}

#endif // BOOSTC_RT_LAUNCHGRID
