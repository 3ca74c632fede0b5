// StepModel.h - how long a step takes for any number of ranks. Pure functions
// of a program's tables and of what has been measured elsewhere:
//
//   step     = K micro + (K - 1) combine + exchange + update
//   exchange = wait + the sum over the collectives of the step, by CostModel.h
//
// for a step of the program's usual variant. Where it has several phases,
// micro, combine and update are sums over them, and a phase that repeats counts
// once.
//
// A rank that shares its cores gets its part of them: with r ranks of t threads
// on a server of c cores, micro, combine and update take max(1, r t / c) times
// as long as of a rank alone, and exchanges max(1, r / c) times, for a rank
// exchanges on one thread. What leaves a server shares its network: r ranks
// that send b bytes each take r b / bandwidth, or as long as they are busy with
// these bytes, whichever is more.
#pragma once

#include "runtime/abi/boost_abi.h"
#include "runtime/comm/CostModel.h"
#include "runtime/support/Status.h"

#include <string>
#include <vector>

namespace boostrt {

/// The functions of a program, in seconds, on the cores that a rank gets.
struct ComputeCosts {
  /// One call, in each phase; update: alone, with the probes.
  double micro = 0, combine = 0, update = 0;
};

inline constexpr double ComputeCosts::*kComputeCosts[] = {
    &ComputeCosts::micro, &ComputeCosts::combine, &ComputeCosts::update};

/// Between servers.
struct NetworkCosts {
  double latency = 30e-6;         ///< seconds until a message arrives
  double bytesPerSecond = 1.25e9; ///< of a server, in each direction
};

/// What was measured on a server, and with how many ranks at once.
struct ServerCosts {
  uint32_t cores = 1;
  uint32_t threads = 1; ///< of a rank
  ComputeCosts compute;
  uint32_t computeRanks = 1;
  /// Once a step: until the slowest rank has come to exchange, and all threads
  /// that take part are awake.
  double wait = 0;
  CommCosts comm;
  uint32_t commRanks = 1;
};

constexpr uint32_t kMaxPredictedRanks = 4096;

struct JobShape {
  uint32_t ranks = 1;
  uint32_t servers = 1; ///< divides `ranks`; ranks of a server are neighbours

  uint32_t ranksPerServer() const { return ranks / servers; }
};

/// Fails with ExitCode::Usage when the ranks cannot be shared among the
/// servers.
Status checkShape(const JobShape &job);

struct PredictedCollective {
  uint32_t index = 0;
  BoostCollectiveKind kind = BOOSTC_COLLECTIVE_ALL_REDUCE;
  uint32_t members = 1; ///< ranks that do it together
  std::string how;      ///< "in 2 rounds", "Adasum of 4 x 2 in equal slices"
  double seconds = 0;
  uint64_t bytes = 0; ///< that a rank sends
};

struct StepPrediction {
  double micro = 0, combine = 0, update = 0; ///< all calls of a step
  double wait = 0;                           ///< before the first collective
  std::vector<PredictedCollective> collectives;
  /// How many times as long computing and exchanging take because ranks share
  /// cores.
  double computeStretch = 1, exchangeStretch = 1;
  double samples = 0; ///< of a step, on all ranks
  /// A phase of the step may be done again, which is not predicted.
  bool repeats = false;

  double exchange() const; ///< with the wait
  uint64_t bytes() const;  ///< that a rank sends
  double total() const { return micro + combine + exchange() + update; }
  double samplesPerSecond() const { return samples / total(); }
};

/// Fails as checkShape(), and with ExitCode::Input when the program cannot run
/// on so many.
Result<StepPrediction> predictStep(const BoostProgram &program,
                                   const JobShape &job,
                                   const ServerCosts &server,
                                   const NetworkCosts &network);

/// What a step's collectives are on so many ranks, without any time: `seconds`
/// of each is the number of messages that a rank sends. Fails as predictStep().
Result<std::vector<PredictedCollective>>
countMessages(const BoostProgram &program, const JobShape &job);

} // namespace boostrt
