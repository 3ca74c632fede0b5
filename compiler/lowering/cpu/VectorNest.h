// VectorNest.h - linalg ops on buffers as one nest of loops around vectors.
//
// LLVM vectorises innermost loops. What it cannot do is keep the sums of an op
// in vector registers through the loops of its reduction, or make one pass of
// neighbours that it sees as nests of their own; so both are done here, for the
// ops whose elements are neighbours in memory along one loop. The others are
// left to LLVM (KernelLoops.h).
#pragma once

#include "compiler/lowering/kernels/KernelLoops.h"
#include "compiler/lowering/kernels/LinearIndex.h"
#include <vector>

namespace boostc {

/// The op that adds to output `number` of `op`, when vectors of partial results
/// may be combined in the end; null when not.
mlir::Operation *findCombiner(mlir::linalg::GenericOp op, unsigned number);

/// Longer sums are sums of sums: the roundings of a sum grow with its terms.
inline constexpr int64_t kMaxTerms = 64;

/// What nests are made for; by default, for no vectors.
struct VectorLimits {
  int64_t lanes = 1;      ///< elements of the widest vectors
  int64_t sideBySide = 4; ///< vectors that registers hold with all of a body
  int64_t shares = 1;     ///< pieces that a loop is cut into
};

class VectorNest {
public:
  /// The nest of `op`; nothing when the op has to be left to LLVM. `isSplit`
  /// tells whether the shared loop will run over a part of its range.
  static std::optional<VectorNest> create(mlir::linalg::GenericOp op,
                                          const LoopOrder &order,
                                          const VectorLimits &limits,
                                          bool isSplit);

  /// Takes `op` into the nest when results are the same as when it runs after
  /// the nest: the loops are the same, and what one op writes and another
  /// touches is touched in the same iteration. A sum along the vectors may come
  /// after elementwise ops over all of its loops; it is the last one.
  bool join(mlir::linalg::GenericOp op, const LoopOrder &order);

  /// As emitLoops().
  void emit(mlir::OpBuilder &builder, const mlir::IRMapping &buffers,
            mlir::Value begin, mlir::Value end) const;

  /// Iterations of the loop that threads share that are worth a thread.
  int64_t getLeastShare() const { return cutsVectors ? lanes : 1; }

  /// An op of the nest.
  struct Part {
    mlir::linalg::GenericOp op;
    llvm::SmallVector<unsigned> outer;      ///< the op's loop of each nest loop
    llvm::SmallVector<unsigned> inner;      ///< parallel loops inside of them
    llvm::SmallVector<unsigned> reductions; ///< innermost
    unsigned vectorLoop;
    /// Long sums along other loops than the vectors' are sums of sums, whose
    /// roundings grow less than those of one sum.
    bool hasPartialSums = false;
    /// Offsets of the operands that are buffers and are touched.
    llvm::SmallVector<std::optional<LinearIndex>> offsets;

    int64_t getExtent(unsigned loop) const {
      return mlir::linalg::GenericOp(op).getStaticLoopRanges()[loop];
    }
    /// Is the vector loop a reduction?
    bool isSummed() const {
      return outer.empty() || outer.back() != vectorLoop;
    }
    /// The loops that end with the vectors', as they are nested.
    llvm::ArrayRef<unsigned> getVectorLoops() const {
      return isSummed() ? reductions : outer;
    }
    /// Iterations of the vectors' loop with `folded` loops as part of it.
    int64_t getVectorExtent(unsigned folded) const;
  };

private:
  /// Makes the elementwise ops of the nest part of the loops of `sum`, which
  /// reads their vectors where they are computed; false where it cannot.
  bool feed(Part sum);

  /// Adds a part, and folds no more loops than it allows; false, and nothing
  /// changes, where all parts together cannot be made of vectors.
  bool take(Part part);
  /// How many loops before the vectors' may be folded into it in `part`.
  unsigned countFoldable(const Part &part) const;
  /// Folds `count` loops, and chooses vectors for what results; false where
  /// the parts cannot be made of them.
  bool chooseVectors(unsigned count);

  std::vector<Part> parts;
  llvm::SmallVector<int64_t> extents; ///< of the nest's loops
  bool isSummed; ///< Is the vector loop a reduction, of the last part?
  bool isSplit;  ///< Do threads share the outermost loop?
  VectorLimits limits;
  unsigned folded = 0;      ///< loops before the vectors' that are part of it
  int64_t lanes, vectors;   ///< elements of a vector; vectors in one iteration
  bool cutsVectors = false; ///< Do threads share the vector loop?
};

} // namespace boostc
