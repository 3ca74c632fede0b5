#include "runtime/device/cpu/CpuFeatures.h"

#include <algorithm>
#include <cpuid.h>
#include <fmt/format.h>
#include <string>
#include <sys/syscall.h>
#include <unistd.h>

namespace boostrt {
namespace {

bool cpuidBit(unsigned leaf, int reg, unsigned bit) {
  unsigned regs[4] = {};
  if (!__get_cpuid(leaf, &regs[0], &regs[1], &regs[2], &regs[3]))
    return false;
  return (regs[reg] >> bit) & 1;
}

/// Linux lets a process use tiles once it has asked; the threads that it makes
/// may, too.
bool mayUseTiles() {
  constexpr long kRequestPermission = 0x1023; // ARCH_REQ_XCOMP_PERM
  constexpr long kTileData = 18;              // XFEATURE_XTILEDATA
  static const bool granted =
      __builtin_cpu_supports("amx-tile") != 0 &&
      syscall(SYS_arch_prctl, kRequestPermission, kTileData) == 0;
  return granted;
}

struct Feature {
  std::string_view name;
  bool (*present)();
};

// __builtin_cpu_supports takes literals only and, unlike a look at cpuid, also
// asks whether the operating system saves the wide registers.
#define BOOSTRT_FEATURE(name)                                                  \
  {name, [] { return __builtin_cpu_supports(name) != 0; }}

constexpr Feature kFeatures[] = {
    BOOSTRT_FEATURE("cmov"),
    BOOSTRT_FEATURE("mmx"),
    BOOSTRT_FEATURE("popcnt"),
    BOOSTRT_FEATURE("sse"),
    BOOSTRT_FEATURE("sse2"),
    BOOSTRT_FEATURE("sse3"),
    BOOSTRT_FEATURE("ssse3"),
    BOOSTRT_FEATURE("sse4.1"),
    BOOSTRT_FEATURE("sse4.2"),
    BOOSTRT_FEATURE("sse4a"),
    BOOSTRT_FEATURE("avx"),
    BOOSTRT_FEATURE("avx2"),
    BOOSTRT_FEATURE("fma"),
    BOOSTRT_FEATURE("bmi"),
    BOOSTRT_FEATURE("bmi2"),
    BOOSTRT_FEATURE("lzcnt"),
    BOOSTRT_FEATURE("f16c"),
    BOOSTRT_FEATURE("movbe"),
    BOOSTRT_FEATURE("adx"),
    BOOSTRT_FEATURE("aes"),
    BOOSTRT_FEATURE("pclmul"),
    BOOSTRT_FEATURE("vaes"),
    BOOSTRT_FEATURE("vpclmulqdq"),
    BOOSTRT_FEATURE("gfni"),
    BOOSTRT_FEATURE("sha"),
    BOOSTRT_FEATURE("rdrnd"),
    BOOSTRT_FEATURE("rdseed"),
    BOOSTRT_FEATURE("fsgsbase"),
    BOOSTRT_FEATURE("xsave"),
    BOOSTRT_FEATURE("xsaveopt"),
    BOOSTRT_FEATURE("xsavec"),
    BOOSTRT_FEATURE("xsaves"),
    BOOSTRT_FEATURE("clflushopt"),
    BOOSTRT_FEATURE("clwb"),
    BOOSTRT_FEATURE("prfchw"),
    BOOSTRT_FEATURE("avx512f"),
    BOOSTRT_FEATURE("avx512bw"),
    BOOSTRT_FEATURE("avx512cd"),
    BOOSTRT_FEATURE("avx512dq"),
    BOOSTRT_FEATURE("avx512vl"),
    BOOSTRT_FEATURE("avx512ifma"),
    BOOSTRT_FEATURE("avx512vbmi"),
    BOOSTRT_FEATURE("avx512vbmi2"),
    BOOSTRT_FEATURE("avx512vnni"),
    BOOSTRT_FEATURE("avx512bf16"),
    BOOSTRT_FEATURE("avx512fp16"),
    BOOSTRT_FEATURE("avxvnni"),
    BOOSTRT_FEATURE("avx512bitalg"),
    {"amx-tile", mayUseTiles},
    BOOSTRT_FEATURE("avx512vpopcntdq"),
    {"amx-int8",
     [] { return mayUseTiles() && __builtin_cpu_supports("amx-int8") != 0; }},
    {"amx-bf16",
     [] { return mayUseTiles() && __builtin_cpu_supports("amx-bf16") != 0; }},
    // LLVM's names for what the builtin has no name for in every compiler.
    {"64bit", [] { return true; }},
    {"crc32", [] { return __builtin_cpu_supports("sse4.2") != 0; }},
    {"cx8", [] { return cpuidBit(1, 3, 8); }},
    {"cx16", [] { return cpuidBit(1, 2, 13); }},
    {"fxsr", [] { return cpuidBit(1, 3, 24); }},
    {"sahf", [] { return cpuidBit(0x80000001u, 2, 0); }},
};
#undef BOOSTRT_FEATURE

const Feature *find(std::string_view name) {
  for (const Feature &feature : kFeatures)
    if (feature.name == name)
      return &feature;
  return nullptr;
}

void append(std::string &list, std::string_view name) {
  list += list.empty() ? "" : ", ";
  list += name;
}

} // namespace

Status checkCpuFeatures(std::string_view features) {
  std::string missing, unknown;
  for (const std::string &name : missingCpuFeatures(features))
    append(find(name) ? missing : unknown, name);
  if (!unknown.empty())
    return Status(ExitCode::Input,
                  fmt::format("the program needs CPU features that this "
                              "boost-run does not know: {}; use the boost-run "
                              "of the boostc that made it",
                              unknown));
  if (!missing.empty())
    return Status(ExitCode::Input,
                  fmt::format("the program needs CPU features that this "
                              "machine lacks: {}; compile it here, or with a "
                              "boostc --cpu that both machines have",
                              missing));
  return Status();
}

std::vector<std::string> missingCpuFeatures(std::string_view features) {
  std::vector<std::string> missing;
  while (!features.empty()) {
    std::string_view name = features.substr(0, features.find(','));
    features.remove_prefix(std::min(features.size(), name.size() + 1));
    const Feature *feature = find(name);
    if (!name.empty() && (!feature || !feature->present()))
      missing.emplace_back(name);
  }
  return missing;
}

} // namespace boostrt
