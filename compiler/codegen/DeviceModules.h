// DeviceModules.h - code for GPUs inside of the program file.
#pragma once

#include "compiler/codegen/Ptxas.h"
#include "mlir/IR/BuiltinOps.h"
#include <future>

namespace llvm {
class Module;
class ThreadPoolInterface;
} // namespace llvm

namespace boostc {

class DeviceCode;

/// The modules of a module (phase llvm) that has kernels for GPUs; of another
/// there are none.
class DeviceModules {
public:
  DeviceModules(mlir::ModuleOp module, int level);
  ~DeviceModules();

  /// Begins to generate the PTX on a thread of `pool`, which lives longer, and
  /// then to assemble it with ptxas (see findPtxas()), concurrently with what
  /// follows, which does not change the module. Fails with a diagnostic.
  llvm::LogicalResult start(llvm::StringRef ptxas,
                            llvm::ThreadPoolInterface &pool);
  /// Waits and defines the table of modules in `host`, where another object
  /// file of the program may use it. Fails with a diagnostic.
  llvm::LogicalResult define(llvm::Module &host);

  /// Whether `module` declares the table.
  static bool areUsedBy(mlir::ModuleOp module);

private:
  mlir::ModuleOp module;
  int level;
  std::unique_ptr<DeviceCode> code;
  llvm::SmallVector<char, 0> ptx;
  PtxasJobs jobs;
  std::shared_future<llvm::LogicalResult> generated;
};

} // namespace boostc
