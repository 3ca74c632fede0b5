#include "dialects/nn/Elementwise.h"
#include "dialects/nn/NnDialect.h"
#include <cmath>

using namespace boostc;
using namespace boostc::nn;

ScalarRule SiluOp::getScalarRule() {
  return {.flops = 4,
          .build = [](Scalars x) { return x[0] / (1.0 + exp(-x[0])); },
          .evaluate = [](Numbers x) { return x[0] / (1.0 + std::exp(-x[0])); },
          .bound =
              [](Approximates x) {
                return boundAtOnce(x[0], 1.1, [](Approximate x) {
                  // Relatively as far off as 1 / (1 + exp(-x)).
                  Approximate s = logistic(x);
                  return Approximate(x.value * s.value,
                                     std::abs(x.value) * s.error);
                });
              }};
}

ScalarRule SiluOp::getGradientRule() {
  return {.flops = 8,
          .build =
              [](Scalars x) {
                Scalar s = 1.0 / (1.0 + exp(-x[1]));
                return x[0] * (s * (1.0 + x[1] * (1.0 - s)));
              },
          .evaluate =
              [](Numbers x) {
                double s = 1.0 / (1.0 + std::exp(-x[1]));
                return x[0] * (s * (1.0 + x[1] * (1.0 - s)));
              },
          .bound =
              [](Approximates x) {
                return x[0] * boundAtOnce(x[1], 0.51, [](Approximate x) {
                         Approximate s = logistic(x);
                         return s * (1.0 + x * (1.0 - s));
                       });
              }};
}
