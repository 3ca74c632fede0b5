#include "test/e2e/ErrorAnalysis.h"
#include "compiler/reference/Interpreter.h"
#include "dialects/interfaces/Approximate.h"
#include "dialects/nn/NnDialect.h"
#include "dialects/train/TrainDialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "test/e2e/FeatureErrors.h"
#include "test/e2e/ImageErrors.h"
#include "llvm/ADT/TypeSwitch.h"
#include <cmath>
#include <gtest/gtest.h>

using namespace mlir;
using namespace boostc;
using namespace boostc::e2e;

/// Covers terms of second order: relative errors stay far below 1e-2 here.
static constexpr double kSecondOrder = 1.01;

namespace {

using Errors = std::vector<double>;

/// The error of sum over k of a(k) b(k), rounding and inherited, with one more
/// term `c`.
class ProductError {
public:
  void add(const Bounded &a, int64_t i, const Bounded &b, int64_t j) {
    double x = std::abs(a.value.data[i]), y = std::abs(b.value.data[j]);
    magnitudes += (x + a.error[i]) * (y + b.error[j]);
    inherited += a.error[i] * y + x * b.error[j] + a.error[i] * b.error[j];
    ++terms;
  }
  void add(const Bounded &c, int64_t i) {
    magnitudes += std::abs(c.value.data[i]) + c.error[i];
    inherited += c.error[i];
    ++terms;
  }
  double get() const { return inherited + gammaOf(terms) * magnitudes; }

private:
  double magnitudes = 0.0, inherited = 0.0;
  int64_t terms = 0;
};

/// One rule per op: operands with their bounds, the exact result, to the
/// result's bound.
struct Rules {
  ArrayRef<Bounded> in;
  const ReferenceValue &out;

  Errors copy(unsigned operand = 0) const { return in[operand].error; }

  Errors sum(llvm::function_ref<int64_t(int64_t)> second) const {
    Errors error;
    for (int64_t i = 0; i < out.size(); ++i) {
      ProductError sum;
      sum.add(in[0], i);
      sum.add(in[1], second(i));
      error.push_back(sum.get());
    }
    return error;
  }
  Errors add() const {
    return sum([](int64_t i) { return i; });
  }
  /// By a number of samples, which is exact.
  Errors divide() const {
    double count = std::max(in[1].value.item(), 1.0);
    Errors error;
    for (int64_t i = 0; i < out.size(); ++i) {
      double inherited = in[0].error[i] / count;
      error.push_back(inherited +
                      kUnitRoundoff * (std::abs(out.data[i]) + inherited) +
                      kUnderflow);
    }
    return error;
  }
  Errors bias() const {
    int64_t channels = out.dim(1), inner = out.size() / (out.dim(0) * channels);
    return sum([=](int64_t i) { return i / inner % channels; });
  }

  Errors dense() const {
    Errors error;
    int64_t features = in[1].value.dim(1);
    for (int64_t n = 0; n < out.dim(0); ++n)
      for (int64_t u = 0; u < out.dim(1); ++u) {
        ProductError sum;
        for (int64_t k = 0; k < features; ++k)
          sum.add(in[0], n * features + k, in[1], u * features + k);
        if (in.size() > 2)
          sum.add(in[2], u);
        error.push_back(sum.get());
      }
    return error;
  }
  Errors denseGradInput() const {
    Errors error;
    int64_t units = in[1].value.dim(0), features = in[1].value.dim(1);
    for (int64_t n = 0; n < out.dim(0); ++n)
      for (int64_t k = 0; k < features; ++k) {
        ProductError sum;
        for (int64_t u = 0; u < units; ++u)
          sum.add(in[0], n * units + u, in[1], u * features + k);
        error.push_back(sum.get());
      }
    return error;
  }
  Errors denseGradWeight() const {
    Errors error;
    int64_t batch = in[0].value.dim(0), units = out.dim(0),
            features = out.dim(1);
    for (int64_t u = 0; u < units; ++u)
      for (int64_t k = 0; k < features; ++k) {
        ProductError sum;
        for (int64_t n = 0; n < batch; ++n)
          sum.add(in[0], n * units + u, in[1], n * features + k);
        error.push_back(sum.get());
      }
    return error;
  }
  Errors biasGrad() const {
    const ReferenceValue &dy = in[0].value;
    int64_t channels = dy.dim(1), inner = dy.size() / (dy.dim(0) * channels);
    int64_t valid = static_cast<int64_t>(in[1].value.item());
    std::vector<ProductError> sums(channels);
    for (int64_t i = 0; i < valid * channels * inner; ++i)
      sums[i / inner % channels].add(in[0], i);
    Errors error;
    for (const ProductError &sum : sums)
      error.push_back(sum.get());
    return error;
  }

  /// For one row of logits, what loss and gradient start from.
  struct Row {
    double maximum = -INFINITY, sum = 0.0, doubt = 0.0, spread = 0.0;
    /// Relative error of the sum of exponentials and of each of them: the
    /// difference to the maximum is rounded, then exp.
    double relative = 0.0;
  };
  Row getRow(int64_t n) const {
    const ReferenceValue &logits = in[0].value;
    Row row;
    int64_t classes = logits.dim(1);
    for (int64_t c = 0; c < classes; ++c)
      row.maximum = std::max(row.maximum, logits.at(n, c));
    for (int64_t c = 0; c < classes; ++c) {
      double distance = row.maximum - logits.at(n, c);
      row.sum += std::exp(-distance);
      row.spread = std::max(row.spread, distance);
      row.doubt = std::max(row.doubt, in[0].error[n * classes + c]);
    }
    row.relative = kUnitRoundoff * row.spread + kElementaryError;
    return row;
  }
  int64_t getValid() const { return static_cast<int64_t>(in[2].value.item()); }

  /// The sum of log(sum exp) + (max - logit), the second weighted by the
  /// target: both 2-Lipschitz in the largest error of a logit together, since
  /// the derivative is softmax - target.
  Errors loss(nn::SoftmaxCrossEntropyOp op) const {
    auto [on, off] = op.getTargets();
    const ReferenceValue &logits = in[0].value;
    double error = 0.0, magnitudes = 0.0;
    for (int64_t n = 0; n < getValid(); ++n) {
      Row row = getRow(n);
      double distance = 0.0;
      for (int64_t c = 0; c < logits.dim(1); ++c)
        distance += (c == in[1].value.data[n] ? on : off) *
                    (row.maximum - logits.at(n, c));
      // One class: the difference. Several: products and their sum too.
      double terms = off == 0.0 ? 1 : 2 + static_cast<double>(logits.dim(1));
      double log = std::log(row.sum), loss = log + distance;
      double own = 2 * row.doubt + row.relative + gammaOf(logits.dim(1)) +
                   kElementaryError * (1 + std::abs(log)) +
                   gammaOf(terms) * distance + kUnitRoundoff * std::abs(loss);
      error += own;
      magnitudes += std::abs(loss) + own;
    }
    return {error + gammaOf(logits.dim(0)) * magnitudes};
  }
  Errors lossGrad(nn::SoftmaxCrossEntropyGradOp op) const {
    auto [on, off] = op.getTargets();
    const ReferenceValue &logits = in[0].value;
    int64_t classes = logits.dim(1);
    Errors error(out.size(), 0.0); // padding: zero in any precision
    for (int64_t n = 0; n < getValid(); ++n) {
      Row row = getRow(n);
      for (int64_t c = 0; c < classes; ++c) {
        double p = std::exp(logits.at(n, c) - row.maximum) / row.sum;
        double relative =
            2 * row.doubt + 2 * row.relative + gammaOf(classes + 1);
        double target = in[1].value.data[n] == c ? on : off;
        double rounded = kUnitRoundoff * target; // of 1 and 0: none
        error[n * classes + c] =
            p * relative + rounded + kUnderflow +
            2 * kUnitRoundoff * (std::abs(p - target) + p * relative);
      }
    }
    return error;
  }

  /// One per sample whose rank depends on scores within their errors of each
  /// other.
  Errors topK() const {
    const ReferenceValue &logits = in[0].value;
    int64_t classes = logits.dim(1);
    double doubtful = 0.0;
    for (int64_t n = 0; n < getValid(); ++n) {
      int64_t label = static_cast<int64_t>(in[1].value.data[n]);
      bool inDoubt = false;
      for (int64_t c = 0; c < classes; ++c)
        inDoubt |=
            c != label &&
            std::abs(logits.at(n, c) - logits.at(n, label)) <=
                in[0].error[n * classes + c] + in[0].error[n * classes + label];
      doubtful += inDoubt;
    }
    return {doubtful};
  }
};

/// The bound of the first result; further results are counts and exact.
std::optional<Errors> getErrors(Operation *op, ArrayRef<Bounded> in,
                                const ReferenceValue &out) {
  // The gradient that arrives at the loss is the constant 1; the rest is as for
  // the loss.
  bool isLossGrad = isa<nn::SoftmaxCrossEntropyGradOp>(op);
  Rules rules{isLossGrad ? in.drop_front() : in, out};
  return TypeSwitch<Operation *, std::optional<Errors>>(op)
      .Case<nn::FlattenOp, nn::ReshapeOp>([&](auto) { return rules.copy(); })
      .Case<nn::BiasOp>([&](auto) { return rules.bias(); })
      .Case<nn::BiasGradOp>([&](auto) { return rules.biasGrad(); })
      .Case<nn::DenseOp>([&](auto) { return rules.dense(); })
      .Case<nn::DenseGradInputOp>([&](auto) { return rules.denseGradInput(); })
      .Case<nn::DenseGradWeightOp>(
          [&](auto) { return rules.denseGradWeight(); })
      .Case<nn::SoftmaxCrossEntropyOp>(
          [&](nn::SoftmaxCrossEntropyOp op) { return rules.loss(op); })
      .Case<nn::SoftmaxCrossEntropyGradOp>(
          [&](nn::SoftmaxCrossEntropyGradOp op) { return rules.lossGrad(op); })
      .Case<nn::TopKOp>([&](auto) { return rules.topK(); })
      .Case<train::DivideGradientOp>([&](auto) { return rules.divide(); })
      .Case<train::CombineOp>([&](train::CombineOp op) {
        return op.getCount() && in[2].value.item() == 0.0 ? rules.copy(1)
                                                          : rules.add();
      })
      .Case<arith::ConstantOp>([&](auto) { return Errors(out.size(), 0.0); })
      .Default([](Operation *) { return std::nullopt; });
}

/// Libraries may round the factors of these to tf32.
bool isProduct(Operation *op) {
  return isa<nn::DenseOp, nn::DenseGradInputOp, nn::DenseGradWeightOp,
             nn::Conv2dOp, nn::Conv2dGradInputOp, nn::Conv2dGradWeightOp>(op);
}

void roundToTf32(Bounded &factor) {
  for (auto [value, error] : llvm::zip_equal(factor.value.data, factor.error))
    error += kTf32Roundoff * (std::abs(value) + error) + kTf32Underflow;
}

} // namespace

std::vector<Bounded> e2e::analyze(func::FuncOp function,
                                  ArrayRef<Bounded> arguments,
                                  bool *overflows) {
  Interpreter interpreter;
  bool isTf32 =
      rt::getMatmulPrecision(function->getParentOp()) == rt::Precision::Tf32;
  llvm::DenseMap<Value, Bounded> values;
  for (auto [argument, value] :
       llvm::zip_equal(function.getArguments(), arguments))
    values[argument] = value;
  for (Operation &op : function.front().without_terminator()) {
    SmallVector<Bounded> in;
    SmallVector<ReferenceValue> exact, out;
    for (Value operand : op.getOperands()) {
      in.push_back(values.at(operand));
      exact.push_back(in.back().value);
    }
    if (failed(
            cast<ReferenceOpInterface>(op).evaluate(interpreter, exact, out))) {
      ADD_FAILURE() << "cannot evaluate " << op.getName().getStringRef().str();
      return {};
    }
    if (isTf32 && isProduct(&op))
      for (Bounded &factor : MutableArrayRef(in).take_front(2))
        roundToTf32(factor);
    std::optional<std::vector<Errors>> errors;
    if (auto bounded = dyn_cast<ErrorBoundOpInterface>(op))
      errors = bounded.boundErrors(interpreter, in, out);
    if (!errors)
      errors = getImageErrors(&op, in, out);
    if (!errors)
      errors = getFeatureErrors(&op, in, out);
    if (!errors)
      if (std::optional<Errors> first = getErrors(&op, in, out[0]))
        errors = {std::move(*first)};
    if (!errors) {
      ADD_FAILURE() << "no rule for " << op.getName().getStringRef().str();
      return {};
    }
    for (auto [i, result] : llvm::enumerate(op.getResults())) {
      values[result] = Bounded(out[i]);
      if (overflows)
        *overflows |= llvm::any_of(out[i].data, [](double x) {
          return std::isfinite(x) &&
                 std::abs(x) > std::numeric_limits<float>::max();
        });
      if (i >= errors->size())
        continue;
      for (auto [k, error] : llvm::enumerate((*errors)[i]))
        // Where a bound has overflowed nothing is known of the result.
        values[result].error[k] =
            std::isnan(error) ? INFINITY : error * kSecondOrder;
    }
  }
  std::vector<Bounded> results;
  for (Value value : function.front().getTerminator()->getOperands())
    results.push_back(values.at(value));
  return results;
}
