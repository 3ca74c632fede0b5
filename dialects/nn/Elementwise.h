// Elementwise.h - what ops that compute each element on its own have in common.
#pragma once

#include "dialects/interfaces/Interfaces.h"
#include "dialects/interfaces/LinalgHelpers.h"
#include "dialects/interfaces/ScalarRule.h"

namespace boostc::nn {

/// `rule` of the operands' elements, for each element of operand 0. The
/// operands have one shape.
llvm::LogicalResult
evaluateElementwise(const ScalarRule &rule,
                    llvm::ArrayRef<ReferenceValue> operands,
                    llvm::SmallVectorImpl<ReferenceValue> &results);
ErrorBounds boundElementwise(const ScalarRule &rule,
                             llvm::ArrayRef<Bounded> operands);
/// The op's only result as one loop nest over its operands, all of its shape.
llvm::FailureOr<llvm::SmallVector<mlir::Value>>
lowerElementwise(mlir::Operation *op, mlir::OpBuilder &builder,
                 const ScalarRule &rule);
/// Emits `rule` of the scalars `args`.
mlir::Value buildScalarRule(mlir::OpBuilder &builder, mlir::Location loc,
                            const ScalarRule &rule, mlir::ValueRange args);

/// dy * slope for a slope that is computed from y, which is off by y.error: it
/// follows with at most `steepness` times that, and is rounded three times.
Approximate boundSlope(Approximate dy, Approximate y, double slope,
                       double steepness);
/// f(x), without counting apart what x's error does to the parts of f: f' is
/// `steepness` at most.
Approximate boundAtOnce(Approximate x, double steepness,
                        llvm::function_ref<Approximate(Approximate)> f);

/// Gives both inputs of a layer one shape: an extent of 1 is repeated as often
/// as the other input has it. Emits a diagnostic where another one differs.
llvm::LogicalResult repeatToOneShape(LayerBuilder &layer);

/// The layer of an elementwise op of one value, without keys.
template <typename Op>
llvm::FailureOr<llvm::SmallVector<mlir::Value>>
buildUnaryLayer(LayerBuilder &layer) {
  return llvm::SmallVector<mlir::Value>{
      Op::create(layer.builder, layer.loc, layer.inputs[0])};
}

/// The layer of an elementwise op of two values.
template <typename Op>
llvm::FailureOr<llvm::SmallVector<mlir::Value>>
buildBinaryLayer(LayerBuilder &layer) {
  if (llvm::failed(repeatToOneShape(layer)))
    return llvm::failure();
  return llvm::SmallVector<mlir::Value>{
      Op::create(layer.builder, layer.loc, layer.inputs[0], layer.inputs[1])};
}

} // namespace boostc::nn
