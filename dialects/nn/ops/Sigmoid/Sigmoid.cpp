#include "dialects/nn/Elementwise.h"
#include "dialects/nn/NnDialect.h"
#include <cmath>

using namespace boostc;
using namespace boostc::nn;

ScalarRule SigmoidOp::getScalarRule() {
  return {.flops = 4,
          .build = [](Scalars x) { return 1.0 / (1.0 + exp(-x[0])); },
          .evaluate = [](Numbers x) { return 1.0 / (1.0 + std::exp(-x[0])); },
          .bound = [](Approximates x) { return logistic(x[0]); }};
}

ScalarRule SigmoidOp::getGradientRule() {
  return {.flops = 3,
          .build = [](Scalars x) { return x[0] * (x[1] * (1.0 - x[1])); },
          .evaluate = [](Numbers x) { return x[0] * x[1] * (1.0 - x[1]); },
          .bound =
              [](Approximates x) {
                double y = x[1].value;
                return boundSlope(x[0], x[1], y * (1.0 - y), 1.0);
              }};
}
