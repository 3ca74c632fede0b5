#include "compiler/lowering/cpu/TileStripCode.h"
#include "compiler/lowering/cpu/VectorAccess.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace boostc;

TileStripCode::TileStripCode(OpBuilder &builder, Location loc,
                             const TapSum &sum, const TapSumPlan &plan)
    : TileCode(builder, loc, sum, plan), tiles(*plan.tiles),
      sourceIsVector(sum.parts.front().source.vector != 0) {
  int64_t positions = 0, shifted = 0, filled = 0;
  for (const TapPart &part : sum.parts) {
    strips.push_back(TileGradientStrip::get(sum, part, tiles));
    const TileGradientStrip &strip = strips.back();
    positions = std::max(positions, strip.positions);
    shifted = std::max(shifted, strip.countPhases() * strip.pitch);
    if (!strip.isDirect)
      filled = std::max(filled, strip.pitch);
  }
  Type low = builder.getBF16Type();
  int64_t wide = std::max(tiles.channels, tiles.filters);
  if (filled > 0)
    rowsOfPixels = reserve((filled + 1) * wide + 2 * kTileTerms, low);
  channels = reserve(shifted * tiles.channels, low);
  pairs = reserve(positions * tiles.filters, low);
}

Value TileStripCode::alignToTerms(Value count) {
  return times(quotient(plus(count, kTileTerms - 1), kTileTerms), kTileTerms);
}

Value TileStripCode::put(const TapPart &part, const TileGradientStrip &strip,
                         const Piece &piece, Value sample, Value row) {
  if (strip.isDirect) {
    Value rows = constant(tiles.rows);
    if (piece.partial || part.rows.pixels % tiles.rows != 0)
      rows = minimum(rows, subtract(getRows(part, piece.partial).end, row));
    Value positions = times(rows, strip.width);
    auto at = [&](const TapOperand &operand, Value first) {
      Value corner = add(offsetOf(operand, piece.group), first);
      return Row{getFlat(operand.buffer), add(corner, times(row, operand.row)),
                 operand.column};
    };
    putPairs(at(part.weight, piece.filter), positions);
    transpose(at(part.source, piece.channel), positions, /*to=*/0, strip.pitch);
    return positions;
  }
  Value samples = constant(tiles.samples);
  if (piece.partial || sum.samples % tiles.samples != 0)
    samples = minimum(samples, subtract(getSamples(piece.partial).end, sample));
  Samples all{sample, samples};
  // Nothing follows the last row.
  Value positions = alignToTerms(
      times(plus(times(samples, strip.height), -strip.rows.halo), strip.width));
  putPairs(
      fillSamples(getPixels(part, strip, piece, row), strip, all, positions),
      positions);
  Value filled = alignToTerms(plus(positions, strip.maxShift));
  for (int64_t phase = 0; phase < strip.countPhases(); ++phase)
    transpose(fillSamples(getSource(part, strip, piece, row, phase), strip, all,
                          filled),
              filled, phase * strip.pitch * tiles.channels, strip.pitch);
  return positions;
}

/// What lies between rows is zero, so that whatever the source has there counts
/// for nothing.
TileCode::Pixels TileStripCode::getPixels(const TapPart &part,
                                          const TileGradientStrip &strip,
                                          const Piece &piece, Value row) {
  Value left = subtract(getRows(part, piece.partial).end, row);
  return {part.weight,
          add(offsetOf(part.weight, piece.group), piece.filter),
          row,
          1,
          {constant(0), minimum(left, constant(tiles.rows))},
          0,
          1,
          part.columns.pixels,
          strip.width,
          tiles.filters,
          getMasks(sum.countImageChannels(), piece.filter, tiles.filters)};
}

TileCode::Pixels TileStripCode::getSource(const TapPart &part,
                                          const TileGradientStrip &strip,
                                          const Piece &piece, Value row,
                                          int64_t phase) {
  Value first = plus(times(row, part.rows.pixelStep),
                     strip.rows.first + phase / strip.columns.phases);
  return {part.source,
          add(offsetOf(part.source, piece.group), piece.channel),
          first,
          strip.rows.sourceStep,
          solve(first, strip.rows.sourceStep, part.rows.extent, strip.height),
          strip.columns.first + phase % strip.columns.phases,
          strip.columns.sourceStep,
          part.columns.extent,
          strip.width,
          tiles.channels,
          getMasks(sum.countSourceChannels(), piece.channel, tiles.channels)};
}

TileStripCode::Row TileStripCode::fillSamples(const Pixels &pixels,
                                              const TileGradientStrip &strip,
                                              Samples samples, Value end) {
  int64_t elements = pixels.elements;
  int64_t sizeOfSample = strip.height * strip.width * elements;
  forEach(constant(0), samples.count, [&](Value number) {
    Pixels ofSample = pixels;
    ofSample.corner = add(pixels.corner, times(add(samples.first, number),
                                               pixels.operand.sample));
    fill(ofSample, constant(strip.height), rowsOfPixels,
         times(number, sizeOfSample));
  });
  Value used = times(samples.count, sizeOfSample);
  clear(rowsOfPixels, used, subtract(times(end, elements), used));
  return {rowsOfPixels, constant(0), elements};
}

void TileStripCode::putPairs(const Row &row, Value positions) {
  forEach(constant(0), positions, 2, [&](Value pixel) {
    Value to = times(pixel, tiles.filters);
    for (int64_t filter = 0; filter < tiles.filters; filter += kTileSums)
      storeVector(builder, loc, loadPair(row, pixel, constant(filter)), pairs,
                  plus(to, 2 * filter), /*mask=*/Value());
  });
}

/// Pairs of pixels are elements of 32 bits.
void TileStripCode::transpose(const Row &row, Value positions, int64_t to,
                              int64_t pitch) {
  auto whole = VectorType::get({kTileSums}, builder.getI32Type());
  auto halves = VectorType::get({kTileTerms}, builder.getBF16Type());
  forEach(constant(0), positions, kTileTerms, [&](Value pixel) {
    forEach(constant(0), constant(tiles.channels), kTileRows,
            [&](Value channel) {
              SmallVector<Value> vectors;
              for (int64_t pair = 0; pair < kTileSums; ++pair)
                vectors.push_back(vector::BitCastOp::create(
                    builder, loc, whole,
                    loadPair(row, plus(pixel, 2 * pair), channel)));
              transposeVectors(builder, loc, vectors);
              Value at = add(plus(times(channel, pitch), to), pixel);
              for (int64_t number = 0; number < kTileRows; ++number)
                storeVector(builder, loc,
                            vector::BitCastOp::create(builder, loc, halves,
                                                      vectors[number]),
                            channels, plus(at, number * pitch),
                            /*mask=*/Value());
            });
  });
}

Value TileStripCode::loadPair(const Row &row, Value first, Value element) {
  auto type = VectorType::get({kTileSums}, builder.getBF16Type());
  Value offset = add(add(row.offset, times(first, row.pitch)), element);
  Value one =
      loadVector(builder, loc, type, row.buffer, offset, /*mask=*/Value());
  Value other = loadVector(builder, loc, type, row.buffer,
                           plus(offset, row.pitch), /*mask=*/Value());
  return interleave(one, other);
}

SmallVector<Value> TileStripCode::getMasks(int64_t extent, Value first,
                                           int64_t count) {
  if (extent % count == 0 && count % kTileTerms == 0)
    return {};
  Value end = minimum(plus(first, count), constant(extent));
  return emitMasks(builder, loc, kTileTerms,
                   llvm::divideCeil(count, kTileTerms), end, first);
}
