#include "dialects/nn/NnDialect.h"
#include "dialects/nn/Rows.h"
#include <cmath>

using namespace mlir;
using namespace boostc;
using namespace boostc::nn;

namespace {
/// What loss and gradient start from in one row of logits.
struct RowErrors {
  double maximum = -INFINITY, sum = 0.0, doubt = 0.0, spread = 0.0;
  /// Relative error of the sum of exponentials and of each of them: the
  /// difference to the maximum is rounded, then exp.
  double relative = 0.0;

  RowErrors(const Bounded &logits, int64_t n) {
    int64_t classes = logits.value.shape.back();
    for (int64_t c = 0; c < classes; ++c)
      maximum = std::max(maximum, logits.value.data[n * classes + c]);
    for (int64_t c = 0; c < classes; ++c) {
      double distance = maximum - logits.value.data[n * classes + c];
      sum += std::exp(-distance);
      spread = std::max(spread, distance);
      doubt = std::max(doubt, logits.error[n * classes + c]);
    }
    relative = kUnitRoundoff * spread + kElementaryError;
  }
};
} // namespace

/// The sum of log(sum exp) + (max - logit), the second weighted by the target:
/// both 2-Lipschitz in the largest error of a logit together, since the
/// derivative is softmax - target.
ErrorBounds SoftmaxCrossEntropyOp::boundErrors(ReferenceContext &,
                                               ArrayRef<Bounded> operands,
                                               ArrayRef<ReferenceValue>) {
  auto [on, off] = getTargets();
  const ReferenceValue &logits = operands[0].value;
  int64_t classes = logits.shape.back(), rows = logits.size() / classes;
  double error = 0.0, magnitudes = 0.0;
  for (int64_t n = 0; n < countValidRows(logits, operands[2].value); ++n) {
    RowErrors row(operands[0], n);
    double distance = 0.0;
    for (int64_t c = 0; c < classes; ++c)
      distance += (c == operands[1].value.data[n] ? on : off) *
                  (row.maximum - logits.data[n * classes + c]);
    // One class: the difference. Several: products and their sum too.
    double terms = off == 0.0 ? 1 : 2 + static_cast<double>(classes);
    double log = std::log(row.sum), loss = log + distance;
    double own = 2 * row.doubt + row.relative + gammaOf(classes) +
                 kElementaryError * (1 + std::abs(log)) +
                 gammaOf(terms) * distance + kUnitRoundoff * std::abs(loss);
    Approximate term = {loss, own};
    if (getWeights())
      term = operands[3].at(n) * term;
    error += term.error;
    magnitudes += std::abs(term.value) + term.error;
  }
  return {{error + gammaOf(rows) * magnitudes}};
}

/// As for the loss, times what arrives: 1, a weight, or the loss's scale.
ErrorBounds SoftmaxCrossEntropyGradOp::boundErrors(ReferenceContext &,
                                                   ArrayRef<Bounded> operands,
                                                   ArrayRef<ReferenceValue>) {
  auto [on, off] = getTargets();
  const ReferenceValue &logits = operands[1].value, &labels = operands[2].value;
  int64_t classes = logits.shape.back();
  std::vector<double> errors(logits.size(),
                             0.0); // padding: zero in any precision
  for (int64_t n = 0; n < countValidRows(logits, operands[3].value); ++n) {
    RowErrors row(operands[1], n);
    for (int64_t c = 0; c < classes; ++c) {
      double p = std::exp(logits.data[n * classes + c] - row.maximum) / row.sum;
      double relative = 2 * row.doubt + 2 * row.relative + gammaOf(classes + 1);
      double target = labels.data[n] == c ? on : off;
      double rounded = kUnitRoundoff * target; // of 1 and 0: none
      double error = p * relative + rounded + kUnderflow +
                     2 * kUnitRoundoff * (std::abs(p - target) + p * relative);
      Approximate dsum = operands[0].at(0);
      if (getWeights())
        dsum = dsum * operands[4].at(n);
      if (dsum.value != 1.0 || dsum.error != 0.0) // which changes nothing
        error = (dsum * Approximate{p - target, error}).error;
      errors[n * classes + c] = error;
    }
  }
  return {errors};
}
