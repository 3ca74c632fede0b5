#include "runtime/trainer/StepProfiler.h"

#include <algorithm>
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
  size_t spans = recorder_.spans().size();
  if (spans >= kMaxSpans)
    left_ = 0;
  else if (left_ > 0 && !std::exchange(hasRoom_, true))
    // Other steps are as this one, or a little longer.
    recorder_.reserve(
        std::min<size_t>(kMaxSpans, 2 * spans * static_cast<size_t>(left_)));
}

} // namespace boostrt
