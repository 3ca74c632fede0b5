// SharedMemoryTiling.h - contractions whose factors a block reads together.
//
// A block computes a tile, rows by columns: along the rows one factor moves and
// the other stays, along the columns it is the other way round. All threads put
// a slice of terms of both factors into shared memory, wait for each other,
// and each adds the slice to the sums of its own part of the tile, so an
// element comes from memory once for a block. There are two slices: the next
// one is read while this one is used.
//
// Each side of the tile is all loops of its kind as one, whatever they are: the
// rows of a convolution are samples and pixels, the terms of a weight gradient
// too.
#pragma once

#include "compiler/lowering/kernels/Contraction.h"

namespace boostc {

/// Lanes of a warp are so many rows by columns of threads: what they read of
/// shared memory in one access are 128 bytes, or the same ones.
inline constexpr int64_t kLaneRows = 4, kLaneColumns = 8;

/// Rows or columns of the tile, and how the factor that moves along them is
/// read.
struct TiledSide {
  bool isOfA = true;                 ///< the factor is `a`, else `b`
  llvm::SmallVector<unsigned> loops; ///< outermost first
  int64_t extent = 1;                ///< of all of them
  int64_t tile = 1;                  ///< of a block
  int64_t perThread = 1;
  /// Elements that one access reads, neighbours along the terms or along the
  /// side: 16 bytes where they lie so.
  int64_t width = 1;
  bool readsAlongTerms = false;
  /// Derived indices whose conditions the factor's elements have: where one
  /// fails, zero is read. So missing terms are multiplications by zero,
  /// and not finite where the other factor is not, as in the definition with
  /// zeros around an input.
  llvm::SmallVector<unsigned> guards;

  int64_t countTiles() const { return llvm::divideCeil(extent, tile); }
  int64_t countThreads() const { return tile / perThread; }
  /// Elements that a thread reads from shared memory at once.
  int64_t getFragment() const { return std::min<int64_t>(perThread, 4); }
  /// Elements from one term to the next in shared memory. Threads that write
  /// neighbours in memory, which are terms, meet different banks.
  int64_t getPitch() const { return tile + 4; }
};

struct SharedMemoryTiling {
  TiledSide rows, columns; ///< results are neighbours along the columns
  /// Loops along which both factors move: each iteration has tiles of its own.
  llvm::SmallVector<unsigned> separate;
  int64_t separateExtent = 1;
  llvm::SmallVector<unsigned> terms; ///< outermost first
  int64_t termsExtent = 1;
  int64_t slice = 1; ///< terms in shared memory
  double cycles = 0; ///< estimated, see SharedMemoryTiling.cpp

  int64_t countSlices() const { return llvm::divideCeil(termsExtent, slice); }
  int64_t countBlocks() const {
    return separateExtent * rows.countTiles() * columns.countTiles();
  }
  /// Elements of one of the two slices.
  int64_t getSliceElements() const {
    return slice * (rows.getPitch() + columns.getPitch());
  }
};

/// Whether another way of so many cycles, by estimates, which are rough, is
/// worth more code than one of `cycles`.
bool isWorthwhile(double other, double cycles);

/// The tile that is estimated to take least time; none where the sum has no
/// such form.
std::optional<SharedMemoryTiling>
planSharedMemoryTiling(const Contraction &contraction);

/// Cycles for reading or writing so many elements once.
double estimateMoving(int64_t elements);

} // namespace boostc
