#ifndef BOOSTC_TRAIN_VALUE_AND_GRAD
#define BOOSTC_TRAIN_VALUE_AND_GRAD

include "dialects/train/TrainBase.td"

def Train_ValueAndGradOp : Train_Op<"value_and_grad", [
    Pure, AttrSizedOperandSegments, DeclareOpInterfaceMethods<SymbolUserOpInterface>,
    DeclareOpInterfaceMethods<ReferenceOpInterface>]> {
  let summary = "a loss and its gradients";
  let description = [{
    Calls `callee`, whose first two results are the loss as (sum over samples, count),
    and returns both, then the results of `callee` that `outputs` numbers, then the gradient
    of the sum with respect to each argument in `wrt`. With `scale` gradients are those of
    `scale` times the sum, so that what lies between layers in f16 does not become zero; the
    sum itself is not scaled. Phase `backward` replaces it by the
    forward and backward ops. The interpreter evaluates the definition itself, by central
    differences.

    Constraints:
    * (value_and_grad_c1) `callee` is a function that takes the operands.
    * (value_and_grad_c2) its first results are tensor<f32> and tensor<i64>.
    * (value_and_grad_c3) `wrt` names f32 arguments, each once, in ascending order; the last
      results have their types.
    * (value_and_grad_c4) `outputs` names results of `callee` after the first two, each
      once, in ascending order; the results after the first two have their types.

    Example:
    ```mlir
    %sum, %count, %dw = train.value_and_grad @forward(%x, %label, %valid, %w) wrt [3]
        : (tensor<2x3xf32>, tensor<2xi32>, tensor<i32>, tensor<4x3xf32>)
        -> (tensor<f32>, tensor<i64>, tensor<4x3xf32>)
    %s, %n, %sum, %dw = train.value_and_grad @forward(%x, %label, %valid, %w) outputs [2] wrt [3]
        : (tensor<2x3xf32>, tensor<2xi32>, tensor<i32>, tensor<4x3xf32>)
        -> (tensor<f32>, tensor<i64>, tensor<3xf32>, tensor<4x3xf32>)
    %sum, %count, %dw = train.value_and_grad @forward(%x, %label, %valid, %w) scale(%s) wrt [3]
        : (tensor<2x3xf32>, tensor<2xi32>, tensor<i32>, tensor<4x3xf32>)
        -> (tensor<f32>, tensor<i64>, tensor<4x3xf32>)
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$callee, Variadic<AnyRankedTensor>:$inputs,
                       Optional<Train_Sum>:$scale,
                       OptionalAttr<DenseI64ArrayAttr>:$outputs, DenseI64ArrayAttr:$wrt);
  let results = (outs Train_Sum:$sum, Train_Count:$count,
                      Variadic<StaticShapeTensorOf<[F32, I64]>>:$values);
  let assemblyFormat = [{
    $callee `(` $inputs `)` (`scale` `(` $scale^ `)`)? (`outputs` $outputs^)? `wrt` $wrt
    attr-dict `:` functional-type($inputs, results)
  }];
  let extraClassDeclaration = [{
    /// The numbers of `outputs`; none where there are none.
    ::llvm::ArrayRef<int64_t> getOutputNumbers();
    /// What `callee` returned under these numbers.
    ::mlir::ResultRange getOutputValues();
    /// One for each argument in `wrt`.
    ::mlir::ResultRange getGradients();
  }];
}

#endif // BOOSTC_TRAIN_VALUE_AND_GRAD
