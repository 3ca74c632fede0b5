#include "runtime/trainer/ChangeOfRanks.h"

#include "runtime/support/Plural.h"

#include <bit>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <string_view>
#include <vector>

namespace boostrt {
namespace {

/// The schedules with lengths in steps, which do not follow the epochs when
/// windows change.
std::string schedulesInSteps(const Program &program) {
  std::vector<std::string_view> names;
  for (const BoostSchedule &schedule : program.schedules())
    if (schedule.unit == BOOSTC_UNIT_STEPS &&
        (schedule.warmup > 0 || schedule.length > 0 || schedule.every > 0 ||
         schedule.kind == BOOSTC_SCHEDULE_EXPONENTIAL))
      names.push_back(schedule.name);
  return fmt::format("{}", fmt::join(names, ", "));
}

} // namespace

std::string describeChange(const CheckpointPosition &found,
                           const Program &program, uint32_t ranks,
                           const EpochPlan &epoch) {
  const BoostProgram &d = program.descriptor();
  uint32_t micros = d.micro_batches;
  if (found.epoch == 0 ||
      (found.ranks == ranks && found.microBatches == micros))
    return "";
  auto stepOf = [&](uint32_t ranks, uint32_t micros) {
    return WindowShard{0, ranks, micros}.windowSamples(d.batch_size);
  };
  int64_t before = stepOf(found.ranks, found.microBatches),
          now = stepOf(ranks, micros);
  // Halves of the same tree of sums (GradientTree.h).
  bool sameBits = before == now && std::has_single_bit(micros) &&
                  std::has_single_bit(found.microBatches) &&
                  d.reproducible != BOOSTC_REPRODUCIBLE_OFF &&
                  !program.usesAdasum();
  if (sameBits)
    return "";
  auto split = [](uint32_t ranks, uint32_t micros) {
    return countOf(ranks, "rank") + " x " + countOf(micros, "micro-batch");
  };
  std::string text = fmt::format("{} now, {} before: ", split(ranks, micros),
                                 split(found.ranks, found.microBatches));
  if (before != now) {
    text += fmt::format("a step takes {}, not {}, and an epoch {}, not {}; "
                        "schedules follow the epochs",
                        countOf(now, "sample"), before,
                        countOf(epoch.steps(now), "step"), epoch.steps(before));
    if (std::string counting = schedulesInSteps(program); !counting.empty())
      text += fmt::format(", but the lengths of {} are in steps", counting);
    text += "; ";
  }
  if (program.usesAdasum() && found.ranks != ranks)
    text += fmt::format("Adasum combines {}, not {}; ", ranks, found.ranks);
  return text + fmt::format("weights have other bits than on {}",
                            split(found.ranks, found.microBatches));
}

} // namespace boostrt
