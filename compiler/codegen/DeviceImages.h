// DeviceImages.h - code for GPUs inside of the program file.
#pragma once

#include "compiler/codegen/Ptxas.h"
#include "mlir/IR/BuiltinOps.h"

namespace llvm {
class Module;
} // namespace llvm

namespace boostc {

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
