// Contraction.h - sums of products over loop nests (convolutions and their
// gradients) as kernels that keep a tile of sums in vector registers.
//
// Every index into memory is linear in the loops, whatever order the dimensions
// of a buffer lie in, so the same code serves all of them:
//
//   result[..] = bias[..] + sum over the reduction loops of a[..] * b[..]
//
// One loop is cut into vectors, the last of which may be partly empty. Around
// it, tiles of two more loops share what is loaded: along one of them `a` is
// the same, along the other `b`.
#pragma once

#include "compiler/lowering/kernels/LinearIndex.h"
#include "dialects/rt/RtDialect.h"
#include <vector>

namespace boostc {

/// Coefficients beyond the loops are of the derived indices.
struct Contraction {
  struct Loop {
    int64_t extent;
    bool isReduction;
    llvm::StringRef name; ///< for people
  };
  /// numerator / divisor. A product counts where the division is exact and the
  /// quotient lies in [0, extent): inside the image, that is.
  struct DerivedIndex {
    LinearIndex numerator;
    int64_t divisor, extent;
  };
  struct Access {
    mlir::Value buffer;
    LinearIndex offset; ///< in elements

    explicit operator bool() const { return static_cast<bool>(buffer); }
  };

  llvm::SmallVector<Loop> loops;
  llvm::SmallVector<DerivedIndex> derived;
  Access a, b, bias, result; ///< bias is optional

  /// Replaces derived indices that are always exact and inside by what they are
  /// computed from.
  void substituteUnguarded();
  /// Whether a condition depends on `loop`.
  bool isGuarded(unsigned loop) const;
};

/// The sum that `op`, on memrefs, computes.
Contraction getContraction(rt::ConvolutionOp op);
Contraction getContraction(rt::MatmulOp op);

/// How a contraction is cut into tiles and threads.
struct ContractionPlan {
  struct Tile {
    unsigned loop;
    int64_t extent = 1;
  };
  std::optional<unsigned> vectorLoop; ///< none: scalar code
  int64_t lanes = 1;                  ///< elements of a vector
  int64_t vectors = 1;                ///< of a tile along the vector loop
  std::optional<Tile> sharesA, sharesB;
  std::optional<unsigned> shared; ///< loop that is cut into pieces for threads
  int64_t pieces = 1;

  int64_t getTile(unsigned loop) const;
  /// Tiles along a loop.
  int64_t countTiles(const Contraction &contraction, unsigned loop) const;
};

/// The `count` plans whose tiles load least per product, the best first, for
/// vector registers of `maxLanes` elements and `threads` threads. There is at
/// least one.
std::vector<ContractionPlan> planContraction(const Contraction &contraction,
                                             int64_t maxLanes,
                                             int64_t registers, int64_t threads,
                                             size_t count);

/// Emits pieces [begin, end) of the shared loop. The accesses' buffers are
/// those of the kernel.
void emitContraction(mlir::OpBuilder &builder, mlir::Location loc,
                     const Contraction &contraction,
                     const ContractionPlan &plan, mlir::Value begin,
                     mlir::Value end);

} // namespace boostc
