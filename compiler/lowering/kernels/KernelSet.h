// KernelSet.h - which kernels are equal: before their code is emitted, by what
// they are made of, and afterwards by the code.
#pragma once

#include "dialects/rt/RtDialect.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/Hashing.h"
#include <vector>

namespace boostc {

/// A hash of `op` and what is in it. Values count by their types, names of
/// values and locations do not.
llvm::hash_code hashOf(mlir::Operation *op);

/// Functions, of which some differ in nothing but their names and locations.
class KernelSet {
public:
  /// The first one that is equal to `kernel`; itself where there is none.
  mlir::Operation *add(mlir::Operation *kernel);

private:
  llvm::DenseMap<size_t, llvm::SmallVector<mlir::Operation *>> kernels;
};

/// What kernels are made of. Layers of one shape, and variants of a step, have
/// equal ones: code is emitted for the first of them.
class KernelSources {
public:
  /// What a pass knows of the kernel that it has emitted.
  struct Kernel {
    mlir::StringAttr name; ///< null: not emitted yet
    int64_t minGrain = 0;
  };

  /// The kernel of `ops` on `buffers`, their operands in the order of the
  /// kernel's. Kernels of equal ops are equal where these are put together by
  /// equal numbers, `arrangement`. The result lives until the next call.
  Kernel &get(llvm::ArrayRef<mlir::Operation *> ops,
              llvm::ArrayRef<mlir::Value> buffers,
              llvm::ArrayRef<int64_t> arrangement = {});

private:
  KernelSet set;
  std::vector<mlir::OwningOpRef<mlir::func::FuncOp>> sources;
  llvm::DenseMap<mlir::Operation *, Kernel> kernels; ///< by their sources
};

} // namespace boostc
