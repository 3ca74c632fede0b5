#include "dialects/nn/Elementwise.h"
#include "dialects/nn/NnDialect.h"
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

// What is emitted, and what its rounding does: T is Scalar or Approximate.

/// tanh(sqrt(2 / pi) (x + c x^3)).
template <typename T> static T computeInnerTanh(T x) {
  T square = x * x;
  T cubic = square * (T::constant(kTanhCubic) * x);
  return tanh(T::constant(kTanhScale) * (x + cubic));
}

/// 1 + erf(x / sqrt(2)): twice the normal distribution function.
template <typename T> static T computeTwicePhi(T x) {
  return 1.0 + erf(x * T::constant(kInverseRoot2));
}

template <typename T> static T computeGelu(T x, bool isTanh) {
  T half = 0.5 * x;
  return half * (isTanh ? 1.0 + computeInnerTanh(x) : computeTwicePhi(x));
}

template <typename T> static T computeGeluSlope(T x, bool isTanh) {
  T square = x * x;
  if (!isTanh) {
    T power = exp(-0.5 * square);
    T density = x * T::constant(kDensityAtZero) * power;
    return 0.5 * computeTwicePhi(x) + density;
  }
  T t = computeInnerTanh(x);
  T first = 1.0 + t, rest = 1.0 - t * t;
  T slope = T::constant(kTanhScale) +
            T::constant(3.0 * kTanhCubic * kTanhScale) * square;
  return 0.5 * (first + x * rest * slope);
}

ScalarRule GeluOp::getScalarRule() {
  bool isTanh = getTanh();
  return {.flops = 12,
          .build = [=](Scalars x) { return computeGelu(x[0], isTanh); },
          .evaluate =
              [=](Numbers numbers) {
                double x = numbers[0];
                if (isTanh)
                  return 0.5 * x *
                         (1.0 +
                          std::tanh(kTanhScale * (x + kTanhCubic * x * x * x)));
                return 0.5 * x * (1.0 + std::erf(x * kInverseRoot2));
              },
          // |y'| is below 1.13.
          .bound =
              [=](Approximates x) {
                return boundAtOnce(x[0], 1.13, [=](Approximate x) {
                  return computeGelu(x, isTanh);
                });
              }};
}

ScalarRule GeluOp::getGradientRule() {
  bool isTanh = getTanh();
  return {
      .flops = 18,
      .build = [=](Scalars x) { return x[0] * computeGeluSlope(x[1], isTanh); },
      .evaluate =
          [=](Numbers numbers) {
            double dy = numbers[0], x = numbers[1];
            if (!isTanh)
              return dy * (0.5 * (1.0 + std::erf(x * kInverseRoot2)) +
                           x * kDensityAtZero * std::exp(-0.5 * x * x));
            double t = std::tanh(kTanhScale * (x + kTanhCubic * x * x * x));
            double slope = kTanhScale * (1.0 + 3.0 * kTanhCubic * x * x);
            return dy * 0.5 * (1.0 + t + x * (1.0 - t * t) * slope);
          },
      // |y''| is below 1.
      .bound =
          [=](Approximates x) {
            return x[0] * boundAtOnce(x[1], 1.0, [=](Approximate x) {
                     return computeGeluSlope(x, isTanh);
                   });
          }};
}

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
