#include "compiler/lowering/cpu/TapSumCost.h"
#include "compiler/lowering/cpu/TilePlan.h"
#include "compiler/lowering/cpu/VectorAccess.h"
#include "compiler/lowering/cpu/WinogradPlan.h"
#include "compiler/lowering/kernels/KernelLoops.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace boostc;

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

/// Room for pairs, and for weights in f32, on a stack.
constexpr int64_t kMaxPacked = 320 << 10, kMaxBlock = 640 << 10;

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

/// Plans of `sum`, not shared out among threads but for tiles and Winograd's.
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
  if (std::optional<TapSumPlan> plan = planWinograd(sum, registers, threads))
    plans.push_back(
        {sum.winograd == rt::WinogradUse::Always
             ? 0.0
             : estimateCost(sum, *plan) * estimateIdling(plan->pieces, threads),
         *plan});
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
    // Others are planned for threads.
    bool isShared = found.tiles || found.winograd;
    if (!isShared && form.isWeightGradient) {
      // Threads share partial sums first.
      shareWeightGradient(form, llvm::divideCeil(threads, form.partials),
                          found);
      found.pieces *= form.partials;
    } else if (!isShared) {
      shareGather(form, threads, found);
    }
    best.push_back(found);
  }
  return best;
}
