// CostModel.h - how long collectives take, predicted from what messages, bytes
// and products cost. Pure functions: the same costs give the same choice on
// every rank, which is why ranks choose by the defaults.
#pragma once

#include "runtime/comm/Collectives.h"

#include <cstdint>
#include <span>
#include <vector>

namespace boostrt {

/// In seconds. The defaults are of processes on one machine connected by TCP.
struct CommCosts {
  double latency = 30e-6;    ///< until a message that is waited for is there
  double perMessage = 5e-6;  ///< that a rank is busy with a message
  double perByte = 0.5e-9;   ///< sent by a rank, which receives as much
  double perProduct = 6e-11; ///< of two elements in a cache, to a sum in fp64
  double perTouched = 4e-11; ///< byte of memory read or written by a loop
};

inline constexpr double CommCosts::*kCommCosts[] = {
    &CommCosts::latency, &CommCosts::perMessage, &CommCosts::perByte,
    &CommCosts::perProduct, &CommCosts::perTouched};

/// Where the members of a group are: neighbours are `stride` ranks apart, and a
/// server has `ranksPerServer` ranks that follow one another. In seconds, what
/// a message to another server costs more than one that stays.
struct Placement {
  uint32_t stride = 1;
  uint32_t ranksPerServer = UINT32_MAX; ///< all are on one server
  double latency = 0; ///< until a message from another server is there
  double perByte = 0; ///< on the wire, while all ranks of the server send

  /// Which part of the others, of `count` members that are `distance` members
  /// apart, is on other servers.
  double outside(uint32_t count, uint32_t distance = 1) const;
};

/// One exchange: `messages` leave a rank together, `bytes` in all, of which the
/// part `outside` leaves its server. What leaves it is on the wire while the
/// rank is busy with what follows.
double exchangeSeconds(const CommCosts &costs, double messages, double bytes,
                       double outside = 0, const Placement &placement = {});

/// How many messages a slice of a vector of such parts takes, of `slices` equal
/// ones: the mean over them. See SegmentedVector.h.
double messagesPerSlice(std::span<const size_t> partBytes, uint32_t slices);

/// allReduceSum() of that many floats; a slice takes so many messages.
double allReduceSeconds(const CommCosts &costs, AllReduceAlgorithm algorithm,
                        double elements, uint32_t ranks,
                        const Placement &placement = {},
                        double messagesOfSlice = 1);

/// One exchange in which each of `members`, `distance` members of the group
/// apart, sends a part of so many floats, in so many messages, to each other
/// one: allGather().
double partsSeconds(const CommCosts &costs, double part, uint32_t members,
                    const Placement &placement = {}, uint32_t distance = 1,
                    double messagesOfPart = 1);
/// The same, and each adds up what it gets: reduceScatterSum().
double reduceScatterSeconds(const CommCosts &costs, double part,
                            uint32_t members, const Placement &placement = {},
                            uint32_t distance = 1, double messagesOfPart = 1);
/// broadcast() of so many floats.
double broadcastSeconds(const CommCosts &costs, double elements,
                        uint32_t members, const Placement &placement = {},
                        double messages = 1);

/// One level of an Adasum (adasum/Plan.h): `part` is what the busiest rank
/// combines, in elements; `holders` ranks share the vector that most do. Its
/// `radix` members are `distance` members of the group apart.
double adasumLevelSeconds(const CommCosts &costs, double part, uint32_t radix,
                          uint32_t holders, const Placement &placement = {},
                          uint32_t distance = 1);
/// A level that takes the mean of `radix` ranks.
double meanLevelSeconds(const CommCosts &costs, double part, uint32_t radix,
                        const Placement &placement = {}, uint32_t distance = 1,
                        double messagesOfPart = 1);

/// An Adasum of `leaves` means of `ranksPerMean` ranks each.
struct AdasumShape {
  double elements = 0;      ///< of a rank
  double largestVector = 0; ///< of those that are combined each alone
  uint32_t leaves = 1;
  uint32_t ranksPerMean = 1;
};

/// With equal slices and levels of these radices.
double adasumSeconds(const CommCosts &costs, const AdasumShape &shape,
                     std::span<const uint32_t> radices);

/// All levels of radix 2, and one of what is left when n is not a power of two.
std::vector<uint32_t> halvingRadices(uint32_t leaves);

/// The radices that take least, of all that give the tree of `leaves`: powers
/// of two, but for the last.
std::vector<uint32_t> chooseRadices(const CommCosts &costs,
                                    const AdasumShape &shape);

} // namespace boostrt
