// TapSumCost.h - what plans of convolutions and of their gradients are
// estimated to cost.
#pragma once

#include "compiler/lowering/cpu/TapSumPlan.h"

namespace boostc {

/// Bytes of sums or images that the second cache keeps.
constexpr int64_t kSecondCache = 512 << 10;

/// Pixels that a block of weights, or a tile of their gradient, meets in one
/// go: they stay in the second cache.
constexpr int64_t kStrip = 128;

/// Rows of pixels that a block of weights meets, if threads need no shares:
/// those that cause the least traffic beyond the second cache. Weights that do
/// not stay there are read again for each strip of rows, and a strip that does
/// not is read for each block.
int64_t countLines(const TapSum &sum, const TapSumPlan &plan);

/// How many tiles read the same weights.
int64_t countUses(const TapSum &sum, const TapSumPlan &plan);

/// Whether a block's rows of weights lie far apart, so that few of them fit
/// into the sets of the second cache that they share.
bool isScattered(const TapSum &sum, const TapSumPlan &plan);

/// Cycles for all vectors of a row of each part, or, in a gradient of weights,
/// for all vectors and terms of one pixel and the taps of a row.
double estimateCost(const TapSum &sum, const TapSumPlan &plan);

/// The rate of multiplications in vectors of `lanes` elements, as a share of
/// that in vectors of `maxLanes`. CPUs differ: those whose units have half a
/// register's width lose nothing by half a vector, others half.
double estimateVectorRate(int64_t lanes, int64_t maxLanes);

/// The rate of multiplications that `plan` reaches, as a share of that in full
/// vectors of f32: from 0 to 1, or to 2 in pairs, and more where rows of taps
/// that see nothing are left out.
double estimateEfficiency(const TapSum &sum, const TapSumPlan &plan,
                          int64_t maxLanes);

/// Cycles in which `threads` threads compute a gradient of weights by `plan`,
/// and add up its partial sums, if there are several.
double estimateGradientTime(const TapSum &sum, const TapSumPlan &plan,
                            int64_t threads);

} // namespace boostc
