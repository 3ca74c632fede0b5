#include "compiler/lowering/cpu/PairedStripCode.h"
#include "compiler/lowering/cpu/TapSumCost.h"
#include "compiler/lowering/kernels/KernelLoops.h"

using namespace mlir;
using namespace boostc;

namespace {

/// The gradient of weights: pieces are blocks of vectors of some terms. Strips
/// of pixels that stay in the caches meet all taps of a piece, or of all pieces
/// of the thread; sums between strips lie in the result. Either way each sum
/// meets the strips in their order.
class WeightGradientEmitter : PairedStripCode {
public:
  using PairedStripCode::PairedStripCode;

  void emit(Value begin, Value end) {
    forEachPartial(begin, end, plan.pieces / sum.partials,
                   [&](Value partial, Value first, Value last) {
                     emitPieces(partial, first, last);
                   });
  }

private:
  struct Piece {
    const Block &block;
    Range tapRows, terms;
    Value partial;
  };
  /// Elements of both images from a strip to the next one.
  struct Ahead {
    Value source, image;
  };
  struct Strip : PairedStripCode::Strip {
    std::optional<Ahead> ahead; ///< where the next strip is fetched
  };

  void emitPieces(Value partial, Value begin, Value end) {
    forEachPiece(partial, begin, end, [&](const Piece &piece) {
      if (!sum.adds)
        clear(piece);
      if (!plan.sharesStrips)
        for (const TapPart &part : sum.parts)
          forEachStrip(part, partial, [&](const Strip &strip) {
            emitStrip(part, piece, strip);
          });
    });
    if (plan.sharesStrips)
      for (const TapPart &part : sum.parts)
        forEachStrip(part, partial, [&](const Strip &strip) {
          forEachPiece(partial, begin, end, [&](const Piece &piece) {
            emitStrip(part, piece, strip);
          });
        });
  }

  void forEachPiece(Value partial, Value begin, Value end,
                    llvm::function_ref<void(const Piece &)> act) {
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
      Value first =
          times(remainder(piece, groupsOfTiles), plan.tilesOfPiece * plan.tile);
      Value last = minimum(plus(first, plan.tilesOfPiece * plan.tile),
                           constant(sum.terms));
      Block block = decodeBlock(quotient(piece, groupsOfTiles));
      act({block, rows, {first, last}, partial});
    });
  }

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

  void forEachStrip(const TapPart &part, Value partial,
                    llvm::function_ref<void(const Strip &)> act) {
    // Rows of a sample, or whole samples.
    int64_t rows = part.rows.pixels;
    int64_t samples = std::clamp<int64_t>(plan.lines / rows, 1, sum.samples);
    int64_t lines = std::min(plan.lines, rows);
    Range ofSamples = getSamples(partial), ofRows = getRows(part, partial);
    forEach(ofSamples.begin, ofSamples.end, samples, [&](Value sample) {
      Range inSamples{sample, minimum(plus(sample, samples), ofSamples.end)};
      forEach(ofRows.begin, ofRows.end, lines, [&](Value row) {
        Strip strip{{inSamples, {row, minimum(plus(row, lines), ofRows.end)}},
                    std::nullopt};
        if (fetchesAhead(part))
          strip.ahead = measureAhead(part, strip, ofSamples, ofRows);
        act(strip);
      });
    });
  }

  /// Whether a strip is fetched while the one before is multiplied. A CPU does
  /// not see by itself that pixels which lie far apart follow each other, and
  /// waits for each of them. With several taps it has more to do for a pixel.
  bool fetchesAhead(const TapPart &part) const {
    return !plan.inPairs && sum.terms > 1 &&
           part.rows.taps * part.columns.taps == 1 &&
           countBytes(part.source.type) + countBytes(part.weight.type) >
               kSecondCache;
  }

  /// The way from `strip` to the next one, which for the last one is itself.
  Ahead measureAhead(const TapPart &part, const Strip &strip, Range samples,
                     Range rows) {
    Value sample = strip.samples.begin, row = strip.rows.begin;
    Value hasRows = isBelow(strip.rows.end, rows.end);
    Value nextSample = select(hasRows, sample, strip.samples.end);
    Value nextRow = select(hasRows, strip.rows.end, rows.begin);
    Value isThere = isBelow(nextSample, samples.end);
    Value along = select(isThere, subtract(nextSample, sample), constant(0));
    Value down = select(isThere, subtract(nextRow, row), constant(0));
    return {
        add(times(along, part.source.sample),
            times(down, part.rows.pixelStep * part.source.row)),
        add(times(along, part.weight.sample), times(down, part.weight.row))};
  }

  void emitStrip(const TapPart &part, const Piece &piece, const Strip &strip) {
    auto forEachTapRow =
        [&](llvm::function_ref<void(Value, const Strip &)> act) {
          forEach(piece.tapRows.begin, piece.tapRows.end, [&](Value tapRow) {
            Strip seen = strip;
            seen.rows =
                intersect(getInsidePixels(part.rows, tapRow), strip.rows);
            act(tapRow, seen);
          });
        };
    if (sum.terms == 1) {
      forEachTapRow([&](Value tapRow, const Strip &seen) {
        emitTile(part, piece, seen, tapRow, Value(), nullptr, constant(0), 1);
      });
      return;
    }
    forEach(constant(0), constant(part.columns.taps), [&](Value tap) {
      std::optional<Pairs> pairs;
      if (plan.inPairs)
        pairs.emplace(pack(part, piece.block, strip, tap, piece.terms));
      forEachTapRow([&](Value tapRow, const Strip &seen) {
        emitTiles(part, piece, seen, tapRow, tap, pairs ? &*pairs : nullptr);
      });
    });
  }

  void emitTiles(const TapPart &part, const Piece &piece, const Strip &strip,
                 Value tapRow, Value tapColumn, const Pairs *pairs) {
    int64_t full = sum.terms / plan.tile * plan.tile;
    int64_t rest = sum.terms - full;
    if (full > 0) {
      Value end = rest == 0 ? piece.terms.end
                            : minimum(piece.terms.end, constant(full));
      forEach(piece.terms.begin, end, plan.tile, [&](Value term) {
        emitTile(part, piece, strip, tapRow, tapColumn, pairs, term, plan.tile);
      });
    }
    if (rest == 0)
      return;
    // The last piece has them.
    emitIf(isEqual(piece.terms.end, sum.terms), [&] {
      emitTile(part, piece, strip, tapRow, tapColumn, pairs, constant(full),
               rest);
    });
  }

  /// `terms` terms from `term` on, at one tap, or, without one, at all taps of
  /// the row.
  void emitTile(const TapPart &part, const Piece &piece, const Strip &strip,
                Value tapRow, Value tapColumn, const Pairs *pairs, Value term,
                int64_t terms) {
    int64_t taps = tapColumn ? 1 : part.columns.taps;
    Value result = resultAt(part, piece, tapRow,
                            tapColumn ? tapColumn : constant(0), term);
    SmallVector<Value> sums;
    for (int64_t tap = 0; tap < taps; ++tap)
      for (int64_t number = 0; number < terms; ++number)
        for (int64_t vector = 0; vector < plan.vectors; ++vector)
          sums.push_back(load(
              part.result, result,
              tap * part.result.column + number * part.result.term, vector));
    Value source = offsetOf(part.source, piece.block, Value());
    source = add(source, times(term, part.source.term));
    source =
        add(source,
            times(plus(times(tapRow, part.rows.tapStep), part.rows.constant),
                  part.source.row));
    source = plus(source, part.columns.constant * part.source.column);
    if (tapColumn)
      source = add(source,
                   times(tapColumn, part.columns.tapStep * part.source.column));
    Value image = offsetOf(part.weight, piece.block, Value());
    image = add(image, times(term, part.weight.term));
    std::optional<Ahead> ahead = strip.ahead;
    if (ahead) {
      // A tile fetches one vector of each pixel, and the next tile the next.
      Value vector =
          times(remainder(quotient(term, plan.tile), plan.vectors), plan.lanes);
      Value &way = part.source.vector != 0 ? ahead->source : ahead->image;
      way = add(way, vector);
    }
    sums = reduce(strip.samples, sums, [&](Value n, SmallVector<Value> sums) {
      Value a = add(source, times(n, part.source.sample));
      Value b = add(image, times(n, part.weight.sample));
      return reduce(strip.rows, sums, [&](Value row, SmallVector<Value> sums) {
        Value aOfRow =
            add(a, times(row, part.rows.pixelStep * part.source.row));
        Value bOfRow = add(b, times(row, part.weight.row));
        if (pairs) {
          PairedRow paired = getRow(part, *pairs, n, row, tapRow, term);
          sums = reduce({constant(0), pairs->count}, sums,
                        [&](Value pair, SmallVector<Value> sums) {
                          return multiplyPairs(paired, pair, terms, sums);
                        });
        }
        return emitColumns(part, aOfRow, bOfRow, tapColumn, pairs, terms, ahead,
                           sums);
      });
    });
    unsigned number = 0;
    for (int64_t tap = 0; tap < taps; ++tap)
      for (int64_t step = 0; step < terms; ++step)
        for (int64_t vector = 0; vector < plan.vectors; ++vector)
          storeSum(sums[number++], part.result, result,
                   tap * part.result.column + step * part.result.term, vector);
  }

  /// The sums with the products of a row of pixels added, but for `pairs`.
  SmallVector<Value> emitColumns(const TapPart &part, Value source, Value image,
                                 Value tapColumn, const Pairs *pairs,
                                 int64_t terms,
                                 const std::optional<Ahead> &ahead,
                                 SmallVector<Value> sums) {
    auto emitPixel = [&](Value pixel, ArrayRef<Value> sums,
                         llvm::function_ref<bool(int64_t)> isSeen) {
      Value ofSource = add(
          source, times(pixel, part.columns.pixelStep * part.source.column));
      Value ofImage = add(image, times(pixel, part.weight.column));
      if (ahead) {
        prefetch(part.source, add(ofSource, ahead->source));
        prefetch(part.weight, add(ofImage, ahead->image));
      }
      return multiply(part, ofSource, ofImage,
                      tapColumn ? 1 : part.columns.taps, terms, sums, isSeen);
    };
    auto always = [](int64_t) { return true; };
    if (tapColumn) {
      Range seen = getInsidePixels(part.columns, tapColumn);
      if (pairs) {
        if (!part.columns.isGuarded() && part.columns.pixels % 2 == 0)
          return sums;
        seen.begin = add(pairs->pixel, times(pairs->count, 2));
      }
      return reduce(seen, sums, [&](Value pixel, SmallVector<Value> sums) {
        return emitPixel(pixel, sums, always);
      });
    }
    // All taps at once: pixels at the borders see some of them.
    auto seesAll = [&](int64_t pixel) {
      return !part.columns.slice(pixel, 1).isGuarded();
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
    Value at = offsetOf(part.result, piece.block, piece.partial);
    at = add(at, times(tapRow, part.result.row));
    at = add(at, times(tapColumn, part.result.column));
    return add(at, times(term, part.result.term));
  }
};

} // namespace

void boostc::emitTapGradient(OpBuilder &builder, Location loc,
                             const TapSum &sum, const TapSumPlan &plan,
                             Value begin, Value end) {
  WeightGradientEmitter(builder, loc, sum, plan).emit(begin, end);
}
