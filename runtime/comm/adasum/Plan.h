// Plan.h - who combines which elements, decided before the first step: nothing
// here depends on values, and every member computes the same.
//
// n members combine in levels of radices r1, r2, ... whose product is n. In the
// first, blocks of r1 neighbours exchange: each gets one part of the vectors of
// all r1 (all-to-all), and combines it. In the second, r2 blocks do, member by
// member, on those parts; and so on. Each level's parts are parts of the
// former's. Then, in reverse order, the parts are gathered. With every r = 2
// that is halving-doubling, with one r = n it is a reduce-scatter and an
// all-gather.
#pragma once

#include "runtime/comm/adasum/Coefficients.h"
#include "runtime/comm/vectors/AdasumKernels.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace boostrt::adasum {

/// Elements of the bucket that follow one another and belong to one vector.
struct Piece {
  size_t offset, count;
  uint32_t vector;
};

using Pieces = std::vector<Piece>;

/// How a part is cut.
enum class Cut {
  EqualSlices,  ///< into parts of one size, through vectors where it happens
  WholeVectors, ///< between vectors; only one that is larger than a part is
                ///< cut, into equal pieces
};

/// Cuts `pieces` into `parts`. A part is in the order of the bucket.
std::vector<Pieces> cutInto(const Pieces &pieces, uint32_t parts, Cut cut);

/// Elements that follow one another.
struct Span {
  size_t offset, count;
};

/// What travels at once. In a part, messages follow one another.
struct Message {
  size_t begin = 0, count = 0; ///< in the part
  std::vector<Span> spans; ///< in the bucket; more than one: copied together
  uint32_t firstChunk = 0, endChunk = 0; ///< of the level, for the own part
};

/// The vectors whose numbers two members share.
struct Channel {
  uint32_t member;
  std::vector<uint32_t> held; ///< in Level::held, ascending
};

/// A vector of which this member has elements.
struct LocalVector {
  uint32_t vector;
  bool isOwned;  ///< this member computes its coefficients
  bool isShared; ///< others hold elements too
};

struct Level {
  uint32_t radix, stride;
  bool isMean;    ///< combines by the mean
  bool isKnown;   ///< all have the mean: nothing comes before the gathering
  uint32_t digit; ///< of this member: which of the `radix`
  std::vector<uint32_t> members; ///< those it exchanges with, and itself
  std::vector<std::vector<Message>> parts; ///< by digit
  size_t ownCount = 0;                     ///< elements of the own part
  size_t largestPart = 0;                  ///< of any member of the block
  uint32_t maxHolders = 1;                 ///< of any vector in the block
  size_t packed = 0, ownPacked = 0; ///< elements that are copied to be sent
  /// At most kChunk elements of one piece and one message each.
  std::vector<ChunkPlace> chunks;
  // Bounds for any places of the same pieces: of chunks, held vectors, and how
  // often one of these is shared with another member.
  size_t maxChunks = 0, maxVectors = 0, maxShared = 0;
  std::vector<LocalVector> held;
  std::vector<uint32_t> placesBegin; ///< of each held vector, and their end
  std::vector<Channel> owners;       ///< who compute for vectors held here
  std::vector<Channel> holders;      ///< for whom this member computes
  std::vector<Merge> merges;
  /// By member of the block, the vectors it computes coefficients for.
  std::vector<std::vector<uint32_t>> owned;

  uint32_t blockSize() const { return radix * stride; }
};

struct PlanOptions {
  uint32_t ranksPerMean = 1;
  std::vector<uint32_t> radices; ///< after the mean
  Cut cut = Cut::EqualSlices;
  bool meansAreKnown = false;
};

/// The levels as member `self` sees them; `pieces` in the order of the bucket.
std::vector<Level> planLevels(const Pieces &pieces, uint32_t self,
                              const PlanOptions &options);

} // namespace boostrt::adasum
