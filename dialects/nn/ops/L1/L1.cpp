#include "dialects/nn/NnDialect.h"
#include <cmath>

using namespace boostc;
using namespace boostc::nn;

ScalarRule L1Op::getScalarRule() {
  return {.flops = 2,
          .build = [](Scalars x) { return abs(x[0] - x[1]); },
          .evaluate = [](Numbers x) { return std::abs(x[0] - x[1]); },
          .bound = [](Approximates x) { return abs(x[0] - x[1]); }};
}

ScalarRule L1Op::getGradientRule() {
  return {.flops = 3,
          .build =
              [](Scalars x) {
                Scalar negative = select(x[1] < x[2], -1.0, 0.0);
                return x[0] * select(x[1] > x[2], 1.0, negative);
              },
          .evaluate =
              [](Numbers x) {
                return x[0] * (x[1] > x[2] ? 1.0 : x[1] < x[2] ? -1.0 : 0.0);
              },
          .bound =
              [](Approximates x) {
                // The sign is in doubt where the difference is within its
                // error of zero.
                double difference = x[1].value - x[2].value;
                double error = x[1].error + x[2].error;
                bool inDoubt = error > 0.0 && std::abs(difference) <= error;
                double sign = (difference > 0.0) - (difference < 0.0);
                return x[0] * Approximate(sign, inDoubt ? 2.0 : 0.0);
              }};
}
