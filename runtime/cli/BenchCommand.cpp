// `boost-run bench`: what a step costs without its data. No loader runs; the
// batches are drawn before the clock starts and lie in the batch arenas that
// training fills, used in turn.
#include "runtime/cli/Commands.h"
#include "runtime/cli/OutputChecks.h"
#include "runtime/cli/ProfileReport.h"
#include "runtime/predict/RandomBatch.h"
#include "runtime/support/Plural.h"
#include "runtime/support/Streams.h"
#include "runtime/trainer/Session.h"
#include "runtime/trainer/StepWindow.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <numeric>
#include <utility>

namespace boostrt {
namespace {

class Bench {
public:
  Bench(Session &session, const Options &options, Ranks &ranks)
      : options_(options), ranks_(ranks), program_(session.program()),
        batches_(session.arenas().copies(BOOSTC_ARENA_BATCH)),
        execution_(session.execution()), window_(execution_) {
    for (size_t i = 0; i < batches_.size(); ++i)
      fillRandomBatch(program_.descriptor(), batches_[i], i);
    milliseconds_.reserve(
        static_cast<size_t>(std::max(options.benchWarmup, options.benchSteps)));
  }

  Status run() {
    BOOSTRT_RETURN_IF_ERROR(ranks_.barrier());
    BOOSTRT_RETURN_IF_ERROR(steps(options_.benchWarmup));
    BOOSTRT_RETURN_IF_ERROR(steps(options_.benchSteps));
    // Steps to come are profiled, and no result.
    sorted_ = std::exchange(milliseconds_, {});
    std::sort(sorted_.begin(), sorted_.end());
    return Status();
  }

  /// More steps, every call of which is timed: they are slower than those that
  /// run() has timed.
  Status profile(StepProfiler &profiler) {
    while (profiler.takesNext()) {
      profiler.begin(globalStep_ + 1);
      BOOSTRT_RETURN_IF_ERROR(step());
      BOOSTRT_RETURN_IF_ERROR(settle());
      profiler.end();
    }
    return Status();
  }

  /// The nearest rank: the smallest time that `share` of the steps do not
  /// exceed.
  double quantile(double share) const {
    auto count = static_cast<double>(sorted_.size());
    auto rank = static_cast<size_t>(std::ceil(share * count));
    return sorted_[std::max<size_t>(rank, 1) - 1];
  }

  double mean() const {
    return std::accumulate(sorted_.begin(), sorted_.end(), 0.0) /
           static_cast<double>(sorted_.size());
  }

private:
  /// Steps as training takes them, and how long after the one before each was
  /// done.
  Status steps(int64_t count) {
    milliseconds_.clear();
    if (globalStep_ == 0)
      BOOSTRT_RETURN_IF_ERROR(execution_.choose(globalStep_));
    begin_ = Clock::now();
    for (int64_t i = 0; i < count; ++i)
      BOOSTRT_RETURN_IF_ERROR(step());
    return settle();
  }

  /// The batches in turn; those of a step again where it has several phases.
  struct WindowBatches {
    const std::vector<std::byte *> &batches;
    size_t &index;
    const size_t first = index;

    Result<std::byte *> next() {
      std::byte *batch = batches[index];
      index = (index + 1) % batches.size();
      return batch;
    }
    Status rewind() {
      index = first;
      return Status();
    }
  };

  Status step() {
    window_.begin(globalStep_ + 1);
    if (window_.hasPhases())
      BOOSTRT_RETURN_IF_ERROR(settle());
    BOOSTRT_RETURN_IF_ERROR(
        window_.run(globalStep_ + 1, WindowBatches{batches_, next_}));
    Result<std::optional<StepResults>> before = window_.apply(++globalStep_);
    if (!before.ok())
      return before.status();
    if (*before)
      BOOSTRT_RETURN_IF_ERROR(stepDone(globalStep_ - 1, **before));
    return execution_.runsAhead() && !window_.hasPhases() ? Status() : settle();
  }

  Status settle() {
    if (execution_.isSettled())
      return Status();
    Result<StepResults> results = execution_.settle();
    return results.ok() ? stepDone(globalStep_, *results) : results.status();
  }

  Status stepDone(int64_t globalStep, const StepResults &results) {
    milliseconds_.push_back(secondsSince(begin_) * 1e3);
    begin_ = Clock::now();
    // A loss scale comes down by steps that are skipped, which cost the same.
    if (!results.isApplied && results.lossScales.empty())
      return Status(ExitCode::Numerical,
                    fmt::format("step {}: the loss or a gradient is not "
                                "finite (loss {}), and a step that is not "
                                "applied cannot be timed; compile with a "
                                "lower learning rate",
                                globalStep, results.loss.mean()));
    return Status();
  }

  const Options &options_;
  Ranks &ranks_;
  const Program &program_;
  const std::vector<std::byte *> &batches_;
  Execution &execution_;
  StepWindow window_;
  Clock::time_point begin_;
  std::vector<double> milliseconds_;
  std::vector<double> sorted_; ///< of the steps that are the result
  size_t next_ = 0;
  int64_t globalStep_ = 0;
};

/// `report` is null where nothing was profiled.
void print(const Bench &bench, const Options &options,
           const BoostProgram &program, const std::string &device,
           uint32_t ranks, const ProfileReport *report,
           std::span<const Span> spans) {
  double median = bench.quantile(0.5), least = bench.quantile(0.0),
         p90 = bench.quantile(0.9);
  if (options.json) {
    nlohmann::ordered_json json{{"program", program.name},
                                {"device", device},
                                {"batch_size", program.batch_size},
                                {"micro_batches", program.micro_batches},
                                {"warmup", options.benchWarmup},
                                {"steps", options.benchSteps},
                                {"median_ms", median},
                                {"min_ms", least},
                                {"p90_ms", p90},
                                {"mean_ms", bench.mean()}};
    if (ranks > 1)
      json["ranks"] = ranks;
    if (report)
      json["profile"] = report->json(spans);
    printResult("{}\n", json.dump());
    return;
  }
  printResult("{}: {} steps of batch {} x {}{} on {}\n"
              "ms per step: median {:.4f}, min {:.4f}, p90 {:.4f}\n",
              program.name, options.benchSteps, program.batch_size,
              countOf(program.micro_batches, "micro-batch"),
              ranks == 1 ? "" : fmt::format(" x {} ranks", ranks), device,
              median, least, p90);
  if (report)
    writeResult(report->text(spans));
}

} // namespace

Status benchCommand(const Options &options, Ranks &ranks) {
  Console console(ProgressKind::None, ranks.isQuiet());
  Result<std::unique_ptr<Session>> session =
      Session::openWithoutData(options, console);
  if (!session.ok())
    return session.status();
  const Program &program = (*session)->program();
  const int64_t profiledSteps =
      !options.profiles ? 0
                        : options.profileSteps.value_or(
                              std::min<int64_t>(options.benchSteps, 20));
  if (ranks.isFirst())
    BOOSTRT_RETURN_IF_ERROR(checkProfileOutput(options, inputsOf(options)));
  BOOSTRT_RETURN_IF_ERROR(
      ranks.agree({{"program", program.sha256().substr(0, 16)},
                   {"--steps", fmt::format("{}", options.benchSteps)},
                   {"--warmup", fmt::format("{}", options.benchWarmup)},
                   {"profiled steps", fmt::format("{}", profiledSteps)}}));
  std::optional<ProfileReport> report;
  if (profiledSteps > 0) {
    // Its memory is free when that of the plan is taken.
    Result<ProfileReport> created =
        ProfileReport::create(options, **session, ranks);
    if (!created.ok())
      return created.status();
    report.emplace(std::move(created).value());
  }
  BOOSTRT_RETURN_IF_ERROR((*session)->reserve(
      (*session)->planTraining(ranks, /*keepsCheckpoints=*/false), ranks));
  BOOSTRT_RETURN_IF_ERROR(
      (*session)->trainWith(ranks, options.launch.comm, /*logAdasumEvery=*/0));
  if (std::string text = (*session)->describeLink(); !text.empty())
    console.note(text);
  BOOSTRT_RETURN_IF_ERROR(
      (*session)->execution().init(program.descriptor().seed));
  Bench bench(**session, options, ranks);
  BOOSTRT_RETURN_IF_ERROR(bench.run());
  StepProfiler profiler((*session)->execution(), /*skipped=*/0, profiledSteps);
  BOOSTRT_RETURN_IF_ERROR(bench.profile(profiler));
  if (!ranks.isFirst())
    return Status();
  print(bench, options, program.descriptor(), (*session)->device().describe(),
        ranks.size(), report ? &*report : nullptr, profiler.spans());
  return report ? report->writeTrace(profiler.spans()) : Status();
}

} // namespace boostrt
