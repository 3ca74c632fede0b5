#ifndef BOOSTC_RT_FILL
#define BOOSTC_RT_FILL

include "dialects/rt/RtBase.td"

def Rt_FillOp : Rt_Op<"fill", [
    DestinationStyleOpInterface, DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
    DeclareOpInterfaceMethods<ReferenceOpInterface>]> {
  let summary = "initial values of a parameter, by the runtime";
  let description = [{
    Writes the initial values of the parameter or state called `name`, a pure function
    of (seed, name, element) as runtime/abi/boost_random.h defines it. BoostEnv::fill in
    the ABI.

    Example:
    ```mlir
    %w = rt.fill "fc1.weight" <uniform, -0.5, 0.5>
           seed(%s : tensor<i64>) outs(%e : tensor<4x3xf32>) -> tensor<4x3xf32>
    ```
  }];
  let arguments = (ins StrAttr:$name, Rt_InitializerAttr:$initializer,
                       TensorOrMemRef<[I64]>:$seed, TensorOrMemRef<[F32]>:$destination);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let assemblyFormat = [{
    $name $initializer `seed` `(` $seed `:` type($seed) `)`
    `outs` `(` $destination `:` type($destination) `)` attr-dict
    (`->` type($results)^)?
  }];
  let extraClassDeclaration = [{
    ::mlir::MutableOperandRange getDpsInitsMutable() { return getDestinationMutable(); }
  }];
}

#endif // BOOSTC_RT_FILL
