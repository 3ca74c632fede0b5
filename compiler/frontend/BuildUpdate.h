// BuildUpdate.h - @update: the optimizer's rules with their states, schedules,
// parameter groups and the clipping in front of them.
#pragma once

#include "compiler/frontend/BuildForward.h"

namespace boostc::frontend {

/// Builds @update behind `micro`, whose results it takes. Fails after errors.
llvm::LogicalResult buildUpdate(ProgramParts &parts, mlir::func::FuncOp micro);

} // namespace boostc::frontend
