#include "dialects/nn/NnDialect.h"

using namespace boostc;
using namespace boostc::nn;

ScalarRule ReluOp::getScalarRule() {
  // An ordered comparison: a NaN is not "<= 0" and passes through.
  return {.build = [](Scalars x) { return select(x[0] <= 0.0, 0.0, x[0]); },
          .evaluate = [](Numbers x) { return x[0] <= 0.0 ? 0.0 : x[0]; },
          .bound = [](Approximates x) { return max(x[0], 0.0); }};
}

ScalarRule ReluOp::getGradientRule() {
  return {.build = [](Scalars x) { return select(x[1] > 0.0, x[0], 0.0); },
          .evaluate = [](Numbers x) { return x[1] > 0.0 ? x[0] : 0.0; },
          .bound =
              [](Approximates x) {
                // In doubt where y is within its error of zero.
                if (x[1].error > 0.0 && x[1].low() <= 0.0)
                  return Approximate(0.0, x[0].magnitude());
                return x[1].value > 0.0 ? x[0] : Approximate(0.0);
              }};
}
