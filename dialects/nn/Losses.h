// Losses.h - losses that compare each output with a number: mse, l1,
// binary_cross_entropy, cross_entropy.
#pragma once

#include "dialects/interfaces/Interfaces.h"
#include "dialects/interfaces/ScalarRule.h"

namespace boostc::nn {

/// What such a loss makes of the terms of a sample's elements.
enum class SampleLoss { Mean, Sum };

/// Outputs and targets have one shape [batch, ...].
llvm::LogicalResult verifyTargets(std::optional<mlir::Location> loc,
                                  mlir::Type outputs, mlir::Type targets);

/// `weights`, which may be null, has the shape `expected`.
llvm::LogicalResult verifyWeights(std::optional<mlir::Location> loc,
                                  llvm::ArrayRef<int64_t> expected,
                                  mlir::Value weights);

/// The pair (sum, count): sum over the first `valid` samples of the mean, or
/// the sum, over a sample's elements of `loss`, a rule for (output, target).
/// Operands: outputs, targets, valid, and weights or not: factors of the terms
/// of a sample, or of each row of it where rows are summed.
llvm::LogicalResult
evaluateLoss(const ScalarRule &loss, SampleLoss kind,
             llvm::ArrayRef<ReferenceValue> operands,
             llvm::SmallVectorImpl<ReferenceValue> &results);
llvm::SmallVector<mlir::Value>
lowerLoss(const ScalarRule &loss, SampleLoss kind, mlir::OpBuilder &builder,
          mlir::Location loc, mlir::ValueRange operands);
/// What is emitted averages or sums the terms of each sample, then adds the
/// samples, padding as zeros.
ErrorBounds boundLoss(const ScalarRule &loss, SampleLoss kind,
                      llvm::ArrayRef<Bounded> operands);

/// The gradient with respect to the outputs, zero for padding: `gradient`, a
/// rule for (dsum, output, target), / elements of a sample. Operands: dsum,
/// outputs, targets, valid, and weights or not: factors of dsum.
llvm::LogicalResult
evaluateLossGrad(const ScalarRule &gradient,
                 llvm::ArrayRef<ReferenceValue> operands,
                 llvm::SmallVectorImpl<ReferenceValue> &results);
llvm::SmallVector<mlir::Value> lowerLossGrad(const ScalarRule &gradient,
                                             mlir::OpBuilder &builder,
                                             mlir::Location loc,
                                             mlir::ValueRange operands);
ErrorBounds boundLossGrad(const ScalarRule &gradient,
                          llvm::ArrayRef<Bounded> operands);

/// The targets of a loss of the model file: an input of numbers as it is,
/// labels as rows of 0 and 1. Emits a diagnostic when the last layer's output
/// cannot be compared with them.
llvm::FailureOr<mlir::Value> buildTargets(LayerBuilder &layer);
/// Whether the loss compares with numbers and not with labels.
bool hasNumbersAsTargets(LayerBuilder &layer);

/// The model's sample weights as the loss or metric reads them, of `shape`;
/// null where samples have none. Weights of samples are those of all labels of
/// a sample. Emits a diagnostic when they have another shape.
llvm::FailureOr<mlir::Value> buildWeights(LayerBuilder &layer,
                                          llvm::ArrayRef<int64_t> shape);

/// What a loss or metric `op` of the model file leaves: sum and count, and the
/// sum of the weights where samples have some.
llvm::SmallVector<mlir::Value>
getMeasure(LayerBuilder &layer, mlir::Operation *op, mlir::Value weights);

/// The loss `Op` of the model file.
template <typename Op>
llvm::FailureOr<llvm::SmallVector<mlir::Value>>
buildLossLayer(LayerBuilder &layer) {
  llvm::FailureOr<mlir::Value> targets = buildTargets(layer);
  if (llvm::failed(targets))
    return llvm::failure();
  auto outputs = llvm::cast<mlir::RankedTensorType>(targets->getType());
  llvm::FailureOr<mlir::Value> weights =
      buildWeights(layer, outputs.getShape().take_front());
  if (llvm::failed(weights))
    return llvm::failure();
  auto op = Op::create(layer.builder, layer.loc, layer.inputs[0], *targets,
                       layer.inputs[2], *weights);
  return getMeasure(layer, op, *weights);
}

} // namespace boostc::nn
