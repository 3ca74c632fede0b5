#include "dialects/nn/NnDialect.h"

using namespace boostc;
using namespace boostc::nn;

ScalarRule MseOp::getScalarRule() {
  auto square = [](auto difference) { return difference * difference; };
  return {.flops = 3,
          .build = [=](Scalars x) { return square(x[0] - x[1]); },
          .evaluate = [=](Numbers x) { return square(x[0] - x[1]); },
          .bound = [=](Approximates x) { return square(x[0] - x[1]); }};
}

ScalarRule MseOp::getGradientRule() {
  return {.flops = 4,
          .build =
              [](Scalars x) {
                Scalar difference = x[1] - x[2];
                return x[0] * (difference + difference);
              },
          .evaluate = [](Numbers x) { return x[0] * 2.0 * (x[1] - x[2]); },
          .bound = [](Approximates x) { return x[0] * (2.0 * (x[1] - x[2])); }};
}
