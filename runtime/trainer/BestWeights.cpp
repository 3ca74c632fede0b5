#include "runtime/trainer/BestWeights.h"

#include "runtime/support/ParseNumber.h"
#include "runtime/trainer/RunState.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

namespace boostrt {

/// What is compared: the first of them that a program measures.
static constexpr const char *kAccuracy = "top_1", *kLoss = "loss";

Status BestWeights::prepare(const Program &program, bool resumed,
                            Console &console) {
  if (!options_.saveBest)
    return Status();
  std::vector<std::string> names;
  for (const BoostMetric &metric : program.metrics())
    names.push_back(metric.name);
  for (const char *metric : {kAccuracy, kLoss})
    if (metric_.empty() && std::ranges::find(names, metric) != names.end())
      metric_ = metric;
  if (metric_.empty())
    return Status(
        ExitCode::Usage,
        fmt::format("--save-best compares {} or {}, which this program does "
                    "not measure (it measures {}); add one to the model's "
                    "metrics",
                    kAccuracy, kLoss, fmt::join(names, ", ")));
  if (!resumed || access(options_.saveBest->c_str(), F_OK) != 0)
    return Status();

  Result<SafetensorsFile> file =
      openSafetensors(realFileSystem(), *options_.saveBest,
                      program.descriptor().arena_bytes[BOOSTC_ARENA_PARAMETER]);
  if (!file.ok()) {
    console.note(
        fmt::format("--save-best begins anew: {}", file.status().message()));
    return Status();
  }
  auto value = file->metadata().find(metric_);
  if (value == file->metadata().end())
    return Status();
  std::optional<double> best = parseWhole<double>(value->second);
  if (best && !std::isnan(*best)) {
    best_ = best;
    epoch_ = savedPosition(file->metadata()).epoch;
  }
  return Status();
}

bool BestWeights::isBetter(double value) const {
  if (std::isnan(value))
    return false;
  return !best_ || (metric_ == kLoss ? value < *best_ : value > *best_);
}

Status BestWeights::offer(const CheckpointPosition &position,
                          const Evaluation &evaluation,
                          const Execution &execution) {
  if (!options_.saveBest || position.epoch < options_.saveBestFrom)
    return Status();
  for (const auto &[name, value] : evaluation.values) {
    if (name != metric_ || !isBetter(value))
      continue;
    SafetensorsMetadata metadata = weightsMetadata(position);
    metadata[metric_] = fmt::format("{}", value);
    BOOSTRT_RETURN_IF_ERROR(execution.downloadPersistent());
    BOOSTRT_RETURN_IF_ERROR(
        saveSafetensors(realFileSystem(), *options_.saveBest,
                        evaluatedViews(execution), metadata));
    best_ = value;
    epoch_ = position.epoch;
  }
  return Status();
}

std::string BestWeights::summary() const {
  if (epoch_ == 0)
    return "";
  return fmt::format("best {} {}, of epoch {}, is in {}", metric_, *best_,
                     epoch_, *options_.saveBest);
}

} // namespace boostrt
