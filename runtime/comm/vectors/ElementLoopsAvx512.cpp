#include "runtime/comm/vectors/ElementLoopsImpl.h"

#include <immintrin.h>

namespace boostrt::adasum {

// By intrinsics: GCC converts vectors of this length in halves.
template <> struct Register<8> {
  using Doubles = __m512d;
  BOOSTRT_INLINE static Doubles load(const float *from) {
    return _mm512_cvtps_pd(_mm256_loadu_ps(from));
  }
  BOOSTRT_INLINE static void round(Doubles values, float *to) {
    _mm256_storeu_ps(to, _mm512_cvtpd_ps(values));
  }
  BOOSTRT_INLINE static Doubles addProduct(Doubles a, Doubles b, Doubles sum) {
    return _mm512_fmadd_pd(a, b, sum);
  }
};

constinit const ElementLoops kAvx512Loops = makeLoops<8, 4>("avx512");

} // namespace boostrt::adasum
