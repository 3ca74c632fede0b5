#include "runtime/checkpoint/CheckpointPosition.h"

#include "runtime/checkpoint/RunSteps.h"

#include <algorithm>

namespace boostrt {

SamplesOfSteps samplesOfSteps(const CheckpointPosition &position,
                              int64_t samples, int64_t batch) {
  SamplesOfSteps found{SamplesOfSteps::None};
  if (position.epoch == 0) {
    bool isStart = position.stepInEpoch == 0 && position.globalStep == 0;
    return isStart ? SamplesOfSteps{SamplesOfSteps::Found} : found;
  }
  // Larger windows than an epoch are as good as one that is just as large.
  for (int64_t micros = 1; micros <= divideUp(samples, batch); ++micros) {
    int64_t window = micros * batch, perEpoch = divideUp(samples, window);
    if (position.stepInEpoch > perEpoch ||
        position.globalStep - position.stepInEpoch !=
            (position.epoch - 1) * perEpoch)
      continue;
    int64_t used = std::min(samples, position.stepInEpoch * window);
    if (found.kind == SamplesOfSteps::Found && found.samples != used)
      return {SamplesOfSteps::Ambiguous};
    found = {SamplesOfSteps::Found, used};
  }
  return found;
}

} // namespace boostrt
