#include "dialects/nn/Axes.h"
#include "dialects/nn/NnDialect.h"
#include "dialects/nn/Softmax.h"
#include <cmath>
#include <numeric>

using namespace boostc;
using namespace boostc::nn;

const LineRule &LogSoftmaxOp::getLineRule() {
  static const LineRule rule = {
      .build = [](Scalar shifted, Scalar sum) { return shifted - log(sum); },
      .evaluate =
          [](Lines<double> lines) {
            std::vector<double> &x = lines[0];
            double sum = shiftByMaximum(x);
            for (double &element : x)
              element -= std::log(sum);
          },
      .bound = [](Lines<Approximate> lines) { boundLogSoftmax(lines[0]); }};
  return rule;
}

const LineGradientRule &LogSoftmaxGradOp::getLineRule() {
  static const LineGradientRule rule = {
      .buildTerm = nullptr,
      .build = [](Scalar dy, Scalar y,
                  Scalar sum) { return dy - exp(y) * sum; },
      .evaluate =
          [](Lines<double> lines) {
            std::vector<double> &dy = lines[0], &y = lines[1];
            double sum = std::accumulate(dy.begin(), dy.end(), 0.0);
            for (size_t k = 0; k < dy.size(); ++k)
              dy[k] -= std::exp(y[k]) * sum;
          },
      .bound =
          [](Lines<Approximate> lines) {
            ApproximateSum sum;
            for (Approximate dy : lines[0])
              sum.add(dy);
            for (auto [dy, y] : llvm::zip(lines[0], lines[1])) {
              // y is a log-probability on either side, below 0 but for the
              // rounding of log: no two powers are farther apart than 0 and 1.
              Approximate power = exp(y);
              power.error = std::min(power.error, 1.0 + 4 * kElementaryError);
              dy = dy - power * sum.get();
            }
          }};
  return rule;
}

std::vector<LayerSpec> LogSoftmaxOp::getLayerSpecs() {
  LayerSpec spec{"log_softmax", LayerSpec::Kind::Layer,
                 "Logarithm of the softmax along a dimension, `y[i] = x[i] - "
                 "log(sum over j of exp(x[j]))`."};
  spec.keys = {getAxisKey("-1")};
  return {spec};
}
