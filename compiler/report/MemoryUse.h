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

/// Emits an error at `program`, a program in phase `buffers`, when a training
/// run reserves more than `budget` bytes on a rank of `job`: with the smallest
/// budget there is for it and what takes how much.
llvm::LogicalResult checkMemoryBudget(train::ProgramOp program, uint64_t budget,
                                      const boostrt::JobShape &job);

/// Bytes of the transient arena that `function` uses.
int64_t measureTransient(mlir::func::FuncOp function);

} // namespace boostc::report
