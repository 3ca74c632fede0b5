#ifndef BOOSTC_TRAIN_INITIALIZE
#define BOOSTC_TRAIN_INITIALIZE

include "dialects/train/TrainBase.td"

def Train_InitializeOp : Train_Op<"initialize", [
    Pure, DeclareOpInterfaceMethods<LibraryCallOpInterface>,
    DeclareOpInterfaceMethods<ReferenceOpInterface>]> {
  let summary = "the first value of a parameter or state";
  let description = [{
    A pure function of (seed, name, element); see runtime/abi/boost_random.h.

    Example:
    ```mlir
    %w = train.initialize "fc1.weight" <uniform, -0.5, 0.5> seed(%seed)
        : tensor<4x3xf32>
    ```
  }];
  let arguments = (ins StrAttr:$name, Rt_InitializerAttr:$initializer, Train_Seed:$seed);
  let results = (outs Train_Tensor:$result);
  let assemblyFormat = [{
    $name $initializer `seed` `(` $seed `)` attr-dict `:` type($result)
  }];
}

#endif // BOOSTC_TRAIN_INITIALIZE
