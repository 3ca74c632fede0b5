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

} // namespace boostrt
