// The flags of training.
#include "runtime/cli/CommandFlags.h"
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

/// Interval::text() read back; "1epoch" and "5epoch" too.
std::optional<Interval> parseInterval(std::string_view text) {
  if (text == "epoch")
    return Interval();
  std::string_view number = text;
  for (std::string_view unit : {"epochs", "epoch"})
    if (number.size() == text.size() && number.ends_with(unit))
      number.remove_suffix(unit.size());
  std::optional<int64_t> count = parseWhole<int64_t>(number);
  if (!count || *count <= 0)
    return std::nullopt;
  return number.size() == text.size() ? Interval{*count} : Interval{0, *count};
}

void addInterval(CLI::App &app, const char *name, Interval &interval,
                 const char *description) {
  app.add_option_function<std::string>(
         name,
         [&interval, name](const std::string &text) {
           std::optional<Interval> parsed = parseInterval(text);
           if (!parsed)
             throw CLI::ValidationError(
                 name, fmt::format("'{}' is neither 'epoch' nor a number of "
                                   "steps above 0, nor one of epochs as in "
                                   "'5epochs'",
                                   printable(text)));
           interval = *parsed;
         },
         description)
      ->type_name("N|epoch|Nepochs");
}

void addWorkdir(CLI::App &app, Options &o) {
  app.add_option("--workdir", o.workdir,
                 "what the run writes under relative names is below DIR, which "
                 "is made; names of what it reads are not")
      ->type_name("DIR");
  // The value is never the next argument, which may be PROGRAM.
  const std::string description =
      "keep checkpoints below --workdir in the folders of MindSpore's scripts: "
      "per-rank, train_parallelN/ckpt_0 for rank N, or shared, "
      "train_parallel/ckpt_N; rank 0 writes, those of the other ranks are "
      "links (without a value: per-rank)";
  app.add_flag("--rank-checkpoints{per-rank}", description)
      ->check(oneOf({"per-rank", "shared"}))
      ->each([&o](const std::string &value) {
        o.rankLayout =
            value == "shared" ? RankLayout::Shared : RankLayout::PerRank;
      })
      ->type_name("LAYOUT");
}

/// Puts what is written under relative names below --workdir, and checkpoints
/// in the folder of rank 0.
void placeOutputs(Options &o) {
  if (!o.workdir)
    return;
  o.workdir = withoutFinalSlashes(*o.workdir);
  // Messages name 'train_parallel0' as a user would, without './'.
  std::string prefix = *o.workdir == "." ? "" : *o.workdir + "/";
  for (std::optional<std::string> *path :
       {&o.save, &o.saveBest, &o.metrics, &o.checkpointDir, &o.profileTrace,
        &o.launch.logDir})
    if (*path && !(*path)->empty() && !(*path)->starts_with('/'))
      *path = prefix + **path;
  if (o.rankLayout)
    o.checkpointDir = prefix + rankFolder(*o.rankLayout, 0);
}

Status checkWorkdir(const Options &o) {
  if (o.workdir && o.workdir->empty())
    return fail("--workdir needs the name of a directory");
  if (!o.rankLayout)
    return Status();
  if (!o.workdir)
    return fail("--rank-checkpoints needs --workdir DIR, in which the folders "
                "of ranks are made; the current directory is --workdir .");
  return !o.checkpointDir
             ? Status()
             : fail("--rank-checkpoints and --checkpoint-dir exclude each "
                    "other: both say where checkpoints are kept");
}

/// Flags that do nothing without a place for checkpoints.
Status checkCheckpointFlags(const CLI::App &app, const Options &options) {
  if (options.checkpointDir)
    return Status();
  for (const char *flag :
       {"--checkpoint-every", "--checkpoint-prefix", "--keep-max"})
    if (app.count(flag) > 0)
      return fail(fmt::format("{} needs --checkpoint-dir DIR or "
                              "--rank-checkpoints, without which no "
                              "checkpoint is written",
                              flag));
  if (options.changedRecipe && !options.resume)
    return fail("--changed-recipe needs --checkpoint-dir DIR, "
                "--rank-checkpoints or --resume PATH: it says that a "
                "checkpoint may be of another recipe");
  if (options.privateState && !options.resume)
    return fail("--private-state needs --checkpoint-dir DIR, "
                "--rank-checkpoints or --resume PATH: it says what becomes of "
                "a checkpoint's states");
  return Status();
}

} // namespace

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
  addSeed(app, "seed (default: the model's)",
          [&o](uint64_t seed) { o.seed = seed; });
  app.add_option_function<std::string>(
         "--shuffle", [&o](const std::string &v) { o.shuffle = v == "on"; },
         "visit samples in random order (default: on)")
      ->check(oneOf({"on", "off"}))
      ->type_name("WHEN");
  app.add_option("--init", o.init,
                 "start from the weights in a file, a checkpoint, or the "
                 "newest in a directory of some")
      ->type_name("PATH");
  addNames(app, o,
           "names of tensors in the file of --init: of PyTorch's "
           "layers, of MindSpore's, or a JSON object of names by those "
           "of the program");
  app.add_option("--basis", o.basis,
                 "basis of a program with dim_reduce: a file of boost-run pca, "
                 "or a directory of checkpoints to make basis.npy of "
                 "(default: the model's pca_mat_path or weight_load_dir)")
      ->type_name("FILE.npy|DIR");
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
  addWorkdir(app, o);
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
  app.add_option(
         "--resume", o.resume,
         "continue the newest checkpoint, the one at PATH or the newest "
         "in that directory, or none (default: auto where checkpoints "
         "are kept)")
      ->type_name("auto|PATH|never");
  app.add_flag("--changed-recipe", o.changedRecipe,
               "continue a checkpoint of another recipe, with its weights and "
               "the state that both have");
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
  addProfile(app, o, "10 steps after the first 3");
}

Status checkTraining(const CLI::App &app, Options &options) {
  if (options.names && !options.init)
    return fail("--names needs --init FILE, whose tensors have the names");
  if (options.saveBest && !options.evaluate)
    return fail("--save-best and --no-eval exclude each other: without "
                "evaluations nothing is best");
  if (options.saveBestFrom != 1 && !options.saveBest)
    return fail("--save-best-from needs --save-best FILE");
  if (options.checkpointPrefix &&
      (options.checkpointPrefix->empty() ||
       options.checkpointPrefix->find('/') != std::string::npos))
    return fail("--checkpoint-prefix must be a name without '/'; the directory "
                "is --checkpoint-dir");
  BOOSTRT_RETURN_IF_ERROR(checkWorkdir(options));
  placeOutputs(options);
  return checkCheckpointFlags(app, options);
}

} // namespace boostrt
