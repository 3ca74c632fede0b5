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
    if (elements > 0)
      image = reserve(elements, builder.getBF16Type());
    weights = reservePairs(std::max<int64_t>(1, tiles.blocks * weightsOfBlock));
    weights.vector = 1;
    weights.term = columns;
    results = reserve((sums + kTileRows) * columns, builder.getF32Type());
  }

  void emit(Value begin, Value end) {
    int64_t blocks = plan.countBlocks(sum) / sum.groups;
    int64_t shares = llvm::divideCeil(blocks, tiles.blocks);
    int64_t chunksOfSample = llvm::divideCeil(sum.getRows(), tiles.rows);
    int64_t chunks = sum.samples * chunksOfSample;
    bool packsOnce = shares * sum.groups == 1;
    if (packsOnce)
      packBlocks(constant(0), constant(blocks));
    forEach(begin, end, [&](Value piece) {
      Value share = remainder(piece, shares * sum.groups);
      Value first = times(remainder(share, shares), tiles.blocks);
      Value last = minimum(plus(first, tiles.blocks), constant(blocks));
      Value ofGroup = times(quotient(share, shares), blocks);
      first = add(first, ofGroup);
      last = add(last, ofGroup);
      if (!packsOnce)
        packBlocks(first, last);
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
            emitIf(isBelow(row, constant(rows)), emit);
        }
      });
    });
  }

private:
  /// The weights of blocks [first, last): pairs of rows, in the order in which
  /// terms lie in a strip.
  void packBlocks(Value first, Value last) {
    forEach(first, last, [&](Value number) {
      Block block = decodeBlock(number);
      Value to = times(subtract(number, first), weightsOfBlock);
      for (auto [part, strip, ofPart] :
           llvm::zip_equal(sum.parts, strips, firstWeights))
        packPart(part, strip, block, plus(to, ofPart));
    });
  }

  void packPart(const TapPart &part, const TileStrip &strip, const Block &block,
                Value base) {
    int64_t rowOfTerms = strip.terms * columns;
    int64_t taps = strip.foldsTaps ? part.columns.taps : 1;
    TapOperand packed = weights;
    packed.row = strip.tapColumns * rowOfTerms;
    packed.column = strip.foldsTaps ? sum.terms * columns : rowOfTerms;
    if (strip.foldsTaps && part.columns.tapStep < 0) {
      packed.constant = (taps - 1) * packed.column;
      packed.column = -packed.column;
    }
    if (sum.terms % 2 == 0)
      packWeights(part, packed, block, base);
    else
      packOddTerms(part, strip, packed, block, base);
    // Terms that no tap has.
    int64_t terms = llvm::divideCeil(taps * sum.terms, 2) * 2;
    forEach(constant(0), constant(strip.tapRows * strip.tapColumns),
            [&](Value row) {
              Value first = plus(times(row, rowOfTerms), terms * columns);
              clear(weights.buffer, add(base, first),
                    constant(rowOfTerms - terms * columns));
            });
  }

  /// Pairs of which the terms of two taps may be one.
  void packOddTerms(const TapPart &part, const TileStrip &strip,
                    const TapOperand &packed, const Block &block, Value base) {
    const TapOperand &weight = part.weight;
    int64_t taps = strip.foldsTaps ? part.columns.taps : 1;
    int64_t terms = taps * sum.terms;
    bool isReversed = packed.column < 0;
    forEach(constant(0), constant(strip.tapRows), [&](Value row) {
      forEach(constant(0), constant(strip.tapColumns), [&](Value column) {
        Value from =
            add(offsetOf(weight, block, Value()),
                add(times(row, weight.row), times(column, weight.column)));
        Value to = add(base, times(add(times(row, strip.tapColumns), column),
                                   strip.terms * columns));
        auto loadTerm = [&](int64_t number, int64_t vector) -> Value {
          if (number == terms)
            return getZeros(
                VectorType::get({kTileSums}, builder.getBF16Type()));
          int64_t tap = number / sum.terms;
          if (isReversed)
            tap = taps - 1 - tap;
          int64_t step = tap * weight.column + number % sum.terms * weight.term;
          return loadStored(weight, from, step, vector);
        };
        for (int64_t term = 0; term < terms; term += 2)
          for (int64_t vector = 0; vector < plan.vectors; ++vector) {
            Value one = loadTerm(term, vector);
            storePacked(interleave(one, loadTerm(term + 1, vector)), packed,
                        plus(to, term * columns + vector * 2 * kTileSums));
          }
      });
    });
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
      Value source = constant(0);
      int64_t pitch = strip.width * strip.rows.step * sum.terms;
      if (strip.isDirect) {
        source = add(offsetOf(part.source, block, sample),
                     times(row, part.source.row));
        pitch = part.source.row;
      }
      if (strip.isFlat) {
        // Without the columns between the last row and one that is not there.
        int64_t gap = strip.countRun(1, part) - strip.width;
        multiply(part, strip, source, ofBlock,
                 plus(times(count, strip.width), gap), constant(0));
      } else {
        forEach(constant(0), count, [&](Value number) {
          multiply(part, strip, add(source, times(number, pitch)), ofBlock,
                   constant(part.columns.pixels),
                   times(number, strip.width * columns));
        });
      }
      store(part, strip, block, sample, row, count);
    });
  }

  void fillStrip(const TapPart &part, const TileStrip &strip,
                 const Block &block, Value sample, Value row, Value rows) {
    Value first = plus(times(row, part.rows.pixelStep), strip.rows.first);
    Value count =
        plus(times(plus(rows, -1), strip.rows.step), strip.rows.halo + 1);
    Range inside{constant(0), count};
    if (part.rows.isGuarded())
      inside = intersect(inside,
                         solve(first, strip.rows.sourceStep, part.rows.extent,
                               strip.rows.countElements(tiles.rows)));
    Pixels pixels{part.source,
                  offsetOf(part.source, block, sample),
                  first,
                  strip.rows.sourceStep,
                  inside,
                  strip.columns.first,
                  strip.columns.sourceStep,
                  part.columns.extent,
                  strip.width,
                  sum.terms,
                  {}};
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
      return reduce(upTo(strip.tapColumns), std::move(sums), sumTap);
    };
    return reduce(upTo(strip.tapRows), std::move(sums), sumRow);
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
            return loadTile(weights.buffer, plus(row, column * 2 * kTileSums),
                            2 * columns);
          },
          std::move(sums));
    };
    return reduce(upTo(strip.terms, kTileTerms), std::move(sums), step,
                  kTileTerms);
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
  TapOperand weights;
  Value image, results;
};

} // namespace

void boostc::emitTileSum(OpBuilder &builder, Location loc, const TapSum &sum,
                         const TapSumPlan &plan, Value begin, Value end) {
  TileSumEmitter(builder, loc, sum, plan).emit(begin, end);
}
