#include "runtime/cli/CommandLine.h"

#include "runtime/cli/FlagNotes.h"
#include "runtime/cli/LaunchFlags.h"
#include "runtime/predict/NetworkFlags.h"
#include "runtime/support/FlagValues.h"
#include "runtime/support/ForeignNames.h"
#include "runtime/support/ParseNumber.h"
#include "runtime/support/Suggest.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace boostrt {
namespace {

constexpr const char *kUsageNote =
    "Data: --data mnist:DIR, cifar10:DIR, npy:DIR, imagefolder:DIR or\n"
    "digits[:train=N,test=M,seed=S].\nWithout --data, DATA_PATH is the "
    "directory for the model's own\n"
    "data.source, and without DATA_PATH data.source is.\n"
    "Other commands: boost-run info PROGRAM, boost-run eval PROGRAM --ckpt "
    "PATH,\nboost-run bench PROGRAM, boost-run doctor, boost-run ranks, "
    "boost-run rank-table,\nboost-run make-data, boost-run export PROGRAM "
    "--ckpt PATH "
    "-o FILE.\n"
    "Exit codes: 0 ok, 1 program or rank table, 2 usage, 3 data, 4 not finite, "
    "5 lost rank,\n6 checkpoint, 7 stopped by a signal, 8 memory, 70 "
    "internal.";

/// "epoch", or a number of steps.
bool parseInterval(const std::string &text, Interval &interval) {
  std::optional<int64_t> steps =
      text == "epoch" ? 0 : parseWhole<int64_t>(text);
  interval.steps = steps.value_or(0);
  return text == "epoch" || interval.steps > 0;
}

void addInterval(CLI::App &app, const char *name, Interval &interval,
                 const char *description) {
  app.add_option_function<std::string>(
         name,
         [&interval, name](const std::string &text) {
           if (!parseInterval(text, interval))
             throw CLI::ValidationError(
                 name, fmt::format("'{}' is neither 'epoch' nor a number of "
                                   "steps above 0",
                                   text));
         },
         description)
      ->type_name("N|epoch");
}

void addProgram(CLI::App &app, Options &options) {
  app.add_option("PROGRAM", options.program, "what boostc compiled")
      ->type_name("FILE");
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

void addTraining(CLI::App &app, Options &o) {
  constexpr int64_t kMany = int64_t{1} << 53;
  app.add_option("--epochs", o.epochs, "epochs (default: the model's)")
      ->check(integerBetween(0, kMany))
      ->type_name("N");
  app.add_option("--steps", o.steps,
                 "stop after N optimizer steps; without --epochs, schedules "
                 "that end with the run end there")
      ->check(integerBetween(0, kMany))
      ->type_name("N");
  // As text: CLI11 would wrap a negative number around.
  app.add_option_function<std::string>(
         "--seed",
         [&o](const std::string &text) {
           o.seed = parseWhole<uint64_t>(text);
           if (!o.seed)
             throw CLI::ValidationError(
                 "--seed",
                 fmt::format("'{}' is not a number from 0 to 2^64-1", text));
         },
         "seed (default: the model's)")
      ->type_name("N");
  app.add_option_function<std::string>(
         "--shuffle", [&o](const std::string &v) { o.shuffle = v == "on"; },
         "visit samples in random order (default: on)")
      ->check(oneOf({"on", "off"}))
      ->type_name("WHEN");
  app.add_option("--init", o.init, "start from the weights in FILE")
      ->type_name("FILE");
  addNames(app, o,
           "names of tensors in the file of --init: of PyTorch's "
           "layers, of MindSpore's, or a JSON object of names by those "
           "of the program");
  app.add_option("--save", o.save, "write the weights to FILE at each epoch")
      ->type_name("FILE");
  app.add_option("--save-best", o.saveBest,
                 "write the weights with the best top_1 on held-out data "
                 "(lowest loss, where top_1 is not measured) to FILE")
      ->type_name("FILE");
  app.add_option("--save-best-from", o.saveBestFrom,
                 "first epoch whose weights --save-best considers")
      ->check(integerBetween(1, kMany))
      ->capture_default_str()
      ->type_name("E");
  app.add_option("--eval-every", o.evalEvery,
                 "evaluate on held-out data every N epochs; 0: only at the end "
                 "(default: the model's train.eval_every)")
      ->check(integerBetween(0, kMany))
      ->type_name("N");
  app.add_option("--checkpoint-dir", o.checkpointDir, "keep checkpoints in DIR")
      ->type_name("DIR");
  app.add_option("--checkpoint-prefix", o.checkpointPrefix,
                 "first part of their names (default: the model's name)")
      ->type_name("P");
  addInterval(app, "--checkpoint-every", o.checkpointEvery,
              "when to write one (default: epoch)");
  app.add_option("--keep-max", o.keepMax, "how many to keep (never below 2)")
      ->check(integerBetween(1, 1 << 20))
      ->capture_default_str()
      ->type_name("N");
  app.add_option("--check-replicas", o.checkReplicasEvery,
                 "compare the ranks' weights every N steps; 0: never")
      ->check(integerBetween(0, kMany))
      ->capture_default_str()
      ->type_name("N");
  app.add_option("--log-adasum", o.logAdasumEvery,
                 "write how Adasum combined to the metrics every N steps; 0: "
                 "never")
      ->check(integerBetween(0, kMany))
      ->capture_default_str()
      ->type_name("N");
  app.add_option("--resume", o.resume,
                 "continue the newest checkpoint, the one at PATH, or none "
                 "(default: auto with --checkpoint-dir)")
      ->type_name("auto|PATH|never");
  app.add_option_function<std::string>(
         "--private-state",
         [&o](const std::string &v) {
           o.privateState =
               v == "mean" ? PrivateStateRule::Mean : PrivateStateRule::Reset;
         },
         "what every rank begins with where ranks have states of their own and "
         "another number of ranks saved them: their mean, or new ones")
      ->check(oneOf({"mean", "reset"}))
      ->type_name("RULE");
  addInterval(app, "--log-every", o.logEvery,
              "when to print the loss (default: epoch)");
  app.add_option_function<std::string>(
         "--progress",
         [&o](const std::string &v) {
           o.progress = v == "bar"     ? ProgressKind::Bar
                        : v == "plain" ? ProgressKind::Plain
                        : v == "none"  ? ProgressKind::None
                                       : ProgressKind::Auto;
         },
         "progress bar and lines (default: auto)")
      ->check(oneOf({"auto", "bar", "plain", "none"}))
      ->type_name("KIND");
  app.add_flag("--eval,!--no-eval", o.evaluate,
               "evaluate on held-out data, see --eval-every (default: yes)");
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
  app.add_option_function<std::string>(
         "--seed",
         [&p](const std::string &text) {
           std::optional<uint64_t> seed = parseWhole<uint64_t>(text);
           if (!seed)
             throw CLI::ValidationError(
                 "--seed",
                 fmt::format("'{}' is not a number from 0 to 2^64-1", text));
           p.seed = *seed;
         },
         "what images are drawn from (default: 1)")
      ->type_name("N");
}

/// The job that `info` predicts the steps of; --ranks asks for it.
struct JobFlags {
  uint32_t ranks = 0;
  PredictOptions prediction;
};

void addPrediction(CLI::App &app, JobFlags &o) {
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

Status usage(const CLI::App &app, const std::string &what) {
  return Status(ExitCode::Usage,
                fmt::format("{}; see {} --help", what, app.get_name()));
}

/// Flags of training that do nothing without a place for checkpoints.
Status checkCheckpointFlags(const CLI::App &app, const Options &options) {
  if (options.checkpointDir)
    return Status();
  for (const char *flag :
       {"--checkpoint-every", "--checkpoint-prefix", "--keep-max"})
    if (app.count(flag) > 0)
      return usage(app, fmt::format("{} needs --checkpoint-dir DIR, without "
                                    "which no checkpoint is written",
                                    flag));
  if (options.privateState && !options.resume)
    return usage(app, "--private-state needs --checkpoint-dir DIR or --resume "
                      "PATH: it says what becomes of a checkpoint's states");
  return Status();
}

/// Unknown flags and surplus arguments, which CLI11 leaves over.
Status checkRemaining(const CLI::App &app, const std::string &program) {
  std::vector<std::string> remaining = app.remaining();
  if (remaining.empty())
    return Status();
  std::vector<std::string> names = flagNames(app);
  std::vector<std::string_view> legal(names.begin(), names.end());
  for (const std::string &argument : remaining) {
    if (!argument.starts_with('-'))
      continue;
    std::string flag = argument.substr(0, argument.find('='));
    return usage(app, fmt::format("unknown flag '{}'{}", printable(flag),
                                  suggestFlag(NameKind::RunFlag, flag, legal)));
  }
  return usage(app, fmt::format("unexpected argument '{}'{}",
                                printable(remaining.front()),
                                suggestCommand(program)));
}

} // namespace

Result<CommandLine> parseCommandLine(int argc, const char *const *argv) {
  CommandLine line;
  if (argc > 1 && argv[1] == std::string_view("help")) {
    // "help" or "help eval", as other programs have it.
    std::vector<const char *> arguments(argv + 2, argv + argc);
    arguments.insert(arguments.begin(), argv[0]);
    arguments.push_back("--help");
    return parseCommandLine(static_cast<int>(arguments.size()),
                            arguments.data());
  }
  Options &options = line.options;
  // By hand and not as CLI11's subcommands: PROGRAM has the same position.
  std::string_view first = argc > 1 ? argv[1] : "";
  const char *name = "boost-run";
  if (first == "info") {
    options.command = Command::Info;
    name = "boost-run info";
  } else if (first == "eval") {
    options.command = Command::Evaluate;
    name = "boost-run eval";
  } else if (first == "bench") {
    options.command = Command::Bench;
    name = "boost-run bench";
  } else if (first == "doctor") {
    options.command = Command::Doctor;
    name = "boost-run doctor";
  } else if (first == "ranks") {
    options.command = Command::Ranks;
    name = "boost-run ranks";
  } else if (first == "rank-table") {
    options.command = Command::RankTable;
    name = "boost-run rank-table";
  } else if (first == "make-data") {
    options.command = Command::MakeData;
    name = "boost-run make-data";
  } else if (first == "export") {
    options.command = Command::Export;
    name = "boost-run export";
  }
  CLI::App app("", name);
  JobFlags job;
  app.allow_extras();
  app.formatter(helpFormatter());
  // The last of several values counts, so that what is appended to a script's
  // command wins.
  app.option_defaults()->take_last();
  app.set_version_flag("--version", std::string("boost-run " BOOSTC_VERSION));
  switch (options.command) {
  case Command::Train:
    app.description("Trains a compiled program.");
    app.footer(kUsageNote);
    addCommon(app, options);
    addTraining(app, options);
    addLaunch(app, options.launch);
    break;
  case Command::Evaluate:
    app.description("Evaluates weights on a program's held-out data.");
    addCommon(app, options);
    app.add_option("--ckpt", options.checkpoint,
                   "a checkpoint, a directory of some, of which the newest is "
                   "taken, or a file of weights")
        ->type_name("PATH");
    addNames(app, options, "names of tensors in that file, see training");
    addLaunch(app, options.launch);
    break;
  case Command::Export:
    app.description("Writes the weights that evaluations read, under the names "
                    "of another framework.");
    app.add_option("PROGRAM", options.program, "what boostc compiled")
        ->type_name("FILE");
    app.add_option("--ckpt", options.checkpoint,
                   "a checkpoint, a directory of some, of which the newest is "
                   "taken, or a file of weights")
        ->type_name("PATH");
    addNames(app, options,
             "the names: of PyTorch's layers, of MindSpore's, or "
             "a JSON object of names by those of the program "
             "(default: those of the program)");
    app.add_option("-o,--output", options.output, "file to write, safetensors")
        ->type_name("FILE");
    break;
  case Command::Info:
    app.description("Shows what a compiled program holds.");
    app.add_option("PROGRAM", options.program, "what boostc compiled")
        ->type_name("FILE");
    app.add_flag("--json", options.json, "as one JSON object");
    addPrediction(app, job);
    break;
  case Command::Bench:
    app.description("Times a program's optimizer steps, from the batch in "
                    "memory to the updated\nweights, on generated batches.");
    addBench(app, options);
    addLaunch(app, options.launch);
    break;
  case Command::Doctor:
    app.description("Shows which devices of this machine can run programs, "
                    "and where the libraries\nare that they use.");
    app.add_flag("--json", options.json, "as one JSON object");
    break;
  case Command::Ranks:
    app.description("Shows which rank this process would be, or which ones it "
                    "would start, and what\nsays so: flags, a rank table, or "
                    "the variables of a launcher.");
    addLaunch(app, options.launch);
    app.add_flag("--json", options.json, "as one JSON object");
    break;
  case Command::RankTable:
    app.description("Writes a rank table: create for a list of hosts, merge "
                    "from tables of single\nservers.");
    addRankTable(app, options);
    break;
  case Command::MakeData:
    app.description("Writes images that a network can learn to tell apart: "
                    "JPEG files of coloured stripes,\nin train/ and val/ with "
                    "a directory for each class.");
    addMakeData(app, options);
    break;
  }

  try {
    int skipped = options.command == Command::Train ? 1 : 2;
    std::vector<std::string> arguments(argv + std::min(skipped, argc),
                                       argv + argc);
    if (std::optional<std::string> wrong = findWrongValue(app, arguments))
      return usage(app, *wrong);
    std::reverse(arguments.begin(), arguments.end()); // as CLI11 wants them
    app.parse(std::move(arguments));
  } catch (const CLI::CallForHelp &) {
    line.text = app.help();
    return line;
  } catch (const CLI::CallForVersion &version) {
    line.text = std::string(version.what()) + "\n";
    return line;
  } catch (const CLI::ParseError &error) {
    return usage(app, explainFlagError(app, error));
  }
  BOOSTRT_RETURN_IF_ERROR(checkRemaining(app, options.program));
  options.launch.threads = options.threads;
  options.launch.given = givenFlags(app);
  line.notes = notesOnFlags(options);
  if (job.ranks > 0) {
    job.prediction.job.ranks = job.ranks;
    options.prediction = job.prediction;
  }
  if (options.command == Command::RankTable)
    if (Status status = checkRankTable(options); !status.ok())
      return usage(app, status.message());
  if (options.command == Command::MakeData) {
    if (options.madeKind != "imagefolder")
      return usage(app, options.madeKind.empty()
                            ? "which kind of data? imagefolder"
                            : fmt::format("unknown kind of data '{}', expected "
                                          "imagefolder",
                                          printable(options.madeKind)));
    if (options.madeDirectory.empty())
      return usage(app, "DIR is missing: where are the images to be written?");
  }
  bool needsProgram = options.command != Command::Doctor &&
                      options.command != Command::Ranks &&
                      options.command != Command::RankTable &&
                      options.command != Command::MakeData;
  if (options.program.empty() && needsProgram)
    return usage(app, "which program? PROGRAM is missing");
  if (options.command == Command::Evaluate && !options.checkpoint)
    return usage(app, "--ckpt PATH is missing: what is to be evaluated?");
  if (options.command == Command::Export && !options.checkpoint)
    return usage(app, "--ckpt PATH is missing: what is to be exported?");
  if (options.command == Command::Export && !options.output)
    return usage(app, "-o FILE is missing: where are the weights to be "
                      "written?");
  if (options.command == Command::Train && options.names && !options.init)
    return usage(app,
                 "--names needs --init FILE, whose tensors have the names");
  if (options.saveBest && !options.evaluate)
    return usage(app, "--save-best and --no-eval exclude each other: without "
                      "evaluations nothing is best");
  if (options.saveBestFrom != 1 && !options.saveBest)
    return usage(app, "--save-best-from needs --save-best FILE");
  if (options.checkpointPrefix &&
      (options.checkpointPrefix->empty() ||
       options.checkpointPrefix->find('/') != std::string::npos))
    return usage(app, "--checkpoint-prefix must be a name without '/'; the "
                      "directory is --checkpoint-dir");
  if (options.command == Command::Train)
    BOOSTRT_RETURN_IF_ERROR(checkCheckpointFlags(app, options));
  return line;
}

} // namespace boostrt
