// GradientTree.h - in which order the gradients of a window are added.
//
// The sum over micro-batches lo..hi-1 is the leaf itself when there is one, and
// else sum(lo..mid-1) + sum(mid..hi-1) with mid - lo the largest power of two
// below hi - lo. For powers of two that is the balanced binary tree, whose
// halves two ranks can own: 1 rank x 8 micro-batches adds in the order of 2 x 4
// and 8 x 1. It is carried out like counting in binary: finished subtrees lie
// on a stack of gradient sets, and two of equal size are merged at once, so
// log2(window) + 1 sets suffice.
//
// Where micro-batches add in place, one set suffices, and
// the order is that of the micro-batches.
#pragma once

#include "runtime/program/AccumulatesInPlace.h"
#include "runtime/support/Status.h"

#include <cstdint>
#include <vector>

namespace boostrt {

class GradientTree {
public:
  explicit GradientTree(uint32_t microBatches, bool isInPlace = false)
      : isInPlace_(isInPlace) {
    sizes_.reserve(gradientSets(microBatches, isInPlace));
  }

  bool isInPlace() const { return isInPlace_; }
  /// No micro-batch of the window has been added.
  bool isEmpty() const { return sizes_.empty(); }

  /// The set that the next micro-batch writes, or adds to in place. Call add()
  /// when it is done.
  int nextSlot() const {
    return isInPlace_ ? 0 : static_cast<int>(sizes_.size());
  }

  /// Takes the set nextSlot() as a leaf. `combine(into, from)` adds set `from`
  /// to set `into` and returns a Status.
  template <typename Combine> Status add(Combine &&combine) {
    if (isInPlace_ && !isEmpty()) {
      ++sizes_.front();
      return Status();
    }
    sizes_.push_back(1);
    while (sizes_.size() > 1 && sizes_[sizes_.size() - 2] == sizes_.back())
      BOOSTRT_RETURN_IF_ERROR(mergeTop(combine));
    return Status();
  }

  /// Completes the window, however many leaves it had: their sum is in set 0.
  /// The tree is then empty.
  template <typename Combine> Status finish(Combine &&combine) {
    while (sizes_.size() > 1)
      BOOSTRT_RETURN_IF_ERROR(mergeTop(combine));
    sizes_.clear();
    return Status();
  }

private:
  template <typename Combine> Status mergeTop(Combine &combine) {
    int from = static_cast<int>(sizes_.size()) - 1;
    BOOSTRT_RETURN_IF_ERROR(combine(from - 1, from));
    sizes_[from - 1] += sizes_[from];
    sizes_.pop_back();
    return Status();
  }

  bool isInPlace_;
  std::vector<uint32_t> sizes_; ///< leaves under each set, bottom first
};

} // namespace boostrt
