// StepWindow.h - one optimizer step as the tables of a program want it: for
// each of its phases every micro-batch into the gradient set that GradientTree
// says, the sets added in its order, then the probe, and all of that again
// while the probe says so; the last phase ends with the update. Training and
// `boost-run bench` run it.
#pragma once

#include "runtime/trainer/Execution.h"
#include "runtime/trainer/GradientTree.h"

#include <fmt/format.h>

namespace boostrt {

class StepWindow {
  auto combine() {
    return
        [this](int into, int from) { return execution_.combine(into, from); };
  }

public:
  /// How often a phase is done in a step before the run ends.
  static constexpr int64_t kMaxRepetitions = 1000;

  /// The execution outlives the window.
  explicit StepWindow(Execution &execution)
      : execution_(execution),
        microBatches_(execution.program().descriptor().micro_batches),
        tree_(microBatches_,
              accumulatesInPlace(execution.program().descriptor())) {}

  /// Begins step `globalStep` (from 1).
  void begin(int64_t globalStep) { execution_.selectVariant(globalStep); }

  /// Whether the step that has begun has phases before its last. Every earlier
  /// step is settled before they run, and this one before the next begins.
  bool hasPhases() const { return execution_.variant().phase_count > 0; }

  /// Runs all of the step that has begun but its update. `batches` are this
  /// rank's part of the window: next() returns a Result of the base of the next
  /// one, null after the last, which stays as Execution::micro() wants it;
  /// rewind() returns a Status and has next() begin again. Fails with
  /// ExitCode::Numerical where a phase does not end.
  template <typename Batches>
  Status run(int64_t globalStep, Batches &&batches) {
    if (hasPhases())
      BOOSTRT_RETURN_IF_ERROR(runPhases(globalStep, batches));
    return execution_.variant().micro == UINT32_MAX
               ? Status()
               : sumAll(globalStep, batches);
  }

  /// Runs one micro-batch; at most micro_batches of the program before sum().
  /// `batch` stays as Execution::micro() wants it. `lastOfStep`: it is this
  /// rank's last of that step (from 1); 0: it is not known to be.
  Status add(std::byte *batch, int64_t lastOfStep = 0) {
    if (tree_.isInPlace() && tree_.isEmpty())
      BOOSTRT_RETURN_IF_ERROR(execution_.resetAccumulators());
    int slot = tree_.nextSlot();
    BOOSTRT_RETURN_IF_ERROR(
        execution_.micro(batch, slot, slot == 0 ? lastOfStep : 0));
    return tree_.add(combine());
  }

  /// Completes the sums, however many micro-batches there were: loss and
  /// gradients of this rank's part of the window are in set 0.
  Status sum() {
    if (tree_.isEmpty())
      return execution_.contributeIdentity();
    return tree_.finish(combine());
  }

  /// Applies the sums; see Execution::update().
  Result<std::optional<StepResults>> apply(int64_t globalStep) {
    return execution_.update(globalStep);
  }

private:
  template <typename Batches>
  Status sumAll(int64_t globalStep, Batches &batches) {
    for (uint32_t i = 0; i < microBatches_; ++i) {
      Result<std::byte *> batch = batches.next();
      if (!batch.ok())
        return batch.status();
      if (!*batch)
        break;
      bool isLast = i + 1 == microBatches_;
      BOOSTRT_RETURN_IF_ERROR(add(*batch, isLast ? globalStep : 0));
    }
    return sum();
  }

  template <typename Batches>
  Status runPhases(int64_t globalStep, Batches &batches) {
    const BoostVariant &variant = execution_.variant();
    bool isRead = false;
    for (const BoostPhase &phase : phasesOf(variant)) {
      execution_.selectPhase(&phase);
      int64_t times = 0;
      for (bool repeats = true; repeats; ++times) {
        if (times == kMaxRepetitions)
          return Status(
              ExitCode::Numerical,
              fmt::format("step {}: phase {} of variant '{}' was done {} times "
                          "and asks for more; let the probe of the phase bound "
                          "its repetitions",
                          globalStep, &phase - variant.phases + 1, variant.name,
                          times));
        if (std::exchange(isRead, true))
          BOOSTRT_RETURN_IF_ERROR(batches.rewind());
        BOOSTRT_RETURN_IF_ERROR(sumAll(globalStep, batches));
        Result<bool> probed = execution_.probe(globalStep);
        if (!probed.ok())
          return probed.status();
        repeats = *probed;
      }
    }
    execution_.selectPhase(nullptr);
    return variant.micro == UINT32_MAX ? Status() : batches.rewind();
  }

  Execution &execution_;
  const uint32_t microBatches_;
  GradientTree tree_;
};

} // namespace boostrt
