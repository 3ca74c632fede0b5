// BuildUpdate.h - @update: the optimizer's rules with their states, schedules,
// parameter groups and the clipping before them.
#pragma once

#include "compiler/frontend/BuildForward.h"

namespace boostc::frontend {

/// Builds @update after `micro`, whose results it reads. Fails after errors.
llvm::LogicalResult buildUpdate(ProgramParts &parts, mlir::func::FuncOp micro);

} // namespace boostc::frontend
