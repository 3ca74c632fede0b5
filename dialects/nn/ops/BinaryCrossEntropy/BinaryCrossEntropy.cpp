#include "dialects/nn/Elementwise.h"
#include "dialects/nn/NnDialect.h"
#include <algorithm>
#include <cmath>

using namespace boostc;
using namespace boostc::nn;

ScalarRule BinaryCrossEntropyOp::getScalarRule() {
  return {.flops = 8,
          .build =
              [](Scalars x) {
                Scalar log1 = log(1.0 + exp(-abs(x[0])));
                return (max(x[0], 0.0) - x[0] * x[1]) + log1;
              },
          .evaluate =
              [](Numbers x) {
                return std::max(x[0], 0.0) - x[0] * x[1] +
                       std::log(1.0 + std::exp(-std::abs(x[0])));
              },
          .bound =
              [](Approximates x) {
                // The slope of the last term is at most a half; the power alone
                // would have no bound where the output is in doubt.
                Approximate log1 = boundAtOnce(x[0], 0.5, [](Approximate p) {
                  return log(1.0 + exp(-abs(p)));
                });
                return max(x[0], 0.0) - x[0] * x[1] + log1;
              }};
}

ScalarRule BinaryCrossEntropyOp::getGradientRule() {
  return {
      .flops = 9,
      .build =
          [](Scalars x) { return x[0] * (1.0 / (1.0 + exp(-x[1])) - x[2]); },
      .evaluate =
          [](Numbers x) {
            return x[0] * (1.0 / (1.0 + std::exp(-x[1])) - x[2]);
          },
      .bound = [](Approximates x) { return x[0] * (logistic(x[1]) - x[2]); }};
}
