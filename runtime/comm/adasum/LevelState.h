// LevelState.h - a level of an Adasum while it runs.
#pragma once

#include "runtime/comm/Group.h"
#include "runtime/comm/Workspace.h"
#include "runtime/comm/adasum/Plan.h"

namespace boostrt::adasum {

/// No level has a larger radix: then its pointers fit on the stack.
constexpr uint32_t kMaxRadix = 1024;

struct LevelState {
  explicit LevelState(Level planned);

  /// The chunk's elements of the vectors of digit `slot`.
  float *at(uint32_t slot, const Chunk &chunk) const {
    if (slot == level.digit)
      return bucket + chunk.offset;
    return placeOf(slot) + chunk.begin;
  }
  /// Where the own part of the vectors of another digit lies.
  float *placeOf(uint32_t slot) const {
    return staging + (slot < level.digit ? slot : slot - 1) * level.ownCount;
  }

  /// At the beginning of a run.
  void begin() { finished_ = 0; }
  /// chunkSums of the chunks begin..end-1.
  void multiply(uint32_t begin, uint32_t end);
  /// Coefficients and results of the vectors that nobody else holds a part of
  /// and whose chunks all lie before `end`, those of which multiply() is done:
  /// while they are in the cache.
  void finishAlone(uint32_t end);
  /// Adds up chunkSums of the vectors that are shared: Combination::gram of
  /// what this member holds.
  void addShared();
  /// Their results.
  void combineShared();
  /// The vector of a node, in the slot of its first leaf, and its products.
  void makeVector(uint32_t held, const Merge &merge);
  /// The mean of the chunks begin..end-1, in the bucket.
  void takeMean(uint32_t begin, uint32_t end);

  std::span<const double> newProductsOf(uint32_t held) const {
    return std::span(newProducts)
        .subspan(size_t(held) * level.radix, level.radix);
  }

  Level level;
  std::vector<Combination> combinations; ///< by index in level.held
  std::vector<double> chunkSums;         ///< pairCount(radix) for each chunk
  std::vector<double> newProducts;       ///< radix for each held vector
  /// By held vector: the merge whose node is to be made a vector, or -1; and
  /// whether coefficients are still to come.
  std::vector<int> next;
  std::vector<bool> isOpen;
  /// Messages of scalars with the others, for all channels one after another.
  std::vector<double> sent, received;
  std::vector<double> mean; ///< coefficients of a mean

  float *bucket = nullptr, *staging = nullptr; ///< of this run

private:
  /// A vector that nobody shares.
  struct Alone {
    uint32_t held, begin, end; ///< chunks; others may lie between them
  };

  void addChunk(uint32_t index);
  void combineChunk(const Chunk &chunk, std::span<const double> slots);

  std::vector<Alone> alone_; ///< by `end`
  size_t finished_ = 0;      ///< of these, in this run
};

/// Computes the coefficients of the vectors that members of this one's block
/// share: each owner adds up the products of those that hold a vector, and
/// tells them the coefficients, so that all use the same bits. Counts the bytes
/// it sends.
Status agree(Group &group, Workspace &workspace, LevelState &state,
             uint64_t &sentBytes);

} // namespace boostrt::adasum
