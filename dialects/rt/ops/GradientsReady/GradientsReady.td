#ifndef BOOSTC_RT_GRADIENTS_READY
#define BOOSTC_RT_GRADIENTS_READY

include "dialects/rt/RtBase.td"

def Rt_GradientsReadyOp : Rt_Op<"gradients_ready", [
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "what a collective will exchange has the value of this micro-batch";
  let description = [{
    It is in `@micro`, after the last use of the buffers that collective `index` of
    `@update` exchanges, in the order of these numbers. BoostEnv::gradients_ready in the ABI: where
    the micro-batch is all of a rank's step, the runtime begins the collective, and the
    rest of the backward overlaps with it. It may write the buffers from then on.

    Constraints:
    * (rt_gradients_ready_c1) it has at least one buffer, all of static shape.

    Example:
    ```mlir
    rt.gradients_ready index(0) (%g, %h : memref<4x3xf32>, memref<4xf32>)
    ```
  }];
  let arguments = (ins I32Attr:$index, Variadic<MemRefOf<[F32, I64]>>:$buffers);
  let assemblyFormat = [{
    `index` `(` $index `)` `(` ($buffers^ `:` type($buffers))? `)` attr-dict
  }];
  let hasVerifier = 1;
}

#endif // BOOSTC_RT_GRADIENTS_READY
