#include "runtime/trainer/StepProfiler.h"

#include <utility>

namespace boostrt {

void StepProfiler::begin(int64_t globalStep) {
  execution_.setRecorder(&recorder_);
  isOpen_ = true;
  step_ = recorder_.open(SpanKind::Step, globalStep);
}

void StepProfiler::end() {
  if (!std::exchange(isOpen_, false))
    return;
  recorder_.close(step_);
  execution_.setRecorder(nullptr);
  --left_;
}

} // namespace boostrt
