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

std::vector<LayerSpec> MseOp::getLayerSpecs() {
  return {{"mse", LayerSpec::Kind::Loss,
           "Mean squared error, `(y - t)^2` averaged over outputs and samples; "
           "t is the target, or 1 for the labelled class, else 0."}};
}
