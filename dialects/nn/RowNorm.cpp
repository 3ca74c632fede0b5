#include "dialects/nn/RowNorm.h"
#include "dialects/interfaces/Approximate.h"
#include <cmath>

using namespace mlir;
using namespace boostc;
using namespace boostc::nn;

namespace {

/// A row's normalised elements and 1 / sqrt(v + epsilon).
struct NormalizedRow {
  std::vector<double> z;
  double scale;

  NormalizedRow(const double *x, int64_t size, double epsilon)
      : z(x, x + size) {
    double mean = 0.0, variance = 0.0, count = static_cast<double>(size);
    for (double element : z)
      mean += element / count;
    for (double &element : z) {
      element -= mean;
      variance += element * element / count;
    }
    scale = 1.0 / std::sqrt(variance + epsilon);
    for (double &element : z)
      element *= scale;
  }
};

/// The same with bounds of error.
struct BoundedRow {
  std::vector<Approximate> z;
  Approximate scale;

  BoundedRow(const Bounded &x, int64_t start, int64_t size, double epsilon) {
    for (int64_t i = 0; i < size; ++i)
      z.push_back(x.at(start + i));
    Approximate count(static_cast<double>(size));
    ApproximateSum sum, squares;
    for (Approximate element : z)
      sum.add(element);
    Approximate mean = sum.get() / count;
    for (Approximate &element : z) {
      element = element - mean;
      squares.add(element * element);
    }
    // Squares are not negative, and rounding keeps an order.
    scale =
        reciprocalRoot(squares.get() / count + Approximate::constant(epsilon),
                       epsilon * (1.0 - kUnitRoundoff));
    for (Approximate &element : z)
      element = element * scale;
  }
};

} // namespace

ReferenceValue RowNorm::evaluate(ArrayRef<ReferenceValue> operands) const {
  ReferenceValue result = operands[0];
  for (int64_t start = 0; start < result.size(); start += size) {
    NormalizedRow row(&operands[0].data[start], size, epsilon);
    llvm::copy(row.z, result.data.begin() + start);
  }
  if (operands.size() == 1)
    return result;
  for (int64_t k = 0; k < result.size(); ++k) {
    int64_t parameter = getParameter(k);
    result.data[k] = operands[1].data[parameter] * result.data[k] +
                     operands[2].data[parameter];
  }
  return result;
}

ReferenceValue
RowNorm::evaluateGradInput(ArrayRef<ReferenceValue> operands) const {
  ReferenceValue result = operands[0];
  if (operands.size() > 2)
    for (int64_t k = 0; k < result.size(); ++k)
      result.data[k] *= operands[2].data[getParameter(k)];
  for (int64_t start = 0; start < result.size(); start += size) {
    NormalizedRow row(&operands[1].data[start], size, epsilon);
    double mean = 0.0, product = 0.0, count = static_cast<double>(size);
    for (int64_t i = 0; i < size; ++i) {
      mean += result.data[start + i] / count;
      product += result.data[start + i] * row.z[i] / count;
    }
    for (int64_t i = 0; i < size; ++i)
      result.data[start + i] =
          (result.data[start + i] - mean - row.z[i] * product) * row.scale;
  }
  return result;
}

void RowNorm::evaluateGradParameters(
    ArrayRef<ReferenceValue> operands, RankedTensorType type,
    SmallVectorImpl<ReferenceValue> &results) const {
  ReferenceValue gamma = ReferenceValue::zeros(type), beta = gamma;
  const ReferenceValue &dy = operands[0], &x = operands[1];
  int64_t end =
      static_cast<int64_t>(operands[2].item()) * (x.size() / x.dim(0));
  for (int64_t start = 0; start < end; start += size) {
    NormalizedRow row(&x.data[start], size, epsilon);
    for (int64_t i = 0; i < size; ++i) {
      int64_t parameter = getParameter(start + i);
      gamma.data[parameter] += dy.data[start + i] * row.z[i];
      beta.data[parameter] += dy.data[start + i];
    }
  }
  results.push_back(std::move(gamma));
  results.push_back(std::move(beta));
}

ErrorBounds RowNorm::boundErrors(ArrayRef<Bounded> operands) const {
  std::vector<double> errors;
  for (int64_t start = 0; start < operands[0].value.size(); start += size) {
    BoundedRow row(operands[0], start, size, epsilon);
    for (int64_t i = 0; i < size; ++i) {
      int64_t parameter = getParameter(start + i);
      Approximate y = operands.size() == 1
                          ? row.z[i]
                          : operands[1].at(parameter) * row.z[i] +
                                operands[2].at(parameter);
      errors.push_back(y.error);
    }
  }
  return {errors};
}

ErrorBounds RowNorm::boundGradInput(ArrayRef<Bounded> operands) const {
  std::vector<double> errors;
  Approximate count(static_cast<double>(size));
  for (int64_t start = 0; start < operands[0].value.size(); start += size) {
    BoundedRow row(operands[1], start, size, epsilon);
    std::vector<Approximate> g;
    ApproximateSum sum, products;
    for (int64_t i = 0; i < size; ++i) {
      Approximate dy = operands[0].at(start + i);
      g.push_back(operands.size() == 2
                      ? dy
                      : dy * operands[2].at(getParameter(start + i)));
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

ErrorBounds RowNorm::boundGradParameters(ArrayRef<Bounded> operands) const {
  const ReferenceValue &x = operands[1].value;
  int64_t end =
      static_cast<int64_t>(operands[2].value.item()) * (x.size() / x.dim(0));
  std::vector<ApproximateSum> gamma(parameters), beta(parameters);
  for (int64_t start = 0; start < end; start += size) {
    BoundedRow row(operands[1], start, size, epsilon);
    for (int64_t i = 0; i < size; ++i) {
      Approximate dy = operands[0].at(start + i);
      gamma[getParameter(start + i)].add(dy * row.z[i]);
      beta[getParameter(start + i)].add(dy);
    }
  }
  ErrorBounds errors(2);
  for (int64_t i = 0; i < parameters; ++i) {
    errors[0].push_back(gamma[i].get().error);
    errors[1].push_back(beta[i].get().error);
  }
  return errors;
}
