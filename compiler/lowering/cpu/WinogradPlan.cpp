#include "compiler/lowering/cpu/WinogradPlan.h"
#include "compiler/lowering/cpu/TapSumCost.h"
#include "compiler/lowering/cpu/VectorAccess.h"
#include "compiler/lowering/kernels/KernelLoops.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>

using namespace mlir;
using namespace boostc;

/// Bytes on a stack for transformed weights or their gradient, and for these
/// with the transformed source of a strip and its products: threads have 2 MiB
/// of stack where a system sets no limit.
constexpr int64_t kMaxWeights = 1 << 20, kMaxScratch = 3 << 19;
/// Cycles in which a vector of a tile is transformed, of the source or the
/// result, and one of weights. Measured on convolutions of 16 and 64 channels;
/// most of it are stores beyond the first cache.
constexpr double kTransform = 70.0, kTransformWeights = 100.0;

WinogradAxis WinogradAxis::get(const TapAxis &axis) {
  int64_t back = axis.tapStep < 0 ? kWinogradTaps - 1 : 0;
  return {axis.pixels, axis.extent, axis.constant - back, axis.tapStep < 0};
}

int64_t WinogradAxis::countTiles() const {
  return llvm::divideCeil(pixels, kWinogradPixels);
}

int64_t WinogradAxis::countPixels(int64_t tile) const {
  return std::min(kWinogradPixels, pixels - tile * kWinogradPixels);
}

bool WinogradAxis::isInside(int64_t tile, int64_t position) const {
  int64_t pixel = first + tile * kWinogradPixels + position;
  return pixel >= 0 && pixel < extent;
}

static bool canTransform(const TapSum &sum) {
  if (sum.winograd == rt::WinogradUse::Off || sum.groups != 1 ||
      sum.parts.size() != 1)
    return false;
  const TapPart &part = sum.parts.front();
  auto hasWindow = [](const TapAxis &axis) {
    return axis.taps == kWinogradTaps && axis.pixelStep == 1 &&
           std::abs(axis.tapStep) == 1;
  };
  auto isOfChannels = [](const TapOperand &operand) {
    return operand.type.getElementType().isF32() &&
           operand.term + operand.vector == 1;
  };
  // Threads share the samples of partial sums: rows may split tiles.
  return hasWindow(part.rows) && hasWindow(part.columns) &&
         isOfChannels(part.source) && part.result.vector == 1 &&
         part.result.type.getElementType().isF32() &&
         (!sum.bias || sum.bias.type.getElementType().isF32()) &&
         (sum.isWeightGradient
              ? isOfChannels(part.weight) && part.rows.tapStep == 1 &&
                    (sum.partials == 1 || sum.cutsSamples())
              : part.weight.type.getElementType().isF32() &&
                    part.source.term == 1);
}

int64_t boostc::countWinogradLines(const TapSum &sum,
                                   const WinogradPlan &plan) {
  const TapPart &part = sum.parts.front();
  return WinogradAxis::get(part.rows).countTiles() *
         llvm::divideCeil(WinogradAxis::get(part.columns).countTiles(),
                          plan.columns);
}

int64_t boostc::countWinogradStrips(const TapSum &sum,
                                    const WinogradPlan &plan) {
  return llvm::divideCeil(sum.samples * countWinogradLines(sum, plan),
                          plan.lines);
}

TapSum boostc::getWinogradProducts(const TapSum &sum,
                                   const WinogradPlan &plan) {
  const TapPart &part = sum.parts.front();
  int64_t tiles = plan.lines * plan.columns;
  int64_t terms = llvm::alignTo(plan.terms, plan.lanes);
  auto makeOperand = [&](int64_t rows, int64_t columns) {
    // With a power of two between them, all positions of a tile would share
    // few sets of the first cache.
    constexpr int64_t kLine = 16;
    TapOperand operand;
    operand.group = rows * columns + kLine;
    operand.type =
        MemRefType::get({kWinogradPositions * operand.group},
                        Float32Type::get(part.result.type.getContext()));
    return operand;
  };
  TapSum products;
  // The sums of a gradient go on from strip to strip.
  products.isWeightGradient = products.adds = sum.isWeightGradient;
  products.groups = kWinogradPositions;
  products.terms = plan.terms;
  products.width = plan.width;
  TapPart of;
  of.columns.pixels = of.columns.extent = tiles;
  of.source = makeOperand(tiles, terms);
  of.source.column = terms;
  of.source.term = 1;
  TapOperand image = makeOperand(tiles, plan.width);
  image.column = plan.width;
  image.vector = 1;
  TapOperand weight = makeOperand(plan.terms, plan.width);
  weight.term = plan.width;
  weight.vector = 1;
  of.weight = sum.isWeightGradient ? image : weight;
  of.result = sum.isWeightGradient ? weight : image;
  products.parts.push_back(of);
  return products;
}

TapSumPlan boostc::getProductPlan(const TapSum &products,
                                  const TapSumPlan &plan) {
  TapSumPlan own = plan;
  own.winograd.reset();
  own.pieces = own.countBlocks(products);
  return own;
}

/// Shares of pieces: of the channels along vectors, and along terms.
static std::pair<int64_t, int64_t> countShares(const TapSum &sum,
                                               const WinogradPlan &plan) {
  return {llvm::divideCeil(sum.width, plan.width),
          llvm::divideCeil(sum.terms, plan.terms)};
}

/// Cycles of one thread for all of `sum`.
static double estimateAll(const TapSum &sum, const TapSumPlan &plan) {
  const WinogradPlan &own = *plan.winograd;
  const TapSum products = getWinogradProducts(sum, own);
  TapSumPlan ofProducts = getProductPlan(products, plan);
  auto [shares, sharesOfTerms] = countShares(sum, own);
  double vectors = static_cast<double>(own.width) / plan.lanes;
  double terms = std::ceil(static_cast<double>(own.terms) / own.lanes);
  auto tiles = static_cast<double>(own.lines * own.columns);
  auto strips = static_cast<double>(countWinogradStrips(sum, own));
  double multiply = estimateCost(products, ofProducts);
  double weights = kTransformWeights * static_cast<double>(own.terms) * vectors;
  double strip = multiply + kTransform * tiles * (terms + vectors);
  if (sum.isWeightGradient) {
    // The estimate is of one pixel. Sums are set to zero, and transformed.
    strip += multiply * (tiles - 1.0);
    return static_cast<double>(shares * sharesOfTerms) *
           (strips * strip + 2.0 * weights);
  }
  double chunks = std::ceil(strips / static_cast<double>(own.strips));
  return static_cast<double>(shares) * (chunks * weights + strips * strip);
}

double boostc::estimateWinograd(const TapSum &sum, const TapSumPlan &plan) {
  const TapPart &part = sum.parts.front();
  int64_t rows = sum.samples * part.rows.pixels;
  if (sum.isWeightGradient) // of a pixel and a row of taps
    rows *= part.columns.pixels * part.rows.taps;
  return estimateAll(sum, plan) / static_cast<double>(rows);
}

/// Pieces, whose strips follow each other; of a convolution about `wanted`.
static void share(const TapSum &sum, int64_t wanted, TapSumPlan &plan) {
  WinogradPlan &own = *plan.winograd;
  auto [shares, sharesOfTerms] = countShares(sum, own);
  if (sum.isWeightGradient) {
    plan.pieces = shares * sharesOfTerms * sum.partials;
    return;
  }
  // Weights are transformed for each piece.
  int64_t strips = countWinogradStrips(sum, own);
  int64_t chunks =
      std::clamp<int64_t>(llvm::divideCeil(wanted, shares), 1, strips);
  own.strips = llvm::divideCeil(strips, chunks);
  plan.pieces = shares * llvm::divideCeil(strips, own.strips);
}

/// The largest share of `extent` channels, of at most `most`, that divides
/// them; all of them if there is none. Only where the channels do not fill
/// vectors, shares may end within one: masks are of channels that do not exist.
static int64_t cutChannels(int64_t extent, int64_t most, int64_t lanes) {
  constexpr int64_t kFew = 16;
  for (int64_t part = std::min(extent, most); part >= kFew; --part)
    if (extent % part == 0 && (part % lanes == 0 || extent % lanes != 0))
      return part;
  return extent;
}

std::optional<TapSumPlan> boostc::planWinograd(const TapSum &sum,
                                               VectorRegisters registers,
                                               int64_t threads) {
  if (!canTransform(sum))
    return std::nullopt;
  // Bytes of a channel of a tile.
  constexpr int64_t kBytes = 4 * kWinogradPositions;
  int64_t lanes = chooseLanes(sum.width, registers.lanes);
  int64_t wide = llvm::alignTo(sum.width, lanes);
  std::optional<TapSumPlan> best;
  double least = 0.0;
  auto consider = [&](int64_t terms, int64_t width, int64_t maxTiles,
                      int64_t wanted) {
    WinogradPlan own;
    own.terms = terms;
    own.width = width;
    own.lanes = chooseLanes(terms, registers.lanes);
    int64_t padded = llvm::alignTo(terms, own.lanes);
    int64_t weights = kBytes * terms * width;
    int64_t tiles = std::min(maxTiles, (kMaxScratch - weights) /
                                           (kBytes * (padded + width)));
    if (weights > kMaxWeights || tiles == 0)
      return;
    int64_t ofRow = WinogradAxis::get(sum.parts.front().columns).countTiles();
    own.columns = llvm::divideCeil(ofRow, llvm::divideCeil(ofRow, tiles));
    own.lines = std::min(tiles / own.columns,
                         sum.samples * countWinogradLines(sum, own));
    const TapSum products = getWinogradProducts(sum, own);
    std::vector<TapSumPlan> plans =
        planTapSum(products, registers, /*threads=*/1, /*count=*/1);
    if (plans.empty())
      return;
    TapSumPlan plan = plans.front();
    plan.winograd = own;
    share(sum, wanted, plan);
    double cost = estimateAll(sum, plan) * estimateIdling(plan.pieces, threads);
    if (best && cost >= least)
      return;
    best = plan;
    least = cost;
  };
  // How many tiles read a loaded weight. Fewer where threads would be idle.
  constexpr int64_t kTiles = 64, kMinTiles = 8;
  if (sum.isWeightGradient) {
    for (int64_t most : {128, 64, 32})
      consider(cutChannels(sum.terms, most, registers.lanes),
               cutChannels(wide, most, lanes), kTiles, 1);
    return best;
  }
  int64_t most = kMaxWeights / (kBytes * sum.terms);
  int64_t width = cutChannels(wide, most, lanes);
  if (threads == 1) {
    consider(sum.terms, width, kTiles, 1);
    return best;
  }
  for (int64_t each : {1, 2, 4})
    for (int64_t tiles = kTiles; tiles >= kMinTiles; tiles /= 2)
      for (int64_t part = width; part > 0; part = part / 2 / lanes * lanes)
        if (wide % part == 0)
          consider(sum.terms, part, tiles, each * threads);
  return best;
}
