// TrainingRank.h - a rank that trains on generated batches, and how long the
// parts of its steps take. All steps are of the program's usual variant, and do
// each of its phases once.
#pragma once

#include "runtime/device/cpu/CpuDevice.h"
#include "runtime/predict/StepExchanges.h"
#include "runtime/program/StepModel.h"
#include "runtime/program/StepVariants.h"

#include <array>
#include <cstdlib>
#include <memory>
#include <vector>

namespace boostrt {

/// Medians.
struct StepTimes {
  ComputeCosts compute;
  ExchangeTimes exchange{};
};

class TrainingRank {
public:
  /// `exchanges`, null for a rank alone, outlives the rank.
  TrainingRank(const BoostProgram &program, const BoostTarget &target,
               StepExchanges *exchanges)
      : program_(program), target_(target), exchanges_(exchanges) {}

  /// Fails as CpuDevice does.
  Status prepare(uint32_t threads);
  /// Fails with ExitCode::Numerical when it cannot be applied.
  Status step(Pattern pattern);
  /// Times of the steps since the last forgetTimes().
  StepTimes times();
  void forgetTimes();

private:
  struct Free {
    void operator()(void *memory) const { std::free(memory); }
  };

  /// Seconds of each call in one phase of a step.
  struct PhaseTimes {
    std::vector<double> micro, combine, ending;
  };

  void *reserve(uint64_t bytes);
  /// The calls of a phase; no micro where `micro` is UINT32_MAX.
  Status runPhase(uint32_t micro, uint32_t combine, uint32_t ending,
                  PhaseTimes &times);
  Status sum(uint32_t micro, uint32_t combine, PhaseTimes &times);
  Status checkApplied() const;
  void setSchedules();
  Status call(uint32_t function, std::vector<double> &times);

  const BoostProgram &program_;
  const BoostTarget &target_;
  StepExchanges *exchanges_;
  const BoostVariant &variant_ = usualVariant(program_);
  std::vector<std::unique_ptr<void, Free>> memory_;
  std::array<void *, BOOSTC_ARENA_COUNT> bases_{};
  std::array<void *, 2> gradients_{};
  std::array<void *, 3> batches_{}; ///< as many as training keeps
  std::unique_ptr<CpuDevice> device_;
  std::vector<PhaseTimes> phases_{variant_.phase_count + 1}; ///< last: update
  std::array<std::vector<double>, kPatterns> waits_;
  size_t next_ = 0;
  int64_t steps_ = 0;
};

} // namespace boostrt
