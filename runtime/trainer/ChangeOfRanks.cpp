#include "runtime/trainer/ChangeOfRanks.h"

#include "runtime/data/WindowShard.h"
#include "runtime/checkpoint/RunSteps.h"

#include <algorithm>
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

bool usesAdasum(const Program &program) {
  return std::ranges::any_of(program.collectives(), [](const auto &collective) {
    return collective.kind == BOOSTC_COLLECTIVE_ADASUM;
  });
}

} // namespace

std::string describeChange(const CheckpointPosition &found,
                           const Program &program, uint32_t ranks,
                           int64_t samples) {
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
                  !usesAdasum(program);
  if (sameBits)
    return "";
  auto split = [](uint32_t ranks, uint32_t micros) {
    return fmt::format("{} rank{} x {} micro-batch{}", ranks,
                       ranks == 1 ? "" : "s", micros, micros == 1 ? "" : "es");
  };
  std::string text = fmt::format("{} now, {} before: ", split(ranks, micros),
                                 split(found.ranks, found.microBatches));
  if (before != now) {
    auto steps = [&](int64_t window) { return divideUp(samples, window); };
    text += fmt::format("a step takes {} sample{}, not {}, and an epoch {} "
                        "step{}, not {}; schedules follow the epochs",
                        now, now == 1 ? "" : "s", before, steps(now),
                        steps(now) == 1 ? "" : "s", steps(before));
    if (std::string counting = schedulesInSteps(program); !counting.empty())
      text += fmt::format(", but {} counts lengths in steps", counting);
    text += "; ";
  }
  if (usesAdasum(program) && found.ranks != ranks)
    text += fmt::format("Adasum combines {}, not {}; ", ranks, found.ranks);
  return text + fmt::format("weights have other bits than on {}",
                            split(found.ranks, found.microBatches));
}

} // namespace boostrt
