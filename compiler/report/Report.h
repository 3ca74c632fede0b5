// Report.h - what boostc prints of a model instead of compiling it.
#pragma once

#include "compiler/report/LayerCosts.h"
#include "compiler/report/MemoryUse.h"
#include "compiler/report/Preconditioning.h"
#include "runtime/program/StepModel.h"
#include <optional>

namespace boostc::report {

/// The layer table of a program in phase `input`.
void printSummary(train::ProgramOp program, llvm::raw_ostream &os);

/// Whether a boost is on, and why.
struct Decision {
  std::string name;
  bool isOn = false;
  std::string reason;
};

/// What `boostc --explain` tells, gathered from three phases.
struct Explanation {
  std::vector<LayerCost> layers; ///< from `input` and `step`
  Work rest;                     ///< of a micro-batch, under no layer's name
  std::vector<PreconditionedWeight> preconditioned; ///< from `step`
  std::vector<Decision> decisions;
  std::optional<int64_t> samples;
  boostrt::JobShape job;
  /// What a memory budget made of the program, where there is one.
  std::optional<BudgetChoice> choice = {};
};

/// The program for one kind of device, in phase `buffers`.
struct TargetPlan {
  llvm::StringRef device; ///< "cpu"
  train::ProgramOp program;
};

/// There is a plan at least; those of one model differ in transient memory.
void printExplanation(llvm::ArrayRef<TargetPlan> plans,
                      const Explanation &explanation, llvm::raw_ostream &os);

/// The spellings of the model file and what their ops can do.
void printOps(mlir::MLIRContext &context, llvm::raw_ostream &os);

} // namespace boostc::report
