// MemoryUse.h - the memory of a run, read off the plan in a program: the table
// of runtime/program/MemoryPlan.h.
#pragma once

#include "dialects/train/TrainDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "runtime/program/StepModel.h"
#include "runtime/support/ByteText.h"

namespace boostc::report {

using boostrt::describeBytes;

/// Bytes that a training run of `program`, in phase `buffers`, reserves on the
/// rank of `job` that needs most.
uint64_t measureTotal(train::ProgramOp program, const boostrt::JobShape &job);

/// The program of `module`, in phase `buffers`, that reserves most: there is
/// one for each kind of device.
train::ProgramOp getLargestProgram(mlir::ModuleOp module,
                                   const boostrt::JobShape &job);

/// A forecast of that for the same model with micro-batches of `microBatch`
/// samples, `microBatches` of them, and a transient arena of `transient` bytes.
uint64_t forecastTotal(train::ProgramOp program, const boostrt::JobShape &job,
                       int64_t microBatch, int64_t microBatches,
                       uint64_t transient);

/// Emits an error at `program`, a program in phase `buffers`, when a training
/// run reserves more than `budget` bytes on a rank of `job`: with the smallest
/// budget there is for it, what takes how much, and `remedy`, what needs less.
llvm::LogicalResult checkMemoryBudget(train::ProgramOp program, uint64_t budget,
                                      const boostrt::JobShape &job,
                                      llvm::StringRef remedy);

/// What a memory budget made of a program, for remarks and --explain.
struct BudgetChoice {
  uint64_t budget = 0;
  uint64_t bytes = 0; ///< that training takes
  /// What it would take in micro-batches of `largestMicroBatch` samples that
  /// keep every value.
  uint64_t bytesBefore = 0;
  int64_t largestMicroBatch = 0;
  int64_t microBatch = 0;   ///< samples
  int64_t microBatches = 0; ///< of a step
  int64_t batchSize = 0;    ///< as the model file says
  uint64_t recomputed = 0;  ///< values
  double extraFlops = 0;    ///< of these, in percent of the rest
};

/// "computes 3 values again instead of keeping them (0.2 % more operations), so
/// that training takes 1.00 GiB instead of 1.50 GiB"; nothing where all is as
/// the model file says.
std::string describeBudgetChoice(const BudgetChoice &choice);

/// Bytes of the transient arena that `function` uses.
int64_t measureTransient(mlir::func::FuncOp function);

} // namespace boostc::report
