// DeviceImages.h - code for GPUs inside of the program file.
#pragma once

#include "compiler/codegen/Ptxas.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"

namespace boostc {

/// LLVM's optimisations at `level` (0 to 3) for `machine`.
void optimize(llvm::Module &module, llvm::TargetMachine &machine, int level);

/// The images of a module (phase llvm) that has kernels for GPUs; of another
/// there are none.
class DeviceImages {
public:
  DeviceImages(mlir::ModuleOp module, int level)
      : module(module), level(level) {}

  /// Generates the PTX and lets ptxas (see findPtxas()) begin, which goes on
  /// beside what follows. Fails with a diagnostic.
  llvm::LogicalResult start(llvm::StringRef ptxas);
  /// Waits for ptxas and defines the table of images in `host`, which declares
  /// it.
  void define(llvm::Module &host);

private:
  mlir::ModuleOp module;
  int level;
  llvm::SmallVector<char, 0> ptx;
  PtxasJobs jobs;
};

} // namespace boostc
