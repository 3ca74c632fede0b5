// StepWindow.h - one optimizer step as the plan of a program wants it: every
// micro-batch into the gradient set that GradientTree says, the sets added in
// its order; then the update. Training and `boost-run bench` run it.
#pragma once

#include "runtime/trainer/Execution.h"
#include "runtime/trainer/GradientTree.h"

namespace boostrt {

class StepWindow {
  auto combine() {
    return
        [this](int into, int from) { return execution_.combine(into, from); };
  }

public:
  /// The execution outlives the window.
  explicit StepWindow(Execution &execution)
      : execution_(execution),
        tree_(execution.program().descriptor().micro_batches,
              accumulatesInPlace(execution.program().descriptor())) {}

  /// Begins step `globalStep` (from 1).
  void begin(int64_t globalStep) { execution_.selectVariant(globalStep); }

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
  Execution &execution_;
  GradientTree tree_;
};

} // namespace boostrt
