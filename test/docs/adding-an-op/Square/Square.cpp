#include "dialects/nn/NnDialect.h"

using namespace boostc;
using namespace boostc::nn;

ScalarRule SquareOp::getScalarRule() {
  return {.build = [](Scalars x) { return x[0] * x[0]; },
          .evaluate = [](Numbers x) { return x[0] * x[0]; },
          .bound = [](Approximates x) { return x[0] * x[0]; }};
}

ScalarRule SquareOp::getGradientRule() {
  return {.flops = 2,
          .build = [](Scalars x) { return x[0] * (x[1] + x[1]); },
          .evaluate = [](Numbers x) { return x[0] * 2.0 * x[1]; },
          .bound = [](Approximates x) { return x[0] * (x[1] + x[1]); }};
}
