#include "compiler/lowering/cpu/TilePlan.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace boostc;

/// Cycles of a multiplication of tiles, of loading and storing a tile of sums,
/// and of a vector that is loaded and stored.
constexpr double kMultiply = 16.0, kMove = 24.0, kCopy = 2.0;
/// Cycles in which two vectors of bf16 become one of pairs and are stored, and
/// in which 16 of these are transposed.
constexpr double kPair = 4.0, kTranspose = 100.0;
/// Cycles around the multiplications of a row of tiles.
constexpr double kTile = 20.0;
/// Bytes of a kernel's memory: of weights, of a strip, of sums.
constexpr int64_t kMaxWeights = 512 << 10, kMaxStrip = 192 << 10,
                  kMaxGradientStrip = 640 << 10, kMaxSums = 256 << 10;
/// Pixels of a strip of a convolution, of a piece of its work, and of a strip
/// of a gradient of weights.
constexpr int64_t kStrip = 256, kPiece = 1024, kGradientStrip = 320;
/// Fewer are soon multiplied with weights, once these are put together.
constexpr int64_t kFewPixels = 2048;
/// Terms of a row of taps that are written out one by one.
constexpr int64_t kMaxOddTerms = 64;

StripAxis StripAxis::get(const TapAxis &axis, bool inPhases) {
  StripAxis strip;
  strip.first = axis.constant;
  if (axis.taps <= 1) {
    strip.sourceStep = axis.pixelStep;
    strip.tapStep = 0;
    return strip;
  }
  int64_t halo = std::abs(axis.tapStep) * (axis.taps - 1);
  strip.tapStep = axis.tapStep;
  if (axis.tapStep < 0) {
    strip.firstTap = halo;
    strip.first -= halo;
  }
  strip.halo = halo;
  if (inPhases) {
    strip.phases = strip.sourceStep = axis.pixelStep;
    strip.halo = llvm::divideCeil(halo, axis.pixelStep);
  } else {
    strip.step = axis.pixelStep;
  }
  return strip;
}

/// Whether pixels see themselves alone.
static bool isInPlace(const TapAxis &axis) {
  return axis.taps == 1 && axis.pixelStep == 1 && axis.constant == 0 &&
         !axis.isGuarded();
}

TileStrip TileStrip::get(const TapSum &sum, const TapPart &part,
                         int64_t rowsOfPixels) {
  const TapAxis &rows = part.rows, &columns = part.columns;
  TileStrip strip;
  strip.rows = StripAxis::get(rows, /*inPhases=*/false);
  strip.columns = StripAxis::get(columns, /*inPhases=*/false);
  strip.rowsOfPixels = std::min(rowsOfPixels, rows.pixels);
  bool seesNothing = rows.taps == 0 || columns.taps == 0;
  strip.foldsTaps = columns.taps <= 1 || std::abs(columns.tapStep) == 1;
  strip.tapRows = seesNothing ? 0 : rows.taps;
  strip.tapColumns = strip.foldsTaps ? 1 : columns.taps;
  int64_t folded = strip.foldsTaps ? std::max<int64_t>(columns.taps, 1) : 1;
  strip.terms = llvm::alignTo(folded * sum.terms, kTileTerms);
  strip.isDirect = isInPlace(rows) && isInPlace(columns) &&
                   sum.terms % kTileTerms == 0 && columns.pixels >= kTileRows;
  strip.width = strip.isDirect ? columns.pixels
                               : strip.columns.countElements(columns.pixels);
  strip.isFlat = strip.isDirect
                     ? part.source.row == strip.width * part.source.column
                     : strip.rows.step == 1 && strip.columns.step == 1;
  return strip;
}

int64_t TileStrip::countElements(const TapSum &sum) const {
  // Tiles read beyond the last pixel, and what they read there counts for
  // nothing.
  return (rows.countElements(rowsOfPixels) * width + kTileRows * columns.step) *
             sum.terms +
         2 * kTileTerms;
}

TileGradientStrip TileGradientStrip::get(const TapSum &sum, const TapPart &part,
                                         const TilePlan &plan) {
  TileGradientStrip strip;
  strip.rows = StripAxis::get(part.rows, /*inPhases=*/true);
  strip.columns = StripAxis::get(part.columns, /*inPhases=*/true);
  strip.height = strip.rows.countElements(plan.rows);
  strip.width = strip.columns.countElements(part.columns.pixels);
  strip.maxShift = strip.rows.halo * strip.width + strip.columns.halo;
  strip.positions = llvm::alignTo(
      (plan.samples * strip.height - strip.rows.halo) * strip.width,
      kTileTerms);
  int64_t tiles =
      llvm::divideCeil(strip.positions + strip.maxShift, kTileTerms);
  auto isRow = [&](const TapOperand &operand) {
    return operand.row == strip.width * operand.column;
  };
  strip.isDirect = isInPlace(part.rows) && isInPlace(part.columns) &&
                   isRow(part.source) && isRow(part.weight) &&
                   strip.width % kTileTerms == 0 && plan.samples == 1 &&
                   sum.countSourceChannels() % plan.channels == 0 &&
                   sum.countImageChannels() % plan.filters == 0;
  // Rows of a tile lie in different sets of a cache.
  strip.pitch = (tiles | 1) * kTileTerms;
  return strip;
}

int64_t TileGradientStrip::countBytes(const TilePlan &plan) const {
  int64_t filled = isDirect ? 0 : std::max(plan.channels, plan.filters);
  return 2 * (pitch * filled + countPhases() * pitch * plan.channels +
              positions * plan.filters);
}

static double divide(int64_t a, int64_t b) {
  return static_cast<double>(a) / static_cast<double>(b);
}

/// Cycles for all vectors of a row of each part.
static double estimateSum(const TapSum &sum, const TapSumPlan &plan) {
  const TilePlan &tiles = *plan.tiles;
  double cycles = 0.0;
  int64_t blocks = plan.countBlocks(sum);
  int64_t blocksOfFill = std::min(tiles.blocks, blocks / sum.groups);
  for (const TapPart &part : sum.parts) {
    TileStrip strip = TileStrip::get(sum, part, tiles.rows);
    int64_t rows = strip.rowsOfPixels;
    int64_t run = strip.isFlat
                      ? llvm::divideCeil(strip.countRun(rows, part), kTileRows)
                      : rows * llvm::divideCeil(part.columns.pixels, kTileRows);
    int64_t steps = strip.countSteps();
    // Two tiles of each kind are loaded for four multiplications.
    double ofBlock = static_cast<double>(run) *
                     (plan.vectors * (steps * kMultiply + 2 * kMove) + kTile);
    double fill = 0.0;
    if (!strip.isDirect) {
      // Pixels are copied one by one where others' channels lie between them.
      int64_t pixels = strip.rows.countElements(rows) * strip.width;
      bool isRow = strip.columns.sourceStep * part.source.column == sum.terms;
      int64_t vectors = isRow
                            ? llvm::divideCeil(pixels * sum.terms, kTileTerms)
                            : pixels * llvm::divideCeil(sum.terms, kTileTerms);
      fill = kCopy * divide(vectors * blocks, blocksOfFill);
    }
    double pack = kPair * steps * kTileTerms / 2 * plan.vectors * blocks;
    int64_t chunks = llvm::divideCeil(part.rows.pixels, rows) * sum.samples;
    int64_t packs =
        blocks == tiles.blocks ? 1 : llvm::divideCeil(chunks, plan.lines);
    cycles +=
        (ofBlock * blocks + fill) / rows * part.rows.pixels / sum.getRows() +
        pack * divide(packs, sum.samples * sum.getRows());
  }
  return cycles;
}

static bool fitsSum(const TapSum &sum) {
  for (const TapPart &part : sum.parts) {
    if (part.source.vector != 0 || part.weight.vector != 1)
      return false;
    TileStrip strip = TileStrip::get(sum, part, /*rowsOfPixels=*/1);
    if (sum.terms % 2 != 0 && strip.terms > kMaxOddTerms)
      return false;
  }
  return true;
}

static void shareSum(const TapSum &sum, int64_t threads, TapSumPlan &plan) {
  constexpr int64_t kPiecesOfThread = 4;
  TilePlan &tiles = *plan.tiles;
  int64_t width = sum.parts.front().columns.pixels;
  int64_t chunks = sum.samples * llvm::divideCeil(sum.getRows(), tiles.rows);
  int64_t blocks = plan.countBlocks(sum) / sum.groups;
  int64_t shares = sum.groups * llvm::divideCeil(blocks, tiles.blocks);
  plan.lines = std::clamp<int64_t>(kPiece / (width * tiles.rows), 1, chunks);
  plan.pieces = llvm::divideCeil(chunks, plan.lines) * shares;
  while (plan.lines > 1 && threads > 1 &&
         plan.pieces < kPiecesOfThread * threads) {
    plan.lines = llvm::divideCeil(plan.lines, 2);
    plan.pieces = llvm::divideCeil(chunks, plan.lines) * shares;
  }
}

static std::optional<TapSumPlan> planSum(const TapSum &sum, int64_t threads) {
  if (!fitsSum(sum))
    return std::nullopt;
  TapSumPlan plan;
  plan.lanes = kTileSums;
  plan.vectors =
      std::min<int64_t>(kTilesAside, llvm::divideCeil(sum.width, kTileSums));
  plan.tiles.emplace();
  TilePlan &tiles = *plan.tiles;
  int64_t weights = 0, row = 0;
  tiles.rows = std::clamp<int64_t>(kStrip / sum.parts.front().columns.pixels, 1,
                                   sum.getRows());
  for (const TapPart &part : sum.parts) {
    TileStrip strip = TileStrip::get(sum, part, tiles.rows);
    weights += strip.countSteps() * kTileTerms * plan.vectors * kTileSums * 2;
    if (!strip.isDirect)
      row = std::max(row, 2 * strip.countElements(sum) / tiles.rows);
  }
  while (tiles.rows > 1 && tiles.rows * row > kMaxStrip)
    --tiles.rows;
  int64_t blocks = plan.countBlocks(sum) / sum.groups;
  if (weights > kMaxWeights || row > 2 * kMaxStrip)
    return std::nullopt;
  int64_t together = weights == 0 ? blocks : kMaxWeights / weights;
  // Threads share pixels, and each puts all weights together; where there are
  // few pixels, or weights do not fit, they share blocks.
  int64_t pixels =
      sum.samples * sum.getRows() * sum.parts.front().columns.pixels;
  tiles.blocks = blocks <= together ? blocks : std::min<int64_t>(together, 2);
  if (pixels < kFewPixels)
    tiles.blocks =
        std::min<int64_t>(tiles.blocks, llvm::divideCeil(blocks, threads));
  shareSum(sum, threads, plan);
  return plan;
}

/// Cycles of one tap and pixel for all vectors and terms.
static double estimateGradient(const TapSum &sum, const TapSumPlan &plan) {
  const TilePlan &tiles = *plan.tiles;
  const TapPart &part = sum.parts.front();
  TileGradientStrip strip = TileGradientStrip::get(sum, part, tiles);
  int64_t taps = part.rows.taps * part.columns.taps;
  int64_t tilesOfPiece = tiles.channels / kTileRows * tiles.filters / kTileSums;
  double multiply =
      static_cast<double>(taps * tilesOfPiece) *
      (divide(strip.positions, kTileTerms) * kMultiply + 2 * kMove + kTile / 4);
  double vectors =
      divide(strip.pitch, kTileTerms) * strip.countPhases() * tiles.channels;
  double copy = strip.isDirect ? 0.0 : kCopy;
  double put =
      vectors * (copy + kPair) + vectors / kTileSums * kTranspose +
      divide(strip.positions, kTileTerms) * tiles.filters * (copy + kPair);
  double strips = divide(llvm::divideCeil(sum.samples, tiles.samples) *
                             llvm::divideCeil(part.rows.pixels, tiles.rows),
                         1);
  double stored = static_cast<double>(taps * tilesOfPiece) * 4 * kMove;
  return ((multiply + put) * strips + stored) *
         static_cast<double>(plan.pieces / sum.partials) /
         static_cast<double>(taps * sum.samples * part.rows.pixels *
                             part.columns.pixels);
}

/// Samples and rows of a strip that is long enough, and fits.
static bool chooseGradientStrip(const TapSum &sum, TilePlan &tiles) {
  const TapPart &part = sum.parts.front();
  int64_t columns = part.columns.pixels, rows = part.rows.pixels;
  tiles.rows = std::clamp<int64_t>(kGradientStrip / columns, 1, rows);
  tiles.samples =
      std::clamp<int64_t>(kGradientStrip / (columns * rows), 1, sum.samples);
  while (TileGradientStrip::get(sum, part, tiles).countBytes(tiles) >
         kMaxGradientStrip) {
    int64_t &many = tiles.samples > 1 ? tiles.samples : tiles.rows;
    if (many == 1)
      return false;
    many = llvm::divideCeil(many, 2);
  }
  return true;
}

static std::optional<TapSumPlan> planGradient(const TapSum &sum,
                                              int64_t threads) {
  const TapPart &part = sum.parts.front();
  int64_t channels = sum.countSourceChannels();
  int64_t filters = sum.countImageChannels();
  int64_t taps = part.rows.taps * part.columns.taps;
  auto extents = [](int64_t extent) {
    SmallVector<int64_t> found = {kTileRows};
    while (found.back() < std::min<int64_t>(extent, 256))
      found.push_back(2 * found.back());
    return found;
  };
  std::optional<TapSumPlan> best;
  double bestCost = 0.0;
  TapSumPlan plan;
  plan.lanes = kTileSums;
  TilePlan &tiles = plan.tiles.emplace();
  for (int64_t ofSource : extents(channels))
    for (int64_t ofPixels : extents(filters)) {
      tiles.channels = ofSource;
      tiles.filters = ofPixels;
      if (4 * taps * ofSource * ofPixels > kMaxSums ||
          !chooseGradientStrip(sum, tiles))
        continue;
      plan.pieces = sum.partials * sum.groups *
                    llvm::divideCeil(channels, ofSource) *
                    llvm::divideCeil(filters, ofPixels);
      double uneven = divide(llvm::alignTo(plan.pieces, threads), plan.pieces);
      double cost = estimateGradient(sum, plan) * uneven;
      if (best && cost >= bestCost)
        continue;
      bestCost = cost;
      best = plan;
    }
  return best;
}

std::optional<TapSumPlan> boostc::planTiles(const TapSum &sum,
                                            VectorRegisters registers,
                                            int64_t threads) {
  if (!registers.hasTiles || !sum.hasPairs())
    return std::nullopt;
  return sum.isWeightGradient ? planGradient(sum, threads)
                              : planSum(sum, threads);
}

double boostc::estimateTiles(const TapSum &sum, const TapSumPlan &plan) {
  return sum.isWeightGradient ? estimateGradient(sum, plan)
                              : estimateSum(sum, plan);
}
