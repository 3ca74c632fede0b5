// Division.h - how members divide what they combine, in the one way on which
// all of them rely.
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
