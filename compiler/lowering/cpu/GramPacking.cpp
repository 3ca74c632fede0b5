#include "compiler/lowering/cpu/GramPacking.h"
#include "compiler/lowering/cpu/VectorAccess.h"
#include "dialects/interfaces/LinalgHelpers.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace boostc;

/// Elements of a packed column, and of all that is packed.
static constexpr int64_t kColumnLength = 512, kPackedElements = 1 << 16;

int64_t GramPlan::countPacked() const {
  if (packsPixels)
    return std::min(shape.channels / shape.geometry.groups,
                    (shape.blockSize - 2) / shape.getTaps() + 2);
  return static_cast<int64_t>(
      llvm::alignTo(shape.blockSize, kGramTileRows * kGramTileColumns));
}

/// Chooses how much is packed at once.
static void choosePart(GramPlan &plan) {
  const rt::GramShape &shape = plan.shape;
  int64_t pixels = shape.getPixels();
  int64_t length =
      std::clamp(kPackedElements / plan.countPacked(), 4 * plan.lanes,
                 plan.isContiguous() ? kColumnLength : 2 * kColumnLength);
  plan.samples = std::clamp<int64_t>(length / pixels, 1, shape.samples);
  plan.rows = plan.samples > 1 ? shape.outputHeight
                               : std::clamp<int64_t>(length / shape.outputWidth,
                                                     1, shape.outputHeight);
  plan.lines = plan.rows;
  plan.lineLength = shape.outputWidth;
  if (plan.packsPixels) {
    plan.lines += (shape.kernel[0] - 1) * shape.geometry.dilations[0];
    plan.lineLength += (shape.kernel[1] - 1) * shape.geometry.dilations[1];
  }
  plan.length = static_cast<int64_t>(
      llvm::alignTo(plan.samples * plan.lines * plan.lineLength, plan.lanes));
  // Columns a power of two apart would share a few sets of a cache.
  constexpr int64_t kManyBytes = 256;
  plan.distance = plan.length;
  if (plan.distance * 4 % kManyBytes == 0)
    plan.distance += BOOSTC_ALIGNMENT / 4;
}

/// Lanes of vectors that lines of pixels consist of; 0 where they would be too
/// narrow. Half of the widest vectors compute at least as much as columns that
/// are packed one by one.
static int64_t chooseLineLanes(int64_t width, int64_t maxLanes) {
  constexpr int64_t kMinLanes = 8;
  for (int64_t lanes : {maxLanes, maxLanes / 2})
    if (lanes >= std::min(kMinLanes, maxLanes) && width % lanes == 0)
      return lanes;
  return 0;
}

GramPlan GramPlan::get(const rt::GramShape &shape, int64_t maxLanes,
                       int64_t threads) {
  GramPlan plan{.shape = shape};
  const ConvolutionGeometry &geometry = shape.geometry;
  plan.lanes = chooseLanes(shape.samples * shape.getPixels(), maxLanes);
  if (shape.getTaps() == 1) {
    plan.packsPixels =
        llvm::all_of(geometry.padding, [](int64_t pixels) { return !pixels; });
  } else if (geometry.strides[0] == 1 && geometry.strides[1] == 1) {
    int64_t lanes = chooseLineLanes(shape.outputWidth, maxLanes);
    plan.packsPixels = lanes != 0;
    plan.lanes = lanes != 0 ? lanes : plan.lanes;
  }
  choosePart(plan);
  // Kernels far larger than a line.
  if (plan.packsPixels && plan.countPackedElements() > kPackedElements) {
    plan.packsPixels = false;
    choosePart(plan);
  }
  // A stripe packs its block again, so one for each thread only where there are
  // few blocks.
  int64_t tiles = shape.blockSize / kGramTileRows;
  plan.stripes =
      shape.countBlocks() < 4 * threads
          ? std::clamp<int64_t>(threads, 1, std::max<int64_t>(tiles / 4, 1))
          : 1;
  return plan;
}

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
  enum { Sample, Channel, Line, Pixel };
  std::array<Range, 4> ranges = {Range{constant(0), window.count},
                                 {constant(0), channels},
                                 lines,
                                 {constant(0), constant(width)}};
  forEachByStride(ranges, [&](ArrayRef<Value> at) {
    Value row = add(window.row, at[Line]);
    Value pixel = loadPixel(add(window.sample, at[Sample]),
                            inGroup(block, add(firstChannel, at[Channel])),
                            plus(times(row, geometry.strides[0]), -top),
                            times(at[Pixel], geometry.strides[1]));
    Value line = add(times(at[Sample], plan.lines), at[Line]);
    Value target = add(times(at[Channel], plan.distance),
                       plus(times(line, plan.lineLength), left));
    memref::StoreOp::create(builder, loc, pixel, packed,
                            ValueRange{add(target, at[Pixel])});
  });
}

/// Loops over samples, channels, rows and columns of the input, those that lie
/// next to each other innermost.
void GramPacking::forEachByStride(
    ArrayRef<Range> ranges, llvm::function_ref<void(ArrayRef<Value>)> body) {
  SmallVector<int64_t> strides =
      cast<MemRefType>(input.getType()).getStridesAndOffset().first;
  if (shape.channelsLast)
    strides = {strides[0], strides[3], strides[1], strides[2]};
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
