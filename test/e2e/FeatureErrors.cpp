#include "test/e2e/FeatureErrors.h"
#include "compiler/reference/Interpreter.h"
#include "dialects/interfaces/Approximate.h"
#include "dialects/nn/Axes.h"
#include "dialects/nn/NnDialect.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace boostc;
using namespace boostc::e2e;

using Errors = std::vector<double>;
using Result = std::optional<std::vector<Errors>>;

namespace {

Approximate at(const Bounded &operand, int64_t i) {
  return {operand.value.data[i], operand.error[i]};
}

/// The op applied to other numbers: linear ops carry errors like values.
ReferenceValue apply(Operation *op, ArrayRef<ReferenceValue> operands) {
  Interpreter interpreter;
  SmallVector<ReferenceValue> results;
  (void)cast<ReferenceOpInterface>(op).evaluate(interpreter, operands, results);
  return results[0];
}

ReferenceValue errorsOf(const Bounded &operand) {
  ReferenceValue value = operand.value;
  value.data = operand.error;
  return value;
}
/// |x|, or |x| + error.
ReferenceValue magnitudesOf(const Bounded &operand, bool withErrors) {
  ReferenceValue value = operand.value;
  for (int64_t i = 0; i < value.size(); ++i)
    value.data[i] =
        std::abs(value.data[i]) + (withErrors ? operand.error[i] : 0.0);
  return value;
}

/// Ops that only move elements.
Result moved(Operation *op, ArrayRef<Bounded> in) {
  SmallVector<ReferenceValue> errors;
  for (const Bounded &operand : in)
    errors.push_back(errorsOf(operand));
  return Result{{apply(op, errors).data}};
}

Result matmul(nn::MatmulOp op, ArrayRef<Bounded> in) {
  ReferenceValue a = magnitudesOf(in[0], false), b = magnitudesOf(in[1], false);
  ReferenceValue da = errorsOf(in[0]), db = errorsOf(in[1]);
  Errors errors = apply(op, {da, b}).data;
  Errors second = apply(op, {a, db}).data, third = apply(op, {da, db}).data;
  Errors magnitudes =
      apply(op, {magnitudesOf(in[0], true), magnitudesOf(in[1], true)}).data;
  double terms = static_cast<double>(op.getFlops()) /
                 (2.0 * static_cast<double>(errors.size()));
  for (size_t i = 0; i < errors.size(); ++i)
    errors[i] += second[i] + third[i] + gammaOf(terms) * magnitudes[i];
  return Result{{errors}};
}

Result dropout(nn::DropoutOp op, ArrayRef<Bounded> in) {
  ReferenceValue stays(in[0].value.shape, 1.0);
  stays = apply(op, {stays, in[1].value});
  Approximate kept =
      Approximate::constant(1.0 - op.getRate().convertToDouble());
  Errors errors(stays.size(), 0.0);
  for (int64_t i = 0; i < stays.size(); ++i)
    if (stays.data[i] != 0.0)
      errors[i] = (at(in[0], i) / kept).error;
  return Result{{errors}};
}

/// Sums of at most as many terms as there are places, starting from zero.
Result embeddingGrad(nn::EmbeddingGradOp op, ArrayRef<Bounded> in) {
  const ReferenceValue &index = in[1].value, &valid = in[2].value;
  Errors errors = apply(op, {errorsOf(in[0]), index, valid}).data;
  Errors magnitudes = apply(op, {magnitudesOf(in[0], true), index, valid}).data;
  double terms = static_cast<double>(index.size()) + 1.0;
  for (size_t i = 0; i < errors.size(); ++i)
    errors[i] += gammaOf(terms) * magnitudes[i];
  return Result{{errors}};
}

Result reduce(nn::ReduceOp op, ArrayRef<Bounded> in) {
  Errors errors = apply(op, errorsOf(in[0])).data;
  if (op.getKind() == nn::Reduction::Max)
    return Result{{errors}};
  Errors magnitudes = apply(op, magnitudesOf(in[0], true)).data;
  double terms = static_cast<double>(in[0].value.size()) /
                 static_cast<double>(errors.size());
  for (size_t i = 0; i < errors.size(); ++i)
    errors[i] += gammaOf(terms + 1) * magnitudes[i];
  return Result{{errors}};
}

/// dy, x, y: where several elements may be the largest, who gets the gradient
/// is in doubt, unless they are equal in any precision.
Result reduceMaxGrad(nn::ReduceMaxGradOp op, ArrayRef<Bounded> in) {
  const Bounded &dy = in[0], &x = in[1];
  ReferenceValue lows = x.value;
  for (int64_t i = 0; i < lows.size(); ++i)
    lows.data[i] -= x.error[i];
  OpBuilder builder(op);
  auto max = nn::ReduceOp::create(builder, op.getLoc(), nn::Reduction::Max,
                                  op.getInput(), op.getAxes());
  auto repeat = [&](const ReferenceValue &value) {
    auto broadcast = nn::BroadcastOp::create(
        builder, op.getLoc(), op.getInput().getType(), max, op.getAxes());
    ReferenceValue result = apply(broadcast, value);
    broadcast.erase();
    return result;
  };
  ReferenceValue least = repeat(apply(max, lows)), gradient = repeat(dy.value);
  ReferenceValue doubt = repeat(errorsOf(dy));
  auto sum = nn::ReduceOp::create(builder, op.getLoc(), nn::Reduction::Sum,
                                  op.getInput(), op.getAxes());
  ReferenceValue candidates = x.value, errors = x.value;
  for (int64_t i = 0; i < x.value.size(); ++i) {
    bool isCandidate = x.value.data[i] + x.error[i] >= least.data[i];
    candidates.data[i] = isCandidate;
    errors.data[i] = isCandidate ? x.error[i] : 0.0;
  }
  ReferenceValue count = repeat(apply(sum, candidates));
  ReferenceValue uncertain = repeat(apply(sum, errors));
  sum.erase();
  max.erase();
  Errors result;
  for (int64_t i = 0; i < x.value.size(); ++i) {
    if (candidates.data[i] == 0.0)
      result.push_back(0.0);
    else if (count.data[i] == 1.0 || uncertain.data[i] == 0.0)
      result.push_back((Approximate(gradient.data[i], doubt.data[i]) /
                        Approximate(count.data[i]))
                           .error);
    else
      result.push_back(std::abs(gradient.data[i]) + doubt.data[i]);
  }
  return Result{{result}};
}

/// Evaluates lines along `axis`, as nn::evaluateLines.
Result
lines(ArrayRef<Bounded> in, int64_t axis,
      llvm::function_ref<void(MutableArrayRef<std::vector<Approximate>>)> f) {
  nn::AxisView view(in[0].value.shape, axis);
  Errors errors(in[0].value.size());
  for (int64_t o = 0; o < view.outer; ++o)
    for (int64_t i = 0; i < view.inner; ++i) {
      int64_t start = view.offset(o, i);
      std::vector<std::vector<Approximate>> line(in.size());
      for (size_t operand = 0; operand < in.size(); ++operand)
        for (int64_t k = 0; k < view.extent; ++k)
          line[operand].push_back(at(in[operand], start + k * view.inner));
      f(line);
      for (int64_t k = 0; k < view.extent; ++k)
        errors[start + k * view.inner] = line[0][k].error;
    }
  return Result{{errors}};
}

/// A row of nn.layer_norm.
struct Row {
  std::vector<Approximate> z;
  Approximate scale;

  Row(std::vector<Approximate> x, double epsilon) : z(std::move(x)) {
    Approximate size(static_cast<double>(z.size()));
    ApproximateSum sum, squares;
    for (Approximate element : z)
      sum.add(element);
    Approximate mean = sum.get() / size;
    for (Approximate &element : z) {
      element = element - mean;
      squares.add(element * element);
    }
    // Squares are not negative, and rounding keeps an order.
    scale =
        reciprocalRoot(squares.get() / size + Approximate::constant(epsilon),
                       epsilon * (1.0 - kUnitRoundoff));
    for (Approximate &element : z)
      element = element * scale;
  }
};

std::vector<Approximate> rowOf(const Bounded &operand, int64_t start,
                               int64_t size) {
  std::vector<Approximate> row;
  for (int64_t i = 0; i < size; ++i)
    row.push_back(at(operand, start + i));
  return row;
}

Result layerNorm(nn::LayerNormOp op, ArrayRef<Bounded> in) {
  Errors errors;
  int64_t size = in[1].value.size();
  for (int64_t start = 0; start < in[0].value.size(); start += size) {
    Row row(rowOf(in[0], start, size), op.getEpsilon().convertToDouble());
    for (int64_t i = 0; i < size; ++i)
      errors.push_back((at(in[1], i) * row.z[i] + at(in[2], i)).error);
  }
  return Result{{errors}};
}

Result layerNormGradInput(nn::LayerNormGradInputOp op, ArrayRef<Bounded> in) {
  Errors errors;
  int64_t size = in[2].value.size();
  Approximate count(static_cast<double>(size));
  for (int64_t start = 0; start < in[0].value.size(); start += size) {
    Row row(rowOf(in[1], start, size), op.getEpsilon().convertToDouble());
    std::vector<Approximate> g = rowOf(in[0], start, size);
    ApproximateSum sum, products;
    for (int64_t i = 0; i < size; ++i) {
      g[i] = g[i] * at(in[2], i);
      sum.add(g[i]);
      products.add(g[i] * row.z[i]);
    }
    Approximate mean = sum.get() / count, product = products.get() / count;
    for (int64_t i = 0; i < size; ++i)
      errors.push_back(
          (((g[i] - mean) - row.z[i] * product) * row.scale).error);
  }
  return Result{{errors}};
}

Result layerNormGradParameters(nn::LayerNormGradParametersOp op,
                               ArrayRef<Bounded> in,
                               const ReferenceValue &out) {
  int64_t size = out.size();
  int64_t end = static_cast<int64_t>(in[2].value.item()) *
                (in[1].value.size() / in[1].value.dim(0));
  std::vector<ApproximateSum> gamma(size), beta(size);
  for (int64_t start = 0; start < end; start += size) {
    Row row(rowOf(in[1], start, size), op.getEpsilon().convertToDouble());
    for (int64_t i = 0; i < size; ++i) {
      gamma[i].add(at(in[0], start + i) * row.z[i]);
      beta[i].add(at(in[0], start + i));
    }
  }
  std::vector<Errors> errors(2);
  for (int64_t i = 0; i < size; ++i) {
    errors[0].push_back(gamma[i].get().error);
    errors[1].push_back(beta[i].get().error);
  }
  return errors;
}

} // namespace

Result e2e::getFeatureErrors(Operation *op, ArrayRef<Bounded> in,
                             ArrayRef<ReferenceValue> out) {
  return TypeSwitch<Operation *, Result>(op)
      .Case<nn::TransposeOp, nn::SliceOp, nn::SliceGradOp, nn::ConcatOp,
            nn::BroadcastOp>([&](auto) { return moved(op, in); })
      .Case<nn::DropoutOp>([&](nn::DropoutOp op) { return dropout(op, in); })
      .Case<nn::EmbeddingOp>([&](nn::EmbeddingOp op) {
        return Result{{apply(op, {in[0].value, errorsOf(in[1])}).data}};
      })
      .Case<nn::EmbeddingGradOp>(
          [&](nn::EmbeddingGradOp op) { return embeddingGrad(op, in); })
      .Case<nn::OneHotOp>(
          [&](auto) { return Result{{Errors(out[0].size(), 0.0)}}; })
      .Case<nn::SoftmaxOp>([&](nn::SoftmaxOp op) {
        return lines(in, op.getAxis(), [](auto line) { softmax(line[0]); });
      })
      .Case<nn::LogSoftmaxOp>([&](nn::LogSoftmaxOp op) {
        return lines(in, op.getAxis(), [](auto line) { logSoftmax(line[0]); });
      })
      .Case<nn::SoftmaxGradOp>([&](nn::SoftmaxGradOp op) {
        return lines(in, op.getAxis(), [](auto line) {
          ApproximateSum sum;
          for (auto [dy, y] : llvm::zip(line[0], line[1]))
            sum.add(dy * y);
          for (auto [dy, y] : llvm::zip(line[0], line[1]))
            dy = y * (dy - sum.get());
        });
      })
      .Case<nn::LogSoftmaxGradOp>([&](nn::LogSoftmaxGradOp op) {
        return lines(in, op.getAxis(), [](auto line) {
          ApproximateSum sum;
          for (Approximate dy : line[0])
            sum.add(dy);
          for (auto [dy, y] : llvm::zip(line[0], line[1])) {
            // y is a log-probability on either side, below 0 but for the
            // rounding of log: no two powers are farther apart than 0 and 1.
            Approximate power = exp(y);
            power.error = std::min(power.error, 1.0 + 4 * kElementaryError);
            dy = dy - power * sum.get();
          }
        });
      })
      .Case<nn::MatmulOp>([&](nn::MatmulOp op) { return matmul(op, in); })
      .Case<nn::ReduceOp>([&](nn::ReduceOp op) { return reduce(op, in); })
      .Case<nn::ReduceMaxGradOp>(
          [&](nn::ReduceMaxGradOp op) { return reduceMaxGrad(op, in); })
      .Case<nn::LayerNormOp>(
          [&](nn::LayerNormOp op) { return layerNorm(op, in); })
      .Case<nn::LayerNormGradInputOp>([&](nn::LayerNormGradInputOp op) {
        return layerNormGradInput(op, in);
      })
      .Case<nn::LayerNormGradParametersOp>(
          [&](nn::LayerNormGradParametersOp op) {
            return layerNormGradParameters(op, in, out[0]);
          })
      .Default([](Operation *) { return std::nullopt; });
}
