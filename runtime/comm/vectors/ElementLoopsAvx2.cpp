#include "runtime/comm/vectors/ElementLoopsImpl.h"

#include <immintrin.h>

namespace boostrt::adasum {

// By intrinsics: GCC converts vectors of this length in halves.
template <> struct Register<4> {
  using Doubles = __m256d;
  BOOSTRT_INLINE static Doubles load(const float *from) {
    return _mm256_cvtps_pd(_mm_loadu_ps(from));
  }
  BOOSTRT_INLINE static void round(Doubles values, float *to) {
    _mm_storeu_ps(to, _mm256_cvtpd_ps(values));
  }
  BOOSTRT_INLINE static Doubles addProduct(Doubles a, Doubles b, Doubles sum) {
    return _mm256_fmadd_pd(a, b, sum);
  }
};

constinit const ElementLoops kAvx2Loops = makeLoops<4, 2>("avx2");

} // namespace boostrt::adasum
