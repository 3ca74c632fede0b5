#ifndef BOOSTC_TRAIN_MUON
#define BOOSTC_TRAIN_MUON

include "dialects/train/TrainBase.td"

def Train_OrthogonalizeOp : Train_Computation<"orthogonalize", [
    AllTypesMatch<["input", "result"]>,
    DeclareOpInterfaceMethods<CostOpInterface, ["getFlops"]>,
    DeclareOpInterfaceMethods<LayerOpInterface>,
    DeclareOpInterfaceMethods<LibraryCallOpInterface>]> {
  let summary = "a matrix with its singular values brought near 1";
  let description = [{
    Five steps of Newton and Schulz: with `x = u / max(|u|, 1e-7)`, |u| the root of the sum of
    squares, and `A = x x^t`, five times `x = 3.4445 x + (-4.7750 A + 2.0315 A A) x`; the result
    is `scale * x`. A tensor is the matrix of its first dimension by all others, and is
    transposed where it has more rows than columns, so that A is the smaller of two. Singular
    values end between 0.7 and 1.2, not at 1: the coefficients are chosen to bring small ones up
    fast. Source: Jordan and others, "Muon: an optimizer for hidden layers in neural networks",
    2024. The iteration is in f32.

    Constraints:
    * (orthogonalize_c1) the tensor has two dimensions or more.

    Example:
    ```mlir
    %o = train.orthogonalize %u scale 1.0 : tensor<64x16x3x3xf32>
    ```
  }];
  let arguments = (ins Train_Tensor:$input, F64Attr:$scale);
  let results = (outs Train_Tensor:$result);
  let assemblyFormat = "$input `scale` $scale attr-dict `:` type($result)";
  let hasVerifier = 1;
}

#endif // BOOSTC_TRAIN_MUON
