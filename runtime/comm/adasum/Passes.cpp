#include "runtime/comm/adasum/PassLoops.h"

namespace boostrt::adasum {
namespace {

std::vector<Passes> findSupported() {
  std::vector<Passes> found;
#ifdef __x86_64__
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl"))
    found.push_back(kAvx512Passes);
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
    found.push_back(kAvx2Passes);
#endif
  found.push_back(makePasses<2, 2>("plain"));
  return found;
}

} // namespace

const std::vector<Passes> &supportedPasses() {
  static const std::vector<Passes> passes = findSupported();
  return passes;
}

} // namespace boostrt::adasum
