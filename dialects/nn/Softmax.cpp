#include "dialects/nn/Softmax.h"
#include "dialects/interfaces/LinalgHelpers.h"
#include "dialects/nn/Axes.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include <cmath>
#include <limits>

using namespace mlir;
using namespace boostc;
using namespace boostc::nn;

/// Calls `line` with the lines of `operands`, read by `read(operand, offset)`,
/// and `write(offset, element)` with what it leaves in the first.
template <typename Element, typename Operand>
static void
forEachLine(ArrayRef<Operand> operands, ArrayRef<int64_t> shape, int64_t axis,
            llvm::function_ref<Element(const Operand &, int64_t)> read,
            llvm::function_ref<void(Lines<Element>)> line,
            llvm::function_ref<void(int64_t, Element)> write) {
  AxisView view(shape, axis);
  std::vector<std::vector<Element>> lines(operands.size(),
                                          std::vector<Element>(view.extent));
  for (int64_t o = 0; o < view.outer; ++o)
    for (int64_t i = 0; i < view.inner; ++i) {
      int64_t start = view.offset(o, i);
      for (auto [elements, operand] : llvm::zip_equal(lines, operands))
        for (int64_t k = 0; k < view.extent; ++k)
          elements[k] = read(operand, start + k * view.inner);
      line(lines);
      for (int64_t k = 0; k < view.extent; ++k)
        write(start + k * view.inner, lines[0][k]);
    }
}

LogicalResult
boostc::nn::evaluateLines(ArrayRef<ReferenceValue> operands, int64_t axis,
                          SmallVectorImpl<ReferenceValue> &results,
                          llvm::function_ref<void(Lines<double>)> line) {
  ReferenceValue result = operands[0];
  forEachLine<double, ReferenceValue>(
      operands, result.shape, axis,
      [](const ReferenceValue &x, int64_t i) { return x.data[i]; }, line,
      [&](int64_t i, double element) { result.data[i] = element; });
  results.push_back(std::move(result));
  return success();
}

ErrorBounds
boostc::nn::boundLines(ArrayRef<Bounded> operands, int64_t axis,
                       llvm::function_ref<void(Lines<Approximate>)> line) {
  std::vector<double> errors(operands[0].value.size());
  forEachLine<Approximate, Bounded>(
      operands, operands[0].value.shape, axis,
      [](const Bounded &x, int64_t i) { return x.at(i); }, line,
      [&](int64_t i, Approximate element) { errors[i] = element.error; });
  return {errors};
}

double boostc::nn::shiftByMaximum(std::vector<double> &line) {
  double maximum = *llvm::max_element(line), sum = 0.0;
  for (double &element : line) {
    element -= maximum;
    sum += std::exp(element);
  }
  return sum;
}

namespace {

/// A line of softmax or log_softmax: what both start from. The largest element
/// is subtracted, exp, a sum. What the elements' errors do is not followed
/// through these steps, because most of it cancels: with `doubt` the largest
/// error, the logarithm of the sum moves by `doubt` at most (its derivatives
/// add up to 1), however large that is.
struct SoftmaxLine {
  double maximum = -INFINITY, sum = 0.0, doubt = 0.0;
  /// Relative error of the sum from rounding. A difference -t is off by u t,
  /// its power by exp(-t) (exp(u t) - 1), which is less than kPowerError for
  /// every t: no line is too wide. Next to them is a power of 1. Then exp,
  /// the sum, and powers that underflow.
  double relative = 0.0;
  static constexpr double kPowerError = kUnitRoundoff / 2;

  explicit SoftmaxLine(const std::vector<Approximate> &x) {
    for (Approximate element : x) {
      maximum = std::max(maximum, element.value);
      doubt = std::max(doubt, element.error);
    }
    for (Approximate element : x)
      sum += std::exp(element.value - maximum);
    auto terms = static_cast<double>(x.size());
    relative =
        terms * (kPowerError + kUnderflow) + kElementaryError + gammaOf(terms);
  }
};

} // namespace

void boostc::nn::boundLogSoftmax(std::vector<Approximate> &x) {
  SoftmaxLine line(x);
  // The sum is one to `x.size()` whatever the elements are.
  double log =
      -std::log1p(-line.relative) +
      kElementaryError * (1.0 + std::log(static_cast<double>(x.size())));
  for (Approximate &element : x) {
    double shifted = element.value - line.maximum;
    double difference = kUnitRoundoff * (std::abs(shifted) + 2 * line.doubt);
    element =
        Approximate::rounded(shifted - std::log(line.sum),
                             element.error + line.doubt + difference + log);
  }
}

/// y moves by y (dx - sum of y dx), at most 2 y (1 - y) doubt: by a factor of
/// exp(2 doubt) at most, by half of `doubt` and never by more than 1. Its power
/// is off by its difference's rounding and exp's, the sum by `relative`, and
/// their quotient is rounded.
void boostc::nn::boundSoftmax(std::vector<Approximate> &x) {
  SoftmaxLine line(x);
  for (Approximate &element : x) {
    double below = line.maximum - element.value;
    double y = std::exp(-below) / line.sum;
    double moved =
        std::min({line.doubt / 2, 1.0, y * std::expm1(2 * line.doubt)});
    double power = std::min(
        SoftmaxLine::kPowerError,
        (y + moved) * std::expm1(kUnitRoundoff * (below + 2 * line.doubt)));
    double own = (1.0 + kElementaryError) / (1.0 - line.relative) - 1.0;
    element = Approximate::rounded(
        y, moved + power + (y + moved + power) * own + kUnderflow);
  }
}

/// The type of one number for each line.
static RankedTensorType getLineType(RankedTensorType type, int64_t axis) {
  SmallVector<int64_t> shape(type.getShape());
  shape.erase(shape.begin() + axis);
  return RankedTensorType::get(shape, type.getElementType());
}

SmallVector<Value> boostc::nn::lowerLines(const LineRule &rule,
                                          OpBuilder &builder, Location loc,
                                          Value input, int64_t axis) {
  auto type = cast<RankedTensorType>(input.getType());
  unsigned rank = type.getRank();
  SmallVector<unsigned> kept = withoutAxes(rank, axis);
  AffineMap all = builder.getMultiDimIdentityMap(rank);
  AffineMap line = projection(builder, rank, kept);
  float lowest = -std::numeric_limits<float>::infinity();
  Value maximum = buildReduction(
      builder, loc, getLineType(type, axis), builder.getF32FloatAttr(lowest),
      rank, kept, input, all,
      [](OpBuilder &b, Location nested, ValueRange args) -> Value {
        return arith::MaximumFOp::create(b, nested, args[0], args[1]);
      });
  Value exponentials = buildReduction(
      builder, loc, getLineType(type, axis), builder.getF32FloatAttr(0.0), rank,
      kept, {input, maximum}, {all, line},
      [](OpBuilder &b, Location nested, ValueRange args) -> Value {
        Value shifted = arith::SubFOp::create(b, nested, args[0], args[1]);
        Value power = math::ExpOp::create(b, nested, shifted);
        return buildSumStep(b, nested, args[2], power);
      });
  return {buildElementwise(
      builder, loc, type, {input, maximum, exponentials}, {all, line, line},
      [&](OpBuilder &b, Location nested, ValueRange args) -> Value {
        ScalarEmitter emitter(b, nested);
        Scalar x(args[0], emitter), largest(args[1], emitter);
        return rule.build(x - largest, {args[2], emitter}).get(emitter);
      })};
}

SmallVector<Value> boostc::nn::lowerLineGradient(const LineGradientRule &rule,
                                                 OpBuilder &builder,
                                                 Location loc, Value gradient,
                                                 Value output, int64_t axis) {
  auto type = cast<RankedTensorType>(gradient.getType());
  unsigned rank = type.getRank();
  SmallVector<unsigned> kept = withoutAxes(rank, axis);
  AffineMap all = builder.getMultiDimIdentityMap(rank);
  AffineMap line = projection(builder, rank, kept);
  SmallVector<Value> inputs = {gradient};
  if (rule.buildTerm)
    inputs.push_back(output);
  Value sum = buildReduction(
      builder, loc, getLineType(type, axis), builder.getF32FloatAttr(0.0), rank,
      kept, inputs, SmallVector<AffineMap>(inputs.size(), all),
      [&](OpBuilder &b, Location nested, ValueRange args) -> Value {
        ScalarEmitter emitter(b, nested);
        Value term = args[0];
        if (rule.buildTerm)
          term = rule.buildTerm({args[0], emitter}, {args[1], emitter})
                     .get(emitter);
        return buildSumStep(b, nested, args.back(), term);
      });
  return {buildElementwise(
      builder, loc, type, {gradient, output, sum}, {all, all, line},
      [&](OpBuilder &b, Location nested, ValueRange args) -> Value {
        ScalarEmitter emitter(b, nested);
        return rule
            .build({args[0], emitter}, {args[1], emitter}, {args[2], emitter})
            .get(emitter);
      })};
}
