#include "compiler/pipeline/ResolveFlags.h"
#include "runtime/support/Suggest.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include <cstdlib>

using namespace boostc;
using llvm::StringRef;

static std::vector<std::string_view> getPhaseNames(Phase last) {
  std::vector<std::string_view> names;
  for (const PhaseInfo &info : getPhases())
    if (info.phase <= last)
      names.push_back(std::string_view(info.name));
  return names;
}

static std::optional<std::string> resolvePhases(const Flags &flags,
                                                CompileOptions &options) {
  if (flags.emit == "asm") {
    options.emit = Emit::Asm;
  } else if (flags.emit == "ptx") {
    options.emit = Emit::Ptx;
  } else if (std::optional<Phase> phase = parsePhase(flags.emit)) {
    options.to = *phase;
  } else {
    std::vector<std::string_view> names = getPhaseNames(Phase::So);
    names.insert(names.end(), {"asm", "ptx"});
    return "--emit: '" + flags.emit + "' is not a phase" +
           boostrt::didYouMean(flags.emit, names) + " (" +
           llvm::join(names, ", ") + ")";
  }
  std::vector<std::string_view> names = getPhaseNames(Phase::Llvm);
  std::optional<Phase> from = parsePhase(flags.from);
  if (!from || *from > Phase::Llvm)
    return "--compile-from: '" + flags.from + "' is not a phase with IR" +
           boostrt::didYouMean(flags.from, names) + " (" +
           llvm::join(names, ", ") + ")";
  options.from = *from;
  if (options.from > options.to)
    return "--compile-from=" + flags.from + " comes after --emit=" + flags.emit;
  return std::nullopt;
}

static std::optional<std::string> resolveTargets(StringRef text,
                                                 CompileOptions &options) {
  constexpr std::string_view kTargets[] = {"cpu", "cuda"};
  options.phase.forCpu = options.phase.forCuda = false;
  for (StringRef name : llvm::split(text, ',')) {
    if (name != "cpu" && name != "cuda")
      return "--target: '" + name.str() + "' is not a target" +
             boostrt::continueWith(boostrt::didYouMean(name, kTargets),
                                   "expected cpu, cuda or cpu,cuda");
    (name == "cpu" ? options.phase.forCpu : options.phase.forCuda) = true;
  }
  return std::nullopt;
}

/// What the bits may depend on.
static std::optional<std::string> resolveLevel(const Flags &flags,
                                               CompileOptions &options) {
  if (flags.reproducible.empty())
    return std::nullopt;
  options.reproducible = rt::symbolizeReproducibility(flags.reproducible);
  std::vector<std::string_view> levels;
  for (uint32_t i = 0; i <= rt::getMaxEnumValForReproducibility(); ++i)
    levels.push_back(rt::stringifyReproducibility(rt::Reproducibility(i)));
  if (!options.reproducible)
    return "--reproducible: '" + flags.reproducible + "' is not a level" +
           boostrt::continueWith(
               boostrt::didYouMean(flags.reproducible, levels),
               "expected on, off or strict");
  if (options.from > Phase::Backward)
    return std::string("--reproducible decides what a step is made of, which "
                       "the IR that --compile-from reads has already; compile "
                       "with it from phase input or backward");
  return std::nullopt;
}

/// What --ptxas says, or where it says auto the environment.
static std::optional<std::string> resolvePtxas(std::string &ptxas) {
  const char *source = "--ptxas";
  if (const char *inherited = std::getenv("BOOSTC_PTXAS");
      ptxas == "auto" && inherited && *inherited) {
    source = "BOOSTC_PTXAS";
    ptxas = inherited;
  }
  if (ptxas == "auto" || ptxas == "off" || llvm::sys::fs::can_execute(ptxas))
    return std::nullopt;
  std::error_code reason =
      llvm::sys::fs::access(ptxas, llvm::sys::fs::AccessMode::Execute);
  return source + (": cannot execute '" + boostrt::printable(ptxas)) +
         "': " + (reason ? reason.message() : "it is a folder") +
         "; expected the path of NVIDIA's ptxas, auto or off";
}

static std::optional<std::string> resolveReport(const Flags &flags,
                                                CompileOptions &options) {
  options.report = flags.isSummary   ? Report::Summary
                   : flags.isExplain ? Report::Explain
                   : flags.isOps     ? Report::Ops
                                     : Report::None;
  if (flags.samples > 0)
    options.samples = flags.samples;
  if (options.report == Report::None)
    return std::nullopt;
  if (flags.emit != "so" || options.from != Phase::Input)
    return std::string("summary, --explain and --print-ops cannot be combined "
                       "with --emit or --compile-from: they start from a "
                       "model file");
  if (flags.isSummary && (flags.isExplain || flags.isOps))
    return std::string("boostc summary cannot be combined with a second "
                       "report");
  return std::nullopt;
}

/// The flags that phase buffers reads.
static std::optional<std::string>
resolveBufferFlags(const Flags &flags,
                   llvm::function_ref<bool(StringRef flag)> isGiven,
                   CompileOptions &options) {
  if (flags.budget) {
    if (options.from > Phase::Buffers || options.to < Phase::Buffers)
      return std::string("--memory-budget needs phase buffers, where memory is "
                         "planned, between --compile-from and --emit");
    options.memoryBudget = flags.budget;
  }
  if (!isGiven("--tune") && !isGiven("--tuned"))
    return std::nullopt;
  if (options.from >= Phase::Buffers || options.to < Phase::Buffers)
    return std::string("--tune and --tuned need phase buffers, where kernels "
                       "and library calls are chosen, between --compile-from "
                       "and --emit");
  options.tuning.measures = isGiven("--tune");
  options.tuning.file = flags.tune + flags.tuned; // they exclude each other
  if (options.tuning.measures && options.report != Report::None)
    return std::string("--tune measures code, and a report generates none; "
                       "read the file with --tuned");
  return std::nullopt;
}

static std::optional<std::string>
checkRanks(const Flags &flags, llvm::function_ref<bool(StringRef flag)> isGiven,
           const boostrt::JobShape &job) {
  if (isGiven("--ranks") && !flags.isExplain && !flags.budget)
    return std::string("--ranks needs --explain or --memory-budget: a program "
                       "is the same for any number of ranks");
  if (boostrt::Status status = boostrt::checkShape(job); !status.ok())
    return "--ranks: " + status.message();
  return std::nullopt;
}

static std::optional<std::string> checkInput(const std::string &input) {
  if (input.empty())
    return std::string("no input file; boostc --help shows how to call it");
  bool isCommand = llvm::is_contained(
      {"help", "compile", "build", "train", "run", "explain"}, input);
  if (isCommand && !llvm::sys::fs::exists(input))
    return "no command '" + input +
           "'; boostc MODEL compiles, and boostc --help shows the rest";
  return std::nullopt;
}

std::optional<std::string>
boostc::resolveFlags(const Flags &flags,
                     llvm::function_ref<bool(StringRef flag)> isGiven,
                     CompileOptions &options) {
  options.boostLevel = static_cast<int>(flags.level);
  if (std::optional<std::string> problem = resolvePhases(flags, options))
    return problem;
  if (std::optional<std::string> problem =
          resolveTargets(flags.target, options))
    return problem;
  if (std::optional<std::string> problem = resolveLevel(flags, options))
    return problem;
  if (std::optional<std::string> problem = resolvePtxas(options.ptxas))
    return problem;
  if (std::optional<std::string> problem = resolveReport(flags, options))
    return problem;
  if (std::optional<std::string> problem =
          resolveBufferFlags(flags, isGiven, options))
    return problem;
  if (std::optional<std::string> problem =
          checkRanks(flags, isGiven, options.job))
    return problem;
  return options.report == Report::Ops ? std::nullopt
                                       : checkInput(options.input);
}
