// LevelState.h - a level of an Adasum while it runs: its vectors, wherever they
// lie, and their numbers, which the host computes with.
#pragma once

#include "runtime/comm/Group.h"
#include "runtime/comm/VectorMemory.h"
#include "runtime/comm/Workspace.h"
#include "runtime/comm/adasum/Plan.h"

#include <algorithm>

namespace boostrt::adasum {

/// Places in a memory, taken one after the other.
class Places {
public:
  explicit Places(const std::byte *begin = nullptr)
      : begin_(reinterpret_cast<uintptr_t>(begin)) {}
  template <typename T> T *take(size_t count) {
    uintptr_t place = begin_ + bytes_;
    bytes_ += (count * sizeof(T) + alignment - 1) / alignment * alignment;
    return reinterpret_cast<T *>(place);
  }
  size_t bytes() const { return bytes_; }

private:
  static constexpr size_t alignment = 64;
  uintptr_t begin_;
  size_t bytes_ = 0;
};

struct LevelState {
  explicit LevelState(Level planned);

  /// What the level's lists and its numbers take of a memory at most, however
  /// the bucket's pieces lie.
  size_t listBytes() const;
  size_t numberBytes() const;
  /// The lists as a memory is to have them.
  void writeLists(std::byte *to) const;
  /// `lists` are in the memory, and room for the numbers.
  void place(VectorMemory &in, const std::byte *lists, std::byte *numbers);
  void placeRows(float *bucket, float *staging);

  /// At the beginning of a run.
  void begin();
  /// The products of chunks begin..end-1.
  Status multiply(uint32_t begin, uint32_t end);
  /// Coefficients and results of the vectors that no other rank holds a part of
  /// and whose chunks all lie before `end`, those of which multiply() is done:
  /// while they are in the cache.
  Status finishAlone(uint32_t end);
  /// The products of the other vectors, all at once, and the coefficients of
  /// those that are not shared.
  Status addRest();
  /// Their results.
  Status combineRest();
  /// The vector of a node, in the slot of its first leaf, and its products.
  Status makeVector(uint32_t held, const Merge &merge);
  /// The mean of the chunks begin..end-1, in the bucket.
  Status putMean();
  Status takeMean(uint32_t begin, uint32_t end);

  std::span<const double> newProductsOf(uint32_t held) const {
    return std::span(newProducts)
        .subspan(size_t(held) * level.radix, level.radix);
  }

  Level level;
  std::vector<Combination> combinations; ///< by index in level.held
  std::vector<double> newProducts;       ///< radix for each held vector
  /// By held vector: the merge whose node is to be made a vector, or -1; and
  /// whether coefficients are still to come.
  std::vector<int> next;
  std::vector<bool> isOpen;
  /// Messages of scalars with the others, for all channels one after another,
  /// and where the memory has them.
  std::vector<double> sent, received;
  double *sentAt = nullptr, *receivedAt = nullptr;

  // For this run:
  VectorMemory *memory = nullptr;
  Rows rows;

private:
  size_t productCount() const { return pairCount(level.radix); }
  /// Means have no vectors, and so one list of terms.
  size_t listCount() const { return std::max<size_t>(level.held.size(), 1); }
  size_t listLength() const { return level.radix + 1; }
  size_t longestMessage() const {
    // Products, but for radix 2.
    return std::max<size_t>(productCount(), size_t(level.radix) + 1);
  }
  /// A vector that is not shared.
  struct Alone {
    uint32_t held, end; ///< after its last chunk
  };

  std::span<const ChunkPlace> chunksOf(uint32_t held) const;
  void readGram(uint32_t held);
  Status solveAlone(uint32_t held);
  /// The slots lo..hi-1 that have a coefficient, as terms.
  std::span<const Term> listTerms(size_t list, std::span<const double> slots,
                                  uint32_t lo, uint32_t hi);
  AdasumKernels &kernels() const { return memory->adasumKernels(); }

  std::vector<Alone> alone_;         ///< by `end`
  size_t finished_ = 0;              ///< of these, in this run
  std::vector<bool> isFinished_;     ///< by held vector
  std::vector<ChunkPlace> byVector_; ///< chunks in the order of places
  std::vector<Term> terms_;
  std::vector<double> totals_, mean_;

  // In the memory:
  const ChunkPlace *chunksAt_ = nullptr, *byVectorAt_ = nullptr;
  const uint32_t *placesBeginAt_ = nullptr;
  Term *termsAt_ = nullptr;
  double *sumsAt_ = nullptr, *dotsAt_ = nullptr, *totalsAt_ = nullptr;
};

/// Computes the coefficients of the vectors that members of this one's block
/// share: each owner adds up the products of those that hold a vector, and
/// tells them the coefficients, so that all use the same bits. Counts the bytes
/// it sends.
Status agree(Group &group, Workspace &workspace, LevelState &state,
             uint64_t &sentBytes);

} // namespace boostrt::adasum
