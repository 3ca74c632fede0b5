#ifndef BOOSTC_NN_NORMALIZE
#define BOOSTC_NN_NORMALIZE

include "dialects/nn/NnBase.td"

def Nn_NormalizeOp : Nn_Op<"normalize", [
    DeclareOpInterfaceMethods<CostOpInterface, ["getFlops"]>]> {
  let summary = "pixels as numbers";
  let description = [{
    `y[n, c, ...] = scale[c] * x[n, c, ...] + shift[c]` for `x` from 0 to 255: what the
    transforms `rescale` and `normalize` make of an input of bytes. `scale` and `shift` have a
    number for each channel, or one for all; they are rounded to f32. Nothing is upstream of
    pixels, so there is no backward.

    Constraints:
    * (normalize_c1) the result has the shape of the pixels.
    * (normalize_c2) `scale` and `shift` have one number, or as many as there are channels.

    Example:
    ```mlir
    %y = nn.normalize %x by [1.67e-2, 1.75e-2, 1.73e-2] plus [-2.1, -2.0, -1.8]
        : tensor<32x3x32x32xi8> -> tensor<32x3x32x32xf32>
    ```
  }];
  // Not DenseF64ArrayAttr, of whose numbers an assembly format prints six digits.
  let arguments = (ins Nn_Pixels:$pixels, F64ArrayAttr:$scale, F64ArrayAttr:$shift);
  let results = (outs Nn_Tensor:$result);
  let assemblyFormat = [{
    $pixels `by` $scale `plus` $shift attr-dict `:` type($pixels) `->` type($result)
  }];
  let hasVerifier = 1;
}

#endif // BOOSTC_NN_NORMALIZE
