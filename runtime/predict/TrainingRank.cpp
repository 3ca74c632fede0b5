#include "runtime/predict/TrainingRank.h"

#include "runtime/abi/boost_schedule.h"
#include "runtime/predict/RandomBatch.h"
#include "runtime/program/AccumulatesInPlace.h"
#include "runtime/program/ProgramAccumulators.h"
#include "runtime/support/Clock.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <new>

namespace boostrt {
namespace {

double medianOf(std::vector<double> &times) {
  if (times.empty())
    return 0;
  auto middle = times.begin() + static_cast<ptrdiff_t>(times.size() / 2);
  std::nth_element(times.begin(), middle, times.end());
  return *middle;
}

template <typename T>
void write(void *base, const BoostTensor &tensor, T value) {
  std::memcpy(static_cast<std::byte *>(base) + tensor.offset, &value,
              sizeof value);
}

} // namespace

Status TrainingRank::prepare(uint32_t threads) {
  Result<std::unique_ptr<CpuDevice>> device =
      CpuDevice::create(threads, target_, program_.reproducible);
  if (!device.ok())
    return device.status();
  device_ = std::move(device).value();
  for (int kind = 0; kind < BOOSTC_ARENA_COUNT; ++kind)
    bases_[kind] =
        reserve(kind == BOOSTC_ARENA_TRANSIENT ? target_.transient_bytes
                                               : program_.arena_bytes[kind]);
  gradients_ = {bases_[BOOSTC_ARENA_GRADIENT],
                reserve(program_.arena_bytes[BOOSTC_ARENA_GRADIENT])};
  batches_[0] = bases_[BOOSTC_ARENA_BATCH];
  for (size_t i = 1; i < batches_.size(); ++i)
    batches_[i] = reserve(program_.arena_bytes[BOOSTC_ARENA_BATCH]);
  for (size_t i = 0; i < batches_.size(); ++i)
    fillRandomBatch(program_, static_cast<std::byte *>(batches_[i]), i);
  write<int64_t>(bases_[BOOSTC_ARENA_CONTROL], program_.seed_control,
                 static_cast<int64_t>(program_.seed));
  if (exchanges_)
    device_->setCollectives(
        exchanges_, std::span(program_.collectives, program_.collective_count));
  return device_->call(functionOf(target_, BOOSTC_FUNCTION_INIT),
                       bases_.data());
}

Status TrainingRank::step(Pattern pattern) {
  if (exchanges_)
    exchanges_->setPattern(pattern);
  setSchedules();
  double waited = 0;
  for (size_t i = 0; i < phases_.size(); ++i) {
    bool isLast = i + 1 == phases_.size();
    const BoostPhase phase =
        isLast
            ? BoostPhase{variant_.micro, variant_.combine, variant_.update, 0}
            : variant_.phases[i];
    BOOSTRT_RETURN_IF_ERROR(
        runPhase(phase.micro, phase.combine, phase.probe, phases_[i]));
    if (!exchanges_)
      continue;
    double inPhase = exchanges_->waited();
    waited += inPhase;
    phases_[i].ending.back() -= inPhase + exchanges_->takeOverlapped();
  }
  BOOSTRT_RETURN_IF_ERROR(checkApplied());
  if (exchanges_)
    waits_[static_cast<size_t>(pattern)].push_back(waited);
  return Status();
}

Status TrainingRank::runPhase(uint32_t micro, uint32_t combine, uint32_t ending,
                              PhaseTimes &times) {
  if (micro != UINT32_MAX)
    BOOSTRT_RETURN_IF_ERROR(sum(micro, combine, times));
  bases_[BOOSTC_ARENA_GRADIENT] = gradients_[0];
  Status ended = call(ending, times.ending);
  if (exchanges_)
    exchanges_->close();
  return ended;
}

Status TrainingRank::checkApplied() const {
  int32_t isApplied = 0;
  std::memcpy(&isApplied,
              static_cast<const std::byte *>(bases_[BOOSTC_ARENA_RESULT]) +
                  program_.applied.offset,
              sizeof isApplied);
  if (isApplied == 1)
    return Status();
  return Status(ExitCode::Numerical,
                fmt::format("step {} on generated batches: the loss or a "
                            "gradient is not finite, and a step that is not "
                            "applied cannot be measured; compile with a "
                            "lower learning rate",
                            steps_));
}

Status TrainingRank::sum(uint32_t micro, uint32_t combine, PhaseTimes &times) {
  // More micro-batches than that show nothing new.
  uint32_t micros = std::min(program_.micro_batches, 4u);
  bool isInPlace = accumulatesInPlace(program_);
  if (isInPlace) // the set is empty
    write<int64_t>(gradients_[0], lossCountOf(program_), 0);
  for (uint32_t i = 0; i < micros; ++i) {
    bool isIntoSet0 = i == 0 || isInPlace;
    bases_[BOOSTC_ARENA_BATCH] = batches_[next_++ % batches_.size()];
    bases_[BOOSTC_ARENA_GRADIENT] = gradients_[isIntoSet0 ? 0 : 1];
    if (exchanges_ && isIntoSet0 && i + 1 == micros)
      exchanges_->open();
    BOOSTRT_RETURN_IF_ERROR(call(micro, times.micro));
    if (isIntoSet0)
      continue;
    bases_[BOOSTC_ARENA_GRADIENT] = gradients_[0];
    bases_[BOOSTC_ARENA_GRADIENT_OTHER] = gradients_[1];
    BOOSTRT_RETURN_IF_ERROR(call(combine, times.combine));
  }
  return Status();
}

void TrainingRank::setSchedules() {
  for (uint32_t i = 0; i < program_.schedule_count; ++i) {
    const BoostSchedule &schedule = program_.schedules[i];
    write<float>(
        bases_[BOOSTC_ARENA_CONTROL], schedule.control,
        static_cast<float>(boost_schedule_value(&schedule, steps_, {1, 1})));
  }
  ++steps_;
}

StepTimes TrainingRank::times() {
  StepTimes times;
  for (PhaseTimes &phase : phases_) {
    times.compute.micro += medianOf(phase.micro);
    times.compute.combine += medianOf(phase.combine);
    times.compute.update += medianOf(phase.ending);
  }
  std::ranges::transform(waits_, times.exchange.begin(), medianOf);
  return times;
}

void TrainingRank::forgetTimes() {
  for (PhaseTimes &phase : phases_)
    phase = PhaseTimes();
  for (std::vector<double> &times : waits_)
    times.clear();
}

/// Zeroed, and there.
void *TrainingRank::reserve(uint64_t bytes) {
  constexpr uint64_t page = 4096;
  uint64_t size = (std::max<uint64_t>(bytes, 1) + page - 1) / page * page;
  void *memory = std::aligned_alloc(page, size);
  if (!memory)
    throw std::bad_alloc();
  memory_.emplace_back(memory);
  return std::memset(memory, 0, size);
}

Status TrainingRank::call(uint32_t function, std::vector<double> &times) {
  Clock::time_point begin = Clock::now();
  BOOSTRT_RETURN_IF_ERROR(device_->call(function, bases_.data()));
  times.push_back(secondsSince(begin));
  return Status();
}

} // namespace boostrt
