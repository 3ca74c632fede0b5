#include "compiler/lowering/cpu/GramPacking.h"
#include "compiler/lowering/cpu/VectorAccess.h"
#include "compiler/lowering/kernels/LinearIndex.h"
#include "dialects/interfaces/LinalgHelpers.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace boostc;

GramPacking::GramPacking(OpBuilder &builder, Location loc, const GramPlan &plan,
                         Value input, Value packed)
    : IndexCode(builder, loc), plan(plan), shape(plan.shape), input(input),
      packed(packed), flat(flattenBuffer(builder, loc, input)) {}

/// Where a tap is: the input pixel that output pixel 0 sees there, and the
/// output pixels that see the input.
struct GramPacking::Axis {
  Value offset;
  Range pixels;
};

GramPacking::Axis GramPacking::getAxis(unsigned axis, Value tap, int64_t extent,
                                       int64_t output) {
  const ConvolutionGeometry &geometry = shape.geometry;
  int64_t before = geometry.padding[axis], after = geometry.padding[axis + 2];
  Value offset = plus(times(tap, geometry.dilations[axis]), -before);
  if (before == 0 && after == 0)
    return {offset, {constant(0), constant(output)}};
  return {offset, solve(offset, geometry.strides[axis], extent, output)};
}

/// Fills a packed column, or channel, with zeros.
void GramPacking::clear(Value start) {
  auto type = VectorType::get({plan.lanes}, builder.getF32Type());
  Value zeros =
      arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type));
  forEach(constant(0), constant(plan.length), plan.lanes, [&](Value at) {
    storeVector(builder, loc, zeros, packed, add(start, at), Value());
  });
}

/// The channel of column `column`, in its group.
Value GramPacking::getChannel(const GramBlock &block, Value column) {
  return quotient(add(block.first, column), shape.getTaps());
}

/// Channel `channel` of the block's group.
Value GramPacking::inGroup(const GramBlock &block, Value channel) {
  return add(times(quotient(block.number, shape.countBlocksOfGroup()),
                   shape.channels / shape.geometry.groups),
             channel);
}

Value GramPacking::loadPixel(Value sample, Value channel, Value y, Value x) {
  SmallVector<Value> indices = {sample, channel, y, x};
  if (shape.channelsLast)
    indices = {sample, y, x, channel};
  return buildExtension(builder, loc,
                        memref::LoadOp::create(builder, loc, input, indices));
}

void GramPacking::pack(const GramBlock &block, const Window &window) {
  if (plan.packsPixels)
    packPixels(block, window);
  else
    packColumns(block, window);
}

void GramPacking::packColumns(const GramBlock &block, const Window &window) {
  // Up to whole tiles, whose other columns are zeros.
  Value last =
      minimum(constant(plan.countPacked()),
              plus(block.present, kGramTileRows * kGramTileColumns - 1));
  forEach(constant(0), last, [&](Value column) {
    Value start = times(column, plan.distance);
    clear(start);
    Value isThere = arith::CmpIOp::create(
        builder, loc, arith::CmpIPredicate::ult, column, block.present);
    emitIf(isThere, [&] {
      Value channel = inGroup(block, getChannel(block, column));
      Value tap = remainder(add(block.first, column), shape.getTaps());
      Axis y = getAxis(0, quotient(tap, shape.kernel[1]), shape.height,
                       shape.outputHeight);
      Axis x = getAxis(1, remainder(tap, shape.kernel[1]), shape.width,
                       shape.outputWidth);
      Range inside =
          intersect({window.row, add(window.row, window.rows)}, y.pixels);
      forEach(constant(0), window.count, [&](Value n) {
        Value lines = arith::MulIOp::create(builder, loc, n, window.rows);
        forEach(inside.begin, inside.end, [&](Value i) {
          Value line = add(lines, subtract(i, window.row));
          Value target = add(start, times(line, shape.outputWidth));
          Value inputRow = add(times(i, shape.geometry.strides[0]), y.offset);
          forEach(x.pixels.begin, x.pixels.end, [&](Value j) {
            Value pixel = add(times(j, shape.geometry.strides[1]), x.offset);
            memref::StoreOp::create(
                builder, loc,
                loadPixel(add(window.sample, n), channel, inputRow, pixel),
                packed, ValueRange{add(target, j)});
          });
        });
      });
    });
  });
}

void GramPacking::packPixels(const GramBlock &block, const Window &window) {
  const ConvolutionGeometry &geometry = shape.geometry;
  int64_t top = geometry.padding[0], left = geometry.padding[1];
  Value firstChannel = quotient(block.first, shape.getTaps());
  Value channels = subtract(plus(getChannel(block, plus(block.present, -1)), 1),
                            firstChannel);
  firstChannel = inGroup(block, firstChannel);
  if (std::optional<int64_t> distance = getDistanceOfRows())
    return packRows(window, firstChannel, channels, *distance);
  forEach(constant(0), channels,
          [&](Value channel) { clear(times(channel, plan.distance)); });
  // Lines begin above the first row, and left of the first pixel.
  Range lines = {constant(0), window.rows};
  int64_t width = shape.outputWidth;
  if (shape.getTaps() > 1) {
    lines = {maximum(subtract(constant(top), window.row), constant(0)),
             minimum(subtract(constant(shape.height + top), window.row),
                     plus(window.rows, plan.lines - plan.rows))};
    width = std::min(shape.width, plan.lineLength - left);
  }
  auto locateRow = [&](Value line) {
    return plus(times(add(window.row, line), geometry.strides[0]), -top);
  };
  auto locateLine = [&](Value n, Value line) {
    return plus(times(add(times(n, plan.lines), line), plan.lineLength), left);
  };
  if (hasAdjacentChannels() && width % getRowLanes() == 0) {
    SmallVector<int64_t> strides = getStrides();
    forEach(constant(0), window.count, [&](Value n) {
      forEach(lines.begin, lines.end, [&](Value line) {
        Value from = add(times(add(window.sample, n), strides[0]),
                         times(locateRow(line), strides[2]));
        copyPixels({add(from, firstChannel), strides[3] * geometry.strides[1],
                    constant(width), channels, locateLine(n, line)});
      });
    });
    return;
  }
  enum { Sample, Channel, Line, Pixel };
  std::array<Range, 4> ranges = {Range{constant(0), window.count},
                                 {constant(0), channels},
                                 lines,
                                 {constant(0), constant(width)}};
  forEachByStride(ranges, [&](ArrayRef<Value> at) {
    Value pixel = loadPixel(add(window.sample, at[Sample]),
                            add(firstChannel, at[Channel]), locateRow(at[Line]),
                            times(at[Pixel], geometry.strides[1]));
    Value target = add(times(at[Channel], plan.distance),
                       locateLine(at[Sample], at[Line]));
    memref::StoreOp::create(builder, loc, pixel, packed,
                            ValueRange{add(target, at[Pixel])});
  });
}

/// The strides of samples, channels, rows and columns of the input.
SmallVector<int64_t> GramPacking::getStrides() const {
  SmallVector<int64_t> strides =
      cast<MemRefType>(input.getType()).getStridesAndOffset().first;
  if (shape.channelsLast)
    strides = {strides[0], strides[3], strides[1], strides[2]};
  return strides;
}

/// Whether vectors of channels can be loaded.
bool GramPacking::hasAdjacentChannels() const {
  return cast<MemRefType>(input.getType()).getElementType().isF32() &&
         getRowLanes() > 1 && getStrides()[1] == 1;
}

/// Elements of the vectors in which channels are loaded.
int64_t GramPacking::getRowLanes() const {
  return chooseLanes(shape.channels / shape.geometry.groups, plan.lanes);
}

/// Where the input is a matrix with a row for each window: elements from one
/// row to the next.
std::optional<int64_t> GramPacking::getDistanceOfRows() const {
  SmallVector<int64_t> strides = getStrides();
  bool isWhole = shape.getTaps() == 1 && shape.height == shape.outputHeight &&
                 shape.width == shape.outputWidth;
  if (!isWhole || !hasAdjacentChannels())
    return std::nullopt;
  int64_t distance = shape.width > 1    ? strides[3]
                     : shape.height > 1 ? strides[2]
                                        : strides[0];
  bool isMatrix = (shape.height == 1 || strides[2] == distance * shape.width) &&
                  (shape.samples == 1 ||
                   strides[0] == distance * shape.width * shape.height);
  return isMatrix ? std::optional(distance) : std::nullopt;
}

void GramPacking::packRows(const Window &window, Value firstChannel,
                           Value channels, int64_t distance) {
  Value rows = add(times(window.sample, shape.height), window.row);
  Value from = times(rows, shape.width * distance);
  Value count =
      times(arith::MulIOp::create(builder, loc, window.count, window.rows),
            shape.width);
  copyPixels({add(from, firstChannel), distance, count, channels, constant(0)});
  // What is left of the last vectors.
  forEach(constant(0), channels, [&](Value channel) {
    Value start = times(channel, plan.distance);
    forEach(count, constant(plan.length), [&](Value at) {
      memref::StoreOp::create(builder, loc, buildConstant(builder, loc, 0.0),
                              packed, ValueRange{add(start, at)});
    });
  });
}

/// Copies pixels of adjacent channels, of which each channel gets a line of its
/// own: whole vectors of it, the last of which may have copies of the last
/// pixel.
void GramPacking::copyPixels(const PixelRun &run) {
  int64_t lanes = getRowLanes();
  auto type = VectorType::get({lanes}, builder.getF32Type());
  forEach(constant(0), run.channels, lanes, [&](Value channel) {
    bool isFull = shape.getTaps() == 1 &&
                  shape.countColumns() % shape.blockSize == 0 &&
                  shape.blockSize % lanes == 0;
    Value mask =
        isFull
            ? Value()
            : emitMasks(builder, loc, lanes, 1, run.channels, channel).front();
    forEach(constant(0), run.count, lanes, [&](Value first) {
      SmallVector<Value> vectors;
      for (int64_t lane = 0; lane < lanes; ++lane) {
        Value pixel = minimum(plus(first, lane), plus(run.count, -1));
        Value at = add(run.from, add(times(pixel, run.distance), channel));
        vectors.push_back(loadVector(builder, loc, type, flat, at, mask));
      }
      transposeVectors(builder, loc, vectors);
      Value target = add(run.to, first);
      for (int64_t lane = 0; lane < lanes; ++lane) {
        Value start = times(plus(channel, lane), plan.distance);
        storeVector(builder, loc, vectors[lane], packed, add(start, target),
                    Value());
      }
    });
  });
}

/// Loops over samples, channels, rows and columns of the input, those that lie
/// next to each other innermost.
void GramPacking::forEachByStride(
    ArrayRef<Range> ranges, llvm::function_ref<void(ArrayRef<Value>)> body) {
  SmallVector<int64_t> strides = getStrides();
  auto order = llvm::to_vector(llvm::seq<size_t>(0, ranges.size()));
  llvm::stable_sort(
      order, [&](size_t a, size_t b) { return strides[a] > strides[b]; });
  SmallVector<Value> at(ranges.size());
  std::function<void(size_t)> nest = [&](size_t depth) {
    if (depth == order.size())
      return body(at);
    size_t dimension = order[depth];
    forEach(ranges[dimension].begin, ranges[dimension].end, [&](Value index) {
      at[dimension] = index;
      nest(depth + 1);
    });
  };
  nest(0);
}

Value GramPacking::locate(const GramBlock &block, Value column) {
  if (!plan.packsPixels)
    return times(column, plan.distance);
  Value there = minimum(column, plus(block.present, -1));
  Value channel = subtract(getChannel(block, there),
                           quotient(block.first, shape.getTaps()));
  Value tap = remainder(add(block.first, there), shape.getTaps());
  Value y = quotient(tap, shape.kernel[1]), x = remainder(tap, shape.kernel[1]);
  return add(times(channel, plan.distance),
             add(times(y, shape.geometry.dilations[0] * plan.lineLength),
                 times(x, shape.geometry.dilations[1])));
}

SmallVector<Value> GramPacking::locate(const GramBlock &block, Value column,
                                       int64_t count) {
  SmallVector<Value> starts;
  for (int64_t i = 0; i < count; ++i)
    starts.push_back(locate(block, plus(column, i)));
  return starts;
}
