// DeviceSchedule.h - which ops of a function become one kernel on a GPU.
//
// A launch costs about as much as a microsecond of work, so there should be
// few. Ops are put together in three ways:
//  - into one nest (GridNest.h), where a thread needs of the op before only
//  what
//    it computed itself: a bias and a relu after a contraction;
//  - side by side, each with blocks of its own, where none writes what the
//  other
//    touches: the updates of all parameters;
//  - one after the other in a single block that waits for its threads in
//    between, where they are small: the sums of a loss.
// A library call is a launch of its own, and so is its fallback kernel. An op
// comes as early as its dependences allow; but where a later kernel could take
// what a single block would do after something else, that kernel does it with
// blocks of its own. Memory is planned already, so they
// are those of bytes: ops that touch the same bytes, one of them writing, keep
// their order.
#pragma once

#include "compiler/lowering/cuda/KernelBodies.h"
#include "dialects/train/TrainDialect.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallBitVector.h"

namespace boostc {

/// A unit of a kernel: nests that run one after the other. More than one do so
/// in a single block.
struct DeviceUnit {
  DeviceUnit() = default;
  DeviceUnit(DeviceUnit &&) = default;
  DeviceUnit &operator=(DeviceUnit &&) = default;

  std::vector<GridNest> nests;
  llvm::SetVector<rt::BufferOp> touched, written;
  /// The scratch memory of a library call, for which the nest is only a
  /// fallback: the library reads and writes it, the nest does not.
  rt::BufferOp scratch;
  /// Which variants of the function have such an op (VariantOps.h).
  llvm::SmallBitVector variants;

  bool isChain() const { return nests.size() > 1; }
  /// Whether its op divides the blocks' work among their threads itself.
  bool worksAsBlock() const { return nests.front().plan.blocks > 0; }
  int64_t countBlocks() const {
    return isChain() ? 1 : nests.front().plan.countBlocks();
  }
};

struct DeviceKernel {
  DeviceKernel() = default;
  DeviceKernel(DeviceKernel &&) = default;
  DeviceKernel &operator=(DeviceKernel &&) = default;

  std::vector<DeviceUnit> units; ///< side by side
  /// The ops it computes; a split reduction may be in two kernels.
  std::vector<mlir::Operation *> ops;
  /// It computes what a library call does, which is its only op.
  bool isFallback = false;

  llvm::SetVector<rt::BufferOp> getBuffers() const;
};

/// Which functions of a program use the memory that a buffer begins at.
class BufferUsers {
public:
  explicit BufferUsers(train::ProgramOp program);

  /// The functions, by number, that use all of `buffers`.
  llvm::SmallBitVector getCommon(llvm::ArrayRef<rt::BufferOp> buffers) const;

private:
  unsigned functions = 0;
  llvm::DenseMap<std::pair<unsigned, uint64_t>, llvm::SmallBitVector> users;
};

class DeviceSchedule {
public:
  /// `buffers` is what kernel bodies look buffers up in when code is emitted;
  /// it outlives them. With `users`, kernels about parameters have equal units
  /// only (hasManyRules), of parameters that the same functions use: variants
  /// of a step that update other parameters have such kernels in common.
  DeviceSchedule(const mlir::IRMapping &buffers, TilingPolicy tilingPolicy,
                 const BufferUsers *users)
      : buffers(buffers), tilingPolicy(tilingPolicy), users(users) {}

  /// Takes in the next op of the function, which `variants` have
  /// (VariantOps.h), each of them with a kernel for it that holds no op of
  /// fewer variants. Fails, with a diagnostic, when a GPU has no code for the
  /// op.
  llvm::LogicalResult add(mlir::Operation *op,
                          const llvm::SmallBitVector &variants);

  /// The kernels so far, in their order; the schedule is empty then.
  std::vector<DeviceKernel> take();

private:
  /// Takes in a unit of `op`.
  void insert(mlir::Operation *op, DeviceUnit &unit);
  /// Tries to append `unit`, of one nest, to those units of `kernel` that touch
  /// the same buffers.
  bool append(DeviceKernel &kernel, DeviceUnit &unit);

  /// Whether two units are about parameters that the same functions use, or
  /// both about none.
  bool haveEqualUsers(const DeviceUnit &a, const DeviceUnit &b) const;

  /// Whether `unit` may be a unit of `kernel`, side by side with the others.
  bool canJoin(const DeviceKernel &kernel, const DeviceUnit &unit) const;

  /// Moves nests of chains into later kernels, side by side with what is there.
  void spreadChains();
  void spreadChain(size_t kernel, DeviceUnit &chain);
  /// The first kernel after `kernel` that can have `unit`; null when there is
  /// none.
  DeviceKernel *findLater(size_t kernel, const DeviceUnit &unit);

  const mlir::IRMapping &buffers;
  TilingPolicy tilingPolicy;
  const BufferUsers *users;
  std::vector<DeviceKernel> kernels;
};

} // namespace boostc
