// Comparison.h - results of a compiled program against exact ones with bounds.
#pragma once

#include "test/e2e/ErrorAnalysis.h"
#include "test/e2e/Programs.h"
#include <map>
#include <string>
#include <vector>

namespace boostc::e2e {

/// The function's arguments by their bindings, exact: `kept` are parameters and
/// states, `sums` those of micro-batches before, where it adds to them.
std::vector<Bounded> bindArguments(mlir::func::FuncOp function,
                                   const ReferenceTrainer::Values &kept,
                                   const ReferenceTrainer::Values &inputs,
                                   int64_t valid,
                                   const ReferenceTrainer::Partial &sums = {});

/// Exact results with bounds, by what they are: "gradient fc.weight",
/// "metric_sum top_1", "loss_sum ".
std::map<std::string, Bounded> analyzeByName(mlir::func::FuncOp function,
                                             llvm::ArrayRef<Bounded> arguments,
                                             bool *overflows = nullptr);

/// Elements that are not within their bounds; the last rounding, to f32, is on
/// the house.
int64_t countBeyond(const Bounded &expected, const ReferenceValue &actual);

/// Fails the test unless every element is within its bound.
void expectWithin(const Bounded &expected, const ReferenceValue &actual,
                  const std::string &what);
void expectWithin(const std::map<std::string, Bounded> &expected,
                  const ReferenceTrainer::Partial &actual,
                  const std::string &what);

} // namespace boostc::e2e
