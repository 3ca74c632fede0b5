#include "dialects/nn/Pooling.h"
#include "dialects/interfaces/LinalgHelpers.h"
#include "dialects/interfaces/Precision.h"

using namespace mlir;
using namespace boostc;
using namespace boostc::nn;

FailureOr<SmallVector<int64_t>>
boostc::nn::verifyPooling(llvm::function_ref<InFlightDiagnostic()> emitError,
                          ShapedType input, ArrayRef<int64_t> kernel,
                          ArrayRef<int64_t> strides,
                          ArrayRef<int64_t> padding) {
  if (input.getRank() != 4)
    return emitError() << "expected an input [N, C, H, W], found " << input;
  auto arePositive = [](ArrayRef<int64_t> values) {
    return values.size() == 2 && llvm::all_of(values, [](int64_t value) {
             return value >= 1 && value <= kMaxWindowStep;
           });
  };
  if (!arePositive(kernel))
    return emitError() << "expected a kernel of two numbers from 1 to "
                       << kMaxWindowStep << ", found [" << kernel << "]";
  if (!arePositive(strides))
    return emitError() << "expected two strides from 1 to " << kMaxWindowStep
                       << ", found [" << strides << "]";
  bool fits = padding.size() == 4;
  for (unsigned side = 0; fits && side < 4; ++side)
    fits = padding[side] >= 0 && padding[side] < kernel[side % 2];
  if (!fits)
    return emitError() << "expected four paddings, each from 0 to below the "
                          "kernel ["
                       << kernel << "], found [" << padding << "]";
  auto geometry = ConvolutionGeometry::get(strides, padding, {1, 1}, 1);
  SmallVector<int64_t> output = {input.getDimSize(0), input.getDimSize(1)};
  for (unsigned axis : {0, 1}) {
    // Since padding is below the kernel, every window reaches into the input.
    output.push_back(geometry.getOutputExtent(axis, input.getDimSize(2 + axis),
                                              kernel[axis]));
    if (output.back() < 1)
      return emitError() << "a window of [" << kernel
                         << "] does not fit into the padded input " << input;
  }
  return output;
}

void boostc::nn::forEachTap(
    ArrayRef<int64_t> input, ArrayRef<int64_t> output, ArrayRef<int64_t> kernel,
    ArrayRef<int64_t> strides, ArrayRef<int64_t> padding,
    llvm::function_ref<void(int64_t, int64_t, int64_t)> tap) {
  int64_t y = 0;
  for (int64_t plane = 0; plane < output[0] * output[1]; ++plane)
    for (int64_t i = 0; i < output[2]; ++i)
      for (int64_t j = 0; j < output[3]; ++j, ++y)
        for (int64_t k = 0; k < kernel[0]; ++k)
          for (int64_t l = 0; l < kernel[1]; ++l) {
            int64_t row = i * strides[0] + k - padding[0];
            int64_t column = j * strides[1] + l - padding[1];
            if (row >= 0 && row < input[2] && column >= 0 && column < input[3])
              tap((plane * input[2] + row) * input[3] + column, y,
                  k * kernel[1] + l);
          }
}

static bool isPadded(ArrayRef<int64_t> padding) {
  return llvm::any_of(padding, [](int64_t side) { return side != 0; });
}

/// Pixels before the input inside a padded one. linalg takes a loop that
/// indexes a dimension alone for one over all of it, so where there is padding
/// after the input only, the input moves by one.
static int64_t getMargin(ArrayRef<int64_t> padding, unsigned axis) {
  bool onlyBehind = padding[axis] == 0 && padding[axis + 2] > 0;
  return onlyBehind ? 1 : padding[axis];
}

PoolingLoops::PoolingLoops(OpBuilder &builder, Location loc,
                           ArrayRef<int64_t> kernel, ArrayRef<int64_t> strides,
                           ArrayRef<int64_t> padding) {
  SmallVector<AffineExpr> pixel = {builder.getAffineDimExpr(0),
                                   builder.getAffineDimExpr(1)};
  for (unsigned axis : {0, 1})
    pixel.push_back(builder.getAffineDimExpr(2 + axis) * strides[axis] +
                    builder.getAffineDimExpr(4 + axis) +
                    (getMargin(padding, axis) - padding[axis]));
  input = AffineMap::get(6, 0, pixel, builder.getContext());
  output = projection(builder, 6, {0, 1, 2, 3});
  window = projection(builder, 6, {4, 5});
  extents = tensor::EmptyOp::create(builder, loc, kernel, builder.getF32Type());
}

Value boostc::nn::buildWindowSums(OpBuilder &builder, Location loc,
                                  RankedTensorType type,
                                  const PoolingLoops &loops, Value input) {
  return buildReduction(
      builder, loc, type, builder.getF32FloatAttr(0.0), 6, {0, 1, 2, 3},
      {input, loops.extents}, {loops.input, loops.window},
      [](OpBuilder &b, Location nested, ValueRange args) -> Value {
        return buildSumStep(b, nested, args[2], args[0]);
      });
}

static RankedTensorType getPaddedType(RankedTensorType input,
                                      ArrayRef<int64_t> padding) {
  SmallVector<int64_t> shape(input.getShape());
  for (unsigned axis : {0, 1})
    shape[2 + axis] += getMargin(padding, axis) + padding[axis + 2];
  return RankedTensorType::get(shape, input.getElementType());
}

static Value buildFilled(OpBuilder &builder, Location loc,
                         RankedTensorType type, double value) {
  Value empty = tensor::EmptyOp::create(builder, loc, type.getShape(),
                                        type.getElementType());
  Value scalar = buildConstant(builder, loc, value);
  return linalg::FillOp::create(builder, loc, scalar, empty).getResult(0);
}

/// The input inside a padded one, in loops over the input.
static AffineMap getInnerMap(OpBuilder &builder, ArrayRef<int64_t> padding) {
  SmallVector<AffineExpr> pixel = {builder.getAffineDimExpr(0),
                                   builder.getAffineDimExpr(1)};
  for (unsigned axis : {0, 1})
    pixel.push_back(builder.getAffineDimExpr(2 + axis) +
                    getMargin(padding, axis));
  return AffineMap::get(4, 0, pixel, builder.getContext());
}

Value boostc::nn::padInput(OpBuilder &builder, Location loc, Value input,
                           ArrayRef<int64_t> padding, double value) {
  if (!isPadded(padding))
    return input;
  auto type = cast<RankedTensorType>(input.getType());
  Value filled = buildFilled(builder, loc, getPaddedType(type, padding), value);
  SmallVector<utils::IteratorType> iterators(4, utils::IteratorType::parallel);
  bool isZero = value == 0.0;
  auto generic = linalg::GenericOp::create(
      builder, loc, TypeRange{filled.getType()}, input, filled,
      {builder.getMultiDimIdentityMap(4), getInnerMap(builder, padding)},
      iterators, [&](OpBuilder &b, Location nested, ValueRange args) {
        // A body that reads what it overwrites keeps the fill from counting as
        // dead; padding is what leaves the other operand as it is.
        Value result =
            isZero
                ? arith::AddFOp::create(b, nested, args[0], args[1]).getResult()
                : arith::MaximumFOp::create(b, nested, args[0], args[1])
                      .getResult();
        linalg::YieldOp::create(b, nested, result);
      });
  return generic.getResult(0);
}

/// Whether every pixel of `input` is in exactly one window.
static bool areWindowsTiles(RankedTensorType input, ArrayRef<int64_t> kernel,
                            ArrayRef<int64_t> strides,
                            ArrayRef<int64_t> padding) {
  return kernel == strides && !isPadded(padding) &&
         input.getDimSize(2) % kernel[0] == 0 &&
         input.getDimSize(3) % kernel[1] == 0;
}

Value boostc::nn::buildPoolingGrad(
    OpBuilder &builder, Location loc, RankedTensorType input,
    const PoolingLoops &loops, ValueRange inputs, ArrayRef<int64_t> kernel,
    ArrayRef<int64_t> strides, ArrayRef<int64_t> padding,
    llvm::function_ref<Value(OpBuilder &, Location, ValueRange)> term) {
  bool areTiles = areWindowsTiles(input, kernel, strides, padding);
  Type element = input.getElementType();
  // What is summed is f32.
  RankedTensorType sums =
      getPaddedType(withElements(input, builder.getF32Type()), padding);
  Value init = areTiles ? tensor::EmptyOp::create(builder, loc,
                                                  input.getShape(), element)
                              .getResult()
                        : buildFilled(builder, loc, sums, 0.0);
  // Loops that move a pixel's index are parallel only where each pixel is met
  // once.
  SmallVector<utils::IteratorType> iterators(
      6, areTiles ? utils::IteratorType::parallel
                  : utils::IteratorType::reduction);
  iterators[0] = iterators[1] = utils::IteratorType::parallel;
  SmallVector<AffineMap> maps(inputs.size(), loops.output);
  SmallVector<Value> operands(inputs);
  operands.push_back(loops.extents);
  maps.push_back(loops.window);
  maps.push_back(loops.input);
  auto generic = linalg::GenericOp::create(
      builder, loc, TypeRange{init.getType()}, operands, ValueRange{init}, maps,
      iterators, [&](OpBuilder &b, Location nested, ValueRange args) {
        SmallVector<Value> elements;
        for (Value arg : args)
          elements.push_back(buildExtension(b, nested, arg));
        Value value = term(b, nested, elements);
        if (areTiles)
          value = buildRounding(b, nested, value, element);
        else
          value = arith::AddFOp::create(b, nested, elements.back(), value);
        linalg::YieldOp::create(b, nested, value);
      });
  if (!isPadded(padding))
    return buildConversion(builder, loc, generic.getResult(0), element);
  return buildElementwise(
      builder, loc, input, generic.getResult(0),
      {getInnerMap(builder, padding)},
      [&](OpBuilder &b, Location nested, ValueRange args) -> Value {
        return buildRounding(b, nested, args[0], element);
      });
}
