// StepProfiler.h - which steps of a run are profiled.
#pragma once

#include "runtime/trainer/Execution.h"

namespace boostrt {

/// 128 MiB, which no plan of memory has.
inline constexpr size_t kMaxSpans = size_t{1} << 22;

/// Times the steps of a run after its first few, which are slower than others.
/// A step that is timed begins when the one before is done, and is done when it
/// ends; nothing else of the run changes.
class StepProfiler {
public:
  /// Times `steps` steps, 1 or more, after `skipped` others. The execution
  /// outlives the profiler.
  StepProfiler(Execution &execution, int64_t skipped, int64_t steps)
      : execution_(execution), skipped_(skipped), left_(steps) {}
  ~StepProfiler() { execution_.setRecorder(nullptr); }
  StepProfiler(const StepProfiler &) = delete;
  StepProfiler &operator=(const StepProfiler &) = delete;

  /// Whether the next step of the run is to be timed; called once for each.
  bool takesNext() { return left_ > 0 && --skipped_ < 0; }
  /// Before the first call of step `globalStep`, when the one before is done.
  void begin(int64_t globalStep);
  /// Once it is done; nothing where none is timed.
  void end();
  /// Whether a step is timed.
  bool isOpen() const { return isOpen_; }
  /// Whether all that were asked for are timed, or as many as have kMaxSpans.
  bool isDone() const { return left_ == 0; }

  std::span<const Span> spans() const { return recorder_.spans(); }

private:
  Execution &execution_;
  int64_t skipped_, left_;
  bool isOpen_ = false;
  size_t step_ = 0;      ///< its span
  bool hasRoom_ = false; ///< for all steps
  SpanRecorder recorder_;
};

} // namespace boostrt
