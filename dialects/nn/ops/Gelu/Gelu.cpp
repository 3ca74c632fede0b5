#include "dialects/nn/Elementwise.h"
#include "dialects/nn/NnDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include <cmath>

using namespace mlir;
using namespace boostc;
using namespace boostc::nn;

/// sqrt(2 / pi), the cubic coefficient of the approximation, 1 / sqrt(2) and
/// 1 / sqrt(2 pi).
constexpr double kTanhScale = 0.79788456080286535588;
constexpr double kTanhCubic = 0.044715;
constexpr double kInverseRoot2 = 0.70710678118654752440;
constexpr double kDensityAtZero = 0.39894228040143267794;

//===----------------------------------------------------------------------===//
// nn.gelu
//===----------------------------------------------------------------------===//

LogicalResult GeluOp::evaluate(ReferenceContext &,
                               ArrayRef<ReferenceValue> operands,
                               SmallVectorImpl<ReferenceValue> &results) {
  return evaluateElementwise(operands, results, [&](ArrayRef<double> args) {
    double x = args[0];
    if (getTanh())
      return 0.5 * x *
             (1.0 + std::tanh(kTanhScale * (x + kTanhCubic * x * x * x)));
    return 0.5 * x * (1.0 + std::erf(x * kInverseRoot2));
  });
}

SmallVector<Value> GeluOp::savedForBackward() { return {getInput()}; }

LogicalResult GeluOp::buildBackward(BackwardContext &context) {
  context.gradOperands[0] =
      GeluGradOp::create(context.builder, context.loc, context.gradResults[0],
                         getInput(), getTanhAttr());
  return success();
}

/// tanh(sqrt(2 / pi) (x + c x^3)).
static Value buildInnerTanh(OpBuilder &b, Location loc, Value x) {
  Value square = arith::MulFOp::create(b, loc, x, x);
  Value cubic = arith::MulFOp::create(
      b, loc, square,
      arith::MulFOp::create(b, loc, buildRoundedConstant(b, loc, kTanhCubic),
                            x));
  Value inner =
      arith::MulFOp::create(b, loc, buildRoundedConstant(b, loc, kTanhScale),
                            arith::AddFOp::create(b, loc, x, cubic));
  return math::TanhOp::create(b, loc, inner);
}

/// 1 + erf(x / sqrt(2)): twice the normal distribution function.
static Value buildTwicePhi(OpBuilder &b, Location loc, Value x) {
  Value scaled = arith::MulFOp::create(
      b, loc, x, buildRoundedConstant(b, loc, kInverseRoot2));
  return arith::AddFOp::create(b, loc, buildConstant(b, loc, 1.0),
                               math::ErfOp::create(b, loc, scaled));
}

FailureOr<SmallVector<Value>> GeluOp::lowerToLinalg(OpBuilder &builder) {
  return lowerElementwise(
      *this, builder,
      [&](OpBuilder &b, Location loc, ValueRange args) -> Value {
        Value x = args[0];
        Value half =
            arith::MulFOp::create(b, loc, buildConstant(b, loc, 0.5), x);
        Value gate =
            getTanh()
                ? arith::AddFOp::create(b, loc, buildConstant(b, loc, 1.0),
                                        buildInnerTanh(b, loc, x))
                      .getResult()
                : buildTwicePhi(b, loc, x);
        return arith::MulFOp::create(b, loc, half, gate);
      });
}

int64_t GeluOp::getFlops() { return 12 * getType().getNumElements(); }

std::vector<LayerSpec> GeluOp::getLayerSpecs() {
  LayerSpec spec{"gelu", LayerSpec::Kind::Layer,
                 "Gaussian error linear unit, `y = x * Phi(x)` with the normal "
                 "distribution function Phi."};
  spec.keys = {{.name = "approximate",
                .type = KeyType::Choice,
                .doc =
                    "`none`: by the error function. `tanh`: `y = x / 2 * (1 + "
                    "tanh(sqrt(2 / pi) * (x + 0.044715 * x^3)))`.",
                .defaultValue = "\"none\"",
                .choices = {"none", "tanh"}}};
  return {spec};
}

FailureOr<SmallVector<Value>> GeluOp::buildLayer(LayerBuilder &layer) {
  bool isTanh = layer.getChoice("approximate") == "tanh";
  return SmallVector<Value>{
      GeluOp::create(layer.builder, layer.loc, layer.inputs[0], isTanh)};
}

//===----------------------------------------------------------------------===//
// nn.gelu_grad
//===----------------------------------------------------------------------===//

LogicalResult GeluGradOp::evaluate(ReferenceContext &,
                                   ArrayRef<ReferenceValue> operands,
                                   SmallVectorImpl<ReferenceValue> &results) {
  return evaluateElementwise(operands, results, [&](ArrayRef<double> args) {
    double x = args[1];
    if (!getTanh())
      return args[0] * (0.5 * (1.0 + std::erf(x * kInverseRoot2)) +
                        x * kDensityAtZero * std::exp(-0.5 * x * x));
    double t = std::tanh(kTanhScale * (x + kTanhCubic * x * x * x));
    double slope = kTanhScale * (1.0 + 3.0 * kTanhCubic * x * x);
    return args[0] * 0.5 * (1.0 + t + x * (1.0 - t * t) * slope);
  });
}

FailureOr<SmallVector<Value>> GeluGradOp::lowerToLinalg(OpBuilder &builder) {
  return lowerElementwise(
      *this, builder,
      [&](OpBuilder &b, Location loc, ValueRange args) -> Value {
        auto mul = [&](Value x, Value y) -> Value {
          return arith::MulFOp::create(b, loc, x, y);
        };
        auto add = [&](Value x, Value y) -> Value {
          return arith::AddFOp::create(b, loc, x, y);
        };
        Value x = args[1], half = buildConstant(b, loc, 0.5);
        Value one = buildConstant(b, loc, 1.0), square = mul(x, x);
        if (getTanh()) {
          Value t = buildInnerTanh(b, loc, x);
          Value rest = arith::SubFOp::create(b, loc, one, mul(t, t));
          Value slope = add(
              buildRoundedConstant(b, loc, kTanhScale),
              mul(buildRoundedConstant(b, loc, 3.0 * kTanhCubic * kTanhScale),
                  square));
          Value derivative = add(add(one, t), mul(mul(x, rest), slope));
          return mul(args[0], mul(half, derivative));
        }
        Value power = math::ExpOp::create(
            b, loc, mul(buildConstant(b, loc, -0.5), square));
        Value density =
            mul(mul(x, buildRoundedConstant(b, loc, kDensityAtZero)), power);
        return mul(args[0], add(mul(half, buildTwicePhi(b, loc, x)), density));
      });
}

int64_t GeluGradOp::getFlops() { return 18 * getType().getNumElements(); }
