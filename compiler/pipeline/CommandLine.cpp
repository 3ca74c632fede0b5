// boostc's command line. CLI11 as in boost-run: llvm::cl is one table per
// process, which LLVM, MLIR and LLD have filled with names that are ours
// (--threads, -o). MLIR's own debugging options (--mlir-...) are handed on to
// it.

#include "compiler/pipeline/CommandLine.h"
#include "compiler/frontend/DiagnosticPrinter.h"
#include "compiler/lowering/target/CpuTarget.h"
#include "compiler/pipeline/FlagEffects.h"
#include "compiler/pipeline/Outputs.h"
#include "compiler/pipeline/PrepareProcess.h"
#include "compiler/pipeline/ResolveFlags.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Support/Timing.h"
#include "runtime/device/cpu/Matmul.h"
#include "runtime/program/ServersFlag.h"
#include "runtime/support/CaughtException.h"
#include "runtime/support/FlagValues.h"
#include "runtime/support/ForeignNames.h"
#include "runtime/support/Streams.h"
#include "runtime/support/Suggest.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace boostc;

namespace {

constexpr const char *kFooter =
    "Example:  boostc model.json -O0 -o train.so && boost-run train.so --data "
    "mnist:DIR\n          boostc summary model.json      prints the layer "
    "table\n          boostc --explain model.json    prints what a run will do "
    "and cost\nPhases:   input, backward, step, linalg, buffers, rt, llvm, "
    "obj, so; docs/phases.md\n          explains each. MLIR's options work "
    "too: --mlir-print-ir-after-all, --mlir-timing, ...\nExit codes: 0 ok, 1 "
    "error in the input file, 2 usage, 8 not enough memory, 70 internal error.";

constexpr const char *kVersion =
    "boostc " BOOSTC_VERSION " (LLVM " LLVM_VERSION_STRING ")";

/// Whether diagnostics are coloured: --color, else what terminal and NO_COLOR
/// (https://no-color.org) say.
bool isColored(StringRef color) {
  if (color != "auto")
    return color == "always";
  const char *forbidden = std::getenv("NO_COLOR");
  return !(forbidden && *forbidden) && llvm::errs().has_colors();
}

int fail(CompileResult result, const llvm::Twine &message) {
  boostrt::printNote("boostc: error: {}\n", message.str());
  return static_cast<int>(result);
}

int fail(const boostrt::Status &status) {
  boostrt::printNote("boostc: error: {}\n", status.message());
  return static_cast<int>(status.code());
}

/// -O, which users of clang take for another flag.
CLI::Validator boostLevel() {
  return CLI::Validator(
      [](std::string &text) {
        if (text == "0" || text == "1" || text == "2")
          return std::string();
        return "expected boost level 0, 1 or 2, which says what training "
               "boosts are on, found '" +
               boostrt::printable(text) +
               "'; it is not an optimisation level: code is always optimised";
      },
      "0|1|2");
}

/// A flag that takes one of `words`, which the help lists as TYPE with the one
/// that `value` holds.
void addChoice(CLI::App &app, const char *flag, const char *type,
               std::string &value, std::vector<std::string> words,
               const char *meaning) {
  app.add_option(flag, value, meaning)
      ->check(boostrt::oneOf(std::move(words)))
      ->capture_default_str()
      ->type_name(type);
}

void addOptions(CLI::App &app, CompileOptions &options, Flags &flags) {
  app.option_defaults()->take_last();
  app.formatter(boostrt::helpFormatter());
  app.add_option("INPUT", options.input, "model.json, or IR in a .mlir file")
      ->type_name("FILE");
  app.add_option("-o,--output", flags.output,
                 "where to write; - is standard output (default: train.so, IR "
                 "to standard "
                 "output)")
      ->type_name("FILE");
  app.add_option("-O", flags.level,
                 "boost level 0, 1 or 2: which training boosts are on. Not an "
                 "optimisation level: code is always optimised")
      ->check(boostLevel())
      ->type_name("LEVEL");
  app.add_option("--overlay", options.overlays,
                 "JSON file merged over the model file (RFC 7396), with the "
                 "same checks; repeatable, before --set")
      ->allow_extra_args(false)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->type_name("FILE");
  app.add_option("--set", options.sets,
                 "override any value of the model file, with the same checks; "
                 "repeatable")
      ->allow_extra_args(false)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->type_name("PATH=VALUE");
  app.add_option("--boost", options.boosts,
                 "switch or set one boost; repeatable")
      ->allow_extra_args(false)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->type_name("KEY=VALUE");
  app.add_option("--boost-config", options.boostConfig,
                 "boost dictionary, merged key by key over the model file's")
      ->type_name("FILE");
  app.add_option("--emit", flags.emit,
                 "write the result of this phase, asm or ptx")
      ->type_name("PHASE");
  app.add_option("--compile-from", flags.from, "INPUT is IR in this phase")
      ->type_name("PHASE");
  app.add_option("--cpu", options.phase.cpu,
                 "native, x86-64-v3 (AVX2) or x86-64-v4 (AVX-512)")
      ->capture_default_str()
      ->type_name("NAME");
  app.add_option("--threads", options.phase.threads,
                 "threads to plan for (default: all cores)")
      ->check(boostrt::integerBetween(1, kMaxThreads))
      ->type_name("N");
  app.add_option("--library", options.phase.useLibrary,
                 "use oneDNN for matmuls and for inverses of large matrices "
                 "(default: on); off generates code for everything")
      ->check(boostrt::oneOf({"on", "off"}))
      ->type_name("WHETHER");
  addChoice(app, "--winograd", "WHICH", options.phase.winograd,
            {"auto", "always", "off"},
            "which convolutions of 3x3 taps in f32 Winograd's algorithm "
            "computes on CPUs: auto (those it is faster for), always (all "
            "it can) or off");
  addChoice(app, "--cuda-library", "WHICH", options.phase.cudaLibrary,
            {"auto", "always", "never"},
            "which matmuls use cuBLASLt on GPUs, and which convolutions "
            "cuDNN, where the library is faster: auto (large ones), "
            "always (all) or never");
  CLI::Option *tune =
      app.add_option(
             "--tune", flags.tune,
             "measure on this machine the fastest kernel or library call for "
             "each matmul and convolution that FILE lacks, and add it to FILE")
          ->type_name("FILE");
  app.add_option("--tuned", flags.tuned,
                 "use what --tune wrote to FILE, and measure nothing")
      ->excludes(tune)
      ->type_name("FILE");
  app.add_option("--codegen-opt", options.codegenLevel,
                 "optimisation of generated code, for debugging the compiler")
      ->check(boostrt::integerBetween(0, 3))
      ->capture_default_str()
      ->type_name("LEVEL");
  app.add_option("--ptxas", options.ptxas,
                 "NVIDIA's assembler, which turns PTX into code for sm_80 and "
                 "sm_90 when a program is compiled: auto (as BOOSTC_PTXAS "
                 "says, else where it is found), off, or its path")
      ->type_name("PATH");
  CLI::Option *explain = app.add_flag(
      "--explain", flags.isExplain,
      "print the resolved recipe, the steps, what layers and memory cost and "
      "what is on and why, and compile nothing");
  app.add_option("--samples", flags.samples,
                 "samples of the data set, for --explain")
      ->needs(explain)
      ->check(boostrt::integerBetween(1, int64_t{1} << 53))
      ->type_name("N");
  CLI::Option *ranks =
      app.add_option("--ranks", options.job.ranks,
                     "processes that will train, for --explain and "
                     "--memory-budget (default: 1)")
          ->check(boostrt::integerBetween(1, boostrt::kMaxPredictedRanks))
          ->type_name("N");
  boostrt::addServersFlag(app, ranks, options.job);
  app.add_option("--memory-budget", flags.budget,
                 "reserve no more on a rank of a training run, by computing "
                 "values again where that is needed, or fail and say what is "
                 "possible; bytes, or with KiB, MiB, GiB")
      ->transform(boostrt::byteSizeBetween(1, uint64_t{1} << 60))
      ->type_name("SIZE");
  app.add_option("--bucket-size", options.phase.bucketBytes,
                 "maximum bytes of gradients that ranks exchange together, or "
                 "with KiB, MiB; the backward of the next bucket runs "
                 "meanwhile (default: 25 MiB)")
      ->transform(boostrt::byteSizeBetween(1, uint64_t{1} << 40))
      ->type_name("SIZE");
  app.add_flag("--reproducible{on}", flags.reproducible,
               "what the bits of a run may depend on: on, the number of "
               "threads; off, also how a step is split into ranks and "
               "micro-batches, whose gradients then share one set; strict, "
               "neither (default, and without a value: on)")
      ->type_name("on|off|strict");
  app.add_flag("--print-ops", flags.isOps,
               "print what a model file may name and what the ops can do")
      ->excludes(explain);
  app.add_option("--target", flags.target,
                 "devices to compile for: cpu, cuda (NVIDIA GPUs), or both")
      ->capture_default_str()
      ->type_name("cpu|cuda|cpu,cuda");
  addChoice(app, "--color", "WHEN", flags.color, {"auto", "always", "never"},
            "colours in messages: auto is on terminals, unless NO_COLOR "
            "is set");
}

/// Hands --mlir-... on; a message for anything else that CLI11 does not know.
std::optional<std::string> passToMlir(const CLI::App &app,
                                      const char *program) {
  std::vector<std::string> rest = app.remaining();
  std::vector<std::string> names = boostrt::flagNames(app);
  std::vector<std::string_view> legal(names.begin(), names.end());
  SmallVector<const char *> arguments = {program};
  registerPassManagerCLOptions();
  registerAsmPrinterCLOptions();
  registerDefaultTimingManagerCLOptions();
  for (const std::string &argument : rest) {
    StringRef name = StringRef(argument).ltrim('-');
    if (!StringRef(argument).starts_with("-"))
      return "second input '" + boostrt::printable(argument) + "', after '" +
             boostrt::printable(app["INPUT"]->as<std::string>()) +
             "'; a program is compiled from one model file, with --overlay "
             "files merged over it";
    StringRef flag = StringRef(argument).split('=').first;
    if (!name.starts_with("mlir-"))
      return "unknown flag '" + boostrt::printable(flag) + "'" +
             boostrt::suggestFlag(boostrt::NameKind::CompilerFlag, flag, legal);
    if (!llvm::cl::getRegisteredOptions().contains(flag.ltrim('-')))
      return "unknown flag '" + boostrt::printable(flag) +
             "'; of MLIR's options, boostc has those that print IR after "
             "passes, format it, and time passes";
    arguments.push_back(argument.c_str());
  }
  std::string errors;
  llvm::raw_string_ostream stream(errors);
  if (llvm::cl::ParseCommandLineOptions(arguments.size(), arguments.data(), "",
                                        &stream))
    return std::nullopt;
  // LLVM itself prints what is wrong with a value.
  return errors.empty()
             ? "a flag of MLIR's has no such value, as the line above says"
             : StringRef(errors).trim().str();
}

/// What MLIR is asked to print of passes comes in their order, and nothing
/// disturbs what --tune measures.
MLIRContext::Threading chooseThreading(const CLI::App &app,
                                       const CompileOptions &options) {
  bool prints = llvm::any_of(app.remaining(), [](const std::string &argument) {
    return !StringRef(argument).ltrim('-').starts_with("mlir-timing");
  });
  return prints || options.tuning.measures ? MLIRContext::Threading::DISABLED
                                           : MLIRContext::Threading::ENABLED;
}

int runCompilation(CompileOptions &options, const std::string &output,
                   MLIRContext::Threading threading, bool isColored) {
  DialectRegistry registry;
  registerCompilerDialects(registry);
  MLIRContext context(registry, threading);
  context.loadAllAvailableDialects();
  std::string error;
  if (!resolveCpuTarget(&context, options.phase.cpu, options.phase.threads,
                        error))
    return fail(CompileResult::BadUsage, "--cpu: " + error);

  llvm::SourceMgr sources;
  DiagnosticPrinter printer(sources, &context, llvm::errs(), "boostc",
                            isColored);
  // The position in the user's file says enough; the op may be a whole module.
  context.printOpOnDiagnostic(false);
  DefaultTimingManager timing;
  applyDefaultTimingManagerCLOptions(timing);
  TimingScope scope = timing.getRootScope();
  options.configure = [&](PassManager &manager) {
    manager.enableTiming(scope);
    return applyPassManagerCLOptions(manager);
  };
  // The one program of this process.
  options.limitLibrary = [](StringRef features) {
    boostrt::DnnlContext::limitInstructionSet(features);
  };
  SmallVector<char, 0> bytes;
  std::optional<std::string> tuned;
  CompileResult result = compile(context, sources, options, bytes, &tuned);
  if (result != CompileResult::Ok)
    return static_cast<int>(result);
  if (tuned)
    if (boostrt::Status status = writeOutput(options.tuning.file, *tuned);
        !status.ok())
      return fail(status);
  boostrt::Status status = writeOutput(output, {bytes.data(), bytes.size()});
  return status.ok() ? 0 : fail(status);
}

/// All but what ends the process in its own way.
int run(int argc, char **argv) {
  CLI::App app("boostc compiles a model and its training recipe into one "
               "shared library.");
  app.allow_extras();
  app.footer(kFooter);
  app.set_version_flag("--version", std::string(kVersion));
  CompileOptions options;
  options.ptxas = "auto";
  Flags flags;
  addOptions(app, options, flags);
  // A subcommand; a file of this name is ./summary.
  flags.isSummary = argc > 1 && StringRef(argv[1]) == "summary";
  SmallVector<char *> arguments(argv, argv + argc);
  if (flags.isSummary)
    arguments.erase(arguments.begin() + 1);
  if (std::optional<std::string> problem = boostrt::findWrongValue(
          app, {arguments.begin() + 1, arguments.end()}))
    return fail(CompileResult::BadUsage, *problem);
  try {
    app.parse(static_cast<int>(arguments.size()), arguments.data());
  } catch (const CLI::CallForHelp &) {
    boostrt::writeResult(app.help());
    return 0;
  } catch (const CLI::CallForVersion &) {
    boostrt::printResult("{}\n", kVersion);
    return 0;
  } catch (const CLI::ParseError &error) {
    return fail(CompileResult::BadUsage, boostrt::explainFlagError(app, error));
  }
  if (std::optional<std::string> problem = passToMlir(app, argv[0]))
    return fail(CompileResult::BadUsage, *problem);
  auto isGiven = [&](StringRef flag) { return app.count(flag.str()) > 0; };
  if (std::optional<std::string> problem =
          resolveFlags(flags, isGiven, options))
    return fail(CompileResult::BadUsage, *problem);
  for (const std::string &idle : findIdleFlags(options, isGiven))
    DiagnosticPrinter::print(llvm::errs(), "boostc",
                             DiagnosticSeverity::Warning, idle,
                             isColored(flags.color));
  if (app.count("-o") == 0)
    flags.output = defaultOutput(options);
  if (boostrt::Status status = checkOutputs(options, flags.output);
      !status.ok())
    return fail(status);
  return runCompilation(options, flags.output, chooseThreading(app, options),
                        isColored(flags.color));
}

} // namespace

int boostc::runBoostc(int argc, char **argv) {
  prepareProcess(argc, argv);
  int code;
  try {
    code = run(argc, argv);
  } catch (...) {
    return fail(boostrt::caughtException());
  }
  if (boostrt::Status status = boostrt::resultsStatus();
      code == 0 && !status.ok()) {
    boostrt::endWithReader();
    return fail(status);
  }
  return code;
}
