// ContractionPlan.h - contractions as kernels of a CPU that keep a tile of sums
// in vector registers.
//
// One loop is cut into vectors, the last of which may be partly empty. Around
// it, tiles of two more loops share what is loaded: along one of them `a` is
// the same, along the other `b`.
#pragma once

#include "compiler/lowering/kernels/Contraction.h"

namespace boostc {

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

/// The `count` plans whose tiles load least per multiplication, the best first,
/// for vector registers of `maxLanes` elements and `threads` threads. There is
/// at least one.
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
