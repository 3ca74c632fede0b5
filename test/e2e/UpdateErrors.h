// UpdateErrors.h - the error analysis of @update.
#pragma once

#include "compiler/reference/ReferenceTrainer.h"
#include <map>

namespace boostc::e2e {

/// Bounds of the new parameters and states of `update`, by name. `sums`,
/// weights, state and controls are exact: both sides are given them.
std::map<std::string, std::vector<double>>
getUpdateErrors(mlir::func::FuncOp update,
                const ReferenceTrainer::Partial &sums,
                const ReferenceTrainer::Values &weights,
                const ReferenceTrainer::Values &state,
                const std::map<std::string, double> &controls);

} // namespace boostc::e2e
