#ifndef BOOSTC_RT_BUFFER
#define BOOSTC_RT_BUFFER

include "dialects/rt/RtBase.td"

def Rt_BufferOp : Rt_Op<"buffer", [Pure]> {
  let summary = "a range of bytes in an arena";
  let description = [{
    The memory at `offset` bytes in an arena, as the memory plan decided it.

    Constraints:
    * (rt_buffer_c1) the offset is a multiple of 64 (BOOSTC_ALIGNMENT) and not negative.
    * (rt_buffer_c2) the memref has a static shape and memory without gaps, its dimensions in any order.

    Example:
    ```mlir
    %w = rt.buffer parameter[4096] : memref<512x784xf32>
    ```
  }];
  let arguments = (ins Rt_Arena:$arena, I64Attr:$offset);
  let results = (outs AnyMemRef:$result);
  let assemblyFormat = "$arena `[` $offset `]` attr-dict `:` type($result)";
  let hasVerifier = 1;
}

#endif // BOOSTC_RT_BUFFER
