// DeviceImages.h - code for GPUs inside of the program file.
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"

namespace boostc {

/// LLVM's optimisations at `level` (0 to 3) for `machine`.
void optimize(llvm::Module &module, llvm::TargetMachine &machine, int level);

/// Generates the images of `module` (phase llvm), where it has kernels for
/// GPUs, and defines their table in `host`, which declares it. Fails with a
/// diagnostic.
llvm::LogicalResult defineImages(mlir::ModuleOp module, int level,
                                 llvm::Module &host);

} // namespace boostc
