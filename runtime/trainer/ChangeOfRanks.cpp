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
  int64_t size = d.batch_size,
          sizeBefore = found.microBatch > 0 ? found.microBatch : size;
  if (found.epoch == 0 || (found.ranks == ranks &&
                           found.microBatches == micros && sizeBefore == size))
    return "";
  int64_t before =
              WindowShard{0, found.ranks, found.microBatches}.windowSamples(
                  sizeBefore),
          now = WindowShard{0, ranks, micros}.windowSamples(size);
  // Halves of the same tree of sums (GradientTree.h).
  bool sameBits =
      before == now && sizeBefore == size && std::has_single_bit(micros) &&
      std::has_single_bit(found.microBatches) &&
      d.reproducible != BOOSTC_REPRODUCIBLE_OFF && !program.usesAdasum();
  if (sameBits)
    return "";
  auto split = [&](uint32_t ranks, uint32_t micros, int64_t samples) {
    std::string text =
        countOf(ranks, "rank") + " x " + countOf(micros, "micro-batch");
    return sizeBefore == size ? text
                              : text + " of " + countOf(samples, "sample");
  };
  std::string splitBefore = split(found.ranks, found.microBatches, sizeBefore);
  std::string text = fmt::format(
      "{} now, {} before: ", split(ranks, micros, size), splitBefore);
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
  return text + "weights have other bits than on " + splitBefore;
}

} // namespace boostrt
