// MemoryUse.h - the memory of a run, read off the plan in a program.
#pragma once

#include "dialects/train/TrainDialect.h"
#include "mlir/IR/BuiltinOps.h"

namespace boostc::report {

struct ArenaUse {
  rt::Arena arena;
  llvm::StringRef holds;
  int64_t bytes = 0;  ///< one copy
  int64_t copies = 0; ///< that a training run reserves
};

/// Arenas with memory of their own, of a program in phase `buffers`.
std::vector<ArenaUse> measureArenas(train::ProgramOp program);

/// Bytes that a training run of `program`, in phase `buffers`, reserves.
uint64_t measureTotal(train::ProgramOp program);

/// The program of `module`, in phase `buffers`, that reserves most: there is
/// one for each kind of device.
train::ProgramOp getLargestProgram(mlir::ModuleOp module);

/// Emits an error at `program`, a program in phase `buffers`, when a training
/// run reserves more than `budget` bytes: with the smallest budget there is for
/// it and what takes how much.
llvm::LogicalResult checkMemoryBudget(train::ProgramOp program,
                                      uint64_t budget);

/// "5.84 MiB", or bytes below one KiB.
std::string describeBytes(uint64_t bytes);

/// Bytes of the transient arena that `function` uses.
int64_t measureTransient(mlir::func::FuncOp function);

} // namespace boostc::report
