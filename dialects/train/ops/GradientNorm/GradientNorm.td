#ifndef BOOSTC_TRAIN_GRADIENT_NORM
#define BOOSTC_TRAIN_GRADIENT_NORM

include "dialects/train/TrainBase.td"

def Train_SquaredNormOp : Train_Computation<"squared_norm"> {
  let summary = "sum of the squares of a tensor";
  let description = [{
    Example:
    ```mlir
    %n = train.squared_norm %g : tensor<4x3xf32>
    ```
  }];
  let arguments = (ins Train_Tensor:$input);
  let results = (outs Train_Sum:$result);
  let assemblyFormat = "$input attr-dict `:` type($input)";
}

def Train_GlobalNormOp : Train_Computation<"global_norm"> {
  let summary = "Euclidean norm of several tensors together";
  let description = [{
    `sqrt(sum of squares)`, from the squared norm of each.

    Example:
    ```mlir
    %norm = train.global_norm %n0, %n1
    ```
  }];
  let arguments = (ins Variadic<Train_Sum>:$squares);
  let results = (outs Train_Sum:$result);
  let assemblyFormat = "$squares attr-dict";
}

def Train_ClipFactorOp : Train_Computation<"clip_factor"> {
  let summary = "what gradients of a norm are scaled by to stay below a limit";
  let description = [{
    `min(1, limit / (norm + 1e-6))`, as PyTorch's clip_grad_norm_.

    Example:
    ```mlir
    %factor = train.clip_factor %norm limit 1.0
    ```
  }];
  let arguments = (ins Train_Sum:$norm, F64Attr:$limit);
  let results = (outs Train_Sum:$result);
  let assemblyFormat = "$norm `limit` $limit attr-dict";
}

def Train_TrustRatioOp : Train_Computation<"trust_ratio"> {
  let summary = "LARS's rate for a tensor";
  let description = [{
    `coefficient * |w| / (|g| + weight_decay * |w| + epsilon)` from the squared norms of
    weight and gradient; 1 where either is zero.

    Example:
    ```mlir
    %ratio = train.trust_ratio %ww, %gg coefficient 0.001 weight_decay 0.0 epsilon 0.0
    ```
  }];
  let arguments = (ins Train_Sum:$weight, Train_Sum:$gradient, F64Attr:$coefficient,
                       F64Attr:$weight_decay, F64Attr:$epsilon);
  let results = (outs Train_Sum:$result);
  let assemblyFormat = [{
    $weight `,` $gradient `coefficient` $coefficient `weight_decay` $weight_decay
    `epsilon` $epsilon attr-dict
  }];
}

def Train_ScaleGradientOp : Train_GradientTransform<"scale_gradient", [
    AllTypesMatch<["gradient", "result"]>]> {
  let summary = "a gradient times a scalar";
  let description = [{
    Example:
    ```mlir
    %h = train.scale_gradient %g by %factor : tensor<4x3xf32>
    ```
  }];
  let arguments = (ins Train_Tensor:$gradient, Train_Sum:$factor);
  let results = (outs Train_Tensor:$result);
  let assemblyFormat = "$gradient `by` $factor attr-dict `:` type($result)";
}

def Train_ClampGradientOp : Train_GradientTransform<"clamp_gradient", [
    AllTypesMatch<["gradient", "result"]>]> {
  let summary = "each element of a gradient inside [-limit, limit]";
  let description = [{
    Example:
    ```mlir
    %h = train.clamp_gradient %g limit 0.5 : tensor<4x3xf32>
    ```
  }];
  let arguments = (ins Train_Tensor:$gradient, F64Attr:$limit);
  let results = (outs Train_Tensor:$result);
  let assemblyFormat = "$gradient `limit` $limit attr-dict `:` type($result)";
}

#endif // BOOSTC_TRAIN_GRADIENT_NORM
