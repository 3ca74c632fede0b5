#include "compiler/lowering/cpu/TapSumCode.h"
#include "compiler/lowering/cpu/TapSumCost.h"
#include "compiler/lowering/cpu/TilePlan.h"
#include "compiler/lowering/cpu/WinogradPlan.h"
#include "compiler/lowering/kernels/KernelLoops.h"

using namespace mlir;
using namespace boostc;

namespace {

/// A convolution or the gradient of its input: pieces are blocks of vectors of
/// some rows of pixels.
class GatherEmitter : TapSumCode {
public:
  GatherEmitter(OpBuilder &builder, Location loc, const TapSum &sum,
                const TapSumPlan &plan)
      : TapSumCode(builder, loc, sum, plan), parts(sum.parts) {
    if (plan.packs)
      reserveWeights();
  }

  void emit(Value begin, Value end) {
    int64_t blocks = plan.countBlocks(sum);
    int64_t rows = sum.getRows();
    int64_t lines = sum.samples / plan.samples * rows;
    forEach(begin, end, [&](Value piece) {
      Block block = decodeBlock(remainder(piece, blocks));
      Value strip = times(quotient(piece, blocks), plan.lines);
      Value last = minimum(plus(strip, plan.lines), constant(lines));
      if (plan.packs)
        for (auto [part, packed] : llvm::zip_equal(sum.parts, parts))
          packWeights(part, packed.weight, block, constant(0));
      forEach(strip, last, [&](Value line) {
        Value sample = times(quotient(line, rows), plan.samples);
        Value row = remainder(line, rows);
        for (const TapPart &part : parts) {
          if (part.rows.pixels == rows) {
            emitRow(part, block, sample, row);
            continue;
          }
          Value isInside = isBelow(row, constant(part.rows.pixels));
          emitIf(isInside, [&] { emitRow(part, block, sample, row); });
        }
      });
    });
  }

private:
  /// Before all loops: memory for the weights of a block, which all parts read
  /// from then on.
  void reserveWeights() {
    int64_t weights = plan.countWeights(sum);
    TapOperand packed = plan.inPairs
                            ? reservePairs(weights)
                            : reserveBlock(weights, builder.getF32Type());
    packed.vector = 1;
    packed.term = plan.lanes * plan.vectors;
    packed.column = sum.terms * packed.term;
    for (TapPart &part : parts) {
      packed.row = part.columns.taps * packed.column;
      part.weight = packed;
      packed.constant += part.rows.taps * packed.row;
    }
  }

  /// The tiles of a row of pixels: those whose taps all lie inside are a loop.
  void emitRow(const TapPart &part, const Block &block, Value sample,
               Value row) {
    Row at{part, block, sample, row, {}};
    at.taps = getInsideTaps(part.rows, row);
    int64_t tile = plan.tile, full = part.columns.pixels / tile;
    int64_t first = 0;
    while (first < full && !isTileInside(part, first * tile, tile))
      ++first;
    int64_t last = first;
    while (last < full && isTileInside(part, last * tile, tile))
      ++last;
    for (int64_t number = 0; number < first; ++number)
      emitTile(at, number * tile, tile);
    if (last - first == 1) {
      emitTile(at, first * tile, tile);
    } else if (last > first) {
      forEach(constant(first), constant(last), [&](Value number) {
        emitTile(at, times(number, tile), tile, /*isInside=*/true);
      });
    }
    for (int64_t number = last; number < full; ++number)
      emitTile(at, number * tile, tile);
    if (int64_t rest = part.columns.pixels % tile)
      emitTile(at, full * tile, rest);
  }

  static bool isTileInside(const TapPart &part, int64_t first, int64_t tile) {
    return !part.columns.slice(first, tile).isGuarded();
  }

  struct Row {
    const TapPart &part;
    const Block &block;
    Value sample, row;
    Range taps;
  };

  void emitTile(const Row &at, int64_t first, int64_t pixels) {
    emitTile(at, constant(first), pixels, isTileInside(at.part, first, pixels),
             first);
  }

  /// `first` pixels of the row come before the tile; with `known` at compile
  /// time.
  void emitTile(const Row &at, Value first, int64_t pixels, bool isInside,
                int64_t known = 0) {
    const TapPart &part = at.part;
    int64_t taps = part.columns.taps;
    SmallVector<Value> sums = getInitialSums(at.block, pixels);
    if (part.rows.taps > 0 && taps > 0) {
      Value source = offsetOf(part.source, at.block, at.sample);
      source = add(source,
                   times(first, part.columns.pixelStep * part.source.column));
      source = plus(source, part.columns.constant * part.source.column);
      Value rowOfSource =
          plus(times(at.row, part.rows.pixelStep), part.rows.constant);
      source = add(source, times(rowOfSource, part.source.row));
      Value weight = offsetOf(part.weight, at.block, Value());
      auto seesAt = [&](int64_t pixel, int64_t tap) {
        return isInside || part.columns.isInside(known + pixel, tap);
      };
      sums = reduce(at.taps, sums, [&](Value tapRow, SmallVector<Value> sums) {
        Value a =
            add(source, times(tapRow, part.rows.tapStep * part.source.row));
        Value b = add(weight, times(tapRow, part.weight.row));
        if (sum.terms == 1)
          return multiply(part, a, b, pixels, taps, std::move(sums), seesAt);
        if (!isInside) {
          // One loop for each tap: which pixels see it is known.
          for (int64_t tap = 0; tap < taps; ++tap)
            sums = emitTerms(
                part, plus(a, tap * part.columns.tapStep * part.source.column),
                plus(b, tap * part.weight.column), pixels, sums,
                [&](int64_t pixel) { return seesAt(pixel, tap); });
          return sums;
        }
        return reduce(
            upTo(taps), sums, [&](Value tap, SmallVector<Value> sums) {
              return emitTerms(
                  part,
                  add(a, times(tap, part.columns.tapStep * part.source.column)),
                  add(b, times(tap, part.weight.column)), pixels, sums,
                  [](int64_t) { return true; });
            });
      });
    }
    store(at, first, pixels, sums);
  }

  /// The sums with the terms of one tap added.
  SmallVector<Value> emitTerms(const TapPart &part, Value source, Value weight,
                               int64_t pixels, SmallVector<Value> sums,
                               llvm::function_ref<bool(int64_t)> sees) {
    Value next;
    if (fetchesAhead(part))
      next = plus(source, pixels * part.source.column);
    auto emitRange = [&](int64_t begin, int64_t end, bool inPairs) {
      sums = reduce(
          Range{constant(begin), constant(end)}, sums,
          [&](Value term, SmallVector<Value> sums) {
            if (next)
              prefetch(part.source, add(next, times(term, pixels)));
            return multiply(
                part, add(source, times(term, part.source.term)),
                add(weight, times(term, part.weight.term)), pixels,
                /*taps=*/1, std::move(sums),
                [&](int64_t pixel, int64_t) { return sees(pixel); }, inPairs);
          },
          inPairs ? 2 : 1);
    };
    int64_t paired = plan.inPairs ? sum.terms / 2 * 2 : 0;
    if (paired > 0)
      emitRange(0, paired, /*inPairs=*/true);
    if (paired < sum.terms)
      emitRange(paired, sum.terms, /*inPairs=*/false);
    return sums;
  }

  /// Whether the next tile's pixels, which are the next elements, are fetched
  /// while this one's are multiplied, as many in each step as are used in it. A
  /// CPU sees by itself only that a pixel has more terms.
  bool fetchesAhead(const TapPart &part) const {
    return part.rows.taps * part.columns.taps == 1 && plan.samples == 1 &&
           part.source.vector == 0 && part.source.term == 1 &&
           part.columns.pixelStep * part.source.column == sum.terms &&
           countBytes(part.source.type) > kSecondCache;
  }

  /// The sums with the products of `taps` taps added, for the pixels that see
  /// them. Pixels that see the same column of the source share what is loaded,
  /// and are done with it before the next column: registers hold the sums, the
  /// weights and one column. Each sum gets its taps in their order.
  SmallVector<Value> multiply(const TapPart &part, Value source, Value weight,
                              int64_t pixels, int64_t taps,
                              SmallVector<Value> sums,
                              llvm::function_ref<bool(int64_t, int64_t)> sees,
                              bool inPairs = false) {
    struct Product {
      int64_t column, pixel, tap;
    };
    SmallVector<Product> products;
    for (int64_t pixel = 0; pixel < pixels; ++pixel)
      for (int64_t tap = 0; tap < taps; ++tap)
        if (sees(pixel, tap))
          products.push_back(
              {pixel * part.columns.pixelStep + tap * part.columns.tapStep,
               pixel, tap});
    bool isForward = part.columns.tapStep > 0;
    llvm::stable_sort(products, [&](const Product &a, const Product &b) {
      return isForward ? a.column < b.column : a.column > b.column;
    });
    Loads sources, weights;
    for (int64_t sample = 0; sample < plan.samples; ++sample)
      for (const Product &product : products)
        for (int64_t vector = 0; vector < plan.vectors; ++vector) {
          Value ofTap =
              load(part.weight, weight, product.tap * part.weight.column,
                   vector, weights, inPairs ? part.weight.term : 0);
          Value ofColumn = load(
              part.source, source,
              sample * part.source.sample + product.column * part.source.column,
              vector, sources, inPairs ? part.source.term : 0);
          Value &result =
              sums[(sample * pixels + product.pixel) * plan.vectors + vector];
          result = multiplyAdd(ofColumn, ofTap, result);
        }
    return sums;
  }

  SmallVector<Value> getInitialSums(const Block &block, int64_t pixels) {
    SmallVector<Value> sums;
    for (int64_t vector = 0; vector < plan.vectors; ++vector)
      sums.push_back(
          sum.bias ? load(sum.bias, offsetOf(sum.bias, block, {}), 0, vector)
                   : zero());
    SmallVector<Value> all;
    for (int64_t pixel = 0; pixel < plan.samples * pixels; ++pixel)
      llvm::append_range(all, sums);
    return all;
  }

  void store(const Row &at, Value first, int64_t pixels, ArrayRef<Value> sums) {
    const TapOperand &result = at.part.result;
    Value corner = offsetOf(result, at.block, at.sample);
    corner = add(corner, times(at.row, result.row));
    corner = add(corner, times(first, result.column));
    unsigned number = 0;
    for (int64_t sample = 0; sample < plan.samples; ++sample)
      for (int64_t pixel = 0; pixel < pixels; ++pixel)
        for (int64_t vector = 0; vector < plan.vectors; ++vector)
          storeSum(sums[number++], result, corner,
                   sample * result.sample + pixel * result.column, vector);
  }

  std::vector<TapPart> parts; ///< with the weights that tiles read
};

} // namespace

void boostc::emitTapSum(OpBuilder &builder, Location loc, const TapSum &given,
                        const TapSumPlan &plan, Value begin, Value end) {
  const TapSum sum = plan.getForm(given);
  if (plan.winograd)
    emitWinograd(builder, loc, sum, plan, begin, end);
  else if (plan.tiles && sum.isWeightGradient)
    emitTileGradient(builder, loc, sum, plan, begin, end);
  else if (plan.tiles)
    emitTileSum(builder, loc, sum, plan, begin, end);
  else if (sum.isWeightGradient)
    emitTapGradient(builder, loc, sum, plan, begin, end);
  else
    GatherEmitter(builder, loc, sum, plan).emit(begin, end);
}
