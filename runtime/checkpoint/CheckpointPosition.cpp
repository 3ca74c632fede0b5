#include "runtime/checkpoint/CheckpointPosition.h"

#include "runtime/checkpoint/RunSteps.h"

#include <algorithm>

namespace boostrt {

std::optional<int64_t> samplesOfSteps(const CheckpointPosition &position,
                                      int64_t samples, int64_t batch) {
  if (position.epoch == 0)
    return position.stepInEpoch == 0 && position.globalStep == 0 ? 0 : -1;
  int64_t found = -1;
  // Larger windows than an epoch are as good as one that is just as large.
  for (int64_t micros = 1; micros <= divideUp(samples, batch); ++micros) {
    int64_t window = micros * batch, perEpoch = divideUp(samples, window);
    if (position.stepInEpoch > perEpoch ||
        position.globalStep - position.stepInEpoch !=
            (position.epoch - 1) * perEpoch)
      continue;
    int64_t used = std::min(samples, position.stepInEpoch * window);
    if (found >= 0 && found != used)
      return std::nullopt;
    found = used;
  }
  return found;
}

} // namespace boostrt
