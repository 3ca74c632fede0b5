#include "compiler/lowering/cpu/TilePlan.h"
#include "compiler/lowering/cpu/VectorAccess.h"
#include "llvm/ADT/STLExtras.h"
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
/// Bytes of sums or images that the second cache keeps.
constexpr int64_t kSecondCache = 512 << 10;
/// Cycles in which a tile is begun and ended, and a loop around its steps.
constexpr double kTile = 30.0, kLoop = 8.0;

int64_t TapSumPlan::countBlocks(const TapSum &sum) const {
  return sum.groups * llvm::divideCeil(sum.width, lanes * vectors);
}

int64_t TapSumPlan::countWeights(const TapSum &sum) const {
  int64_t taps = 0;
  for (const TapPart &part : sum.parts)
    taps += part.rows.taps * part.columns.taps;
  return taps * sum.terms * lanes * vectors;
}

PairedStrip PairedStrip::get(const TapSum &sum, const TapSumPlan &plan) {
  const TapPart &part = sum.parts.front(); // the largest one
  PairedStrip strip;
  strip.samples =
      std::clamp<int64_t>(plan.lines / part.rows.pixels, 1, sum.samples);
  strip.rows = std::min(plan.lines, part.rows.pixels);
  strip.sourceRows = part.rows.pixelStep * (strip.rows - 1) +
                     part.rows.tapStep * (part.rows.taps - 1) + 1;
  strip.pairs = part.columns.pixels / 2;
  int64_t terms = std::min(sum.terms, plan.tilesOfPiece * plan.tile);
  strip.sourceWidth = 2 * plan.lanes * llvm::divideCeil(terms, plan.lanes);
  strip.width = 2 * plan.lanes * plan.vectors;
  if (part.source.vector != 0)
    std::swap(strip.sourceWidth, strip.width);
  return strip;
}

int64_t PairedStrip::countBytes() const {
  return 2 * samples * pairs * (sourceRows * sourceWidth + rows * width);
}

/// Pixels that a block of weights, or a tile of their gradient, meets in one
/// go: they stay in the second cache.
constexpr int64_t kStrip = 128;

/// Cycles of one term and tap of a tile, or of one pair of terms.
static double estimateStep(const TapSumPlan &plan, int64_t sums, int64_t loads,
                           double streamed) {
  if (!plan.inPairs)
    return std::max({static_cast<double>(sums) / kPerCycle,
                     static_cast<double>(loads) / kPerCycle, kLatency,
                     streamed / kStreamed}) +
           0.25;
  // Where plans multiply as fast, those with fewer loads were faster.
  constexpr double kLoad = 0.1;
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

/// Rows of pixels that a block of weights meets, if threads need no shares:
/// those that cause the least traffic beyond the second cache. Weights that do
/// not stay there are read again for each strip of rows, and a strip that does
/// not is read for each block.
static int64_t countLines(const TapSum &sum, const TapSumPlan &plan) {
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

/// How many tiles read the same weights.
static int64_t countUses(const TapSum &sum, const TapSumPlan &plan) {
  return countLines(sum, plan) *
         llvm::divideCeil(sum.parts.front().columns.pixels, plan.tile);
}

/// Room for pairs, and for weights in f32, on a stack.
constexpr int64_t kMaxPacked = 320 << 10, kMaxBlock = 640 << 10;

/// Whether a block's rows of weights lie far apart, so that few of them fit
/// into the sets of the second cache that they share.
static bool isScattered(const TapSum &sum, const TapSumPlan &plan) {
  constexpr int64_t kFarApart = 1024, kLarge = 96 << 10;
  const TapOperand &weight = sum.parts.front().weight;
  return 4 * weight.term >= kFarApart && 4 * plan.countWeights(sum) > kLarge;
}

/// Whether several tiles share a block's vectors once they are put together.
static bool canPack(const TapSum &sum, const TapSumPlan &plan) {
  constexpr int64_t kMinUses = 3;
  if (sum.isWeightGradient)
    return plan.inPairs;
  if (sum.terms == 1 || countUses(sum, plan) < kMinUses)
    return false;
  if (!plan.inPairs)
    return isScattered(sum, plan) && 4 * plan.countWeights(sum) <= kMaxBlock;
  return sum.terms % 2 == 0 && 2 * plan.countWeights(sum) <= kMaxPacked;
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
    return part.rows.getInsideShare() * steps *
               (estimateStep(plan, sums,
                             plan.vectors +
                                 terms * shared *
                                     (isBroadcast ? 1 : plan.vectors),
                             0.0) +
                packing) +
           (kTile + static_cast<double>(sums) +
            kLoop * static_cast<double>(lines)) /
               pixels;
  };
  return static_cast<double>(plan.countBlocks(sum)) / shared *
         sumOverTiles(sum.terms, plan.tile, cost);
}

/// Cycles for all vectors of a row of each part, or, in a gradient of weights,
/// for all vectors and terms of one pixel and the taps of a row.
static double estimateCost(const TapSum &sum, const TapSumPlan &plan) {
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
                                    int64_t maxLanes, int64_t threads) {
  // A loop that threads share begins and ends.
  constexpr double kShared = 2000.0;
  const TapPart &part = given.parts.front();
  double pixels = 0.0;
  for (const TapPart &each : given.parts)
    pixels += static_cast<double>(each.rows.pixels * each.columns.pixels);
  double products =
      pixels *
      static_cast<double>(given.samples * part.rows.taps * part.columns.taps *
                          given.terms * given.width * given.groups);
  double multiply = products / (kPerCycle * static_cast<double>(maxLanes) *
                                estimateEfficiency(given, plan, maxLanes));
  // The longest of all shares, as if there were no others.
  auto lengthen = [](int64_t count, int64_t shares) {
    return static_cast<double>(llvm::alignTo(count, shares)) /
           static_cast<double>(count);
  };
  int64_t partials = given.partials;
  multiply *=
      lengthen(plan.pieces, threads) *
      lengthen(given.cutsSamples() ? given.samples : given.getRows(), partials);
  // Each thread's pixels lie in its caches, and a partial sum reads those of as
  // many threads as compute it.
  int64_t together = llvm::divideCeil(threads, partials);
  double images = static_cast<double>(countBytes(part.source.type) +
                                      countBytes(part.weight.type));
  double moved = images * static_cast<double>(together - 1) *
                 static_cast<double>(partials);
  double sums = static_cast<double>(countBytes(part.result.type));
  if (partials > 1)
    moved += static_cast<double>(partials) * sums;
  // Neighbours of a row of sums are written by different threads, and what one
  // fetches ahead the other one is about to write.
  if (together > 1 && plan.countBlocks(given) > given.groups)
    moved +=
        2.0 * sums *
        (plan.tiles ? 1.0
                    : std::ceil(pixels * static_cast<double>(given.samples) /
                                static_cast<double>(kStrip)));
  return (multiply + moved / kFetched) / static_cast<double>(threads) +
         (partials > 1 ? 2 : 1) * kShared;
}

/// Rows of pixels that a block of weights meets before the next one does: few
/// enough that every thread has its share.
static void shareGather(const TapSum &sum, int64_t threads, TapSumPlan &plan) {
  constexpr int64_t kPiecesOfThread = 8;
  int64_t blocks = plan.countBlocks(sum);
  int64_t lines = sum.samples / plan.samples * sum.getRows();
  plan.lines = countLines(sum, plan);
  int64_t strips = llvm::divideCeil(lines, plan.lines);
  while (plan.lines > 1 && strips * blocks < kPiecesOfThread * threads) {
    plan.lines = llvm::divideCeil(plan.lines, 2);
    strips = llvm::divideCeil(lines, plan.lines);
  }
  plan.pieces = strips * blocks;
}

/// Whether less goes through memory when images are read once, and sums for
/// each strip, than when sums are, and images for each block.
static bool isCheaperByStrips(const TapSum &sum, const TapSumPlan &plan,
                              int64_t threads) {
  const TapPart &part = sum.parts.front();
  auto countStreamed = [](int64_t bytes) {
    return bytes > kSecondCache ? bytes : 0;
  };
  auto bytesOf = [](const TapOperand &operand) {
    return countBytes(operand.type);
  };
  int64_t strips = llvm::divideCeil(sum.samples * part.rows.pixels, plan.lines);
  int64_t blocks = llvm::divideCeil(plan.countBlocks(sum), threads);
  int64_t sums = llvm::divideCeil(bytesOf(part.result), threads);
  int64_t images = bytesOf(part.source) + bytesOf(part.weight);
  return 2 * strips * countStreamed(sums) < blocks * countStreamed(images);
}

/// Pieces of the result: few, since each reads both images whole, but evenly
/// divided.
static void shareWeightGradient(const TapSum &sum, int64_t threads,
                                TapSumPlan &plan) {
  constexpr double kEven = 0.9;
  int64_t columns = sum.parts.front().columns.pixels;
  plan.lines = std::max<int64_t>(1, kStrip / columns);
  plan.sharesStrips = isCheaperByStrips(sum, plan, threads);
  int64_t blocks = plan.countBlocks(sum);
  int64_t tiles = llvm::divideCeil(sum.terms, plan.tile);
  double best = 0.0;
  TapSumPlan trial = plan;
  for (bool splits : {false, true})
    for (int64_t each = tiles; each >= 1; --each) {
      trial.tilesOfPiece = each;
      trial.splitsTapRows = splits;
      trial.pieces = blocks * llvm::divideCeil(tiles, each) *
                     (splits ? sum.parts.front().rows.taps : 1);
      if (plan.inPairs && each > 1 &&
          PairedStrip::get(sum, trial).countBytes() > kMaxPacked)
        continue;
      int64_t rounds = llvm::divideCeil(trial.pieces, threads);
      // The last piece of a block may have fewer tiles.
      double even =
          static_cast<double>(blocks * tiles *
                              (splits ? sum.parts.front().rows.taps : 1)) /
          static_cast<double>(rounds * threads * each);
      if (even <= best)
        continue;
      best = even;
      plan = trial;
      if (best >= kEven)
        return;
    }
}

/// Multiply-adds of a tile, and of all tiles and pixels that have code of their
/// own: more would be long code.
constexpr int64_t kMaxUnrolled = 400, kMaxWrittenOut = 8192;

/// Tiles, or pixels that are summed over, next to borders: each of them sees
/// other taps.
static int64_t countWrittenOut(const TapSum &sum, const TapSumPlan &plan) {
  int64_t count = 0;
  bool hasTiles = !sum.isWeightGradient;
  if (!hasTiles && sum.terms > 1)
    return 0; // taps are loops
  int64_t step = hasTiles ? plan.tile : 1;
  for (const TapPart &part : sum.parts)
    for (int64_t first = 0; first < part.columns.pixels; first += step)
      count +=
          part.columns.slice(first, std::min(step, part.columns.pixels - first))
              .isGuarded();
  return count;
}

static bool canPair(const TapSum &sum, VectorRegisters registers,
                    int64_t lanes) {
  // Vectors of pairs have 4 lanes and more; those of a longer row would not
  // stay in the first cache.
  constexpr int64_t kMaxColumns = 256;
  int64_t columns = sum.parts.front().columns.pixels;
  return registers.multipliesBFloat16 && lanes >= 4 && sum.hasPairs() &&
         (!sum.isWeightGradient || (columns > 1 && columns <= kMaxColumns));
}

/// Plans, and what they cost.
using EstimatedPlans = std::vector<std::pair<double, TapSumPlan>>;

/// Plans of `sum`, not shared out among threads but for tiles.
static void addPlans(const TapSum &sum, VectorRegisters registers,
                     int64_t threads, EstimatedPlans &plans) {
  const TapPart &part = sum.parts.front();
  TapSumPlan plan;
  plan.lanes = chooseLanes(sum.width, registers.lanes);
  plan.inPairs = canPair(sum, registers, plan.lanes);
  int64_t wide = llvm::divideCeil(sum.width, plan.lanes);
  int64_t taps = 1;
  for (const TapPart &each : sum.parts)
    taps = std::max(taps, each.columns.taps);
  int64_t extent = sum.isWeightGradient ? sum.terms : part.columns.pixels;
  int64_t shared = sum.isWeightGradient && sum.terms == 1 ? taps : 1;
  int64_t unrolled = sum.isWeightGradient ? 1 : taps;
  // Without terms, the weights of a row of taps stay in registers.
  int64_t kept = !sum.isWeightGradient && sum.terms == 1 ? taps : 1;
  for (plan.vectors = 1; plan.vectors <= std::min<int64_t>(wide, 8);
       ++plan.vectors)
    for (plan.samples = 1; plan.samples <= 4; plan.samples *= 2) {
      if (sum.isWeightGradient ? plan.samples > 1
                               : sum.samples % plan.samples != 0)
        break;
      for (plan.tile = 1; plan.tile <= extent; ++plan.tile) {
        plan.packs = canPack(sum, plan);
        int64_t sums = plan.samples * plan.tile * plan.vectors * shared;
        // The order in which pairs are put together takes a register, too.
        bool interleaves = plan.inPairs && !plan.packs;
        if (sums + plan.vectors * kept + (interleaves ? 2 : 1) >
                registers.count ||
            sums * unrolled > kMaxUnrolled)
          break;
        if (countWrittenOut(sum, plan) * sums * unrolled <= kMaxWrittenOut)
          plans.push_back({estimateCost(sum, plan), plan});
      }
    }
  if (std::optional<TapSumPlan> tiles = planTiles(sum, registers, threads))
    plans.push_back({estimateCost(sum, *tiles), *tiles});
}

std::vector<TapSumPlan> boostc::planTapSum(const TapSum &sum,
                                           VectorRegisters registers,
                                           int64_t threads, size_t count) {
  // Tiles of more terms do not gain by those of other taps.
  constexpr int64_t kFewTerms = 4;
  std::vector<TapSumPlan> best;
  // Sums between strips of pixels are kept in the result.
  if (!sum.hasVectors() ||
      (sum.isWeightGradient &&
       !sum.parts.front().result.type.getElementType().isF32()))
    return best;
  EstimatedPlans plans;
  addPlans(sum, registers, threads, plans);
  if (std::optional<TapSum> folded = foldTaps(sum);
      folded && sum.terms <= kFewTerms) {
    size_t first = plans.size();
    addPlans(*folded, registers, threads, plans);
    for (auto &[cost, plan] : llvm::drop_begin(plans, first))
      plan.foldsTaps = true;
  }
  llvm::stable_sort(plans, llvm::less_first());
  plans.resize(std::min(plans.size(), count));
  for (auto &[cost, found] : plans) {
    const TapSum form = found.getForm(sum);
    // Tiles are planned for threads.
    if (!found.tiles && form.isWeightGradient) {
      // Threads share partial sums first.
      shareWeightGradient(form, llvm::divideCeil(threads, form.partials),
                          found);
      found.pieces *= form.partials;
    } else if (!found.tiles) {
      shareGather(form, threads, found);
    }
    best.push_back(found);
  }
  return best;
}
