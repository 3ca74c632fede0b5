// ExchangeCosts.h - from how long steps wait for what they exchange to what
// messages and bytes cost. Pure functions.
#pragma once

#include "runtime/comm/CostModel.h"

#include <array>
#include <vector>

namespace boostrt {

/// What ranks exchange in a measured step, in place of its collectives.
enum class Pattern {
  Short,    ///< one round: a short message to the neighbour
  Rounds,   ///< ExchangeShape::rounds of them, one after the other
  Messages, ///< one round of several short messages
  Sum,      ///< the sum of a vector of floats
  Count
};
constexpr int kPatterns = static_cast<int>(Pattern::Count);

/// The patterns in numbers.
struct ExchangeShape {
  uint32_t ranks = 2;
  uint32_t rounds = 5;
  std::vector<size_t> partBytes; ///< of the vector

  size_t vectorBytes() const;

  /// Two ranks have one connection, on which messages follow one another.
  uint32_t messages() const { return ranks == 2 ? 4 : ranks - 1; }
};

/// Seconds from the end of a rank's own work to that of the exchange.
using ExchangeTimes = std::array<double, kPatterns>;

struct ExchangeCosts {
  /// What is spent once a step: until the slowest rank has come, and all
  /// threads that take part are awake.
  double wait = 0;
  CommCosts comm{0, 0, 0, 0, 0};
};

/// `loops` has perProduct and perTouched. No cost is below 0.
ExchangeCosts exchangeCosts(const ExchangeTimes &times,
                            const ExchangeShape &shape, const CommCosts &loops);

} // namespace boostrt
