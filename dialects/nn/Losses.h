// Losses.h - losses that compare each output with a number: mse, l1,
// binary_cross_entropy, cross_entropy.
#pragma once

#include "dialects/interfaces/Interfaces.h"
#include "dialects/interfaces/LinalgHelpers.h"

namespace boostc::nn {

/// What such a loss is for one element.
using ScalarLoss = llvm::function_ref<double(double output, double target)>;
/// Emits it: block arguments (output, target).
using ScalarLossBody = ElementBody;

/// What such a loss makes of the terms of a sample's elements.
enum class SampleLoss { Mean, Sum };

/// Outputs and targets have one shape [batch, ...].
llvm::LogicalResult verifyTargets(std::optional<mlir::Location> loc,
                                  mlir::Type outputs, mlir::Type targets);

/// The pair (sum, count): sum over the first `valid` samples of the mean, or
/// the sum, over a sample's elements of `loss`. Operands: outputs, targets,
/// valid.
llvm::LogicalResult evaluateLoss(llvm::ArrayRef<ReferenceValue> operands,
                                 llvm::SmallVectorImpl<ReferenceValue> &results,
                                 ScalarLoss loss,
                                 SampleLoss kind = SampleLoss::Mean);
llvm::SmallVector<mlir::Value> lowerLoss(mlir::OpBuilder &builder,
                                         mlir::Location loc,
                                         mlir::ValueRange operands,
                                         ScalarLossBody loss,
                                         SampleLoss kind = SampleLoss::Mean);

/// The gradient with respect to the outputs, zero for padding:
/// dsum * slope / elements of a sample. Operands: dsum, outputs, targets,
/// valid.
llvm::LogicalResult
evaluateLossGrad(llvm::ArrayRef<ReferenceValue> operands,
                 llvm::SmallVectorImpl<ReferenceValue> &results,
                 ScalarLoss slope);
llvm::SmallVector<mlir::Value> lowerLossGrad(mlir::OpBuilder &builder,
                                             mlir::Location loc,
                                             mlir::ValueRange operands,
                                             ScalarLossBody slope);

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

/// The gradient of such a loss by its op `GradOp`.
template <typename GradOp, typename Op>
llvm::LogicalResult buildLossBackward(Op op, BackwardContext &context) {
  // Nothing differentiable flows through the count.
  if (context.gradResults[0] && context.needed[0])
    context.gradOperands[0] =
        GradOp::create(context.builder, context.loc, context.gradResults[0],
                       op.getOutputs(), op.getTargets(), context.valid);
  return llvm::success();
}

} // namespace boostc::nn
