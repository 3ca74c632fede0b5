#include "dialects/nn/Elementwise.h"
#include "dialects/nn/NnDialect.h"

using namespace boostc;
using namespace boostc::nn;

ScalarRule SoftplusOp::getScalarRule() {
  auto rule = [](auto x) { return max(x, 0.0) + log(1.0 + exp(-abs(x))); };
  return {
      .flops = 6,
      .build = [=](Scalars x) { return rule(x[0]); },
      .evaluate =
          [](Numbers x) {
            return std::max(x[0], 0.0) + std::log1p(std::exp(-std::abs(x[0])));
          },
      .bound = [=](Approximates x) { return boundAtOnce(x[0], 1.0, rule); }};
}

ScalarRule SoftplusOp::getGradientRule() {
  return {.flops = 4,
          .build = [](Scalars x) { return x[0] / (1.0 + exp(-x[1])); },
          .evaluate = [](Numbers x) { return x[0] / (1.0 + std::exp(-x[1])); },
          .bound = [](Approximates x) { return x[0] * logistic(x[1]); }};
}
