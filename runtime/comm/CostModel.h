// CostModel.h - how long collectives take, predicted from what messages, bytes
// and products cost. Pure functions: the same costs give the same choice on
// every rank, which is why costs are part of what ranks agree on.
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
  double perProduct = 6e-11; ///< of two elements, added to a sum in fp64
  double perTouched = 4e-11; ///< byte of memory read or written by a loop
};

/// One exchange: `messages` leave a rank together, `bytes` in all.
double exchangeSeconds(const CommCosts &costs, double messages, double bytes);

/// allReduceSum() of that many floats.
double allReduceSeconds(const CommCosts &costs, AllReduceAlgorithm algorithm,
                        double elements, uint32_t ranks);

/// One level of an Adasum (adasum/Plan.h): `part` is what the busiest rank
/// combines, in elements; `holders` ranks share the vector that most do.
double adasumLevelSeconds(const CommCosts &costs, double part, uint32_t radix,
                          uint32_t holders);
/// A level that takes the mean of `radix` ranks.
double meanLevelSeconds(const CommCosts &costs, double part, uint32_t radix);

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

/// All levels of radix 2, and one of what is left when n is no power of two.
std::vector<uint32_t> halvingRadices(uint32_t leaves);

/// The radices that take least, of all that give the tree of `leaves`: powers
/// of two, but for the last.
std::vector<uint32_t> chooseRadices(const CommCosts &costs,
                                    const AdasumShape &shape);

} // namespace boostrt
