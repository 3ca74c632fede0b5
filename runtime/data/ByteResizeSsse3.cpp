#include "runtime/data/ByteResize.h"

#include <immintrin.h>

namespace boostrt::data {

void resizeGroups(const uint8_t *row, std::span<const ResizeGroup> groups,
                  uint16_t *out) {
  auto load = [](const void *from) {
    return _mm_loadu_si128(static_cast<const __m128i *>(from));
  };
  for (const ResizeGroup &group : groups) {
    __m128i pairs =
        _mm_shuffle_epi8(load(row + group.from), load(group.places.data()));
    _mm_storeu_si128(reinterpret_cast<__m128i *>(out + group.to),
                     _mm_maddubs_epi16(pairs, load(group.weights.data())));
  }
}

} // namespace boostrt::data
