// Report.h - what a run says: fixed lines on standard output, a progress bar
// and notes on standard error, one JSON object a line in the metrics file.
//
// The lines are an interface (scripts read them) and are tested as a whole.
#pragma once

#include "runtime/data/Prefetcher.h"
#include "runtime/support/Clock.h"
#include "runtime/support/File.h"
#include "runtime/support/Status.h"
#include "runtime/trainer/AdasumLog.h"
#include "runtime/trainer/Options.h"

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace boostrt {

/// The shortest text that reads back as the same float, with a point or an
/// exponent in it: "0.3660637", "1.0".
std::string shortest(float value);

/// One optimizer step, as it is reported.
struct StepReport {
  int64_t epoch = 0, step = 0, globalStep = 0;
  float loss = 0, learningRate = 0;
  double samplesPerSecond = 0;
  std::optional<float> gradientNorm = {}; ///< when the program computes it
  /// See StepResults.
  std::span<const float> lossScales = {};
  std::span<const int64_t> overflows = {};
  int64_t skipped = 0; ///< steps of the run so far that were not applied
  std::span<const AdasumEntry> adasum = {}; ///< in steps that record it
  /// BoostProgram::step_numbers by name.
  std::span<const std::pair<std::string_view, int32_t>> numbers = {};
};

/// Images that were left out because they cannot be decoded.
struct BadSamples {
  int64_t count = 0;      ///< of this rank, or after a sum of all
  std::string first = {}; ///< what is wrong with the first one of this rank

  void add(const Batch &batch) {
    if (count == 0)
      first = batch.firstBad;
    count += batch.bad;
  }
};

/// Values of an evaluation, in the order of the program's table.
struct Evaluation {
  std::vector<std::pair<std::string, double>> values;
  BadSamples bad = {};
};

/// The metrics file: of each line all or nothing. A failed write never stops a
/// run: it is remembered.
class MetricsFile {
public:
  /// Starts the file anew, or continues it when a run is resumed. An old file
  /// is whole until the first lines of the new one are on the disk. Fails with
  /// ExitCode::Usage, also where another process writes the file.
  static Result<std::unique_ptr<MetricsFile>> open(const std::string &path,
                                                   bool resumed);

  void step(const StepReport &step);
  void evaluation(int64_t epoch, int64_t step, int64_t globalStep,
                  const Evaluation &evaluation);
  void end(double wallSeconds, std::optional<uint64_t> peakBytes,
           uint64_t plannedBytes);

  /// Writes the lines so far. Call before a checkpoint is written: a run that
  /// goes on from there has its lines then.
  void flush();
  /// Writes what is left; what went wrong since the beginning.
  Status close();

private:
  explicit MetricsFile(std::string path) : path_(std::move(path)) {}
  void line(const std::string &text);
  void remember(const Status &status);

  std::string path_;
  std::optional<OutputFile> new_;           ///< either of a new run
  std::unique_ptr<WritableFile> continued_; ///< or of a resumed one
  bool isPublished_ = false;
  std::string lines_; ///< not written yet
  Clock::time_point flushed_ = Clock::now();
  Status failure_;
};

/// Lines and the progress bar.
class Console {
public:
  /// One that is quiet writes nothing at all.
  explicit Console(ProgressKind kind, bool isQuiet = false);
  ~Console();

  /// A remark, not a result: "boost-run: ..." on standard error.
  void note(const std::string &text);
  /// A line of results.
  void line(const std::string &text);

  void startTraining();
  void stepLine(const StepReport &step);
  void epochTime(double milliseconds, int64_t steps);
  /// What was left out of `what`; nothing where that is nothing.
  void badSamples(const std::string &what, const BadSamples &bad);
  /// An evaluation between two epochs.
  void evaluationLine(int64_t epoch, int64_t step,
                      const Evaluation &evaluation);
  void startTesting();
  void result(const Evaluation &evaluation, const std::string &checkpoint);
  void memory(uint64_t planned, std::optional<uint64_t> measured);

  /// Redraws the bar if there is one and the last drawing is old enough.
  void progress(const StepReport &step, int64_t epochs, int64_t stepsPerEpoch,
                double secondsLeft);
  /// Removes it, before other text or at the end.
  void clearBar();

private:
  bool isQuiet_, bar_, lines_, colour_;
  bool drawn_ = false;
  Clock::time_point last_{};
};

} // namespace boostrt
