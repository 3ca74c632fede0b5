#include "runtime/trainer/LoaderChoice.h"

#include <algorithm>

namespace boostrt {

void chooseLoader(RunData &data, std::optional<int> workers, ThreadTeam *team,
                  int64_t idleCpus) {
  data.mode = Prefetcher::Mode::Background;
  data.loading.team = nullptr;
  data.loading.workers = workers.value_or(1);
  if (workers || !team)
    return;
  const SampleShape &samples = data.source.train->shape();
  int64_t values = data.layout.batchSize *
                   std::max(samples.elements(),
                            data.trainingTransforms->outputShape().elements());
  // To decode images takes as many threads as there are.
  bool decodes = samples.isOfAnySize();
  if (decodes && idleCpus >= team->size()) {
    data.loading.workers = team->size();
    return;
  }
  if (!decodes && idleCpus > 0 && values > kValuesAtOnce)
    return;
  data.mode = Prefetcher::Mode::Inline;
  data.loading.team = team;
  data.loading.workers = team->size();
}

} // namespace boostrt
