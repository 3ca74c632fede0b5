#include "runtime/predict/MeasureCompute.h"

#include "runtime/abi/boost_schedule.h"
#include "runtime/device/cpu/CpuDevice.h"
#include "runtime/launch/CpuShare.h"
#include "runtime/predict/OnRankThreads.h"
#include "runtime/predict/RandomBatch.h"
#include "runtime/program/AccumulatesInPlace.h"
#include "runtime/support/Clock.h"

#include <algorithm>
#include <array>
#include <barrier>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <vector>

namespace boostrt {
namespace {

double medianOf(std::vector<double> &times) {
  if (times.empty())
    return 0;
  auto middle = times.begin() + static_cast<ptrdiff_t>(times.size() / 2);
  std::nth_element(times.begin(), middle, times.end());
  return *middle;
}

/// A rank that trains on generated batches, alone.
class Rank {
public:
  Rank(const BoostProgram &program, const BoostTarget &target)
      : program_(program), target_(target) {}

  Status prepare(uint32_t threads) {
    Result<std::unique_ptr<CpuDevice>> device =
        CpuDevice::create(threads, target_, program_.reproducible);
    if (!device.ok())
      return device.status();
    device_ = std::move(device).value();
    for (int kind = 0; kind < BOOST_ARENA_COUNT; ++kind)
      bases_[kind] =
          reserve(kind == BOOST_ARENA_TRANSIENT ? target_.transient_bytes
                                                : program_.arena_bytes[kind]);
    gradients_ = {bases_[BOOST_ARENA_GRADIENT],
                  reserve(program_.arena_bytes[BOOST_ARENA_GRADIENT])};
    batches_[0] = bases_[BOOST_ARENA_BATCH];
    for (size_t i = 1; i < batches_.size(); ++i)
      batches_[i] = reserve(program_.arena_bytes[BOOST_ARENA_BATCH]);
    for (size_t i = 0; i < batches_.size(); ++i)
      fillRandomBatch(program_, static_cast<std::byte *>(batches_[i]), i);
    control<int64_t>(program_.seed_control,
                     static_cast<int64_t>(program_.seed));
    return device_->call(BOOST_FUNCTION_INIT, bases_.data());
  }

  Status step() {
    // More micro-batches than that show nothing new.
    uint32_t micros = std::min(program_.micro_batches, 4u);
    bool isInPlace = accumulatesInPlace(program_);
    if (isInPlace) // the set is empty
      write<int64_t>(gradients_[0], program_.loss_count, 0);
    for (uint32_t i = 0; i < micros; ++i) {
      bases_[BOOST_ARENA_BATCH] = batches_[next_++ % batches_.size()];
      bases_[BOOST_ARENA_GRADIENT] = gradients_[i > 0 && !isInPlace];
      BOOSTRT_RETURN_IF_ERROR(call(BOOST_FUNCTION_MICRO, micro_));
      if (i == 0 || isInPlace)
        continue;
      bases_[BOOST_ARENA_GRADIENT] = gradients_[0];
      bases_[BOOST_ARENA_GRADIENT_OTHER] = gradients_[1];
      BOOSTRT_RETURN_IF_ERROR(call(BOOST_FUNCTION_COMBINE, combine_));
    }
    for (uint32_t i = 0; i < program_.schedule_count; ++i) {
      const BoostSchedule &schedule = program_.schedules[i];
      control<float>(schedule.control, static_cast<float>(boost_schedule_value(
                                           &schedule, steps_, {1, 1})));
    }
    ++steps_;
    bases_[BOOST_ARENA_GRADIENT] = gradients_[0];
    return call(BOOST_FUNCTION_UPDATE, update_);
  }

  void forgetTimes() {
    for (std::vector<double> *times : {&micro_, &combine_, &update_})
      times->clear();
  }

  ComputeCosts costs() {
    return {medianOf(micro_), medianOf(combine_), medianOf(update_)};
  }

private:
  struct Free {
    void operator()(void *memory) const { std::free(memory); }
  };

  /// Zeroed, and there.
  void *reserve(uint64_t bytes) {
    constexpr uint64_t page = 4096;
    uint64_t size = (std::max<uint64_t>(bytes, 1) + page - 1) / page * page;
    void *memory = std::aligned_alloc(page, size);
    if (!memory)
      throw std::bad_alloc();
    memory_.emplace_back(memory);
    return std::memset(memory, 0, size);
  }

  template <typename T>
  static void write(void *base, const BoostTensor &tensor, T value) {
    std::memcpy(static_cast<std::byte *>(base) + tensor.offset, &value,
                sizeof value);
  }
  template <typename T> void control(const BoostTensor &tensor, T value) {
    write(bases_[BOOST_ARENA_CONTROL], tensor, value);
  }

  Status call(BoostFunctionKind function, std::vector<double> &times) {
    Clock::time_point begin = Clock::now();
    BOOSTRT_RETURN_IF_ERROR(device_->call(function, bases_.data()));
    times.push_back(secondsSince(begin));
    return Status();
  }

  const BoostProgram &program_;
  const BoostTarget &target_;
  std::vector<std::unique_ptr<void, Free>> memory_;
  std::array<void *, BOOST_ARENA_COUNT> bases_{};
  std::array<void *, 2> gradients_{};
  std::array<void *, 3> batches_{}; ///< as many as training keeps
  std::unique_ptr<CpuDevice> device_;
  std::vector<double> micro_, combine_, update_;
  size_t next_ = 0;
  int64_t steps_ = 0;
};

} // namespace

Result<ComputeCosts> measureCompute(const BoostProgram &program,
                                    const BoostTarget &target, uint32_t ranks,
                                    uint32_t threads, double seconds) {
  constexpr int kLeastSteps = 3;
  std::vector<ComputeCosts> found(ranks);
  std::barrier meeting(static_cast<ptrdiff_t>(ranks));
  Status status = onRankThreads(ranks, /*pins=*/ranks > 1, [&](uint32_t rank) {
    Rank own(program, target);
    Status prepared = own.prepare(threads);
    if (prepared.ok())
      prepared = own.step(); // what comes first takes longer
    meeting.arrive_and_wait();
    own.forgetTimes();
    Clock::time_point begin = Clock::now();
    for (int step = 0;
         prepared.ok() && (step < kLeastSteps || secondsSince(begin) < seconds);
         ++step)
      prepared = own.step();
    found[rank] = own.costs();
    return prepared;
  });
  if (!status.ok())
    return status;
  for (const ComputeCosts &costs : found)
    for (double ComputeCosts::*time :
         {&ComputeCosts::micro, &ComputeCosts::combine, &ComputeCosts::update})
      found[0].*time = std::max(found[0].*time, costs.*time);
  return found[0];
}

} // namespace boostrt
