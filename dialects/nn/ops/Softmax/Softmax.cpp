#include "dialects/nn/Softmax.h"
#include "dialects/nn/Axes.h"
#include "dialects/nn/NnDialect.h"
#include <cmath>
#include <numeric>

using namespace boostc;
using namespace boostc::nn;

const LineRule &SoftmaxOp::getLineRule() {
  static const LineRule rule = {
      .build = [](Scalar shifted, Scalar sum) { return exp(shifted) / sum; },
      .evaluate =
          [](Lines<double> lines) {
            std::vector<double> &x = lines[0];
            double sum = shiftByMaximum(x);
            for (double &element : x)
              element = std::exp(element) / sum;
          },
      .bound = [](Lines<Approximate> lines) { boundSoftmax(lines[0]); }};
  return rule;
}

const LineGradientRule &SoftmaxGradOp::getLineRule() {
  static const LineGradientRule rule = {
      .buildTerm = [](Scalar dy, Scalar y) { return dy * y; },
      .build = [](Scalar dy, Scalar y, Scalar sum) { return y * (dy - sum); },
      .evaluate =
          [](Lines<double> lines) {
            std::vector<double> &dy = lines[0], &y = lines[1];
            double sum =
                std::inner_product(dy.begin(), dy.end(), y.begin(), 0.0);
            for (size_t k = 0; k < dy.size(); ++k)
              dy[k] = y[k] * (dy[k] - sum);
          },
      .bound =
          [](Lines<Approximate> lines) {
            ApproximateSum sum;
            for (auto [dy, y] : llvm::zip(lines[0], lines[1]))
              sum.add(dy * y);
            for (auto [dy, y] : llvm::zip(lines[0], lines[1]))
              dy = y * (dy - sum.get());
          }};
  return rule;
}

std::vector<LayerSpec> SoftmaxOp::getLayerSpecs() {
  LayerSpec spec{"softmax", LayerSpec::Kind::Layer,
                 "Softmax along a dimension, `y[i] = exp(x[i]) / sum over j of "
                 "exp(x[j])`."};
  spec.keys = {getAxisKey("-1")};
  return {spec};
}
