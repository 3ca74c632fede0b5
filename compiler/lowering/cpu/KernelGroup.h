// KernelGroup.h - which neighbouring ops become one kernel.
#pragma once

#include "compiler/lowering/kernels/KernelLoops.h"
#include "dialects/rt/RtDialect.h"
#include "llvm/ADT/SetVector.h"
#include <vector>

namespace boostc {

struct VectorLimits;

/// An op with the decisions about its loops.
struct KernelPart {
  mlir::linalg::GenericOp op;
  LoopOrder order;
  int64_t extent = 1; ///< of the shared loop
  int64_t work = 1;   ///< loop iterations
  llvm::SetVector<rt::BufferOp> buffers = {};
  /// Where parts are sorted by parameters: the buffer by which it is about one
  /// (isAboutParameters), the same for all parts of a kernel; null: about none.
  rt::BufferOp parameter = {};
};

/// For so many `threads`. Fails, with a diagnostic, when an operand is not a
/// planned buffer.
llvm::FailureOr<KernelPart> analyzePart(mlir::linalg::GenericOp op,
                                        bool sortsParameters, int64_t threads);

/// Ops that will be one kernel.
struct KernelGroup {
  std::vector<KernelPart> parts;
  bool isCut = false; ///< among threads

  /// Takes `part` in, or leaves all that cannot share a kernel with it to
  /// `done` and goes on without. `isLarge`: is the part worth cutting?
  void add(KernelPart part, bool isLarge, KernelGroup &done);
};

/// Emits the ops: nests of vectors, as `limits` say, around as many neighbours
/// as possible; what cannot be made of vectors is left to LLVM. Other arguments
/// as of emitLoops(). Returns how many iterations of the shared loop
/// a thread should do at least: vectors, where it is the loop of these.
llvm::FailureOr<int64_t> emitParts(mlir::OpBuilder &builder,
                                   llvm::ArrayRef<KernelPart> parts,
                                   const VectorLimits &limits,
                                   const mlir::IRMapping &buffers,
                                   mlir::Value begin, mlir::Value end);

} // namespace boostc
