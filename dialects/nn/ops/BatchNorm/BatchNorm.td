#ifndef BOOSTC_NN_BATCH_NORM
#define BOOSTC_NN_BATCH_NORM

include "dialects/nn/NnBase.td"

def Nn_Channels : TensorRankOf<[F32], [1]>;

def Nn_BatchNormOp : Nn_Op<"batch_norm", [Nn_Normalizes, Nn_IsBatchNorm,
    AllTypesMatch<["input", "result"]>,
    AllTypesMatch<["weight", "bias", "mean", "variance"]>,
    DeclareOpInterfaceMethods<CostOpInterface, ["getFlops"]>,
    DeclareOpInterfaceMethods<DifferentiableOpInterface, ["savedForBackward"]>,
    DeclareOpInterfaceMethods<LayerOpInterface>, BatchReducingOpInterface]> {
  let summary = "batch normalisation in training";
  let description = [{
    With mean m and variance v (divided by their number n) of the values of channel c in the
    samples below `valid`,

    ```
    y[i, c, ...] = weight[c] * (x[i, c, ...] - m[c]) / sqrt(v[c] + epsilon) + bias[c]
    ```

    and m and v are results too, 0 where there is no sample. Source: Ioffe and Szegedy,
    "Batch Normalization", 2015. Backward: see `nn.batch_norm_grad`; m and v themselves carry
    no gradient.

    One pass over x adds up `t = x - p` and `t^2` for a number p of each channel, the mean of
    the channel in the first sample: `m = p + sum(t) / n`, `v = sum(t^2) / n - (sum(t) / n)^2`
    (shifted data; Chan, Golub and LeVeque, The American Statistician 37, 1983). p is at most
    sqrt(samples) standard deviations away from m, so the subtraction loses a factor of
    1 + samples at most, and next to nothing as a rule, wherever m is.

    Constraints:
    * (batch_norm_c1) `x` has rank 2 or more, and `weight` one element per channel.

    Example:
    ```mlir
    %y, %m, %v = nn.batch_norm %x, %weight, %bias, %valid epsilon 1.0e-5
        : tensor<32x64x8x8xf32>, tensor<64xf32>
    ```
  }];
  let arguments = (ins Nn_Tensor:$input, Nn_Channels:$weight, Nn_Channels:$bias,
                       Nn_Valid:$valid, F64Attr:$epsilon);
  let results = (outs Nn_Tensor:$result, Nn_Channels:$mean, Nn_Channels:$variance);
  let assemblyFormat = [{
    $input `,` $weight `,` $bias `,` $valid `epsilon` $epsilon attr-dict
    `:` type($input) `,` type($weight)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    int64_t getMinSamples();
  }];
}

def Nn_BatchNormGradOp : Nn_Op<"batch_norm_grad", [
    AllTypesMatch<["gradient", "input", "result"]>,
    AllTypesMatch<["weight", "mean", "variance", "gradWeight", "gradBias"]>,
    DeclareOpInterfaceMethods<CostOpInterface, ["getFlops"]>,
    BatchReducingOpInterface]> {
  let summary = "gradients of batch_norm's input, weight and bias";
  let description = [{
    With `r = 1 / sqrt(v + epsilon)`, `z = (x - m) * r` and sums over the n values of a
    channel in the samples below `valid`,

    ```
    dbias = sum(dy)        dweight = sum(dy * z)
    dx    = weight * r * (dy - dbias / n - z * dweight / n)
    ```

    in these samples, and dx = 0 in the others.

    Constraints:
    * (batch_norm_grad_c1) as batch_norm_c1.

    Example:
    ```mlir
    %dx, %dw, %db = nn.batch_norm_grad %dy, %x, %weight, %m, %v, %valid epsilon 1.0e-5
        : tensor<32x64x8x8xf32>, tensor<64xf32>
    ```
  }];
  let arguments = (ins Nn_Tensor:$gradient, Nn_Tensor:$input, Nn_Channels:$weight,
                       Nn_Channels:$mean, Nn_Channels:$variance, Nn_Valid:$valid,
                       F64Attr:$epsilon);
  let results = (outs Nn_Tensor:$result, Nn_Channels:$gradWeight, Nn_Channels:$gradBias);
  let assemblyFormat = [{
    $gradient `,` $input `,` $weight `,` $mean `,` $variance `,` $valid `epsilon` $epsilon
    attr-dict `:` type($input) `,` type($weight)
  }];
  let hasVerifier = 1;
}

def Nn_BatchNormInferenceOp : Nn_Op<"batch_norm_inference", [Nn_Normalizes, Nn_IsBatchNorm,
    AllTypesMatch<["input", "result"]>,
    AllTypesMatch<["weight", "bias", "mean", "variance"]>,
    DeclareOpInterfaceMethods<CostOpInterface, ["getFlops"]>]> {
  let summary = "batch normalisation in evaluation";
  let description = [{
    As `nn.batch_norm`, with a mean and a variance that are given: the running ones.

    Constraints:
    * (batch_norm_inference_c1) as batch_norm_c1.

    Example:
    ```mlir
    %y = nn.batch_norm_inference %x, %weight, %bias, %m, %v epsilon 1.0e-5
        : tensor<32x64x8x8xf32>, tensor<64xf32>
    ```
  }];
  let arguments = (ins Nn_Tensor:$input, Nn_Channels:$weight, Nn_Channels:$bias,
                       Nn_Channels:$mean, Nn_Channels:$variance, F64Attr:$epsilon);
  let results = (outs Nn_Tensor:$result);
  let assemblyFormat = [{
    $input `,` $weight `,` $bias `,` $mean `,` $variance `epsilon` $epsilon attr-dict
    `:` type($input) `,` type($weight)
  }];
  let hasVerifier = 1;
}

def Nn_BatchNormSumsOp : Nn_Op<"batch_norm_sums", [Nn_ComputesFloat32,
    AllTypesMatch<["mean", "variance", "center", "shifts", "squares"]>,
    DeclareOpInterfaceMethods<CostOpInterface, ["getFlops"]>, BatchReducingOpInterface]> {
  let summary = "what a micro-batch adds to the running statistics";
  let description = [{
    Of n values for each channel, `positions` in each sample below `valid`, with mean m and
    variance v, the sums of distances from a number K of each channel:

    ```
    shifts  = n * (m - K)                sum of x - K
    squares = n * v + n * (m - K)^2      sum of (x - K)^2
    count   = n
    ```

    With one K for all of them, these sums of micro-batches and ranks are added as they are
    (`train.running_statistics`).

    Constraints:
    * (batch_norm_sums_c1) `positions` is 1 or more.

    Example:
    ```mlir
    %s, %q, %n = nn.batch_norm_sums %m, %v, %running_mean, %valid positions 64 : tensor<64xf32>
    ```
  }];
  let arguments = (ins Nn_Channels:$mean, Nn_Channels:$variance, Nn_Channels:$center,
                       Nn_Valid:$valid, I64Attr:$positions);
  let results = (outs Nn_Channels:$shifts, Nn_Channels:$squares, Nn_Count:$count);
  let assemblyFormat = [{
    $mean `,` $variance `,` $center `,` $valid `positions` $positions attr-dict
    `:` type($mean)
  }];
  let hasVerifier = 1;
}

#endif // BOOSTC_NN_BATCH_NORM
