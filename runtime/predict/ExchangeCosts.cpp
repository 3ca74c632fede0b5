#include "runtime/predict/ExchangeCosts.h"

#include <algorithm>
#include <numeric>

namespace boostrt {

size_t ExchangeShape::vectorBytes() const {
  return std::accumulate(partBytes.begin(), partBytes.end(), size_t(0));
}

ExchangeCosts exchangeCosts(const ExchangeTimes &times,
                            const ExchangeShape &shape,
                            const CommCosts &loops) {
  auto timeOf = [&](Pattern pattern) {
    return times[static_cast<size_t>(pattern)];
  };
  double one = timeOf(Pattern::Short);
  // What of `time` one of `count` costs more than the first.
  auto each = [&](double time, uint32_t count) {
    return count > 1 ? std::max(time - one, 0.0) / (count - 1) : 0;
  };
  ExchangeCosts costs;
  CommCosts &comm = costs.comm;
  comm = loops;
  comm.perByte = 0;
  comm.perMessage = each(timeOf(Pattern::Messages), shape.messages());
  comm.latency = std::max(
      each(timeOf(Pattern::Rounds), shape.rounds) - comm.perMessage, 0.0);
  costs.wait = std::max(one - comm.latency - comm.perMessage, 0.0);

  auto bytes = static_cast<double>(shape.vectorBytes());
  auto sumSeconds = [&](const CommCosts &with) {
    return allReduceSeconds(with, AllReduceAlgorithm::Auto,
                            bytes / sizeof(float), shape.ranks, {},
                            messagesPerSlice(shape.partBytes, shape.ranks));
  };
  if (double sent = sumSeconds({0, 0, 1, 0, 0}); sent > 0)
    comm.perByte =
        std::max(timeOf(Pattern::Sum) - costs.wait - sumSeconds(comm), 0.0) /
        sent;
  return costs;
}

} // namespace boostrt
