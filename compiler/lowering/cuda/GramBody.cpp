// Gram matrices of the columns of windows as a kernel body.

#include "compiler/lowering/cuda/KernelBodies.h"
#include "dialects/interfaces/LinalgHelpers.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace boostc;

namespace {

/// Loops: block, row and column of the result; sample, row and column of the
/// output pixels.
class GramBody : public KernelBody {
public:
  GramBody(rt::GramOp op, const IRMapping &buffers)
      : loc(op.getLoc()), shape(op.getShape()), input(op.getInput()),
        valid(op.getValid()), result(op.getDestination()), buffers(buffers) {
    int64_t size = shape.blockSize;
    loops = {{shape.countBlocks(), false},
             {size, false},
             {size, false},
             {shape.samples, true},
             {shape.outputHeight, true},
             {shape.outputWidth, true}};
    accesses = {
        {input, std::nullopt, false},
        {valid, LinearIndex{0, {0, 0, 0, 0, 0, 0}}, false},
        {result, LinearIndex{0, {size * size, size, 1, 0, 0, 0}}, true}};
  }

  SmallVector<Value> emitStart(OpBuilder &builder, ArrayRef<Value>) override {
    return {buildConstant(builder, loc, 0.0)};
  }

  SmallVector<Value> emitStep(OpBuilder &builder, ArrayRef<Value> indices,
                              ValueRange values) override {
    Value count = memref::LoadOp::create(builder, loc, buffers.lookup(valid),
                                         ValueRange());
    Value all = arith::CmpIOp::create(
        builder, loc, arith::CmpIPredicate::ult, indices[3],
        arith::IndexCastOp::create(builder, loc, builder.getIndexType(),
                                   count));
    SmallVector<Value> first = locate(builder, indices, 1, all);
    SmallVector<Value> second = locate(builder, indices, 2, all);
    return emitWhere(
        builder, loc, all, values, [&](OpBuilder &b) -> SmallVector<Value> {
          Value left = load(b, first), right = load(b, second);
          Value product = arith::MulFOp::create(b, loc, left, right);
          return {arith::AddFOp::create(b, loc, values[0], product)};
        });
  }

  void emitStores(OpBuilder &builder, ArrayRef<Value> indices,
                  ValueRange values) override {
    memref::StoreOp::create(builder, loc, values[0], buffers.lookup(result),
                            indices.take_front(3));
  }

  bool isSplittable() const override { return true; }
  Value emitNeutral(OpBuilder &builder, unsigned) override {
    return buildConstant(builder, loc, 0.0);
  }
  Value emitCombined(OpBuilder &builder, unsigned, Value a, Value b) override {
    return arith::AddFOp::create(builder, loc, a, b);
  }

private:
  Value constant(OpBuilder &builder, int64_t value) {
    return arith::ConstantIndexOp::create(builder, loc, value);
  }

  /// Indices of the pixel that the column of loop `loop` sees in the window;
  /// `all` says then, too, whether there is one.
  SmallVector<Value> locate(OpBuilder &builder, ArrayRef<Value> indices,
                            unsigned loop, Value &all) {
    auto divide = [&](Value a, int64_t b) -> Value {
      return builder.createOrFold<arith::DivUIOp>(loc, a, constant(builder, b));
    };
    auto remainder = [&](Value a, int64_t b) -> Value {
      return builder.createOrFold<arith::RemUIOp>(loc, a, constant(builder, b));
    };
    auto require = [&](Value index, int64_t extent) {
      // What is below 0 is large as an unsigned number.
      Value isInside =
          arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult, index,
                                constant(builder, extent));
      all = emitBoth(builder, loc, all, isInside);
    };
    int64_t perGroup = shape.countBlocksOfGroup(), taps = shape.getTaps();
    Value group = divide(indices[0], perGroup);
    Value block = remainder(indices[0], perGroup);
    Value column = emitLinear(builder, loc, {0, {shape.blockSize, 1}},
                              {block, indices[loop]});
    require(column, shape.countColumns());
    int64_t channels = shape.channels / shape.geometry.groups;
    Value channel = emitLinear(builder, loc, {0, {channels, 1}},
                               {group, divide(column, taps)});
    Value tap = remainder(column, taps);
    SmallVector<Value> pixel;
    for (auto [axis, extent, at] :
         {std::tuple{0u, shape.height, divide(tap, shape.kernel[1])},
          {1u, shape.width, remainder(tap, shape.kernel[1])}}) {
      pixel.push_back(emitLinear(
          builder, loc,
          {-shape.geometry.padding[axis],
           {shape.geometry.strides[axis], shape.geometry.dilations[axis]}},
          {indices[4 + axis], at}));
      require(pixel.back(), extent);
    }
    if (shape.channelsLast)
      return {indices[3], pixel[0], pixel[1], channel};
    return {indices[3], channel, pixel[0], pixel[1]};
  }

  Value load(OpBuilder &builder, ValueRange indices) {
    return buildExtension(
        builder, loc,
        memref::LoadOp::create(builder, loc, buffers.lookup(input), indices));
  }

  Location loc;
  rt::GramShape shape;
  Value input, valid, result;
  const IRMapping &buffers;
};

} // namespace

PlannedBody boostc::buildGramBody(rt::GramOp op, const IRMapping &buffers) {
  return planInOrder(std::make_unique<GramBody>(op, buffers));
}
