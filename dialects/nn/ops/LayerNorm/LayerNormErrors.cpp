#include "dialects/nn/NnDialect.h"

using namespace mlir;
using namespace boostc;
using namespace boostc::nn;

namespace {
/// A row of nn.layer_norm.
struct BoundedRow {
  std::vector<Approximate> z;
  Approximate scale;

  BoundedRow(std::vector<Approximate> x, double epsilon) : z(std::move(x)) {
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

} // namespace

static std::vector<Approximate> getRow(const Bounded &operand, int64_t start,
                                       int64_t size) {
  std::vector<Approximate> row;
  for (int64_t i = 0; i < size; ++i)
    row.push_back(operand.at(start + i));
  return row;
}

ErrorBounds LayerNormOp::boundErrors(ReferenceContext &,
                                     ArrayRef<Bounded> operands,
                                     ArrayRef<ReferenceValue>) {
  std::vector<double> errors;
  int64_t size = operands[1].value.size();
  for (int64_t start = 0; start < operands[0].value.size(); start += size) {
    BoundedRow row(getRow(operands[0], start, size),
                   getEpsilon().convertToDouble());
    for (int64_t i = 0; i < size; ++i)
      errors.push_back(
          (operands[1].at(i) * row.z[i] + operands[2].at(i)).error);
  }
  return {errors};
}

ErrorBounds LayerNormGradInputOp::boundErrors(ReferenceContext &,
                                              ArrayRef<Bounded> operands,
                                              ArrayRef<ReferenceValue>) {
  std::vector<double> errors;
  int64_t size = operands[2].value.size();
  Approximate count(static_cast<double>(size));
  for (int64_t start = 0; start < operands[0].value.size(); start += size) {
    BoundedRow row(getRow(operands[1], start, size),
                   getEpsilon().convertToDouble());
    std::vector<Approximate> g = getRow(operands[0], start, size);
    ApproximateSum sum, products;
    for (int64_t i = 0; i < size; ++i) {
      g[i] = g[i] * operands[2].at(i);
      sum.add(g[i]);
      products.add(g[i] * row.z[i]);
    }
    Approximate mean = sum.get() / count, product = products.get() / count;
    for (int64_t i = 0; i < size; ++i)
      errors.push_back(
          (((g[i] - mean) - row.z[i] * product) * row.scale).error);
  }
  return {errors};
}

ErrorBounds
LayerNormGradParametersOp::boundErrors(ReferenceContext &,
                                       ArrayRef<Bounded> operands,
                                       ArrayRef<ReferenceValue> results) {
  int64_t size = results[0].size();
  int64_t end = static_cast<int64_t>(operands[2].value.item()) *
                (operands[1].value.size() / operands[1].value.dim(0));
  std::vector<ApproximateSum> gamma(size), beta(size);
  for (int64_t start = 0; start < end; start += size) {
    BoundedRow row(getRow(operands[1], start, size),
                   getEpsilon().convertToDouble());
    for (int64_t i = 0; i < size; ++i) {
      gamma[i].add(operands[0].at(start + i) * row.z[i]);
      beta[i].add(operands[0].at(start + i));
    }
  }
  ErrorBounds errors(2);
  for (int64_t i = 0; i < size; ++i) {
    errors[0].push_back(gamma[i].get().error);
    errors[1].push_back(beta[i].get().error);
  }
  return errors;
}
