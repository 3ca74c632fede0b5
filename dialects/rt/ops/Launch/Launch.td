#ifndef BOOSTC_RT_LAUNCH
#define BOOSTC_RT_LAUNCH

include "dialects/rt/RtBase.td"

def Rt_LaunchOp : Rt_Op<"launch", [
    DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "runs a generated kernel over its parallel loop";
  let description = [{
    Calls `kernel(begin, end, buffers...)` for contiguous pieces of `[0, extent)` of at
    least `grain` iterations, one piece a thread at most. BoostEnv::parallel_for in the
    ABI. The kernel may write every buffer; buffers do not overlap. `work` is what it does,
    for profiles.

    Constraints:
    * (rt_launch_c1) the kernel is a function (index, index, buffers...) without results.
    * (rt_launch_c2) extent and grain are 1 or more.

    Example:
    ```mlir
    rt.launch @micro_relu(%z, %y) extent(32) grain(8)
        : memref<32x512xf32>, memref<32x512xf32>
        work <flops = 16384, read = 65536, written = 65536>
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$kernel, Variadic<AnyMemRef>:$buffers,
                       I64Attr:$extent, I64Attr:$grain, OptionalAttr<Rt_WorkAttr>:$work);
  let assemblyFormat = [{
    $kernel `(` $buffers `)` `extent` `(` $extent `)` `grain` `(` $grain `)` attr-dict
    `:` type($buffers) (`work` $work^)?
  }];
  let hasVerifier = 1;
}

#endif // BOOSTC_RT_LAUNCH
