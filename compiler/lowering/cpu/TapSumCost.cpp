#include "compiler/lowering/cpu/TapSumCost.h"
#include "compiler/lowering/cpu/TilePlan.h"
#include "compiler/lowering/cpu/WinogradPlan.h"
#include "compiler/lowering/kernels/KernelLoops.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>

using namespace mlir;
using namespace boostc;

/// Two multiplications and two loads begin in a cycle; a sum is ready for its
/// next term after four, for its next pair after six.
constexpr double kPerCycle = 2.0, kLatency = 4.0, kPairLatency = 6.0;
/// Multiplications in whose time a vector of pairs is put together from two,
/// and in whose time that is loaded and stored besides.
constexpr int64_t kInterleaving = 3, kPacking = 7;
/// Bytes that come from the second cache in a cycle, and from beyond; bytes of
/// weights that the first one keeps.
constexpr double kStreamed = 24.0, kFetched = 8.0;
constexpr int64_t kFirstCache = 24 << 10;
/// Cycles in which a tile is begun and ended, and a loop around its steps.
constexpr double kTile = 30.0, kLoop = 8.0;

int64_t boostc::countLines(const TapSum &sum, const TapSumPlan &plan) {
  const TapPart &part = sum.parts.front();
  int64_t wide = plan.samples * part.columns.pixels;
  int64_t all = sum.samples / plan.samples * sum.getRows();
  int64_t best = std::clamp<int64_t>(kStrip / wide, 1, all);
  int64_t blocks = plan.countBlocks(sum);
  int64_t weights = 4 * blocks * plan.countWeights(sum);
  if (weights <= kSecondCache)
    return best;
  int64_t line = 4 * wide * part.rows.pixelStep * part.columns.pixelStep *
                 std::max<int64_t>(sum.terms, 1);
  auto countBytes = [&](int64_t lines) {
    bool stays = lines * line <= kSecondCache;
    return llvm::divideCeil(all, lines) * weights +
           (stays ? 1 : blocks) * all * line;
  };
  int64_t kept = std::clamp<int64_t>(kSecondCache / line, best, all);
  for (int64_t lines : {kept, all})
    if (countBytes(lines) < countBytes(best))
      best = lines;
  return best;
}

int64_t boostc::countUses(const TapSum &sum, const TapSumPlan &plan) {
  return countLines(sum, plan) *
         llvm::divideCeil(sum.parts.front().columns.pixels, plan.tile);
}

bool boostc::isScattered(const TapSum &sum, const TapSumPlan &plan) {
  constexpr int64_t kFarApart = 1024, kLarge = 96 << 10;
  const TapOperand &weight = sum.parts.front().weight;
  return 4 * weight.term >= kFarApart && 4 * plan.countWeights(sum) > kLarge;
}

/// Where plans multiply as fast, those with fewer loads were faster.
constexpr double kLoad = 0.1;

/// Cycles of one term and tap of a tile, or of one pair of terms.
static double estimateStep(const TapSumPlan &plan, int64_t sums, int64_t loads,
                           double streamed) {
  if (!plan.inPairs)
    return std::max({static_cast<double>(sums) / kPerCycle,
                     static_cast<double>(loads) / kPerCycle, kLatency,
                     streamed / kStreamed}) +
           0.25;
  if (!plan.packs) {
    sums += kInterleaving * plan.vectors;
    loads += plan.vectors;
  }
  return std::max({static_cast<double>(sums) / kPerCycle,
                   static_cast<double>(loads) / kPerCycle, kPairLatency,
                   streamed / kStreamed}) +
         0.25 + kLoad * static_cast<double>(loads);
}

/// Steps for `terms` terms or pixels.
static int64_t countSteps(const TapSumPlan &plan, int64_t terms) {
  return plan.inPairs ? llvm::divideCeil(terms, 2) : terms;
}

/// The costs of tiles of `tile` along `extent`; the last one may be shorter.
template <typename Cost>
static double sumOverTiles(int64_t extent, int64_t tile, Cost cost) {
  double total = static_cast<double>(extent / tile) * cost(tile);
  if (extent % tile != 0)
    total += cost(extent % tile);
  return total;
}

/// Terms and taps of a pixel, for each vector.
static int64_t countTerms(const TapSum &sum, const TapPart &part) {
  return sum.terms * part.rows.taps * part.columns.taps;
}

/// Columns of the source that all taps of `pixels` neighbours see.
static int64_t countColumns(const TapAxis &axis, int64_t pixels) {
  return std::min(pixels * axis.taps,
                  (pixels - 1) * std::abs(axis.pixelStep) +
                      (axis.taps - 1) * std::abs(axis.tapStep) + 1);
}

/// Cycles for all vectors of a row of each part.
static double estimateGather(const TapSum &sum, const TapSumPlan &plan) {
  double cycles = 0.0;
  for (const TapPart &part : sum.parts) {
    bool isBroadcast = part.source.vector == 0;
    int64_t steps =
        countSteps(plan, sum.terms) * part.rows.taps * part.columns.taps;
    // Two bf16 are as long as an f32.
    int64_t weights = steps * plan.vectors * plan.lanes * 4;
    double streamed =
        weights > kFirstCache ? 4.0 * plan.vectors * plan.lanes : 0.0;
    if (!plan.packs && isScattered(sum, plan))
      streamed *= kStreamed / kFetched;
    double packing =
        plan.packs ? static_cast<double>(steps * plan.vectors * kPacking) /
                         (kPerCycle * static_cast<double>(countUses(sum, plan)))
                   : 0.0;
    double loops = static_cast<double>(
        part.rows.taps * (sum.terms > 1 ? 1 + part.columns.taps : 1));
    // Rows of taps that see nothing are left out.
    double inside = part.rows.getInsideShare();
    auto cost = [&](int64_t pixels) {
      int64_t lines = pixels * plan.samples, columns = lines;
      // Without terms, the taps of a row share what is loaded.
      if (sum.terms == 1)
        columns =
            llvm::divideCeil(plan.samples * countColumns(part.columns, pixels),
                             std::max<int64_t>(1, part.columns.taps));
      return inside * (static_cast<double>(steps) *
                           estimateStep(
                               plan, lines * plan.vectors,
                               plan.vectors +
                                   columns * (isBroadcast ? 1 : plan.vectors),
                               streamed) +
                       kLoop * loops) +
             packing + kTile;
    };
    cycles += sumOverTiles(part.columns.pixels, plan.tile, cost);
  }
  return cycles * static_cast<double>(plan.countBlocks(sum)) / plan.samples;
}

/// Cycles of one tap and pixel for all vectors and terms.
static double estimateWeightGradient(const TapSum &sum,
                                     const TapSumPlan &plan) {
  const TapPart &part = sum.parts.front();
  bool isBroadcast = part.source.vector == 0 || part.weight.vector == 0;
  // Without terms, the taps of a row share what is loaded.
  int64_t shared = sum.terms == 1 ? part.columns.taps : 1;
  // A tile meets a strip of pixels, and sums are read and written around it.
  int64_t lines = std::max<int64_t>(1, kStrip / part.columns.pixels);
  auto pixels = static_cast<double>(lines * part.columns.pixels);
  double steps = static_cast<double>(countSteps(plan, part.columns.pixels)) /
                 static_cast<double>(part.columns.pixels);
  auto cost = [&](int64_t terms) {
    int64_t sums = terms * shared * plan.vectors;
    // For all rows of taps at once, and vectors for all tiles.
    double packing = 0.0;
    if (plan.inPairs)
      packing = static_cast<double>(kPacking) /
                (kPerCycle * static_cast<double>(part.rows.taps)) *
                (static_cast<double>(llvm::divideCeil(terms, plan.lanes)) +
                 static_cast<double>(plan.vectors * terms) /
                     static_cast<double>(sum.terms));
    int64_t loads =
        plan.vectors + terms * shared * (isBroadcast ? 1 : plan.vectors);
    // Wide tiles read what is broadcast, and rows of sums, less often.
    double again = plan.inPairs ? 0.0 : kLoad * static_cast<double>(loads);
    return part.rows.getInsideShare() * steps *
               (estimateStep(plan, sums, loads, 0.0) + again + packing) +
           (kTile + static_cast<double>(sums) +
            kLoop * static_cast<double>(lines)) /
               pixels;
  };
  return static_cast<double>(plan.countBlocks(sum)) / shared *
         sumOverTiles(sum.terms, plan.tile, cost);
}

double boostc::estimateCost(const TapSum &sum, const TapSumPlan &plan) {
  if (plan.winograd)
    return estimateWinograd(sum, plan);
  int64_t times =
      sum.isWeightGradient ? sum.parts.front().columns.taps : int64_t(1);
  double cycles = plan.tiles             ? estimateTiles(sum, plan)
                  : sum.isWeightGradient ? estimateWeightGradient(sum, plan)
                                         : estimateGather(sum, plan);
  return static_cast<double>(times) * cycles;
}

double boostc::estimateVectorRate(int64_t lanes, int64_t maxLanes) {
  return std::sqrt(static_cast<double>(lanes) / static_cast<double>(maxLanes));
}

double boostc::estimateEfficiency(const TapSum &given, const TapSumPlan &plan,
                                  int64_t maxLanes) {
  const TapSum sum = plan.getForm(given);
  int64_t products = 0;
  if (sum.isWeightGradient)
    products = sum.terms * sum.parts.front().columns.taps;
  else
    for (const TapPart &part : sum.parts)
      products += part.columns.pixels * countTerms(sum, part);
  return static_cast<double>(products * sum.groups * sum.width) /
         (kPerCycle * static_cast<double>(plan.lanes) *
          estimateCost(sum, plan)) *
         estimateVectorRate(plan.lanes, maxLanes);
}

double boostc::estimateGradientTime(const TapSum &given, const TapSumPlan &plan,
                                    int64_t threads) {
  // A loop that threads share begins and ends.
  constexpr double kShared = 2000.0;
  const TapSum sum = plan.getForm(given);
  const TapPart &part = sum.parts.front();
  int64_t pixels = 0;
  for (const TapPart &each : sum.parts)
    pixels += sum.samples * each.rows.pixels * each.columns.pixels;
  double multiply =
      estimateCost(sum, plan) * static_cast<double>(pixels * part.rows.taps) *
      estimateIdling(plan.pieces, threads) *
      estimateIdling(sum.cutsSamples() ? sum.samples : sum.getRows(),
                     sum.partials);
  // Each thread's pixels lie in its caches, and a partial sum reads those of as
  // many threads as compute it.
  int64_t together = llvm::divideCeil(threads, sum.partials);
  int64_t images = countBytes(part.source.type) + countBytes(part.weight.type);
  int64_t sums = countBytes(part.result.type);
  int64_t moved = images * (together - 1) * sum.partials;
  if (sum.partials > 1)
    moved += sums * sum.partials;
  // Neighbours of a row of sums are written by different threads, and what one
  // fetches ahead the other one is about to write.
  if (together > 1 && plan.countBlocks(sum) > sum.groups)
    moved += 2 * sums *
             (plan.tiles || plan.winograd ? int64_t{1}
                                          : llvm::divideCeil(pixels, kStrip));
  return (multiply + static_cast<double>(moved) / kFetched) /
             static_cast<double>(threads) +
         (sum.partials > 1 ? 2 : 1) * kShared;
}
