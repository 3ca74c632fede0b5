#include "runtime/comm/vectors/ElementLoopsImpl.h"

namespace boostrt::adasum {

template <> struct Register<2> {
  typedef float Floats __attribute__((vector_size(2 * sizeof(float))));
  typedef double Doubles __attribute__((vector_size(2 * sizeof(double))));

  BOOSTRT_INLINE static Doubles load(const float *from) {
    Floats single;
    std::memcpy(&single, from, sizeof(single));
    return __builtin_convertvector(single, Doubles);
  }
  BOOSTRT_INLINE static void round(Doubles values, float *to) {
    auto rounded = __builtin_convertvector(values, Floats);
    std::memcpy(to, &rounded, sizeof(rounded));
  }
  BOOSTRT_INLINE static Doubles addProduct(Doubles a, Doubles b, Doubles sum) {
    return a * b + sum;
  }
};

namespace {

std::vector<ElementLoops> findSupported() {
  std::vector<ElementLoops> found;
#ifdef __x86_64__
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl"))
    found.push_back(kAvx512Loops);
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
    found.push_back(kAvx2Loops);
#endif
  found.push_back(makeLoops<2, 2>("plain"));
  return found;
}

} // namespace

const std::vector<ElementLoops> &supportedLoops() {
  static const std::vector<ElementLoops> passes = findSupported();
  return passes;
}

} // namespace boostrt::adasum
