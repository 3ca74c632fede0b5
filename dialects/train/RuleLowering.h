// RuleLowering.h - what all first-order rules have in common: one pass over
// memory per parameter, committed or not.
#pragma once

#include "dialects/interfaces/Interfaces.h"

namespace boostc::train {

/// Lowers `rule` to one linalg.generic: the transforms of its gradient, the
/// rule, and the choice between new and old values.
llvm::SmallVector<mlir::Value> lowerRule(mlir::OpBuilder &builder,
                                         ScalarUpdateOpInterface rule);

/// Lowers a transform of a gradient for those of its users that are not rules,
/// together with the transforms before it.
mlir::Value lowerGradientTransform(mlir::OpBuilder &builder,
                                   GradientTransformOpInterface transform);

/// ReferenceOpInterface::evaluate() of a rule.
void evaluateCommitted(ScalarUpdateOpInterface rule,
                       llvm::ArrayRef<ReferenceValue> operands,
                       llvm::SmallVectorImpl<ReferenceValue> &results);

} // namespace boostc::train
