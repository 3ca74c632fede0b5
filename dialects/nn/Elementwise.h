// Elementwise.h - what ops that compute each element on its own have in common.
#pragma once

#include "dialects/interfaces/Interfaces.h"
#include "dialects/interfaces/LinalgHelpers.h"

namespace boostc::nn {

/// `function` of the operands' elements, for each element of operand 0. The
/// operands have one shape.
llvm::LogicalResult evaluateElementwise(
    llvm::ArrayRef<ReferenceValue> operands,
    llvm::SmallVectorImpl<ReferenceValue> &results,
    llvm::function_ref<double(llvm::ArrayRef<double>)> function);

/// The op's only result as one loop nest over its operands, all of its shape.
llvm::FailureOr<llvm::SmallVector<mlir::Value>>
lowerElementwise(mlir::Operation *op, mlir::OpBuilder &builder,
                 ElementBody body);
/// Emits a diagnostic when a layer of two inputs has them of different shapes.
llvm::LogicalResult checkSameShapes(LayerBuilder &layer);

/// The layer of an elementwise op of two values.
template <typename Op>
llvm::FailureOr<llvm::SmallVector<mlir::Value>>
buildBinaryLayer(LayerBuilder &layer) {
  if (llvm::failed(checkSameShapes(layer)))
    return llvm::failure();
  return llvm::SmallVector<mlir::Value>{
      Op::create(layer.builder, layer.loc, layer.inputs[0], layer.inputs[1])};
}

} // namespace boostc::nn
