// Division.h - how members divide what they combine: vectors by elements, those
// of an op with slices by rows, both in one way on which all of them rely.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace boostrt {

/// Where slice `index` of `count` equal ones of `elements` begins; the first
/// have one more where it does not come out even.
inline size_t sliceBegin(size_t elements, uint32_t index, uint32_t count) {
  return elements / count * index + std::min<size_t>(index, elements % count);
}

/// How so many members divide the rows of one vector after another: each has
/// rows that follow one another, after those of the member before. Where they
/// do not come out even, those that have one row more follow the last one that
/// had one more of the vector before, so that what members have of all vectors
/// differs by one row, too.
class RowDivision {
public:
  explicit RowDivision(uint32_t members) : members_(members) {}

  /// Goes on with the next vector.
  void divide(size_t rows) {
    first_ = static_cast<uint32_t>((size_t(first_) + more_) % members_);
    each_ = rows / members_;
    more_ = static_cast<uint32_t>(rows % members_);
  }

  /// The first of the rows that `member` has of it; for the number of members:
  /// how many rows there are.
  size_t begin(uint32_t member) const {
    uint32_t past = std::max(first_ + more_, members_) - members_;
    uint32_t before = std::clamp(member, first_, first_ + more_ - past);
    return each_ * member + (before - first_) + std::min(member, past);
  }

private:
  uint32_t members_;
  uint32_t first_ = 0, more_ = 0; ///< who has one row more
  size_t each_ = 0;
};

/// Where the second child of a tree's node begins that covers lo..hi-1, two
/// leaves or more: the first has the largest power of two below hi - lo.
inline uint32_t treeMiddle(uint32_t lo, uint32_t hi) {
  return lo + std::bit_floor(hi - lo - 1);
}

/// The tree in which members, numbered from the root, pass on what it has: to
/// member k comes what k without its highest bit has.
inline uint32_t spreadParent(uint32_t k) { return k - std::bit_floor(k); }
/// act(child) for those of `count` members who get it of member `k`.
template <typename Act>
void forEachSpreadChild(uint32_t k, uint32_t count, Act &&act) {
  for (uint64_t bit = k ? std::bit_floor(k) * uint64_t(2) : 1; k + bit < count;
       bit *= 2)
    act(k + static_cast<uint32_t>(bit));
}

} // namespace boostrt
