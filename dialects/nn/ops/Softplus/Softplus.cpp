#include "dialects/nn/Elementwise.h"
#include "dialects/nn/NnDialect.h"

using namespace boostc;
using namespace boostc::nn;

ScalarRule SoftplusOp::getScalarRule() {
  auto rule = [](auto x) { return max(x, 0.0) + log(1.0 + exp(-abs(x))); };
  // Where x is far below 0 the sum is rounded to 1, and what it lost is the
  // result: it is added again, divided by the sum as log's derivative asks.
  auto build = [](auto x) {
    auto part = exp(-abs(x)), sum = 1.0 + part;
    return max(x, 0.0) + (log(sum) + (part - (sum - 1.0)) / sum);
  };
  return {
      .flops = 10,
      .build = [=](Scalars x) { return build(x[0]); },
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
