// Execution.h - the functions of a program, called on the arenas of a run.
//
// Nothing here allocates; a call costs what the function costs.
#pragma once

#include "runtime/checkpoint/RunSteps.h"
#include "runtime/device/OverlappedCollectives.h"
#include "runtime/device/SpanRecorder.h"
#include "runtime/program/Program.h"
#include "runtime/program/VariantChoices.h"
#include "runtime/trainer/Arenas.h"
#include "runtime/trainer/RankCollectives.h"

#include <array>
#include <memory>
#include <optional>
#include <vector>

namespace boostrt {

/// Sums as the program leaves them; the value is sum / divisor().
struct SumCount {
  float sum = 0;
  int64_t count = 0; ///< of samples; of a weighted metric 0
  /// The sum of theirs, where they have some.
  std::optional<float> weight = std::nullopt;

  double divisor() const {
    return weight ? static_cast<double>(*weight) : static_cast<double>(count);
  }
  /// NaN where nothing counts.
  float mean() const {
    return static_cast<float>(static_cast<double>(sum) / divisor());
  }
  /// There are samples, and none of them counts.
  bool isWeightless() const { return weight == 0.0f && count > 0; }
};

/// What an update leaves for the host.
struct StepResults {
  /// False: the program found a value that is not finite (or a count or a sum
  /// of weights of 0), in this step or one before, and left weights and state
  /// as they were.
  bool isApplied = false;
  /// No later step will be applied either.
  bool hasFailed = false;
  SumCount loss; ///< of all ranks' window
  /// Norm of the mean gradients; nothing when the program does not compute it.
  std::optional<float> gradientNorm;
  /// By what its gradients were scaled, or those of each group of parameters
  /// that has a scale of its own; empty where that does not change.
  std::vector<float> lossScales;
  /// The steps so far in which each of these groups overflowed; empty without
  /// groups.
  std::vector<int64_t> overflows;
  /// Values of Program::stepNumbers(), in their order.
  std::vector<int32_t> numbers;
};

class Execution {
public:
  /// All three outlive the execution; `device` runs a target of `program`, and
  /// the arenas are those of its memory. Gradient sets are counted from 0.
  /// Schedules count a run of one step until setRun().
  Execution(const Program &program, Device &device, const Arenas &arenas);

  /// Makes updates those of several ranks; outlives the execution. Without it
  /// collectives change nothing. Every `logAdasumEvery` steps it is recorded
  /// how Adasum combined; 0: never.
  void setCollectives(RankCollectives &collectives, int64_t logAdasumEvery);
  /// Whether it is recorded of this step.
  bool logsAdasum(int64_t globalStep) const {
    return collectives_ && logAdasumEvery_ > 0 &&
           globalStep % logAdasumEvery_ == 0;
  }
  /// The log of that step, if it was the last update; see RankCollectives.
  std::span<const AdasumEntry> adasumLog(int64_t globalStep) const;

  /// What schedules are resolved with.
  void setRun(const RunSteps &run) { run_ = run; }

  /// Makes the calls until the next selectVariant() those of the variant that
  /// step `globalStep` (from 1) is of; before the first they are of the usual
  /// one. Where a selector chooses it, update() of an earlier step has, or
  /// choose().
  void selectVariant(int64_t globalStep) {
    variant_ = &choices_.variantAt(globalStep);
    phase_ = nullptr;
  }
  const BoostVariant &variant() const { return *variant_; }
  /// Makes the calls until the next selectPhase() or selectVariant() those of a
  /// phase of that variant; null: of its last one, which update() ends.
  void selectPhase(const BoostPhase *phase) { phase_ = phase; }

  /// Has functions from now on, and what they call, timed; null: not any more.
  /// The recorder outlives the calls.
  void setRecorder(SpanRecorder *recorder) {
    recorder_ = recorder;
    device_.setRecorder(recorder);
  }

  Status init(uint64_t seed);
  /// Has the variants of the first steps after `globalStep` chosen: `known` are
  /// the choices that a checkpoint has; those that it lacks are made from the
  /// states as they are. Nothing to do in a program without a selector.
  Status choose(int64_t globalStep, std::span<const uint32_t> known = {});
  /// What is chosen after a step that is settled, for a checkpoint.
  std::vector<uint32_t> choicesAfter(int64_t globalStep) const {
    return choices_.after(globalStep);
  }
  /// `batch` is the host's base of a batch arena, which stays as it is until
  /// finishBatches() or eval() has returned. `completesStep`: set 0 is
  /// then all that this rank adds to the next update, of that step (from 1), so
  /// that its collectives begin as soon as they can; 0: it is not known to be.
  Status micro(std::byte *batch, int gradients, int64_t completesStep = 0);
  Status finishBatches() const { return arenas_.finishBatches(); }
  Status combine(int into, int from);
  /// Has the next micro() of a program that adds in place write set 0.
  Status resetAccumulators();
  /// Makes set 0 what adds nothing to the other ranks' gradients, down to the
  /// last bit: of a rank that has no samples in a window. In a step of several
  /// phases only what the phase's micro() writes.
  Status contributeIdentity();
  /// Ends a phase, with set 0 and the values of all schedules at `globalStep`.
  /// Returns whether it is to be repeated, for which it waits where the phase
  /// may be. Every earlier step is settled.
  Result<bool> probe(int64_t globalStep);
  /// Applies set 0 with the values of all schedules at `globalStep` (from 1),
  /// and returns before the device has: settle() waits for what it leaves, or
  /// the next update(), which returns that of the one before if settle() has
  /// not.
  Result<std::optional<StepResults>> update(int64_t globalStep);
  /// Waits for the last update, which is not settled yet.
  Result<StepResults> settle();
  bool isSettled() const { return isSettled_; }
  /// Whether the device works on while the host looks at the step before. Where
  /// it does not, an update is to be settled before the next micro().
  bool runsAhead() const {
    return device_.memory() &&
           (!collectives_ || collectives_->worksOnDevice()) &&
           choices_.lag() != 1;
  }
  Status eval(std::byte *batch);

  /// The loss of a gradient set, after micro or combine; waits for it.
  Result<SumCount> loss(int gradients) const;
  SumCount metric(size_t index) const; ///< after eval
  /// The schedule "learning_rate", else the first, else 0.
  float learningRate(int64_t globalStep) const;

  /// Weights and state between host and device; nothing to do where they are
  /// in one place. Both wait until the copies are done.
  Status uploadPersistent() const;
  Status downloadPersistent() const;

  /// Weights and state on the host.
  std::array<std::span<std::byte>, 2> persistentArenas() const;

  const Program &program() const { return program_; }
  /// In the host's arena.
  std::byte *tensor(const BoostTensor &tensor) const {
    return arenas_.base(static_cast<BoostArenaKind>(tensor.arena)) +
           tensor.offset;
  }

private:
  float valueAt(const BoostSchedule &schedule, int64_t globalStep) const;
  Status call(uint32_t function);
  uint32_t microFunction() const {
    return phase_ ? phase_->micro : variant_->micro;
  }
  /// Calls a probe or an update.
  Status end(uint32_t function, int64_t globalStep);
  /// Calls the program's selector for step `globalStep`.
  Status select(int64_t globalStep);
  int32_t chosen() const;
  void beginStep(int64_t globalStep);
  /// Sets a scalar of the control arena, of which the host has a copy.
  template <typename T> Status control(const BoostTensor &scalar, T value);
  SumCount lossOf(int gradients) const;
  /// The copies that lossOf() reads.
  std::vector<DeviceCopy> lossCopies(int gradients) const;
  /// Has the batch on the device.
  Status useBatch(const std::byte *batch);

  const Program &program_;
  Device &device_;
  const Arenas &arenas_;
  const BoostVariant *variant_;
  const BoostPhase *phase_ = nullptr; ///< null: the last one
  VariantChoices choices_;
  uint32_t init_, eval_; ///< functions
  RankCollectives *collectives_ = nullptr;
  std::unique_ptr<OverlappedCollectives> early_; ///< around them
  int64_t logAdasumEvery_ = 0;
  SpanRecorder *recorder_ = nullptr;
  RunSteps run_;
  void *bases_[BOOSTC_ARENA_COUNT] = {};
  bool hasSchedules_ = false; ///< the control arena has had all their values
  /// What update leaves: the result arena, and the loss of set 0.
  std::vector<DeviceCopy> results_;
  bool isSettled_ = true;
  int64_t updatedStep_ = 0;   ///< of the last update
  bool setIsWritten_ = false; ///< some time: set 0, where micro() adds to it
};

} // namespace boostrt
