// RefreshSteps.h - which steps compute THOR's factors and inverses anew.
#pragma once

#include "compiler/boost/UpdateFunction.h"
#include "compiler/boost/thor/RefreshSlots.h"

namespace boostc::boost {

/// Gives `program` a variant of `refreshing` and a selector that chooses it for
/// the first step, and then for the first step that is as far from a refresh
/// that was applied as `plan` says, or farther; only for steps that else would
/// be `plain`, the last of the variants there are, or the only kind of step.
/// `others` are the updates of all other variants, and of `plain`.
void chooseRefreshSteps(train::ProgramOp program, const PlainStep &plain,
                        llvm::ArrayRef<mlir::func::FuncOp> others,
                        const PlainStep &refreshing, const RefreshPlan &plan);

} // namespace boostc::boost
