#include "compiler/lowering/cpu/TileCode.h"
#include "compiler/lowering/cpu/VectorAccess.h"
#include "mlir/Dialect/AMX/AMXDialect.h"

using namespace mlir;
using namespace boostc;

void TileCode::clear(Value target, Value to, Value elements) {
  Type type = cast<MemRefType>(target.getType()).getElementType();
  TapSumCode::clear(target, VectorType::get({kTileTerms}, type), to, elements);
}

void TileCode::copyVector(Value from, Value target, Value to,
                          const TapOperand &operand, Value mask) {
  auto type = VectorType::get({kTileTerms}, operand.type.getElementType());
  Value vector =
      loadVector(builder, loc, type, getFlat(operand.buffer), from, mask);
  storeVector(builder, loc, vector, target, to, /*mask=*/Value());
}

void TileCode::fill(const Pixels &pixels, Value rows, Value target, Value to) {
  int64_t width = pixels.columns * pixels.elements;
  Value end = pixels.inside.end, begin = minimum(pixels.inside.begin, end);
  clear(target, to, times(begin, width));
  forEach(begin, end, [&](Value number) {
    Value row = add(pixels.row, times(number, pixels.rowStep));
    fillRow(pixels, add(pixels.corner, times(row, pixels.operand.row)), target,
            add(to, times(number, width)));
  });
  clear(target, add(to, times(end, width)),
        plus(times(subtract(rows, end), width), kTileTerms));
}

/// Whole vectors are written, in order: what one writes beyond its pixels, the
/// next one writes again.
void TileCode::fillRow(const Pixels &pixels, Value from, Value target,
                       Value to) {
  int64_t first = 0, last = 0;
  auto isInside = [&](int64_t column) {
    int64_t position = pixels.column + column * pixels.columnStep;
    return position >= 0 && position < pixels.extent;
  };
  while (first < pixels.columns && !isInside(first))
    ++first;
  for (last = first; last < pixels.columns && isInside(last);)
    ++last;
  int64_t elements = pixels.elements;
  clear(target, to, constant(first * elements));
  from = plus(from, (pixels.column + first * pixels.columnStep) *
                        pixels.operand.column);
  Value start = plus(to, first * elements);
  int64_t step = pixels.columnStep * pixels.operand.column;
  auto copy = [&](Value from, Value to, int64_t count, ArrayRef<Value> masks) {
    int64_t whole = masks.empty() ? count / kTileTerms * kTileTerms : 0;
    forEach(constant(0), constant(whole), kTileTerms, [&](Value element) {
      copyVector(add(from, element), target, add(to, element), pixels.operand,
                 /*mask=*/Value());
    });
    for (int64_t element = whole; element < count; element += kTileTerms)
      copyVector(plus(from, element), target, plus(to, element), pixels.operand,
                 masks.empty()
                     ? getFirstLanes(builder, loc, kTileTerms, count - element)
                     : masks[element / kTileTerms]);
  };
  if (step == elements && pixels.masks.empty())
    copy(from, start, (last - first) * elements, {});
  else
    forEach(constant(0), constant(last - first), [&](Value pixel) {
      copy(add(from, times(pixel, step)), add(start, times(pixel, elements)),
           elements, pixels.masks);
    });
  clear(target, plus(to, last * elements),
        constant((pixels.columns - last) * elements));
}

void TileCode::forTiles(Value count,
                        llvm::function_ref<void(Value, int64_t)> body) {
  std::optional<int64_t> known = getConstantIntValue(count);
  Value pairs = times(quotient(count, kTilesAside), kTilesAside);
  if (!known || *known >= kTilesAside)
    forEach(constant(0), pairs, kTilesAside,
            [&](Value first) { body(first, kTilesAside); });
  if (!known || *known % kTilesAside != 0)
    forEach(pairs, count, [&](Value last) { body(last, 1); });
}

static amx::TileType getTileType(Type element) {
  return amx::TileType::get(
      {kTileRows, element.isF32() ? kTileSums : kTileTerms}, element);
}

Value TileCode::zeroTile() {
  return amx::TileZeroOp::create(builder, loc,
                                 getTileType(builder.getF32Type()));
}

Value TileCode::loadTile(Value buffer, Value offset, int64_t pitch) {
  Type element = cast<MemRefType>(buffer.getType()).getElementType();
  return amx::TileLoadOp::create(builder, loc, getTileType(element), buffer,
                                 ValueRange{offset}, constant(pitch));
}

void TileCode::storeTile(Value tile, Value buffer, Value offset,
                         int64_t pitch) {
  amx::TileStoreOp::create(builder, loc, buffer, ValueRange{offset}, tile,
                           constant(pitch));
}

SmallVector<Value> TileCode::multiplyTiles(
    int64_t rows, int64_t columns, llvm::function_ref<Value(int64_t)> loadRow,
    llvm::function_ref<Value(int64_t)> loadColumn, List<Value> sums) {
  SmallVector<Value> loaded(columns);
  for (int64_t row = 0; row < rows; ++row) {
    Value ofRow;
    for (int64_t column = 0; column < columns; ++column) {
      if (!loaded[column])
        loaded[column] = loadColumn(column);
      if (!ofRow)
        ofRow = loadRow(row);
      Value &sum = sums[row * columns + column];
      sum = amx::TileMulFOp::create(builder, loc, sum.getType(), ofRow,
                                    loaded[column], sum);
    }
  }
  return sums;
}
