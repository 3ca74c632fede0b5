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

/// The pair (sum, count): sum over the first `valid` samples of the mean, or
/// the sum, over a sample's elements of `loss`, a rule for (output, target).
/// Operands: outputs, targets, valid.
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
/// outputs, targets, valid.
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

/// The loss `Op` of the model file.
template <typename Op>
llvm::FailureOr<llvm::SmallVector<mlir::Value>>
buildLossLayer(LayerBuilder &layer) {
  llvm::FailureOr<mlir::Value> targets = buildTargets(layer);
  if (llvm::failed(targets))
    return llvm::failure();
  auto op = Op::create(layer.builder, layer.loc, layer.inputs[0], *targets,
                       layer.inputs[2]);
  return llvm::SmallVector<mlir::Value>(op.getResults());
}

} // namespace boostc::nn
