#include "compiler/lowering/cpu/TileCode.h"
#include "compiler/lowering/cpu/VectorAccess.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace boostc;

namespace {

/// A convolution or the gradient of its input: pieces are strips of pixels,
/// for as many filters as weights are put together at once.
class TileSumEmitter : TileCode {
public:
  TileSumEmitter(OpBuilder &builder, Location loc, const TapSum &sum,
                 const TapSumPlan &plan)
      : TileCode(builder, loc, sum, plan), tiles(*plan.tiles),
        columns(plan.vectors * kTileSums) {
    int64_t elements = 0, sums = 0;
    for (const TapPart &part : sum.parts) {
      strips.push_back(TileStrip::get(sum, part, tiles.rows));
      const TileStrip &strip = strips.back();
      firstWeights.push_back(weightsOfBlock);
      weightsOfBlock += strip.countSteps() * kTileTerms * columns;
      if (!strip.isDirect)
        elements = std::max(elements, strip.countElements(sum));
      sums = std::max(sums, strip.countRun(tiles.rows, part));
    }
    Type low = builder.getBF16Type();
    if (elements > 0)
      image = reserve(elements, low);
    weights = reserve(std::max<int64_t>(1, tiles.blocks * weightsOfBlock), low);
    results = reserve((sums + kTileRows) * columns, builder.getF32Type());
  }

  void emit(Value begin, Value end) {
    int64_t blocks = plan.countBlocks(sum) / sum.groups;
    int64_t shares = llvm::divideCeil(blocks, tiles.blocks);
    int64_t chunksOfSample = llvm::divideCeil(sum.getRows(), tiles.rows);
    int64_t chunks = sum.samples * chunksOfSample;
    bool packsOnce = shares * sum.groups == 1;
    if (packsOnce)
      packWeights(constant(0), constant(blocks));
    forEach(begin, end, [&](Value piece) {
      Value share = remainder(piece, shares * sum.groups);
      Value first = times(remainder(share, shares), tiles.blocks);
      Value last = minimum(plus(first, tiles.blocks), constant(blocks));
      Value ofGroup = times(quotient(share, shares), blocks);
      first = add(first, ofGroup);
      last = add(last, ofGroup);
      if (!packsOnce)
        packWeights(first, last);
      Value chunk = times(quotient(piece, shares * sum.groups), plan.lines);
      Value stop = minimum(plus(chunk, plan.lines), constant(chunks));
      forEach(chunk, stop, [&](Value chunk) {
        Value sample = quotient(chunk, chunksOfSample);
        Value row = times(remainder(chunk, chunksOfSample), tiles.rows);
        for (unsigned part = 0; part < sum.parts.size(); ++part) {
          int64_t rows = sum.parts[part].rows.pixels;
          auto emit = [&] { emitStrip(part, {first, last}, sample, row); };
          if (rows == sum.getRows())
            emit();
          else
            emitIf(isBelow(row, rows), emit);
        }
      });
    });
  }

private:
  /// The weights of blocks [first, last): pairs of rows, in the order in which
  /// terms lie in a strip.
  void packWeights(Value first, Value last) {
    forEach(first, last, [&](Value number) {
      Block block = decodeBlock(number);
      Value to = times(subtract(number, first), weightsOfBlock);
      for (auto [part, strip, ofPart] :
           llvm::zip_equal(sum.parts, strips, firstWeights))
        packPart(part, strip, block, plus(to, ofPart));
    });
  }

  void packPart(const TapPart &part, const TileStrip &strip, const Block &block,
                Value to) {
    const TapOperand &weight = part.weight;
    Value from = offsetOf(weight, block, Value());
    int64_t rowOfTerms = strip.terms * columns;
    int64_t tapsOfRow = strip.foldsTaps ? part.columns.taps : 1;
    int64_t terms = tapsOfRow * sum.terms;
    auto store = [&](Value pairs, Value to, int64_t vector) {
      storeVector(builder, loc, pairs, weights,
                  plus(to, vector * 2 * kTileSums), /*mask=*/Value());
    };
    forEach(constant(0), constant(strip.tapRows), [&](Value row) {
      Value fromRow = add(from, times(row, weight.row));
      Value toRow = add(to, times(row, strip.tapColumns * rowOfTerms));
      forEach(constant(0), constant(strip.tapColumns), [&](Value column) {
        Value fromColumn = add(fromRow, times(column, weight.column));
        Value toColumn = add(toRow, times(column, rowOfTerms));
        if (sum.terms % 2 == 0)
          packEvenTerms(part, fromColumn, toColumn, tapsOfRow, store);
        else
          packOddTerms(part, fromColumn, toColumn, tapsOfRow, store);
        int64_t packed = terms + terms % 2;
        clearWeights(plus(toColumn, packed * columns),
                     (strip.terms - packed) * columns);
      });
    });
  }

  /// The tap of a row that lies at place `number` of a strip.
  static int64_t getTap(const TapPart &part, int64_t number) {
    return part.columns.tapStep > 0 ? number : part.columns.taps - 1 - number;
  }

  using Store = llvm::function_ref<void(Value, Value, int64_t)>;
  void packEvenTerms(const TapPart &part, Value from, Value to, int64_t taps,
                     Store store) {
    const TapOperand &weight = part.weight;
    forEach(constant(0), constant(taps), [&](Value number) {
      Value tap = part.columns.tapStep > 0 || taps == 1
                      ? number
                      : subtract(constant(taps - 1), number);
      Value fromTap = add(from, times(tap, weight.column));
      Value toTap = add(to, times(number, sum.terms * columns));
      forEach(constant(0), constant(sum.terms), 2, [&](Value term) {
        Value at = add(fromTap, times(term, weight.term));
        Loads loads;
        for (int64_t vector = 0; vector < plan.vectors; ++vector)
          store(load(weight, at, 0, vector, loads, weight.term),
                add(toTap, times(term, columns)), vector);
      });
    });
  }

  /// Pairs of which the terms of two taps are one.
  void packOddTerms(const TapPart &part, Value from, Value to, int64_t taps,
                    Store store) {
    const TapOperand &weight = part.weight;
    auto type = VectorType::get({kTileSums}, builder.getBF16Type());
    for (int64_t term = 0; term < taps * sum.terms; term += 2)
      for (int64_t vector = 0; vector < plan.vectors; ++vector) {
        auto at = [&](int64_t number) -> Value {
          if (number == taps * sum.terms)
            return getZeros(type);
          int64_t tap = taps == 1 ? 0 : getTap(part, number / sum.terms);
          int64_t step = tap * weight.column + number % sum.terms * weight.term;
          return loadStored(weight, from, step, vector);
        };
        Value one = at(term);
        store(interleave(one, at(term + 1)), plus(to, term * columns), vector);
      }
  }

  void clearWeights(Value to, int64_t elements) {
    if (elements > 0)
      clear(weights, to, constant(elements));
  }

  void emitStrip(unsigned number, Range blocks, Value sample, Value row) {
    const TapPart &part = sum.parts[number];
    const TileStrip &strip = strips[number];
    int64_t rows = part.rows.pixels;
    Value count = constant(tiles.rows);
    if (rows % tiles.rows != 0)
      count = minimum(count, subtract(constant(rows), row));
    // All blocks are of one group.
    if (!strip.isDirect && strip.tapRows > 0)
      fillStrip(part, strip, decodeBlock(blocks.begin), sample, row, count);
    forEach(blocks.begin, blocks.end, [&](Value blockNumber) {
      Block block = decodeBlock(blockNumber);
      Value ofBlock =
          plus(times(subtract(blockNumber, blocks.begin), weightsOfBlock),
               firstWeights[number]);
      Value source;
      if (strip.isDirect)
        source = add(offsetOf(part.source, block, sample),
                     times(row, part.source.row));
      if (strip.isFlat) {
        // Without the columns between the last row and one that is not there.
        int64_t gap = strip.countRun(1, part) - strip.width;
        multiply(part, strip, source ? source : constant(0), ofBlock,
                 plus(times(count, strip.width), gap), constant(0));
      } else {
        int64_t pitch = strip.width * strip.rows.step * sum.terms;
        forEach(constant(0), count, [&](Value number) {
          Value ofRow = source ? add(source, times(number, part.source.row))
                               : times(number, pitch);
          multiply(part, strip, ofRow, ofBlock, constant(part.columns.pixels),
                   times(number, strip.width * columns));
        });
      }
      store(part, strip, block, sample, row, count);
    });
  }

  void fillStrip(const TapPart &part, const TileStrip &strip,
                 const Block &block, Value sample, Value row, Value rows) {
    int64_t step = part.rows.pixelStep;
    Pixels pixels{part.source,
                  offsetOf(part.source, block, sample),
                  plus(times(row, step), strip.rows.first),
                  strip.rows.sourceStep,
                  {},
                  strip.columns.first,
                  strip.columns.sourceStep,
                  part.columns.extent,
                  strip.width,
                  sum.terms,
                  {}};
    if (part.rows.isGuarded())
      pixels.inside = {constant(0), constant(part.rows.extent)};
    Value count =
        plus(times(plus(rows, -1), strip.rows.step), strip.rows.halo + 1);
    fill(pixels, count, image, constant(0));
  }

  /// `run` pixels from offset `source` on, whose sums go to `result`.
  void multiply(const TapPart &part, const TileStrip &strip, Value source,
                Value weight, Value run, Value result) {
    Value last = plus(run, -kTileRows);
    Value count = quotient(plus(run, kTileRows - 1), kTileRows);
    forTiles(count, [&](Value first, int64_t count) {
      SmallVector<Value> pixels;
      for (int64_t tile = 0; tile < count; ++tile) {
        Value pixel = times(plus(first, tile), kTileRows);
        // Nothing lies after the last pixel where it is read in place: a last
        // tile has pixels of the one before.
        pixels.push_back(strip.isDirect ? minimum(pixel, last) : pixel);
      }
      SmallVector<Value> sums = sumTaps(part, strip, source, weight, pixels);
      unsigned number = 0;
      for (Value pixel : pixels)
        for (int64_t column = 0; column < plan.vectors; ++column)
          storeTile(
              sums[number++], results,
              plus(add(result, times(pixel, columns)), column * kTileSums),
              columns);
    });
  }

  /// The sums of the tiles that begin with `pixels`.
  List<Value> sumTaps(const TapPart &part, const TileStrip &strip, Value source,
                      Value weight, ArrayRef<Value> pixels) {
    int64_t weightsOfTap = strip.terms * columns;
    SmallVector<Value> sums;
    for (size_t tile = 0; tile < pixels.size() * plan.vectors; ++tile)
      sums.push_back(zeroTile());
    auto sumRow = [&](Value tapRow, List<Value> sums) {
      Value row = plus(times(tapRow, strip.rows.tapStep), strip.rows.firstTap);
      Value from = add(source, times(row, strip.width * sum.terms));
      Value ofRow = add(weight, times(tapRow, strip.tapColumns * weightsOfTap));
      auto sumTap = [&](Value tap, List<Value> sums) {
        Value column =
            plus(times(tap, strip.columns.tapStep), strip.columns.firstTap);
        Value at = strip.foldsTaps ? from : add(from, times(column, sum.terms));
        return sumTerms(part, strip, at, add(ofRow, times(tap, weightsOfTap)),
                        pixels, std::move(sums));
      };
      return reduceOver(strip.tapColumns, 1, std::move(sums), sumTap);
    };
    return reduceOver(strip.tapRows, 1, std::move(sums), sumRow);
  }

  List<Value> sumTerms(const TapPart &part, const TileStrip &strip,
                       Value source, Value weight, ArrayRef<Value> pixels,
                       List<Value> sums) {
    Value buffer = strip.isDirect ? getFlat(part.source.buffer) : image;
    int64_t pitch =
        strip.isDirect ? part.source.column : strip.columns.step * sum.terms;
    auto step = [&](Value term, List<Value> sums) {
      Value from = term ? add(source, term) : source;
      Value row = add(weight, times(term, columns));
      return multiplyTiles(
          pixels.size(), plan.vectors,
          [&](int64_t tile) {
            return loadTile(buffer, add(from, times(pixels[tile], pitch)),
                            pitch);
          },
          [&](int64_t column) {
            return loadTile(weights, plus(row, column * 2 * kTileSums),
                            2 * columns);
          },
          std::move(sums));
    };
    return reduceOver(strip.terms, kTileTerms, std::move(sums), step);
  }

  List<Value>
  reduceOver(int64_t end, int64_t step, List<Value> sums,
             llvm::function_ref<List<Value>(Value, List<Value>)> body) {
    if (end == step)
      return body(Value(), std::move(sums));
    return reduce({constant(0), constant(end)}, std::move(sums), body, step);
  }

  void store(const TapPart &part, const TileStrip &strip, const Block &block,
             Value sample, Value row, Value rows) {
    const TapOperand &result = part.result;
    Value corner = add(offsetOf(result, block, sample), times(row, result.row));
    SmallVector<Value> bias;
    if (sum.bias)
      for (int64_t vector = 0; vector < plan.vectors; ++vector)
        bias.push_back(
            load(sum.bias, offsetOf(sum.bias, block, {}), 0, vector));
    forEach(constant(0), rows, [&](Value number) {
      Value to = add(corner, times(number, result.row));
      Value from = times(number, strip.width * columns);
      forEach(constant(0), constant(part.columns.pixels), [&](Value pixel) {
        Value at = add(from, times(pixel, columns));
        Value toPixel = add(to, times(pixel, result.column));
        for (int64_t vector = 0; vector < plan.vectors; ++vector) {
          Value value = loadVector(
              builder, loc, VectorType::get({kTileSums}, builder.getF32Type()),
              results, plus(at, vector * kTileSums), /*mask=*/Value());
          if (sum.bias)
            value = arith::AddFOp::create(builder, loc, value, bias[vector]);
          storeSum(value, result, toPixel, 0, vector);
        }
      });
    });
  }

  const TilePlan &tiles;
  int64_t columns;                   ///< sums of a row of a block
  std::vector<TileStrip> strips;     ///< of the parts
  SmallVector<int64_t> firstWeights; ///< of the parts, in those of a block
  int64_t weightsOfBlock = 0;
  Value image, weights, results;
};

} // namespace

void boostc::emitTileSum(OpBuilder &builder, Location loc, const TapSum &sum,
                         const TapSumPlan &plan, Value begin, Value end) {
  TileSumEmitter(builder, loc, sum, plan).emit(begin, end);
}
