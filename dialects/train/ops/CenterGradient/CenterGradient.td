#ifndef BOOSTC_TRAIN_CENTER_GRADIENT
#define BOOSTC_TRAIN_CENTER_GRADIENT

include "dialects/train/TrainBase.td"

def Train_FilterMeansOp : Train_Computation<"filter_means", [InferTypeOpAdaptor]> {
  let summary = "the mean of each output's part of a gradient";
  let description = [{
    Dimension 0 of the gradient of a weight numbers the outputs: the filters of a
    convolution, the units of a dense layer. `m[o]` is the mean of `g[o, ...]`.

    Constraints:
    * (filter_means_c1) `g` has rank 2 or more.

    Example:
    ```mlir
    %m = train.filter_means %g : tensor<64x3x7x7xf32>
    ```
  }];
  let arguments = (ins Train_Tensor:$gradient);
  let results = (outs TensorRankOf<[F32], [1]>:$result);
  let assemblyFormat = "$gradient attr-dict `:` type($gradient)";
}

def Train_CenterGradientOp : Train_GradientTransform<"center_gradient", [
    AllTypesMatch<["gradient", "result"]>]> {
  let summary = "a gradient less the mean of each output's part";
  let description = [{
    `g[o, ...] - m[o]`. With the means of `train.filter_means` this is gradient
    centralisation (Yong et al., "Gradient Centralization: A New Optimization Technique for
    Deep Neural Networks", 2020): what each output's weights change by adds up to zero.

    Constraints:
    * (center_gradient_c1) `m` has as many elements as dimension 0 of `g`.

    Example:
    ```mlir
    %c = train.center_gradient %g by %m : tensor<64x3x7x7xf32>, tensor<64xf32>
    ```
  }];
  let arguments = (ins Train_Tensor:$gradient, TensorRankOf<[F32], [1]>:$means);
  let results = (outs Train_Tensor:$result);
  let assemblyFormat =
      "$gradient `by` $means attr-dict `:` type($gradient) `,` type($means)";
  let hasVerifier = 1;
}

#endif // BOOSTC_TRAIN_CENTER_GRADIENT
