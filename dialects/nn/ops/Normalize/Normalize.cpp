#include "dialects/interfaces/Approximate.h"
#include "dialects/interfaces/LinalgHelpers.h"
#include "dialects/nn/NnDialect.h"

using namespace mlir;
using namespace boostc;
using namespace boostc::nn;

LogicalResult NormalizeOp::verify() {
  auto pixels = getPixels().getType(), to = getType();
  if (pixels.getRank() < 2 || pixels.getShape() != to.getShape())
    return emitOpError("expected pixels [batch, channels, ...] to become "
                       "numbers of the same shape, found ")
           << pixels << " to " << to;
  int64_t channels = pixels.getDimSize(1);
  for (auto [name, numbers] :
       {std::pair("scale", getScale()), {"shift", getShift()}})
    if (auto count = static_cast<int64_t>(numbers.size());
        count != 1 && count != channels)
      return emitOpError("expected 1 number of ")
             << name << " or one for each of the " << channels
             << " channels, found " << count;
  return success();
}

/// The number of channel `c`.
static double getNumber(ArrayAttr numbers, int64_t c) {
  return cast<FloatAttr>(numbers[numbers.size() == 1 ? 0 : c])
      .getValueAsDouble();
}

/// The interpreter may hold 255 as -1: integers have no sign of their own.
static double toPixel(double element) {
  return element < 0 ? element + 256 : element;
}

LogicalResult NormalizeOp::evaluate(ReferenceContext &,
                                    ArrayRef<ReferenceValue> operands,
                                    SmallVectorImpl<ReferenceValue> &results) {
  ReferenceValue result = operands[0];
  int64_t channels = result.shape[1];
  int64_t area = result.size() / result.shape[0] / channels;
  for (int64_t i = 0; i < result.size(); ++i) {
    int64_t c = i / area % channels;
    result.data[i] = getNumber(getScale(), c) * toPixel(result.data[i]) +
                     getNumber(getShift(), c);
  }
  results.push_back(std::move(result));
  return success();
}

ErrorBounds NormalizeOp::boundErrors(ReferenceContext &,
                                     ArrayRef<Bounded> operands,
                                     ArrayRef<ReferenceValue>) {
  const ReferenceValue &pixels = operands[0].value;
  int64_t channels = pixels.shape[1];
  int64_t area = pixels.size() / pixels.shape[0] / channels;
  std::vector<double> errors;
  for (int64_t i = 0; i < pixels.size(); ++i) {
    int64_t c = i / area % channels;
    Approximate scale = Approximate::constant(getNumber(getScale(), c)),
                shift = Approximate::constant(getNumber(getShift(), c));
    errors.push_back((scale * toPixel(pixels.data[i]) + shift).error);
  }
  return {std::move(errors)};
}

/// The number of the channel that a loop nest is at.
static Value buildNumber(OpBuilder &b, Location loc, ArrayAttr numbers) {
  Value number = buildRoundedConstant(b, loc, getNumber(numbers, 0));
  if (numbers.size() == 1)
    return number;
  Value channel = linalg::IndexOp::create(b, loc, 1);
  for (int64_t c = 1; c < static_cast<int64_t>(numbers.size()); ++c) {
    Value isThis =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, channel,
                              arith::ConstantIndexOp::create(b, loc, c));
    number = arith::SelectOp::create(
        b, loc, isThis, buildRoundedConstant(b, loc, getNumber(numbers, c)),
        number);
  }
  return number;
}

FailureOr<SmallVector<Value>> NormalizeOp::lowerToLinalg(OpBuilder &builder) {
  return SmallVector<Value>{buildElementwise(
      builder, getLoc(), cast<RankedTensorType>(getType()), getPixels(),
      [&](OpBuilder &b, Location loc, ValueRange args) -> Value {
        Value pixel = arith::UIToFPOp::create(b, loc, b.getF32Type(), args[0]);
        return arith::AddFOp::create(
            b, loc,
            arith::MulFOp::create(b, loc, pixel,
                                  buildNumber(b, loc, getScale())),
            buildNumber(b, loc, getShift()));
      })};
}

int64_t NormalizeOp::getFlops() { return 2 * getType().getNumElements(); }
