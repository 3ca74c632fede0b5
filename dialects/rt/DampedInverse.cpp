#include "dialects/rt/DampedInverse.h"
#include "dialects/interfaces/Approximate.h"
#include "runtime/abi/boost_call.h"
#include <numeric>

using namespace boostc;
using namespace boostc::rt;

namespace {

using Matrix = std::vector<double>; ///< [d, d]

/// L with L L^t = m, in place of m; false where a pivot is too small.
bool factorize(Matrix &m, int64_t size, double damping) {
  for (int64_t j = 0; j < size; ++j) {
    double pivot = m[j * size + j];
    double minPivot = std::max({BOOSTC_INVERSE_MIN_PART_OF_DAMPING * damping,
                                BOOSTC_INVERSE_MIN_PART_OF_DIAGONAL * pivot,
                                BOOSTC_INVERSE_MIN_PIVOT});
    for (int64_t k = 0; k < j; ++k)
      pivot -= m[j * size + k] * m[j * size + k];
    if (!(pivot >= minPivot) || !std::isfinite(pivot))
      return false;
    m[j * size + j] = std::sqrt(pivot);
    for (int64_t i = j + 1; i < size; ++i) {
      double sum = m[i * size + j];
      for (int64_t k = 0; k < j; ++k)
        sum -= m[i * size + k] * m[j * size + k];
      m[i * size + j] = sum / m[j * size + j];
    }
  }
  return true;
}

/// (L L^t)^-1.
Matrix invertFactorized(const Matrix &l, int64_t size) {
  Matrix inverse(l.size());
  std::vector<double> x(size);
  for (int64_t column = 0; column < size; ++column) {
    for (int64_t i = 0; i < size; ++i) {
      double sum = i == column ? 1.0 : 0.0;
      for (int64_t k = 0; k < i; ++k)
        sum -= l[i * size + k] * x[k];
      x[i] = sum / l[i * size + i];
    }
    for (int64_t i = size; i-- > 0;) {
      double sum = x[i];
      for (int64_t k = i + 1; k < size; ++k)
        sum -= l[k * size + i] * x[k];
      x[i] = sum / l[i * size + i];
    }
    for (int64_t i = 0; i < size; ++i)
      inverse[i * size + column] = x[i];
  }
  return inverse;
}

/// |a| |b|.
Matrix multiplyMagnitudes(const Matrix &a, const Matrix &b, int64_t size) {
  Matrix product(a.size(), 0.0);
  for (int64_t i = 0; i < size; ++i)
    for (int64_t k = 0; k < size; ++k)
      for (int64_t j = 0; j < size; ++j)
        product[i * size + j] +=
            std::abs(a[i * size + k]) * std::abs(b[k * size + j]);
  return product;
}

} // namespace

/// The error of an inverse x of m, whose elements are off by `errors`: to first
/// order |x| (errors + r) |x|, where r is the backward error of elimination in
/// single precision, no more than gamma_(c d) sqrt(m_ii m_jj) for a definite
/// matrix (Higham, Accuracy and Stability of Numerical Algorithms, 2002,
/// theorems 10.3 and 14.5, with c = 8 for elimination and both substitutions).
/// Terms of higher order are a geometric series.
static Matrix boundInverse(const Matrix &m, const Matrix &errors,
                           const Matrix &x, int64_t size) {
  Matrix residual = errors;
  for (int64_t i = 0; i < size; ++i)
    for (int64_t j = 0; j < size; ++j)
      residual[i * size + j] += gammaOf(8.0 * static_cast<double>(size)) *
                                std::sqrt(m[i * size + i] * m[j * size + j]);
  Matrix left = multiplyMagnitudes(x, residual, size);
  double growth = 0.0;
  for (auto row = left.begin(); row != left.end(); row += size)
    growth = std::max(growth, std::accumulate(row, row + size, 0.0));
  Matrix bound = multiplyMagnitudes(left, x, size);
  for (double &error : bound)
    error = growth < 1.0 ? error / (1.0 - growth)
                         : std::numeric_limits<double>::infinity();
  return bound;
}

int64_t rt::countInverseFlops(mlir::ShapedType type) {
  return 2 * type.getNumElements() * type.getDimSize(2);
}

DampedInverses rt::invertDamped(const Bounded &matrices, const Bounded &weight,
                                const Bounded &damping) {
  int64_t size = matrices.value.dim(1);
  DampedInverses inverses{ReferenceValue(matrices.value.shape),
                          ReferenceValue({matrices.value.dim(0)}),
                          std::vector<double>(matrices.value.data.size())};
  for (int64_t block = 0; block < matrices.value.dim(0); ++block) {
    Approximate added = damping.at(0), scale = weight.at(block);
    int tries = std::isfinite(scale.value) ? BOOSTC_INVERSE_TRIES : 0;
    bool isDone = false;
    for (int attempt = 0; attempt < tries && !isDone; ++attempt) {
      Matrix m, errors;
      for (int64_t i = 0; i < size * size; ++i) {
        Approximate element = scale * matrices.at(block * size * size + i);
        if (i / size == i % size)
          element = element + added;
        m.push_back(element.value);
        errors.push_back(element.error);
      }
      Matrix factors = m;
      isDone = factorize(factors, size, added.value);
      if (isDone) {
        Matrix inverse = invertFactorized(factors, size);
        Matrix bound = boundInverse(m, errors, inverse, size);
        std::copy(inverse.begin(), inverse.end(),
                  inverses.value.data.begin() + block * size * size);
        std::copy(bound.begin(), bound.end(),
                  inverses.error.begin() + block * size * size);
      }
      added = added * Approximate(BOOSTC_INVERSE_GROWTH);
    }
    inverses.failed.data[block] = isDone ? 0.0 : 1.0;
  }
  return inverses;
}
