#ifndef BOOSTC_TRAIN_SUBSPACE
#define BOOSTC_TRAIN_SUBSPACE

include "dialects/train/TrainBase.td"

def Train_Coordinates : TensorRankOf<[F32], [1]>;

def Train_ProjectOp : Train_Computation<"project", [InferTypeOpAdaptor]> {
  let summary = "the coordinates of a tensor in a subspace";
  let description = [{
    `c[k] = sum over i... of basis[k mod rows, i...] * v[i...]`: a row of the basis is a vector
    of the shape of `v`. With orthonormal rows these are the coordinates of the projection of
    `v`.

    A basis whose rows are divided over ranks is one of `shards` of the same size, 1 where
    nothing is said. `c` has the coordinates of this shard once for each, so that the slice of
    whichever rank this is has its own.

    Constraints:
    * (project_c1) the basis has the shape of `v` after its dimension 0.
    * (project_c2) there is at least one shard, and c has at most 4096 elements.

    Example:
    ```mlir
    %c = train.project %g onto %basis : tensor<3x4xf32>, tensor<8x3x4xf32>
    %d = train.project %g onto %basis shards 2 : tensor<3x4xf32>, tensor<8x3x4xf32>
    ```
  }];
  let arguments = (ins Train_Tensor:$input, Train_Tensor:$basis,
                       DefaultValuedAttr<I64Attr, "1">:$shards);
  let results = (outs Train_Coordinates:$result);
  let assemblyFormat = [{
    $input `onto` $basis (`shards` $shards^)? attr-dict `:` type($input) `,` type($basis)
  }];
  let builders = [
    OpBuilder<(ins "::mlir::Value":$input, "::mlir::Value":$basis, "int64_t":$shards), [{
      build($_builder, $_state, input, basis, $_builder.getI64IntegerAttr(shards));
    }]>
  ];
}

def Train_LiftOp : Train_Computation<"lift", [InferTypeOpAdaptor]> {
  let summary = "what coordinates in a subspace stand for";
  let description = [{
    `v[i...] = sum over k of basis[k mod rows, i...] * c[k]`, for each of the coordinates. They
    are computed together, so that the basis is read once. Where the basis is one of several
    shards, the coordinates of the others are to be 0.

    Constraints:
    * (lift_c1) coordinates are a multiple of dimension 0 of the basis.

    Example:
    ```mlir
    %d, %p = train.lift %x, %c by %basis : (tensor<8xf32>, tensor<8xf32>), tensor<8x3x4xf32>
    ```
  }];
  let arguments = (ins Variadic<Train_Coordinates>:$coordinates, Train_Tensor:$basis);
  let results = (outs Variadic<Train_Tensor>:$lifted);
  let assemblyFormat = [{
    $coordinates `by` $basis attr-dict `:` `(` type($coordinates) `)` `,` type($basis)
  }];
}

def Train_DotOp : Train_Computation<"dot", [SameTypeOperands]> {
  let summary = "the inner product of two vectors of coordinates";
  let description = [{
    Example:
    ```mlir
    %0 = train.dot %g, %x : tensor<8xf32>
    ```
  }];
  let arguments = (ins Train_Coordinates:$lhs, Train_Coordinates:$rhs);
  let results = (outs Train_Sum:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` type($lhs)";
}

def Train_BfgsUpdateOp : Train_Computation<"bfgs_update", [
    AllTypesMatch<["correction", "result"]>, AllTypesMatch<["step", "change"]>]> {
  let summary = "an approximate inverse Hessian after a step";
  let description = [{
    `B = I + correction` becomes `T^t B T + p s s^t` with `T = I - p y s^t`, `p = 1 / (y . s)`,
    for a step `s` along which the gradient changed by `y`. Where `y . s` is not above 1e-20,
    `B` stays: it would not remain positive definite. Source: Nocedal and Wright, Numerical
    Optimization, 2006, (6.17). With `u = B y` that is

    `B' = B - p (s u^t + u s^t) + p (p (y . u) + 1) s s^t`,

    which is computed, so that `B` is read twice and remains symmetric. The memory has no
    `I` in it, and may so start as zeros.

    Constraints:
    * (bfgs_update_c1) the correction is a square matrix with as many rows as `s` has elements.

    Example:
    ```mlir
    %e1 = train.bfgs_update %e of %s, %y : tensor<8x8xf32>, tensor<8xf32>
    ```
  }];
  let arguments = (ins TensorRankOf<[F32], [2]>:$correction, Train_Coordinates:$step,
                       Train_Coordinates:$change);
  let results = (outs TensorRankOf<[F32], [2]>:$result);
  let assemblyFormat = [{
    $correction `of` $step `,` $change attr-dict `:` type($correction) `,` type($step)
  }];
  let hasVerifier = 1;
}

def Train_ReplaceOp : Train_Computation<"replace", [
    AllTypesMatch<["kept", "value", "result"]>]> {
  let summary = "a value that is kept, or another one in its place";
  let description = [{
    `value * factor` where `flag` is not 0, else `kept`, elementwise, in the memory of `kept`.

    Example:
    ```mlir
    %s1 = train.replace %s by %x times %rate if %taken : tensor<8xf32>
    ```
  }];
  let arguments = (ins Train_Tensor:$kept, Train_Tensor:$value, Train_Sum:$factor,
                       Train_Flag:$flag);
  let results = (outs Train_Tensor:$result);
  let assemblyFormat = [{
    $kept `by` $value `times` $factor `if` $flag attr-dict `:` type($result)
  }];
}

def Train_SubspaceStepOp : Train_Computation<"subspace_step", [
    AllTypesMatch<["parameter", "residual", "descent", "velocity", "result",
                   "new_velocity"]>]> {
  let summary = "a step in a subspace, and gradient descent outside of it";
  let description = [{
    `m' = gamma * m + r`, `w' = w - (alpha * m' + f * x)` where the step is applied, else `m`
    and `w`, elementwise, in the memory of both. `x` is a step inside of the subspace, of
    which a line search takes the part `f`; `r` is what the gradient has outside of it. Where
    `f` is 0 the search found nothing, and `x`, which need not be finite then, has no part in
    `w'`. Source: MindSpore's `dim_reduce`.

    Example:
    ```mlir
    %w1, %m1 = train.subspace_step %w, %r, %f, %x, %m alpha 1.0e-3 gamma 0.9 if %applied
        : tensor<3x4xf32>
    ```
  }];
  let arguments = (ins Train_Tensor:$parameter, Train_Tensor:$residual, Train_Sum:$rate,
                       Train_Tensor:$descent, Train_Tensor:$velocity, Train_Flag:$applied,
                       F64Attr:$alpha, F64Attr:$gamma);
  let results = (outs Train_Tensor:$result, Train_Tensor:$new_velocity);
  let assemblyFormat = [{
    $parameter `,` $residual `,` $rate `,` $descent `,` $velocity `alpha` $alpha `gamma` $gamma
    `if` $applied attr-dict `:` type($result)
  }];
}

#endif // BOOSTC_TRAIN_SUBSPACE
