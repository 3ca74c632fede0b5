// Requirements.h - what the targets of tests require of this CPU.
#pragma once

namespace boostrt {

/// The first device of a process says for all of it whether oneDNN may use
/// AVX-512, so all of them allow it.
inline const char *getRequirements() {
  return __builtin_cpu_supports("avx512f") ? "sse2,avx512f" : "sse2";
}

} // namespace boostrt
