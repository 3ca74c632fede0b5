#include "compiler/pipeline/FlagEffects.h"
#include "llvm/Support/FormatVariadic.h"

using namespace boostc;
using llvm::formatv;
using llvm::StringRef;

namespace {

enum class For { Any, Cpu, Cuda };

/// Where a flag is read.
struct FlagScope {
  StringRef flag;
  Phase phase; ///< on the way to this phase; Obj: when code is generated
  For target = For::Any;
};

constexpr FlagScope kScopes[] = {
    {"--bucket-size", Phase::Step},
    {"--reproducible", Phase::Step},
    {"--cpu", Phase::Linalg, For::Cpu},
    {"--threads", Phase::Linalg, For::Cpu},
    {"--target", Phase::Linalg},
    {"--library", Phase::Linalg, For::Cpu},
    {"--winograd", Phase::Linalg, For::Cpu},
    {"--cuda-library", Phase::Buffers, For::Cuda},
    {"--memory-budget", Phase::Buffers},
    {"--tune", Phase::Buffers, For::Cpu},
    {"--tuned", Phase::Buffers, For::Cpu},
    {"--codegen-opt", Phase::Obj},
    {"--ptxas", Phase::Obj, For::Cuda},
};

/// The last phase of a compilation, Obj for everything that holds code.
Phase lastPhase(const CompileOptions &options) {
  switch (options.report) {
  case Report::Ops:
  case Report::Summary:
    return Phase::Input;
  case Report::Explain:
    return Phase::Buffers;
  case Report::None:
    break;
  }
  return options.emit != Emit::Phase || options.to > Phase::Llvm ? Phase::Obj
                                                                 : options.to;
}

std::string describeRequest(const CompileOptions &options) {
  switch (options.report) {
  case Report::Ops:
    return "--print-ops";
  case Report::Summary:
    return "boostc summary";
  case Report::Explain:
    return "--explain";
  case Report::None:
    break;
  }
  return formatv("--emit={0}", options.emit == Emit::Asm ? "asm"
                               : options.emit == Emit::Ptx
                                   ? "ptx"
                                   : getPhaseName(options.to));
}

std::optional<std::string> findReason(const CompileOptions &options,
                                      const FlagScope &scope) {
  if (scope.phase > lastPhase(options))
    return formatv("{0} stops before the phase that reads it",
                   describeRequest(options))
        .str();
  if (scope.phase <= options.from)
    return formatv("IR of phase {0} has it already", getPhaseName(options.from))
        .str();
  if (scope.target == For::Cpu && !options.phase.forCpu &&
      options.from < Phase::Linalg)
    return std::string("--target has no cpu");
  if (scope.target == For::Cuda && !options.phase.forCuda &&
      options.from < Phase::Linalg)
    return std::string("--target has no cuda");
  if (scope.target == For::Cuda && options.emit == Emit::Asm)
    return std::string("--emit=asm is the code for CPUs");
  if (scope.flag == "--ptxas" &&
      (options.emit == Emit::Ptx || options.report != Report::None))
    return formatv("{0} assembles nothing", describeRequest(options)).str();
  return std::nullopt;
}

} // namespace

std::vector<std::string>
boostc::findIdleFlags(const CompileOptions &options,
                      llvm::function_ref<bool(StringRef flag)> isGiven) {
  std::vector<std::string> idle;
  if (options.report == Report::Ops) {
    for (StringRef flag :
         {"INPUT", "--overlay", "--set", "--boost", "--boost-config", "-O"})
      if (isGiven(flag))
        idle.push_back(
            formatv("{0} has no effect: --print-ops reads no model", flag));
  }
  for (const FlagScope &scope : kScopes)
    if (isGiven(scope.flag))
      if (std::optional<std::string> reason = findReason(options, scope))
        idle.push_back(formatv("{0} has no effect: {1}", scope.flag, *reason));
  return idle;
}
