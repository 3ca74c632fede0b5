#include "runtime/trainer/LoaderChoice.h"

#include <algorithm>

namespace boostrt {

/// How much sooner a batch is there, in nanoseconds, if another thread makes it
/// during the step before.
static double savedBy(const RunData &data) {
  // Measured: to wake that thread, whose CPU sleeps; to read what it wrote,
  // which is in the cache of its core; to find a sample that is kept.
  constexpr double kWake = 10000, kByte = 0.06, kKept = 100;
  double read =
      kByte * static_cast<double>(data.trainingTransforms->outputBytes());
  double make = data.trainingCache ? kKept + read
                                   : data.trainingTransforms->nanoseconds();
  return static_cast<double>(data.layout.batchSize) * (make - read) - kWake;
}

void chooseLoader(RunData &data, std::optional<int> workers, ThreadTeam *team,
                  int64_t idleCpus) {
  data.mode = Prefetcher::Mode::Background;
  data.loading.team = nullptr;
  data.loading.workers = workers.value_or(1);
  if (workers || !team)
    return;
  // To decode images takes as many threads as there are.
  bool decodes = data.source.train->shape().isOfAnySize();
  if (decodes && idleCpus >= team->size()) {
    data.loading.workers = team->size();
    return;
  }
  if (!decodes && idleCpus > 0 && savedBy(data) > 0)
    return;
  data.mode = Prefetcher::Mode::Inline;
  data.loading.team = team;
  data.loading.workers = team->size();
}

} // namespace boostrt
