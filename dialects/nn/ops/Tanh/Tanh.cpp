#include "dialects/nn/Elementwise.h"
#include "dialects/nn/NnDialect.h"
#include <cmath>

using namespace boostc;
using namespace boostc::nn;

ScalarRule TanhOp::getScalarRule() {
  return {.flops = 8,
          .build = [](Scalars x) { return tanh(x[0]); },
          .evaluate = [](Numbers x) { return std::tanh(x[0]); },
          .bound = [](Approximates x) { return tanh(x[0]); }};
}

ScalarRule TanhOp::getGradientRule() {
  return {.flops = 3,
          .build = [](Scalars x) { return x[0] * (1.0 - x[1] * x[1]); },
          .evaluate = [](Numbers x) { return x[0] * (1.0 - x[1] * x[1]); },
          .bound =
              [](Approximates x) {
                double y = x[1].value;
                return boundSlope(x[0], x[1], 1.0 - y * y, 2.0);
              }};
}
