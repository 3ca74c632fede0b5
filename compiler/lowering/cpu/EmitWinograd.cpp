#include "compiler/lowering/cpu/TapSumCode.h"
#include "compiler/lowering/cpu/VectorAccess.h"
#include "compiler/lowering/cpu/WinogradPlan.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace boostc;

namespace {

/// A matrix that transforms tiles: M x M' for a square x.
struct Matrix {
  int64_t rows, columns;
  const double *entries;

  double at(int64_t row, int64_t column) const {
    return entries[row * columns + column];
  }
};

/// B', G and A' of WinogradPlan.h, and A and G' for the gradient.
constexpr double kSourceEntries[] = {1, 0,  -1, 0, 0, 1, 1, 0,
                                     0, -1, 1,  0, 0, 1, 0, -1};
constexpr double kTapEntries[] = {1, 0, 0, .5, .5, .5, .5, -.5, .5, 0, 0, 1};
constexpr double kResultEntries[] = {1, 1, 1, 0, 0, 1, -1, -1};
constexpr double kPixelEntries[] = {1, 0, 1, 1, 1, -1, 0, -1};
constexpr double kGradientEntries[] = {1,   .5, .5, 0,  0,  .5,
                                       -.5, 0,  0,  .5, .5, 1};
constexpr Matrix kOfSource{4, 4, kSourceEntries}, kOfTaps{4, 3, kTapEntries},
    kOfResult{2, 4, kResultEntries}, kOfPixels{4, 2, kPixelEntries},
    kOfGradient{3, 4, kGradientEntries};

/// A convolution, or the gradient of its input or weights, piece by piece: the
/// strips of some channels. Each sum has its terms, or its tiles, in the same
/// order however it is cut.
class WinogradEmitter : TapSumCode {
public:
  WinogradEmitter(OpBuilder &builder, Location loc, const TapSum &sum,
                  const TapSumPlan &plan)
      : TapSumCode(builder, loc, sum, plan), own(*plan.winograd),
        part(sum.parts.front()), rows(WinogradAxis::get(part.rows)),
        columns(WinogradAxis::get(part.columns)),
        linesOfSample(countWinogradLines(sum, own)),
        products(getWinogradProducts(sum, own)),
        productPlan(getProductPlan(products, plan)) {
    for (TapOperand *operand : {&source(), &weight(), &result()})
      operand->buffer =
          reserve(operand->type.getNumElements(), builder.getF32Type());
  }

  void emitConvolution(Value begin, Value end) {
    int64_t shares = llvm::divideCeil(sum.width, own.width);
    Value lines = constant(sum.samples * linesOfSample);
    Value strips = constant(countWinogradStrips(sum, own));
    if (shares == 1)
      transformTaps(constant(0));
    forEach(begin, end, [&](Value piece) {
      Value channel = times(remainder(piece, shares), own.width);
      if (shares > 1)
        transformTaps(channel);
      Value first = times(quotient(piece, shares), own.strips);
      Value last = minimum(plus(first, own.strips), strips);
      forEach(first, last, [&](Value strip) {
        Strip at{times(strip, own.lines), lines};
        transformImage(kOfSource, part.source, source(), at, constant(0));
        multiply();
        transformResult(at, channel);
      });
    });
  }

  void emitGradient(Value begin, Value end) {
    int64_t shares = llvm::divideCeil(sum.terms, own.terms);
    bool isSourceAlongTerms = part.source.term == 1;
    auto transform = [&](TapOperand &to, const Strip &strip, Value channel) {
      if ((&to == &source()) == isSourceAlongTerms)
        transformImage(kOfSource, part.source, to, strip, channel);
      else
        transformImage(kOfPixels, part.weight, to, strip, channel);
    };
    forEachPartial(begin, end, plan.pieces / sum.partials,
                   [&](Value partial, Value first, Value last) {
                     Range samples = getSamples(partial);
                     Value begin = times(samples.begin, linesOfSample);
                     Value end = times(samples.end, linesOfSample);
                     forEach(first, last, [&](Value piece) {
                       Value term = times(remainder(piece, shares), own.terms);
                       Value channel =
                           times(quotient(piece, shares), own.width);
                       clear(result().buffer, vectorType, constant(0),
                             constant(result().type.getNumElements()));
                       forEach(begin, end, own.lines, [&](Value line) {
                         Strip at{line, end};
                         transform(source(), at, term);
                         transform(weight(), at, channel);
                         multiply();
                       });
                       transformGradient(partial, term, channel);
                     });
                   });
  }

private:
  /// Lines of tiles of all samples, by number: a strip from `first` on, of
  /// those before `end`.
  struct Strip {
    Value first, end;
  };

  /// A tile, by its place in the image and its number in the strip. `likeRow`
  /// and `likeColumn` are tiles that end where it does and see as much.
  struct Tile {
    Value sample, row, column, number;
    int64_t likeRow, likeColumn;
  };

  TapOperand &source() { return products.parts.front().source; }
  TapOperand &weight() { return products.parts.front().weight; }
  TapOperand &result() { return products.parts.front().result; }

  void multiply() {
    emitTapSum(builder, loc, products, productPlan, constant(0),
               constant(productPlan.pieces));
  }

  /// Runs of tiles along an axis with the same pixels and positions.
  static SmallVector<std::pair<int64_t, int64_t>>
  getRuns(const WinogradAxis &axis) {
    auto isAlike = [&](int64_t a, int64_t b) {
      for (int64_t i = 0; i < kWinogradExtent; ++i)
        if (axis.isInside(a, i) != axis.isInside(b, i))
          return false;
      return axis.countPixels(a) == axis.countPixels(b);
    };
    SmallVector<std::pair<int64_t, int64_t>> runs;
    for (int64_t tile = 0; tile < axis.countTiles(); ++tile) {
      if (runs.empty() || !isAlike(runs.back().first, tile))
        runs.push_back({tile, tile});
      ++runs.back().second;
    }
    return runs;
  }

  /// `clearLine` is called first for lines, by number, some tiles of which may
  /// not exist.
  void forEachTile(const Strip &strip,
                   llvm::function_ref<void(const Tile &)> body,
                   llvm::function_ref<void(Value)> clearLine = {}) {
    int64_t linesOfRow = llvm::divideCeil(columns.countTiles(), own.columns);
    forEach(constant(0), constant(own.lines), [&](Value number) {
      Value line = add(strip.first, number);
      if (clearLine && columns.countTiles() % own.columns != 0)
        clearLine(number);
      else if (clearLine)
        emitIf(isBelow(plus(strip.end, -1), line), [&] { clearLine(number); });
      emitIf(isBelow(line, strip.end), [&] {
        Value sample = quotient(line, linesOfSample);
        Value inSample = remainder(line, linesOfSample);
        Value row = quotient(inSample, linesOfRow);
        Value begin = times(remainder(inSample, linesOfRow), own.columns);
        for (auto [firstRow, lastRow] : getRuns(rows)) {
          auto emitRow = [&, likeRow = firstRow] {
            for (auto [first, last] : getRuns(columns))
              forEach(maximum(begin, constant(first)),
                      minimum(plus(begin, own.columns), constant(last)),
                      [&, likeColumn = first](Value column) {
                        Value tile = add(times(number, own.columns),
                                         subtract(column, begin));
                        body({sample, row, column, tile, likeRow, likeColumn});
                      });
          };
          if (lastRow - firstRow == rows.countTiles()) {
            emitRow();
            continue;
          }
          emitIf(isBelow(row, constant(lastRow)), [&] {
            emitIf(isBelow(constant(firstRow - 1), row), emitRow);
          });
        }
      });
    });
  }

  /// Channels [0, count) of a share, vector by vector, and which lanes of each
  /// exist if `first` of `extent` channels come before the share.
  void forEachVector(int64_t count, int64_t lanes, int64_t extent, Value first,
                     llvm::function_ref<void(Value channel, Value mask)> body) {
    forEach(constant(0), constant(count), lanes, [&](Value channel) {
      body(channel, emitMasks(builder, loc, lanes, /*count=*/1, extent,
                              add(first, channel))
                        .front());
    });
  }

  /// The sum of some of `values` with the factors of a row of `matrix`, of
  /// those that are not null; null if there are none.
  Value combine(const Matrix &matrix, int64_t row, ArrayRef<Value> values) {
    Value total;
    for (bool isPositive : {true, false})
      for (int64_t column = 0; column < matrix.columns; ++column) {
        Value value = values[column];
        double factor = matrix.at(row, column);
        if (!value || factor == 0.0 || (factor > 0.0) != isPositive)
          continue;
        if (double size = std::abs(factor); size != 1.0)
          value = arith::MulFOp::create(builder, loc, value,
                                        splat(value.getType(), size));
        if (total)
          total = isPositive ? arith::AddFOp::create(builder, loc, total, value)
                                   .getResult()
                             : arith::SubFOp::create(builder, loc, total, value)
                                   .getResult();
        else
          total = isPositive
                      ? value
                      : arith::NegFOp::create(builder, loc, value).getResult();
      }
    return total;
  }

  Value splat(Type type, double value) {
    auto vector = cast<VectorType>(type);
    return arith::ConstantOp::create(
        builder, loc,
        DenseElementsAttr::get(vector, builder.getF32FloatAttr(value)));
  }

  /// M x M', row by row. Values that are null are zeros.
  List<Value> transform(const Matrix &matrix, ArrayRef<Value> values) {
    int64_t extent = matrix.columns;
    List<Value> half(matrix.rows * extent), whole;
    for (int64_t column = 0; column < extent; ++column) {
      List<Value> of;
      for (int64_t row = 0; row < extent; ++row)
        of.push_back(values[row * extent + column]);
      for (int64_t row = 0; row < matrix.rows; ++row)
        half[row * extent + column] = combine(matrix, row, of);
    }
    for (int64_t row = 0; row < matrix.rows; ++row)
      for (int64_t column = 0; column < matrix.rows; ++column)
        whole.push_back(combine(matrix, column,
                                ArrayRef(half).slice(row * extent, extent)));
    return whole;
  }

  Value loadAt(VectorType type, Value buffer, Value offset, Value mask) {
    return loadVector(builder, loc, type, buffer, offset, mask);
  }

  /// All positions of what lies at `at` of the first one.
  List<Value> loadPositions(const TapOperand &from, Value at) {
    List<Value> values;
    for (int64_t position = 0; position < kWinogradPositions; ++position)
      values.push_back(loadAt(vectorType, from.buffer,
                              plus(at, position * from.group), Value()));
    return values;
  }

  void storePositions(ArrayRef<Value> values, VectorType type,
                      const TapOperand &to, Value at) {
    for (auto [position, value] : llvm::enumerate(values))
      storeVector(builder, loc, value ? value : getZeros(type), to.buffer,
                  plus(at, static_cast<int64_t>(position) * to.group), Value());
  }

  /// Where the pixels of `tile` begin in an image, at channel `first`; those of
  /// a source begin `rows.first` and `columns.first` pixels from there.
  Value cornerOf(const TapOperand &image, const Tile &tile, Value first) {
    Value corner = add(offsetOf(image, Value()), first);
    corner = add(corner, times(tile.sample, image.sample));
    corner = add(corner, times(tile.row, kWinogradPixels * image.row));
    return add(corner, times(tile.column, kWinogradPixels * image.column));
  }

  /// The tiles of a strip of `image`, from `first` on of its channels along
  /// what `to` has.
  void transformImage(const Matrix &matrix, const TapOperand &image,
                      const TapOperand &to, const Strip &strip, Value first) {
    bool isAlongTerms = to.term == 1;
    int64_t lanes = isAlongTerms ? own.lanes : plan.lanes;
    auto type = VectorType::get({lanes}, builder.getF32Type());
    bool isSource = matrix.columns == kWinogradExtent;
    int64_t firstRow = isSource ? rows.first : 0;
    int64_t firstColumn = isSource ? columns.first : 0;
    auto isInside = [&](const WinogradAxis &axis, int64_t tile, int64_t i) {
      return isSource ? axis.isInside(tile, i) : i < axis.countPixels(tile);
    };
    auto emitTile = [&](const Tile &tile) {
      Value corner = cornerOf(image, tile, first);
      Value target = times(tile.number, to.column);
      auto emitVector = [&](Value channel, Value mask) {
        List<Value> values;
        for (int64_t i = 0; i < matrix.columns; ++i)
          for (int64_t j = 0; j < matrix.columns; ++j) {
            Value pixel;
            if (isInside(rows, tile.likeRow, i) &&
                isInside(columns, tile.likeColumn, j))
              pixel = loadAt(type, getFlat(image.buffer),
                             plus(add(corner, channel),
                                  (firstRow + i) * image.row +
                                      (firstColumn + j) * image.column),
                             mask);
            values.push_back(pixel);
          }
        storePositions(transform(matrix, values), type, to,
                       add(target, channel));
      };
      forEachVector(to.column, lanes, isAlongTerms ? sum.terms : sum.width,
                    first, emitVector);
    };
    auto clearLine = [&](Value line) {
      int64_t elements = own.columns * to.column;
      for (int64_t position = 0; position < kWinogradPositions; ++position)
        clear(to.buffer, type, plus(times(line, elements), position * to.group),
              constant(elements));
    };
    if (sum.isWeightGradient)
      forEachTile(strip, emitTile, clearLine);
    else
      forEachTile(strip, emitTile);
  }

  /// The weights of the share of channels from `first` on.
  void transformTaps(Value first) {
    const TapOperand &taps = part.weight;
    auto stepOf = [&](int64_t i, int64_t j) {
      int64_t last = kWinogradTaps - 1;
      return (rows.isReversed ? last - i : i) * taps.row +
             (columns.isReversed ? last - j : j) * taps.column;
    };
    forEach(constant(0), constant(own.terms), [&](Value term) {
      Value from =
          add(add(offsetOf(taps, Value()), first), times(term, taps.term));
      forEachVector(own.width, plan.lanes, sum.width, first,
                    [&](Value channel, Value mask) {
                      List<Value> values;
                      for (int64_t i = 0; i < kWinogradTaps; ++i)
                        for (int64_t j = 0; j < kWinogradTaps; ++j)
                          values.push_back(loadAt(
                              vectorType, getFlat(taps.buffer),
                              plus(add(from, channel), stepOf(i, j)), mask));
                      storePositions(transform(kOfTaps, values), vectorType,
                                     weight(),
                                     add(times(term, weight().term), channel));
                    });
    });
  }

  void transformResult(const Strip &strip, Value first) {
    const TapOperand &image = part.result;
    forEachTile(strip, [&](const Tile &tile) {
      Value corner = cornerOf(image, tile, first);
      auto emitVector = [&](Value channel, Value mask) {
        List<Value> values = transform(
            kOfResult,
            loadPositions(result(),
                          add(times(tile.number, result().column), channel)));
        Value bias;
        if (sum.bias)
          bias = loadAt(vectorType, getFlat(sum.bias.buffer),
                        add(add(offsetOf(sum.bias, Value()), first), channel),
                        mask);
        for (int64_t i = 0; i < rows.countPixels(tile.likeRow); ++i)
          for (int64_t j = 0; j < columns.countPixels(tile.likeColumn); ++j) {
            Value value = values[i * kWinogradPixels + j];
            if (bias)
              value = arith::AddFOp::create(builder, loc, value, bias);
            storeVector(
                builder, loc, value, getFlat(image.buffer),
                plus(add(corner, channel), i * image.row + j * image.column),
                mask);
          }
      };
      forEachVector(own.width, plan.lanes, sum.width, first, emitVector);
    });
  }

  void transformGradient(Value partial, Value firstTerm, Value first) {
    const TapOperand &taps = part.result;
    forEach(constant(0), constant(own.terms), [&](Value term) {
      Value to = add(add(offsetOf(taps, Value()), first),
                     times(add(firstTerm, term), taps.term));
      if (partial)
        to = add(to, times(partial, taps.sample));
      auto emitVector = [&](Value channel, Value mask) {
        List<Value> values = transform(
            kOfGradient,
            loadPositions(result(), add(times(term, result().term), channel)));
        for (int64_t i = 0; i < kWinogradTaps; ++i)
          for (int64_t j = 0; j < kWinogradTaps; ++j)
            storeVector(builder, loc, values[i * kWinogradTaps + j],
                        getFlat(taps.buffer),
                        plus(add(to, channel), i * taps.row + j * taps.column),
                        mask);
      };
      forEachVector(own.width, plan.lanes, sum.width, first, emitVector);
    });
  }

  const WinogradPlan &own;
  const TapPart &part;
  WinogradAxis rows, columns;
  int64_t linesOfSample;
  TapSum products;
  TapSumPlan productPlan;
};

} // namespace

void boostc::emitWinograd(OpBuilder &builder, Location loc, const TapSum &sum,
                          const TapSumPlan &plan, Value begin, Value end) {
  WinogradEmitter emitter(builder, loc, sum, plan);
  if (sum.isWeightGradient)
    emitter.emitGradient(begin, end);
  else
    emitter.emitConvolution(begin, end);
}
