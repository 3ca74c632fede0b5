#include "runtime/comm/adasum/PassLoops.h"

namespace boostrt::adasum {
namespace {

// One set of functions for each kind of CPU; the loops are inlined into them
// and so compiled for it.
#define BOOSTRT_PASSES(NAME, TARGET, WIDTH, ROWS)                              \
  TARGET void gram##NAME(const float *const *x, size_t n, size_t count,        \
                         double *sums) {                                       \
    gramLoop<WIDTH, ROWS>(x, n, count, sums);                                  \
  }                                                                            \
  TARGET void dots##NAME(const float *y, const float *const *x, size_t n,      \
                         size_t count, double *sums) {                         \
    dotLoop<WIDTH>(y, x, n, count, sums);                                      \
  }                                                                            \
  TARGET void combine##NAME(const float *const *x, const double *c, size_t n,  \
                            size_t count, float *out) {                        \
    combineLoop<WIDTH>(x, c, n, count, out);                                   \
  }

BOOSTRT_PASSES(Plain, , 2, 2)
#ifdef __x86_64__
BOOSTRT_PASSES(Avx2, __attribute__((target("avx2"))), 4, 2)
BOOSTRT_PASSES(Avx512, __attribute__((target("avx512f,avx512vl"))), 8, 4)
#endif

std::vector<Passes> findSupported() {
  std::vector<Passes> found;
#ifdef __x86_64__
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl"))
    found.push_back({"avx512", gramAvx512, dotsAvx512, combineAvx512});
  if (__builtin_cpu_supports("avx2"))
    found.push_back({"avx2", gramAvx2, dotsAvx2, combineAvx2});
#endif
  found.push_back({"plain", gramPlain, dotsPlain, combinePlain});
  return found;
}

} // namespace

const std::vector<Passes> &supportedPasses() {
  static const std::vector<Passes> passes = findSupported();
  return passes;
}

} // namespace boostrt::adasum
