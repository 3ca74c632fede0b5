// Which CPU a program is compiled for. Two levels of the x86-64 psABI are
// offered rather than single CPUs: their features are fixed, so that the same
// input gives the same bytes on every machine of a level, and what a program
// demands can be read by its name.

#include "compiler/lowering/cpu/Passes.h"
#include "compiler/lowering/target/CpuTarget.h"
#include "runtime/device/cpu/CpuFeatures.h"
#include "runtime/device/cpu/ThreadPool.h"
#include "llvm/TargetParser/Host.h"
#include <thread>

namespace boostc {
#define GEN_PASS_DEF_SETCPUTARGETPASS
#include "compiler/lowering/cpu/Passes.h.inc"
} // namespace boostc

using namespace mlir;
using namespace boostc;

namespace {

struct CpuLevel {
  StringRef name;
  ArrayRef<StringRef>
      features; ///< beyond x86-64-v2, checked when a program is loaded
};

constexpr StringRef kV3[] = {"sse4.2", "avx",  "avx2",  "fma",   "bmi",
                             "bmi2",   "f16c", "lzcnt", "movbe", "popcnt"};
constexpr StringRef kV4[] = {"sse4.2",   "avx",      "avx2",    "fma",
                             "bmi",      "bmi2",     "f16c",    "lzcnt",
                             "movbe",    "popcnt",   "avx512f", "avx512bw",
                             "avx512cd", "avx512dq", "avx512vl"};

/// Highest first.
const CpuLevel kLevels[] = {{"x86-64-v4", kV4}, {"x86-64-v3", kV3}};

bool hostHas(const CpuLevel &level) {
  static const llvm::StringMap<bool> host = llvm::sys::getHostCPUFeatures();
  return llvm::all_of(level.features,
                      [](StringRef feature) { return host.lookup(feature); });
}

struct SetCpuTarget : boostc::impl::SetCpuTargetPassBase<SetCpuTarget> {
  using SetCpuTargetPassBase::SetCpuTargetPassBase;

  void runOnOperation() override {
    std::string error;
    std::optional<rt::CpuTargetAttr> target =
        resolveCpuTarget(&getContext(), cpu, threads, error);
    if (!target) {
      getOperation().emitError(error);
      return signalPassFailure();
    }
    // A program that does not use it runs on CPUs that lack it.
    auto amp =
        getOperation()->getAttrOfType<train::AmpAttr>(train::kAmpAttrName);
    if (amp && amp.getType().isBF16() && computesBFloat16(cpu))
      target = withBFloat16(*target);
    getOperation()->setAttr(kCpuTargetAttrName, *target);
    std::optional<rt::WinogradUse> use = rt::symbolizeWinogradUse(winograd);
    if (!use) {
      getOperation().emitError("expected winograd to be off, auto or always, "
                               "found '")
          << winograd << "'";
      return signalPassFailure();
    }
    if (*use != rt::WinogradUse::Off)
      getOperation()->setAttr(rt::kWinogradAttrName,
                              rt::WinogradAttr::get(&getContext(), *use));
  }
};

} // namespace

VectorRegisters boostc::getVectorRegisters(rt::CpuTargetAttr target) {
  StringRef features = target.getFeatures();
  if (!features.contains("avx512f"))
    return {16, 8};
  return {32, 16, features.contains(kBFloat16Feature),
          features.contains(kTileFeature)};
}

int64_t boostc::getShares(Operation *op, rt::CpuTargetAttr target) {
  auto program = dyn_cast<train::ProgramOp>(op);
  if (!program)
    program = op->getParentOfType<train::ProgramOp>();
  bool isStrict =
      program && rt::getReproducibility(program) == rt::Reproducibility::Strict;
  return isStrict ? boostrt::kStrictShares : target.getThreads();
}

bool boostc::computesBFloat16(StringRef cpu) {
  static const llvm::StringMap<bool> host = llvm::sys::getHostCPUFeatures();
  return cpu == "native" && hostHas(kLevels[0]) &&
         host.lookup(kBFloat16Feature);
}

rt::CpuTargetAttr boostc::withBFloat16(rt::CpuTargetAttr target) {
  std::string features = target.getFeatures().str();
  for (StringRef extension : kExtensions)
    if (boostrt::missingCpuFeatures(extension).empty())
      features += ("," + extension).str();
  return rt::CpuTargetAttr::get(target.getContext(), target.getCpu(), features,
                                target.getThreads());
}

FailureOr<rt::CpuTargetAttr> boostc::getCpuTarget(train::ProgramOp program) {
  if (auto target =
          program->getAttrOfType<rt::CpuTargetAttr>(kCpuTargetAttrName))
    return target;
  return program.emitOpError("has no ")
         << kCpuTargetAttrName << " attribute; run boostc-set-cpu-target first";
}

std::optional<rt::CpuTargetAttr> boostc::resolveCpuTarget(MLIRContext *context,
                                                          StringRef cpu,
                                                          unsigned threads,
                                                          std::string &error) {
  if (threads == 0)
    threads = std::clamp(std::thread::hardware_concurrency(), 1u, kMaxThreads);
  if (threads > kMaxThreads) {
    error = "expected at most " + std::to_string(kMaxThreads) +
            " threads, found " + std::to_string(threads);
    return std::nullopt;
  }
  const CpuLevel *found = nullptr;
  for (const CpuLevel &level : kLevels) {
    if (cpu == level.name || (cpu == "native" && hostHas(level))) {
      found = &level;
      break;
    }
  }
  if (!found) {
    error =
        cpu == "native"
            ? std::string(
                  "this CPU has no AVX2; boostc generates code for x86-64-v3 "
                  "and newer")
            : ("unknown CPU '" + cpu +
               "'; expected native, x86-64-v3 or x86-64-v4")
                  .str();
    return std::nullopt;
  }
  if (!hostHas(*found)) {
    error = ("CPU '" + cpu +
             "' has features this machine lacks, and oneDNN can be asked for "
             "its layouts "
             "on such a machine only; compile there or choose a lower level")
                .str();
    return std::nullopt;
  }
  return rt::CpuTargetAttr::get(context, found->name,
                                llvm::join(found->features, ","), threads);
}
