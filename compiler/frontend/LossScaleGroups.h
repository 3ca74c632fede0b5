// LossScaleGroups.h - the parameters that share a loss scale, from the patterns
// of boost "loss_scale_group".
#pragma once

#include "compiler/frontend/BuildForward.h"

namespace boostc::frontend {

/// Whether a document that the table has not judged yet turns the boost on, so
/// that no other loss scale is to be taken by default.
bool asksForLossScaleGroups(const Node &document);

/// What follows from the boost in a resolved model: a step that is not finite
/// is skipped.
void resolveLossScaleGroups(Node &model, ErrorList &errors);

/// Gives the program the groups of its parameters, if the boost is on: they
/// must be a partition in the order of the network. Fails after errors.
llvm::LogicalResult setLossScaleGroups(ProgramParts &parts);

} // namespace boostc::frontend
