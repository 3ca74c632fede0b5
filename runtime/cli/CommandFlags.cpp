#include "runtime/cli/CommandFlags.h"

#include "runtime/predict/NetworkFlags.h"
#include "runtime/support/FlagValues.h"
#include "runtime/support/ParseNumber.h"
#include "runtime/support/Suggest.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace boostrt {
namespace {

Status fail(std::string message) {
  return Status(ExitCode::Usage, std::move(message));
}

void addPositionalProgram(CLI::App &app, Options &options) {
  app.add_option("PROGRAM", options.program, "what boostc compiled")
      ->type_name("FILE");
}

void addCheckpoint(CLI::App &app, Options &options) {
  app.add_option("--ckpt", options.checkpoint,
                 "a checkpoint, a directory of some, of which the newest is "
                 "taken, or a file of weights")
      ->type_name("PATH");
}

} // namespace

void addProgram(CLI::App &app, Options &options) {
  addPositionalProgram(app, options);
  app.add_option("--threads", options.threads,
                 "threads of the pool (default: as planned by boostc, fewer "
                 "where ranks share the machine)")
      ->check(integerBetween(1, 4096))
      ->type_name("N");
  app.add_option("--device", options.device,
                 "cpu, cuda, or sim, which simulates a GPU with all checks "
                 "(default: a GPU that can be used, else the CPU)")
      ->check(oneOf({"auto", "cpu", "cuda", "sim"}))
      ->type_name("NAME");
  app.add_option("--gpu-library", options.gpuLibrary,
                 "whether NVIDIA's libraries compute what boostc left to them: "
                 "on, off (generated kernels do), or auto (default: the "
                 "faster, measured when the program is first loaded)")
      ->check(oneOf({"auto", "on", "off"}))
      ->type_name("WHEN");
}

void addCommon(CLI::App &app, Options &options) {
  addProgram(app, options);
  app.add_option("--data", options.data, "data to read")->type_name("SPEC");
  app.add_option_function<std::string>(
         "--bad-sample",
         [&options](const std::string &v) {
           options.skipBadSamples = v == "skip";
         },
         "what becomes of an image that cannot be decoded: error, or skip, "
         "which leaves it out (default: the model's data.bad_sample)")
      ->check(oneOf({"error", "skip"}))
      ->type_name("RULE");
  app.add_option("--metrics", options.metrics, "write JSON lines to FILE")
      ->type_name("FILE");
}

void addNames(CLI::App &app, Options &options, const char *description) {
  app.add_option("--names", options.names, description)
      ->type_name("torchvision|mindspore|FILE");
}

void addEvaluation(CLI::App &app, Options &options) {
  addCommon(app, options);
  addCheckpoint(app, options);
  addNames(app, options, "names of tensors in that file, see training");
}

Status checkEvaluation(const Options &options) {
  return options.checkpoint
             ? Status()
             : fail("--ckpt PATH is missing: what is to be evaluated?");
}

void addExport(CLI::App &app, Options &options) {
  addPositionalProgram(app, options);
  addCheckpoint(app, options);
  addNames(app, options,
           "the names: of PyTorch's layers, of MindSpore's, or "
           "a JSON object of names by those of the program "
           "(default: those of the program)");
  app.add_option("-o,--output", options.output, "file to write, safetensors")
      ->type_name("FILE");
}

Status checkExport(const Options &options) {
  if (!options.checkpoint)
    return fail("--ckpt PATH is missing: what is to be exported?");
  return options.output ? Status()
                        : fail("-o FILE is missing: where are the weights to "
                               "be written?");
}

void addPca(CLI::App &app, Options &o) {
  addPositionalProgram(app, o);
  app.add_option("--ckpt-dir", o.weightsDirectory,
                 "directory of checkpoints and files of weights")
      ->type_name("DIR");
  app.add_option("--components", o.components,
                 "vectors of the basis, fewer than checkpoints (default: as "
                 "many as the\nprogram searches among)")
      ->check(integerBetween(1, 1 << 20))
      ->type_name("K");
  app.add_option("-o,--output", o.output,
                 "file to write; what its columns are goes to FILE.json")
      ->type_name("FILE.npy");
}

Status checkPca(const Options &options) {
  if (!options.weightsDirectory)
    return fail("--ckpt-dir DIR is missing: which checkpoints are to be "
                "analysed?");
  return options.output ? Status()
                        : fail("-o FILE.npy is missing: where is the basis to "
                               "be written?");
}

void addBench(CLI::App &app, Options &o) {
  constexpr int64_t kMany = 100'000'000; // one double each is kept
  addProgram(app, o);
  app.add_option("--steps", o.benchSteps, "optimizer steps to time")
      ->check(integerBetween(1, kMany))
      ->capture_default_str()
      ->type_name("N");
  app.add_option("--warmup", o.benchWarmup, "steps before them, not timed")
      ->check(integerBetween(0, kMany))
      ->capture_default_str()
      ->type_name("N");
  app.add_flag("--json", o.json, "as one JSON object, on one line");
  addProfile(app, o, "as many steps, 20 at most");
}

void addMakeData(CLI::App &app, Options &o) {
  PatternOptions &p = o.patterns;
  app.add_option("KIND", o.madeKind, "imagefolder")->type_name("KIND");
  app.add_option("DIR", o.madeDirectory, "new or empty directory to write to")
      ->type_name("DIR");
  auto add = [&](const char *name, int64_t &value, int64_t low, int64_t high,
                 const char *text) {
    app.add_option(name, value, text)
        ->check(integerBetween(low, high))
        ->capture_default_str()
        ->type_name("N");
  };
  add("--classes", p.classes, 2, 1000, "classes");
  add("--train", p.train, 1, 100000, "images of each class to train on");
  add("--val", p.heldOut, 1, 100000, "images of each class to evaluate on");
  add("--size", p.size, 16, 4096,
      "pixels of a side, by up to a quarter more or less");
  addSeed(app, "what images are drawn from (default: 1)",
          [&p](uint64_t seed) { p.seed = seed; });
}

Status checkMakeData(const Options &options) {
  if (options.madeKind != "imagefolder")
    return fail(options.madeKind.empty()
                    ? "which kind of data? imagefolder"
                    : fmt::format("unknown kind of data '{}', expected "
                                  "imagefolder",
                                  printable(options.madeKind)));
  return options.madeDirectory.empty()
             ? fail("DIR is missing: where are the images to be written?")
             : Status();
}

void addSeed(CLI::App &app, const char *description,
             std::function<void(uint64_t)> set) {
  // As text: CLI11 would wrap a negative number around.
  app.add_option_function<std::string>(
         "--seed",
         [set = std::move(set)](const std::string &text) {
           std::optional<uint64_t> seed = parseWhole<uint64_t>(text);
           if (!seed)
             throw CLI::ValidationError(
                 "--seed", fmt::format("'{}' is not a number from 0 to 2^64-1",
                                       printable(text)));
           set(*seed);
         },
         description)
      ->type_name("N");
}

static void addPrediction(CLI::App &app, JobFlags &o) {
  CLI::Option *ranks =
      app.add_option("--ranks", o.ranks,
                     "what memory N ranks need and how long a step of theirs "
                     "takes, from what is measured here")
          ->check(integerBetween(1, kMaxPredictedRanks))
          ->type_name("N");
  addNetworkFlags(app, ranks, o.prediction);
  app.add_option_function<std::string>(
         "--comm",
         [&o](const std::string &v) {
           o.prediction.link = v == "local" ? RankLink::Memory : RankLink::Tcp;
         },
         "how ranks of a server communicate: gloo between processes (default), "
         "local as threads of one")
      ->needs(ranks)
      ->check(oneOf({"gloo", "local"}))
      ->type_name("KIND");
  app.add_option("--threads", o.prediction.threads,
                 "threads of each rank (default: as planned by boostc, fewer "
                 "where ranks share the machine)")
      ->needs(ranks)
      ->check(integerBetween(1, 4096))
      ->type_name("N");
}

void addInfo(CLI::App &app, Options &options, JobFlags &job) {
  addPositionalProgram(app, options);
  app.add_flag("--json", options.json, "as one JSON object");
  addPrediction(app, job);
}

} // namespace boostrt
