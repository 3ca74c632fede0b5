#include "runtime/comm/CostModel.h"

#include "runtime/comm/Division.h"
#include "runtime/comm/SegmentedVector.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>

namespace boostrt {
namespace {

constexpr double kFloat = sizeof(float), kDouble = sizeof(double);

/// How many ranks of a block hold a piece of the largest vector.
uint32_t holdersOf(const AdasumShape &shape, double part, uint32_t block) {
  if (block < 2 || part <= 0)
    return 1;
  // It begins somewhere in a slice.
  double slices = std::ceil(shape.largestVector / part) + 1;
  return static_cast<uint32_t>(std::min<double>(slices, block));
}

double levelSeconds(const CommCosts &costs, const AdasumShape &shape,
                    uint32_t stride, uint32_t radix) {
  uint32_t block = stride * radix;
  double part = shape.elements / block;
  return adasumLevelSeconds(costs, part, radix, holdersOf(shape, part, block));
}

} // namespace

double Placement::outside(uint32_t count, uint32_t distance) const {
  if (count < 2)
    return 0;
  uint64_t apart = uint64_t(stride) * distance;
  // A block of neighbours begins where a server does, if it is larger.
  uint64_t together =
      std::clamp<uint64_t>(ranksPerServer / apart, 1, uint64_t(count));
  return double(count - together) / (count - 1);
}

double exchangeSeconds(const CommCosts &costs, double messages, double bytes,
                       double outside, const Placement &placement) {
  if (messages == 0)
    return 0;
  double latency =
      outside > 0 ? std::max(costs.latency, placement.latency) : costs.latency;
  double busy = messages * costs.perMessage + bytes * costs.perByte;
  return latency + std::max(busy, outside * bytes * placement.perByte);
}

double messagesPerSlice(std::span<const size_t> partBytes, uint32_t slices) {
  auto sizeOf = [](size_t bytes) { return bytes; };
  size_t total = std::accumulate(partBytes.begin(), partBytes.end(), size_t(0));
  size_t messages = 0;
  for (uint32_t slice = 0; slice < slices; ++slice) {
    Range range{sliceBegin(total, slice, slices),
                sliceBegin(total, slice + 1, slices)};
    cutIntoMessages(
        range.begin, /*bytes=*/1,
        [&](auto &&act) {
          forEachPart(partBytes, sizeOf, range,
                      [&](size_t, Range touched, size_t) { act(touched); });
        },
        [&](Range) { ++messages; });
  }
  return double(messages) / slices;
}

double allReduceSeconds(const CommCosts &costs, AllReduceAlgorithm algorithm,
                        double elements, uint32_t ranks,
                        const Placement &placement, double messagesOfSlice) {
  double bytes = elements * kFloat, seconds = 0;
  if (algorithm == AllReduceAlgorithm::Auto)
    algorithm = fasterAlgorithm(ranks, static_cast<size_t>(bytes));
  if (algorithm == AllReduceAlgorithm::Direct) // one level, without products
    return ranks > 1
               ? meanLevelSeconds(costs, elements / ranks, ranks, placement,
                                  /*distance=*/1, messagesOfSlice)
               : 0;
  for (uint32_t half = 2; half <= ranks; half *= 2)
    seconds += 2 * exchangeSeconds(costs, messagesOfSlice, bytes / half,
                                   placement.outside(2, half / 2), placement) +
               3 * bytes / half * costs.perTouched;
  return seconds;
}

double adasumLevelSeconds(const CommCosts &costs, double part, uint32_t radix,
                          uint32_t holders, const Placement &placement,
                          uint32_t distance) {
  double pairs = radix * (radix + 1.0) / 2;
  double seconds = meanLevelSeconds(costs, part, radix, placement, distance) +
                   part * pairs * costs.perProduct;
  if (holders > 1) { // products to the owner, and coefficients back
    double others = holders - 1.0;
    // The block of the level is all neighbours of `radix` times `distance`.
    double outside = placement.outside(radix * distance);
    seconds += exchangeSeconds(costs, others, others * pairs * kDouble, outside,
                               placement) +
               exchangeSeconds(costs, others, others * (radix + 1) * kDouble,
                               outside, placement);
  }
  return seconds;
}

double meanLevelSeconds(const CommCosts &costs, double part, uint32_t radix,
                        const Placement &placement, uint32_t distance,
                        double messagesOfPart) {
  return reduceScatterSeconds(costs, part, radix, placement, distance,
                              messagesOfPart) +
         partsSeconds(costs, part, radix, placement, distance, messagesOfPart);
}

double partsSeconds(const CommCosts &costs, double part, uint32_t members,
                    const Placement &placement, uint32_t distance,
                    double messagesOfPart) {
  double others = members - 1.0;
  return exchangeSeconds(costs, others * messagesOfPart, others * part * kFloat,
                         placement.outside(members, distance), placement);
}

double reduceScatterSeconds(const CommCosts &costs, double part,
                            uint32_t members, const Placement &placement,
                            uint32_t distance, double messagesOfPart) {
  return partsSeconds(costs, part, members, placement, distance,
                      messagesOfPart) +
         part * (members + 1) * kFloat * costs.perTouched;
}

double broadcastSeconds(const CommCosts &costs, double elements,
                        uint32_t members, const Placement &placement,
                        double messages) {
  double seconds = 0;
  for (uint32_t distance = 1; distance < members; distance *= 2)
    seconds += exchangeSeconds(costs, messages, elements * kFloat,
                               placement.outside(2, distance), placement);
  return seconds;
}

double adasumSeconds(const CommCosts &costs, const AdasumShape &shape,
                     std::span<const uint32_t> radices) {
  double seconds = 0;
  if (shape.ranksPerMean > 1)
    seconds = meanLevelSeconds(costs, shape.elements / shape.ranksPerMean,
                               shape.ranksPerMean);
  uint32_t stride = shape.ranksPerMean;
  for (uint32_t radix : radices) {
    seconds += levelSeconds(costs, shape, stride, radix);
    stride *= radix;
  }
  return seconds;
}

std::vector<uint32_t> halvingRadices(uint32_t leaves) {
  std::vector<uint32_t> radices;
  for (; leaves % 2 == 0 && leaves; leaves /= 2)
    radices.push_back(2);
  if (leaves > 1)
    radices.push_back(leaves);
  return radices;
}

std::vector<uint32_t> chooseRadices(const CommCosts &costs,
                                    const AdasumShape &shape) {
  if (shape.leaves < 2)
    return {};
  int twos = std::countr_zero(shape.leaves);
  uint32_t odd = shape.leaves >> twos;
  // best[e]: what the levels above 2^e leaves take, and the first of them.
  struct Choice {
    double seconds = std::numeric_limits<double>::infinity();
    uint32_t radix = 0;
  };
  std::vector<Choice> best(twos + 1);
  auto tryRadix = [&](int at, uint32_t radix, double above) {
    double seconds =
        above + levelSeconds(costs, shape, shape.ranksPerMean << at, radix);
    // The largest of equals: it exchanges least often.
    if (seconds <= best[at].seconds)
      best[at] = {seconds, radix};
  };
  for (int at = twos; at >= 0; --at) {
    if (at == twos && odd == 1) {
      best[at].seconds = 0;
      continue;
    }
    for (int next = at + 1; next <= twos; ++next)
      tryRadix(at, uint32_t(1) << (next - at), best[next].seconds);
    if (odd > 1)
      tryRadix(at, shape.leaves >> at, 0);
  }
  std::vector<uint32_t> radices;
  for (uint32_t leaves = 1; leaves < shape.leaves;) {
    radices.push_back(best[std::countr_zero(leaves)].radix);
    leaves *= radices.back();
  }
  return radices;
}

} // namespace boostrt
