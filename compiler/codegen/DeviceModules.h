// DeviceModules.h - code for GPUs inside of the program file.
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include <memory>
#include <string>
#include <vector>

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

  /// Moves the kernels out of the module, begins to generate their PTX on the
  /// threads of `pool`, which lives longer, and assembles each part of it with
  /// ptxas (see findPtxas()) once it is generated. Fails with a diagnostic.
  llvm::LogicalResult start(llvm::StringRef ptxas,
                            llvm::ThreadPoolInterface &pool);
  /// Waits, and appends the PTX of all kernels to `text`, in their order. Fails
  /// with a diagnostic.
  llvm::LogicalResult writePtx(llvm::SmallVectorImpl<char> &text);
  /// Waits and defines the table of modules in `host`, where another object
  /// file of the program may use it. Fails with a diagnostic. Where ptxas fails
  /// for an architecture, that is a warning: programs run from PTX, too.
  llvm::LogicalResult define(llvm::Module &host);

  /// Whether `module` declares the table.
  static bool areUsedBy(mlir::ModuleOp module);

private:
  /// What ptxas made of the parts for `architecture`; empty, after a warning,
  /// where it fails for one of them.
  std::vector<llvm::StringRef> collectCubins(unsigned architecture);

  mlir::ModuleOp module;
  int level;
  std::string ptxas; ///< its path; empty: none
  std::vector<std::unique_ptr<DeviceCode>> parts;
};

} // namespace boostc
