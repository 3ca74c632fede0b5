#ifndef BOOSTC_NN_DROPOUT
#define BOOSTC_NN_DROPOUT

include "dialects/nn/NnBase.td"

def Nn_DropoutOp : Nn_Op<"dropout", [
    DeclareOpInterfaceMethods<CostOpInterface, ["getFlops"]>,
    DeclareOpInterfaceMethods<DifferentiableOpInterface,
                              ["isActiveOperand", "savedForBackward"]>,
    DeclareOpInterfaceMethods<LayerOpInterface>,
    AllTypesMatch<["input", "result"]>]> {
  let summary = "sets random elements to zero";
  let description = [{
    `y[n, e] = (bits(key[n], stream, e) < 2^32 * (1 - rate) ? x[n, e] / (1 - rate) : 0)`
    with e the element's number in its sample, row-major, and bits being
    boost_sample_bits() of runtime/abi/boost_random.h (Srivastava et al., "Dropout", JMLR
    2014, in its inverted form). Which elements go is a pure function of the sample's key,
    the layer and the element: no mask is stored, and the backward form, the same op on
    dy, generates them again. A zero is a zero, whatever x holds there. The function that
    evaluates the model has no dropout.

    Constraints:
    * (dropout_c1) `x` is `[batch, ...]` with fewer than 2^32 elements a sample, `keys`
      is `[batch]`.
    * (dropout_c2) `rate` is at least 0 and below 1.

    Example:
    ```mlir
    %y = nn.dropout %x, %keys rate 0.5 stream 17 : tensor<32x512xf32>, tensor<32xi32>
    ```
  }];
  let arguments = (ins Nn_Tensor:$input, Nn_Labels:$keys, F64Attr:$rate,
                       I64Attr:$stream);
  let results = (outs Nn_Tensor:$result);
  let assemblyFormat = [{
    $input `,` $keys `rate` $rate `stream` $stream attr-dict `:` type($input) `,`
    type($keys)
  }];
  let hasVerifier = 1;
  let hasFolder = 1;
  let extraClassDeclaration = [{
    /// Elements with random bits below this stay.
    uint64_t getThreshold();
  }];
}

#endif // BOOSTC_NN_DROPOUT
