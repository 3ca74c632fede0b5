#include "compiler/lowering/cpu/TileStripCode.h"
#include "compiler/lowering/cpu/VectorAccess.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace boostc;

namespace {

/// The gradient of weights: pieces are some channels of the source and some of
/// the pixels' image. Sums of a piece stay in memory of the kernel, where tiles
/// add up one strip of pixels after the other.
class TileGradientEmitter : TileStripCode {
public:
  TileGradientEmitter(OpBuilder &builder, Location loc, const TapSum &sum,
                      const TapSumPlan &plan)
      : TileStripCode(builder, loc, sum, plan),
        tapRows(sum.parts.front().rows.taps),
        tapColumns(sum.parts.front().columns.taps) {
    sums = reserve(tapRows * tapColumns * getSumsOfTap(), builder.getF32Type());
  }

  void emit(Value begin, Value end) {
    int64_t channelBlocks =
        llvm::divideCeil(sum.countSourceChannels(), tiles.channels);
    int64_t filterBlocks =
        llvm::divideCeil(sum.countImageChannels(), tiles.filters);
    forEachPartial(
        begin, end, plan.pieces / sum.partials,
        [&](Value partial, Value first, Value last) {
          forEach(first, last, [&](Value number) {
            Value block = quotient(number, filterBlocks);
            Piece piece{quotient(block, channelBlocks),
                        times(remainder(block, channelBlocks), tiles.channels),
                        times(remainder(number, filterBlocks), tiles.filters),
                        partial};
            clearSums();
            for (auto [part, strip] : llvm::zip_equal(sum.parts, strips))
              emitPart(part, strip, piece);
            store(piece);
          });
        });
  }

private:
  int64_t getSumsOfTap() const { return tiles.channels * tiles.filters; }

  void clearSums() {
    TapSumCode::clear(sums, VectorType::get({kTileSums}, builder.getF32Type()),
                      constant(0),
                      constant(tapRows * tapColumns * getSumsOfTap()));
  }

  void emitPart(const TapPart &part, const TileGradientStrip &strip,
                const Piece &piece) {
    Range samples = getSamples(piece.partial);
    Range rows = getRows(part, piece.partial);
    forEach(samples.begin, samples.end, tiles.samples, [&](Value sample) {
      forEach(rows.begin, rows.end, tiles.rows, [&](Value row) {
        Value positions = put(part, strip, piece, sample, row);
        multiply(strip, positions);
      });
    });
  }

  /// Taps are innermost: what tiles of two rows and two columns read stays in
  /// the first cache for all of them.
  void multiply(const TileGradientStrip &strip, Value positions) {
    forTiles(tiles.channels / kTileRows, [&](Value channel, int64_t rows) {
      forTiles(tiles.filters / kTileSums, [&](Value filter, int64_t columns) {
        forEach(constant(0), constant(tapRows), [&](Value tapRow) {
          forEach(constant(0), constant(tapColumns), [&](Value tapColumn) {
            Value ofTap = times(add(times(tapRow, tapColumns), tapColumn),
                                getSumsOfTap());
            Value corner =
                add(add(ofTap, times(channel, kTileRows * tiles.filters)),
                    times(filter, kTileSums));
            Value source = add(getShift(strip, tapRow, tapColumn),
                               times(channel, kTileRows * strip.pitch));
            multiplyTap(strip, positions, corner, source,
                        times(filter, 2 * kTileSums), rows, columns);
          });
        });
      });
    });
  }

  /// From a pixel of the first channel to what a tap sees of it.
  Value getShift(const TileGradientStrip &strip, Value tapRow,
                 Value tapColumn) {
    Value row = plus(times(tapRow, strip.rows.tapStep), strip.rows.firstTap);
    Value column =
        plus(times(tapColumn, strip.columns.tapStep), strip.columns.firstTap);
    int64_t rowPhases = strip.rows.phases, phases = strip.columns.phases;
    Value phase = add(times(remainder(row, rowPhases), phases),
                      remainder(column, phases));
    Value shift = add(times(quotient(row, rowPhases), strip.width),
                      quotient(column, phases));
    return add(times(phase, strip.pitch * tiles.channels), shift);
  }

  void multiplyTap(const TileGradientStrip &strip, Value positions,
                   Value corner, Value source, Value ofFilter, int64_t rows,
                   int64_t columns) {
    int64_t filters = tiles.filters, pitch = strip.pitch;
    SmallVector<Value> places, results;
    for (int64_t row = 0; row < rows; ++row)
      for (int64_t column = 0; column < columns; ++column) {
        places.push_back(
            plus(corner, row * kTileRows * filters + column * kTileSums));
        results.push_back(loadTile(sums, places.back(), filters));
      }
    results = reduce(
        {constant(0), positions}, results,
        [&](Value pixel, List<Value> results) {
          return multiplyTiles(
              rows, columns,
              [&](int64_t row) {
                return loadTile(
                    channels, plus(add(source, pixel), row * kTileRows * pitch),
                    pitch);
              },
              [&](int64_t column) {
                return loadTile(pairs,
                                plus(add(ofFilter, times(pixel, filters)),
                                     column * 2 * kTileSums),
                                2 * filters);
              },
              std::move(results));
        },
        kTileTerms);
    for (auto [result, place] : llvm::zip_equal(results, places))
      storeTile(result, sums, place, filters);
  }

  void store(const Piece &piece) {
    const TapOperand &result = sum.parts.front().result;
    Value corner =
        add(offsetOf(result, piece.group), times(piece.partial, result.sample));
    int64_t filterStep = sourceIsVector ? result.term : result.vector;
    int64_t channelStep = sourceIsVector ? result.vector : result.term;
    corner = add(corner, times(piece.channel, channelStep));
    corner = add(corner, times(piece.filter, filterStep));
    auto left = [&](int64_t extent, Value first, int64_t count) -> Value {
      if (extent % count == 0)
        return constant(count);
      return minimum(constant(count), subtract(constant(extent), first));
    };
    Value channels =
        left(sum.countSourceChannels(), piece.channel, tiles.channels);
    Value filters = left(sum.countImageChannels(), piece.filter, tiles.filters);
    forEach(constant(0), constant(tapRows), [&](Value tapRow) {
      forEach(constant(0), constant(tapColumns), [&](Value tapColumn) {
        Value from =
            times(add(times(tapRow, tapColumns), tapColumn), getSumsOfTap());
        Value to = add(add(corner, times(tapRow, result.row)),
                       times(tapColumn, result.column));
        if (sourceIsVector)
          storeTransposed(from, to, channels, filters);
        else
          storeRows(from, to, channels, filters);
      });
    });
  }

  Value getMask(Value end, Value first) {
    return emitMasks(builder, loc, kTileSums, 1, end, first).front();
  }
  Value loadSums(Value at) {
    auto type = VectorType::get({kTileSums}, builder.getF32Type());
    return loadVector(builder, loc, type, sums, at, /*mask=*/Value());
  }
  void storeResult(Value vector, Value at, Value mask) {
    storeVector(builder, loc, vector, getFlat(sum.parts.front().result.buffer),
                at, mask);
  }

  void storeRows(Value from, Value to, Value channels, Value filters) {
    int64_t step = sum.parts.front().result.term;
    forEach(constant(0), filters, kTileSums, [&](Value filter) {
      Value mask = getMask(filters, filter);
      forEach(constant(0), channels, [&](Value channel) {
        storeResult(
            loadSums(add(add(from, times(channel, tiles.filters)), filter)),
            add(add(to, times(channel, step)), filter), mask);
      });
    });
  }

  /// Channels are neighbours in the result.
  void storeTransposed(Value from, Value to, Value channels, Value filters) {
    int64_t step = sum.parts.front().result.term;
    forEach(constant(0), channels, kTileRows, [&](Value channel) {
      Value mask = getMask(channels, channel);
      forEach(constant(0), filters, kTileSums, [&](Value filter) {
        Value corner = add(add(from, times(channel, tiles.filters)), filter);
        SmallVector<Value> vectors;
        for (int64_t row = 0; row < kTileRows; ++row)
          vectors.push_back(loadSums(plus(corner, row * tiles.filters)));
        transposeVectors(builder, loc, vectors);
        Value at = add(add(to, channel), times(filter, step));
        for (int64_t column = 0; column < kTileSums; ++column) {
          auto storeColumn = [&] {
            storeResult(vectors[column], plus(at, column * step), mask);
          };
          if (sum.countImageChannels() % kTileSums == 0)
            storeColumn();
          else
            emitIf(isBelow(plus(filter, column), filters), storeColumn);
        }
      });
    });
  }

  int64_t tapRows, tapColumns;
  Value sums;
};

} // namespace

void boostc::emitTileGradient(OpBuilder &builder, Location loc,
                              const TapSum &sum, const TapSumPlan &plan,
                              Value begin, Value end) {
  TileGradientEmitter(builder, loc, sum, plan).emit(begin, end);
}
