#include "compiler/lowering/cpu/TapSumCode.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace boostc;

namespace {

/// A convolution or the gradient of its input: pieces are blocks of vectors of
/// some rows of pixels.
class GatherEmitter : TapSumCode {
public:
  using TapSumCode::TapSumCode;

  void emit(Value begin, Value end) {
    int64_t blocks = plan.countBlocks(sum);
    int64_t rows = sum.getRows();
    int64_t lines = sum.samples / plan.samples * rows;
    forEach(begin, end, [&](Value piece) {
      Block block = decodeBlock(remainder(piece, blocks));
      Value strip = times(quotient(piece, blocks), plan.lines);
      Value last = minimum(plus(strip, plan.lines), constant(lines));
      forEach(strip, last, [&](Value line) {
        Value sample = times(quotient(line, rows), plan.samples);
        Value row = remainder(line, rows);
        for (const TapPart &part : sum.parts) {
          if (part.rows.pixels == rows) {
            emitRow(part, block, sample, row);
            continue;
          }
          Value isInside = isBelow(row, part.rows.pixels);
          emitIf(isInside, [&] { emitRow(part, block, sample, row); });
        }
      });
    });
  }

private:
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
    TapAxis axis = part.columns;
    axis.constant += axis.pixelStep * first;
    axis.pixels = tile;
    return !axis.isGuarded();
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
      source = add(source, times(first, part.columns.pixelStep *
                                            part.source.column));
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
          return emitAllTaps(part, a, b, pixels, sums, seesAt);
        if (!isInside) {
          // One loop for each tap: which pixels see it is known.
          for (int64_t tap = 0; tap < taps; ++tap)
            sums = emitTerms(
                part,
                plus(a, tap * part.columns.tapStep * part.source.column),
                plus(b, tap * part.weight.column), pixels, sums,
                [&](int64_t pixel) { return seesAt(pixel, tap); });
          return sums;
        }
        Range columns{constant(0), constant(taps)};
        if (taps == 1)
          columns = {};
        return reduce(columns, sums, [&](Value tap, SmallVector<Value> sums) {
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

  /// The sums with all taps of a row added; they share what they load.
  SmallVector<Value>
  emitAllTaps(const TapPart &part, Value source, Value weight, int64_t pixels,
              SmallVector<Value> sums,
              llvm::function_ref<bool(int64_t, int64_t)> seesAt) {
    Loads loads;
    for (int64_t tap = 0; tap < part.columns.taps; ++tap)
      sums = multiply(part, source, weight, tap, pixels, sums, loads,
                      [&](int64_t pixel) { return seesAt(pixel, tap); });
    return sums;
  }

  /// The sums with the terms of one tap added.
  SmallVector<Value> emitTerms(const TapPart &part, Value source, Value weight,
                               int64_t pixels, SmallVector<Value> sums,
                               llvm::function_ref<bool(int64_t)> sees) {
    return reduce(Range{constant(0), constant(sum.terms)}, sums,
                  [&](Value term, SmallVector<Value> sums) {
                    Loads loads;
                    return multiply(
                        part, add(source, times(term, part.source.term)),
                        add(weight, times(term, part.weight.term)), 0, pixels,
                        sums, loads, sees);
                  });
  }

  /// The sums with a tap's products added, for the pixels that see it.
  SmallVector<Value> multiply(const TapPart &part, Value source, Value weight,
                              int64_t tap, int64_t pixels,
                              ArrayRef<Value> sums, Loads &loads,
                              llvm::function_ref<bool(int64_t)> sees) {
    SmallVector<Value> next(sums);
    SmallVector<Value> weights(plan.vectors);
    unsigned number = 0;
    for (int64_t sample = 0; sample < plan.samples; ++sample)
      for (int64_t pixel = 0; pixel < pixels; ++pixel)
        for (int64_t vector = 0; vector < plan.vectors; ++vector) {
          Value &result = next[number++];
          if (!sees(pixel))
            continue;
          if (!weights[vector])
            weights[vector] = load(part.weight, weight,
                                   tap * part.weight.column, vector);
          int64_t step = sample * part.source.sample +
                         (pixel * part.columns.pixelStep +
                          tap * part.columns.tapStep) *
                             part.source.column;
          Value factor = load(part.source, source, step, vector, loads);
          result = multiplyAdd(factor, weights[vector], result);
        }
    return next;
  }

  SmallVector<Value> getInitialSums(const Block &block, int64_t pixels) {
    SmallVector<Value> sums;
    for (int64_t vector = 0; vector < plan.vectors; ++vector)
      sums.push_back(sum.bias ? load(sum.bias, offsetOf(sum.bias, block, {}), 0,
                                     vector)
                              : zero());
    SmallVector<Value> all;
    for (int64_t pixel = 0; pixel < plan.samples * pixels; ++pixel)
      llvm::append_range(all, sums);
    return all;
  }

  void store(const Row &at, Value first, int64_t pixels,
             ArrayRef<Value> sums) {
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
};

/// The gradient of weights: pieces are blocks of vectors of some terms. Strips
/// of pixels that stay in the caches meet all taps of a piece; sums between
/// strips lie in the result.
class WeightGradientEmitter : TapSumCode {
public:
  using TapSumCode::TapSumCode;

  void emit(Value begin, Value end) {
    int64_t tapRows = sum.parts.front().rows.taps;
    int64_t tiles = llvm::divideCeil(sum.terms, plan.tile);
    int64_t groupsOfTiles = llvm::divideCeil(tiles, plan.tilesOfPiece);
    forEach(begin, end, [&](Value piece) {
      Range rows{constant(0), constant(tapRows)};
      if (plan.splitsTapRows) {
        Value row = remainder(piece, tapRows);
        rows = {row, plus(row, 1)};
        piece = quotient(piece, tapRows);
      }
      Value first = times(remainder(piece, groupsOfTiles),
                          plan.tilesOfPiece * plan.tile);
      Value last = minimum(plus(first, plan.tilesOfPiece * plan.tile),
                           constant(sum.terms));
      Block block = decodeBlock(quotient(piece, groupsOfTiles));
      Piece all{block, rows, {first, last}};
      clear(all);
      for (const TapPart &part : sum.parts)
        emitStrips(part, all);
    });
  }

private:
  struct Piece {
    const Block &block;
    Range tapRows, terms;
  };

  /// Sets the piece's part of the result to zero.
  void clear(const Piece &piece) {
    const TapPart &part = sum.parts.front();
    forEach(piece.tapRows.begin, piece.tapRows.end, [&](Value tapRow) {
      forEach(constant(0), constant(part.columns.taps), [&](Value tapColumn) {
        forEach(piece.terms.begin, piece.terms.end, [&](Value term) {
          Value at = resultAt(part, piece, tapRow, tapColumn, term);
          for (int64_t vector = 0; vector < plan.vectors; ++vector)
            storeSum(zero(), part.result, at, 0, vector);
        });
      });
    });
  }

  void emitStrips(const TapPart &part, const Piece &piece) {
    // Rows of a sample, or whole samples.
    int64_t rows = part.rows.pixels;
    int64_t samples = std::clamp<int64_t>(plan.lines / rows, 1, sum.samples);
    int64_t lines = std::min(plan.lines, rows);
    forEach(constant(0), constant(sum.samples), samples, [&](Value sample) {
      Range inSamples{sample,
                      minimum(plus(sample, samples), constant(sum.samples))};
      forEach(constant(0), constant(rows), lines, [&](Value row) {
        Range inRows{row, minimum(plus(row, lines), constant(rows))};
        forEach(piece.tapRows.begin, piece.tapRows.end, [&](Value tapRow) {
          Range pixels = intersect(getInsidePixels(part.rows, tapRow), inRows);
          if (sum.terms == 1) {
            emitTile(part, piece, {inSamples, pixels}, tapRow, Value(),
                     constant(0), 1);
            return;
          }
          forEach(constant(0), constant(part.columns.taps), [&](Value tap) {
            emitTiles(part, piece, {inSamples, pixels}, tapRow, tap);
          });
        });
      });
    });
  }

  struct Strip {
    Range samples, rows;
  };

  void emitTiles(const TapPart &part, const Piece &piece, const Strip &strip,
                 Value tapRow, Value tapColumn) {
    int64_t full = sum.terms / plan.tile * plan.tile;
    int64_t rest = sum.terms - full;
    if (full > 0) {
      Value end = rest == 0 ? piece.terms.end
                            : minimum(piece.terms.end, constant(full));
      forEach(piece.terms.begin, end, plan.tile, [&](Value term) {
        emitTile(part, piece, strip, tapRow, tapColumn, term, plan.tile);
      });
    }
    if (rest == 0)
      return;
    // Of the last piece.
    emitIf(isEqual(piece.terms.end, sum.terms), [&] {
      emitTile(part, piece, strip, tapRow, tapColumn, constant(full), rest);
    });
  }

  /// `terms` terms from `term` on, at one tap, or, without one, at all taps of
  /// the row.
  void emitTile(const TapPart &part, const Piece &piece, const Strip &strip,
                Value tapRow, Value tapColumn, Value term, int64_t terms) {
    int64_t taps = tapColumn ? 1 : part.columns.taps;
    Value result = resultAt(part, piece, tapRow,
                            tapColumn ? tapColumn : constant(0), term);
    SmallVector<Value> sums;
    for (int64_t tap = 0; tap < taps; ++tap)
      for (int64_t number = 0; number < terms; ++number)
        for (int64_t vector = 0; vector < plan.vectors; ++vector)
          sums.push_back(load(part.result, result,
                              tap * part.result.column +
                                  number * part.result.term,
                              vector));
    Value source = offsetOf(part.source, piece.block, Value());
    source = add(source, times(term, part.source.term));
    source = add(source, times(plus(times(tapRow, part.rows.tapStep),
                                    part.rows.constant),
                               part.source.row));
    source = plus(source, part.columns.constant * part.source.column);
    if (tapColumn)
      source = add(source, times(tapColumn, part.columns.tapStep *
                                                part.source.column));
    Value image = offsetOf(part.weight, piece.block, Value());
    image = add(image, times(term, part.weight.term));
    sums = reduce(strip.samples, sums, [&](Value n, SmallVector<Value> sums) {
      Value a = add(source, times(n, part.source.sample));
      Value b = add(image, times(n, part.weight.sample));
      return reduce(strip.rows, sums, [&](Value row, SmallVector<Value> sums) {
        Value aOfRow =
            add(a, times(row, part.rows.pixelStep * part.source.row));
        Value bOfRow = add(b, times(row, part.weight.row));
        return emitColumns(part, aOfRow, bOfRow, tapColumn, terms, sums);
      });
    });
    unsigned number = 0;
    for (int64_t tap = 0; tap < taps; ++tap)
      for (int64_t step = 0; step < terms; ++step)
        for (int64_t vector = 0; vector < plan.vectors; ++vector)
          storeSum(sums[number++], part.result, result,
                   tap * part.result.column + step * part.result.term, vector);
  }

  /// The sums with the products of a row of pixels added.
  SmallVector<Value> emitColumns(const TapPart &part, Value source, Value image,
                                 Value tapColumn, int64_t terms,
                                 SmallVector<Value> sums) {
    auto emitPixel = [&](Value pixel, ArrayRef<Value> sums,
                         llvm::function_ref<bool(int64_t)> isSeen) {
      return multiply(
          part,
          add(source, times(pixel, part.columns.pixelStep *
                                       part.source.column)),
          add(image, times(pixel, part.weight.column)),
          tapColumn ? 1 : part.columns.taps, terms, sums, isSeen);
    };
    auto always = [](int64_t) { return true; };
    if (tapColumn)
      return reduce(getInsidePixels(part.columns, tapColumn), sums,
                    [&](Value pixel, SmallVector<Value> sums) {
                      return emitPixel(pixel, sums, always);
                    });
    // All taps at once: pixels at the borders see some of them.
    auto seesAll = [&](int64_t pixel) {
      TapAxis axis = part.columns;
      axis.constant += axis.pixelStep * pixel;
      axis.pixels = 1;
      return !axis.isGuarded();
    };
    int64_t first = 0, last = part.columns.pixels;
    while (first < last && !seesAll(first))
      ++first;
    while (last > first && !seesAll(last - 1))
      --last;
    auto emitBorder = [&](int64_t begin, int64_t end) {
      for (int64_t pixel = begin; pixel < end; ++pixel)
        sums = emitPixel(constant(pixel), sums, [&](int64_t tap) {
          return part.columns.isInside(pixel, tap);
        });
    };
    emitBorder(0, first);
    sums = reduce({constant(first), constant(last)}, sums,
                  [&](Value pixel, SmallVector<Value> sums) {
                    return emitPixel(pixel, sums, always);
                  });
    emitBorder(last, part.columns.pixels);
    return sums;
  }

  SmallVector<Value> multiply(const TapPart &part, Value source, Value image,
                              int64_t taps, int64_t terms, ArrayRef<Value> sums,
                              llvm::function_ref<bool(int64_t)> isSeen) {
    SmallVector<Value> next;
    Loads ofSource, ofImage;
    for (int64_t tap = 0; tap < taps; ++tap)
      for (int64_t term = 0; term < terms; ++term)
        for (int64_t vector = 0; vector < plan.vectors; ++vector) {
          Value old = sums[next.size()];
          if (!isSeen(tap)) {
            next.push_back(old);
            continue;
          }
          Value a = load(part.source, source,
                         tap * part.columns.tapStep * part.source.column +
                             term * part.source.term,
                         vector, ofSource);
          Value b = load(part.weight, image, term * part.weight.term, vector,
                         ofImage);
          next.push_back(multiplyAdd(a, b, old));
        }
    return next;
  }

  Value resultAt(const TapPart &part, const Piece &piece, Value tapRow,
                 Value tapColumn, Value term) {
    Value at = offsetOf(part.result, piece.block, Value());
    at = add(at, times(tapRow, part.result.row));
    at = add(at, times(tapColumn, part.result.column));
    return add(at, times(term, part.result.term));
  }
};

} // namespace

void boostc::emitTapSum(OpBuilder &builder, Location loc, const TapSum &sum,
                        const TapSumPlan &plan, Value begin, Value end) {
  if (sum.isWeightGradient)
    WeightGradientEmitter(builder, loc, sum, plan).emit(begin, end);
  else
    GatherEmitter(builder, loc, sum, plan).emit(begin, end);
}
