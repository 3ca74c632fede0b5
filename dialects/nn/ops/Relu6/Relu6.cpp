#include "dialects/nn/NnDialect.h"
#include <algorithm>

using namespace boostc;
using namespace boostc::nn;

ScalarRule Relu6Op::getScalarRule() {
  return {
      .flops = 2,
      .build = [](Scalars x) { return min(max(x[0], 0.0), 6.0); },
      .evaluate = [](Numbers x) { return std::min(std::max(x[0], 0.0), 6.0); },
      .bound = [](Approximates x) { return min(max(x[0], 0.0), 6.0); }};
}

ScalarRule Relu6Op::getGradientRule() {
  return {.flops = 2,
          .build =
              [](Scalars x) {
                ScalarCondition isAbove = x[1] > 0.0, isBelow = x[1] < 6.0;
                return select(isAbove & isBelow, x[0], 0.0);
              },
          .evaluate =
              [](Numbers x) { return x[1] > 0.0 && x[1] < 6.0 ? x[0] : 0.0; },
          .bound =
              [](Approximates x) {
                bool inDoubt = x[1].error > 0.0 &&
                               (x[1].low() <= 0.0 || x[1].high() >= 6.0);
                return inDoubt ? Approximate(0.0, x[0].magnitude()) : x[0];
              }};
}
