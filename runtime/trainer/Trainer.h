// Trainer.h - the loop over epochs, windows and micro-batches.
//
// One optimizer step is a window of micro_batches micro-batches (StepWindow.h),
// and `update` divides by the window's own number of samples. An epoch is one
// pass over the training set or several, each with an order of its own. The
// last window of a pass may be shorter in micro-batches and its last
// micro-batch in samples, or be dropped; none of it reaches the next pass. A
// window is shared by all ranks (runtime/data/WindowShard.h), which take the
// same steps.
//
// What a run computes is a function of program, data, weights, seed, shuffling
// and the position it starts at, so a resumed run equals one that never
// stopped; and it is the same on any number of ranks that divides the
// micro-batches of a window into powers of two. The position counts samples of
// the epoch, so windows of any size go on from it and every sample is used once
// a pass (RunSteps.h).
//
// Where the device works concurrently with the host (Execution::runsAhead()),
// the update of a step is launched before the results of the one before are
// waited for: that one is done when they are read, and position and reports are
// about it. What looks at more than results, an evaluation, a checkpoint, the
// end of the run, finds every launched step done. A step after one that failed
// changes nothing (train.commit). A step of several phases begins when the one
// before is done, and is done before the next one begins.
#pragma once

#include "runtime/checkpoint/Checkpoint.h"
#include "runtime/trainer/RunData.h"
#include "runtime/trainer/RunState.h"
#include "runtime/trainer/StepProfiler.h"
#include "runtime/trainer/StepWindow.h"

#include <functional>

namespace boostrt {

enum class StopReason { Finished, Signal };

class Trainer {
public:
  struct Settings {
    RunEnd end;
    Interval logEvery;
    /// Steps between two comparisons of the ranks' weights; 0: none.
    int64_t checkReplicasEvery = 0;
    /// Called at the end of each epoch but the last of the run, between two
    /// steps; the batch arenas are free. Its failure ends the run.
    std::function<Status()> betweenEpochs = {};
    /// Times some of the steps; null: none. It outlives the trainer.
    StepProfiler *profiler = nullptr;
    /// Called when it is done.
    std::function<void()> profiled = {};
  };

  /// All references outlive the trainer. `metrics` may be null.
  Trainer(Execution &execution, const Arenas &arenas, const RunData &data,
          Ranks &ranks, CheckpointPosition start, Settings settings,
          Saving &saving, Console &console, MetricsFile *metrics);

  /// Steps in a row that a program which skips them may leave unapplied before
  /// the run ends.
  static constexpr int64_t kMaxSkippedInRow = 1000;

  /// Trains until epochs or steps are reached or a signal asks to stop. Fails
  /// with ExitCode::Numerical when a step's loss or gradients are not finite,
  /// or kMaxSkippedInRow times in a row where the program skips such steps;
  /// weights and state are then those of the last step that was applied.
  Result<StopReason> run();

  const CheckpointPosition &position() const { return position_; }
  /// Whether no step is left.
  bool reachedEnd() const { return position_.globalStep >= run_.last(); }

private:
  /// Whether the position to start at exists in this data.
  Status checkPosition() const;
  /// This rank's part of the next window, its gradients in set 0.
  Status runWindow(Prefetcher &batches);
  Result<StopReason> takeSteps();
  /// The next step, timed where the profiler says so.
  Status step(Prefetcher &batches);
  /// Launches the next step; the one before is done then.
  Status takeStep(Prefetcher &batches);
  /// Waits for the step that was launched, if it is not done.
  Status settle();
  /// The step that is launched next; another one may be under way.
  int64_t nextStep() const {
    return position_.globalStep + (execution_.isSettled() ? 1 : 2);
  }
  /// Whether the next step is to be done before another one is launched.
  bool settlesNext() const;
  bool comparesReplicas(int64_t globalStep) const;
  Status stepDone(const StepResults &results);
  /// Counts a step that is done. Fails after too many that were not applied.
  Status countSkipped(const StepResults &results);
  void reportStep(const StepResults &results);
  /// Says what the epoch left out on all ranks.
  Status reportBadSamples();
  /// Steps of the epoch that are not done.
  int64_t stepsLeft() const { return run_.leftAfter(position_.samplesInEpoch); }
  bool epochEnds() const { return stepsLeft() == 0; }
  /// The same of the pass over the training set.
  int64_t stepsLeftOfPass() const {
    return run_.leftOfPass(position_.samplesInEpoch);
  }

  Execution &execution_;
  const Arenas &arenas_;
  const RunData &data_;
  Ranks &ranks_;
  const WindowShard share_;
  CheckpointPosition position_;
  Settings settings_;
  Saving &saving_;
  Console &console_;
  MetricsFile *metrics_;
  StepWindow window_;
  RunSteps run_;

  Clock::time_point runStart_, epochStart_;
  Clock::time_point stepStart_; ///< the step before was done then
  int64_t runSteps_ = 0, epochSteps_ = 0, epochSamples_ = 0;
  BadSamples epochBad_; ///< of this rank
};

/// Metrics of the current weights over the held-out data, sums in double, each
/// rank evaluating a share. Fails with ExitCode::Data when there is none,
/// ExitCode::Signal when a rank is asked to stop.
Result<Evaluation> evaluate(Execution &execution, const Arenas &arenas,
                            const RunData &data, Ranks &ranks);

} // namespace boostrt
