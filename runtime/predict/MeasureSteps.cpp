#include "runtime/predict/MeasureSteps.h"

#include "runtime/comm/Collectives.h"
#include "runtime/comm/MeasureLoops.h"
#include "runtime/predict/TrainingRank.h"
#include "runtime/support/Clock.h"

#include <algorithm>
#include <optional>

namespace boostrt {
namespace {

/// Steps that the first times of anything are not measured in.
constexpr int kMinWarmup = 2, kMaxWarmup = 20;
/// Limits for a rank alone, and for each pattern between ranks.
constexpr int64_t kMinSteps = 3, kMinRounds = 1, kMaxRounds = 60;
/// A step that takes longer is long, and the first one is as good as any.
constexpr double kLongStep = 5;

/// Rank 0's `value` on all.
template <typename T> Status agreeOn(T &value, StepExchanges &exchanges) {
  return broadcast(exchanges.group(), 0,
                   std::as_writable_bytes(std::span(&value, 1)),
                   exchanges.workspace());
}

/// Every pattern but the sum is exchanged in a step after one that exchanged a
/// sum, as every step of training is; so sums are measured most often.
Status measureRound(TrainingRank &rank) {
  for (Pattern pattern : {Pattern::Short, Pattern::Rounds, Pattern::Messages}) {
    BOOSTRT_RETURN_IF_ERROR(rank.step(Pattern::Sum));
    BOOSTRT_RETURN_IF_ERROR(rank.step(pattern));
  }
  return Status();
}
constexpr int kStepsOfRound = 6;
static_assert(kMinStepsTogether == kMinWarmup + kMinRounds * kStepsOfRound);

Result<StepCosts> measureTogether(TrainingRank &rank, StepExchanges &exchanges,
                                  double seconds) {
  Clock::time_point begin = Clock::now();
  double spent = 0; // all ranks go on as long as rank 0 does
  int warmup = 0;
  do {
    BOOSTRT_RETURN_IF_ERROR(rank.step(Pattern::Sum));
    spent = secondsSince(begin);
    BOOSTRT_RETURN_IF_ERROR(agreeOn(spent, exchanges));
    ++warmup;
  } while (warmup < kMinWarmup || (warmup < kMaxWarmup && spent < seconds / 5));
  auto rounds = std::clamp<int64_t>(
      static_cast<int64_t>(seconds * warmup / spent) / kStepsOfRound,
      kMinRounds, kMaxRounds);
  rank.forgetTimes();
  for (int64_t round = 0; round < rounds; ++round)
    BOOSTRT_RETURN_IF_ERROR(measureRound(rank));

  std::vector<StepTimes> found(exchanges.group().size());
  BOOSTRT_RETURN_IF_ERROR(allGatherValue(exchanges.group(), rank.times(),
                                         std::span(found),
                                         exchanges.workspace()));
  // Who computes for less time waits for longer: the parts of one rank belong
  // together, and their means to those of all.
  StepCosts costs;
  ExchangeTimes exchange{};
  double share = 1.0 / static_cast<double>(found.size());
  for (const StepTimes &times : found) {
    for (double ComputeCosts::*cost : kComputeCosts)
      costs.compute.*cost += times.compute.*cost * share;
    for (size_t i = 0; i < exchange.size(); ++i)
      exchange[i] += times.exchange[i] * share;
  }
  CommCosts loops{0, 0, 0, 0, 0};
  // At once on all, as in a step.
  measureLoops(loops, exchanges.shape().vectorBytes());
  BOOSTRT_RETURN_IF_ERROR(agreeOn(loops, exchanges));
  costs.exchange = exchangeCosts(exchange, exchanges.shape(), loops);
  return costs;
}

Result<StepCosts> measureAlone(TrainingRank &rank, double seconds) {
  Clock::time_point begin = Clock::now();
  BOOSTRT_RETURN_IF_ERROR(rank.step(Pattern::Sum));
  if (secondsSince(begin) > kLongStep)
    return StepCosts{rank.times().compute, {}};
  rank.forgetTimes();
  begin = Clock::now();
  for (int step = 0; step < kMinSteps || secondsSince(begin) < seconds; ++step)
    BOOSTRT_RETURN_IF_ERROR(rank.step(Pattern::Sum));
  return StepCosts{rank.times().compute, {}};
}

} // namespace

Result<StepCosts> measureSteps(const BoostProgram &program,
                               const BoostTarget &target, uint32_t threads,
                               Transport *transport, double seconds) {
  std::optional<StepExchanges> exchanges;
  if (transport)
    exchanges.emplace(program, *transport);
  TrainingRank rank(program, target, exchanges ? &*exchanges : nullptr);
  BOOSTRT_RETURN_IF_ERROR(rank.prepare(threads));
  return exchanges ? measureTogether(rank, *exchanges, seconds)
                   : measureAlone(rank, seconds);
}

} // namespace boostrt
