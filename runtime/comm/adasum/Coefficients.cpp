#include "runtime/comm/adasum/Coefficients.h"

#include "runtime/comm/Division.h"

#include <algorithm>
#include <cfloat>
#include <cmath>

namespace boostrt::adasum {
namespace {

/// Squared norms below this are zero. No vector of fp32 numbers but zero is.
const double kZero = std::sqrt(DBL_MIN);

/// A node whose squared norm is this much smaller than the terms it is the sum
/// of is made a vector: otherwise the norm has a relative error of up to the
/// precision divided by this, which is still 1e-9.
constexpr double kCancelled = 1e-6;

void appendMerges(uint32_t lo, uint32_t hi, std::vector<Merge> &merges) {
  if (hi - lo < 2)
    return;
  uint32_t mid = treeMiddle(lo, hi);
  appendMerges(lo, mid, merges);
  appendMerges(mid, hi, merges);
  merges.push_back({lo, mid, hi});
}

/// The coefficient of a vector whose product with the other is p. Zero vectors
/// have 1, and so does one with a NaN, which it hands on.
double scale(double p, double squaredNorm, double weight) {
  return squaredNorm >= kZero ? 1 - weight * p / squaredNorm : 1;
}

} // namespace

std::vector<Merge> mergesOf(uint32_t leaves) {
  std::vector<Merge> merges;
  appendMerges(0, leaves, merges);
  return merges;
}

Combination::Combination(uint32_t leaves)
    : gram(pairCount(leaves)), slots(leaves), leaves(leaves), norms_(leaves),
      magnitudes_(leaves) {}

void Combination::begin() {
  next_ = vectors = 0;
  leafNorms = 0;
  for (size_t i = 0; i < slots.size(); ++i) {
    slots[i] = leaves[i] = 1;
    norms_[i] = magnitudes_[i] = product(i, i);
    leafNorms += norms_[i];
  }
  resultNorm = norms_[0];
}

int Combination::advance(std::span<const Merge> merges) {
  while (next_ < merges.size()) {
    auto [lo, mid, hi] = merges[next_];
    double p = 0, magnitude = 0;
    for (uint32_t i = lo; i < mid; ++i)
      for (uint32_t j = mid; j < hi; ++j) {
        double term = slots[i] * slots[j] * product(i, j);
        p += term;
        magnitude += std::abs(term);
      }
    double a = norms_[lo], b = norms_[mid];
    // Cauchy and Schwarz hold for vectors; for what rounding left, we see to
    // it. Comparisons with a NaN are false and leave it alone.
    double limit = std::sqrt(a) * std::sqrt(b);
    if (p > limit)
      p = limit;
    if (p < -limit)
      p = -limit;
    double weight = static_cast<double>(mid - lo) / (hi - lo);
    double scaleA = scale(p, a, weight), scaleB = scale(p, b, 1 - weight);
    for (uint32_t i = lo; i < hi; ++i) {
      slots[i] *= i < mid ? scaleA : scaleB;
      leaves[i] *= i < mid ? scaleA : scaleB;
    }
    double norm =
        scaleA * scaleA * a + scaleB * scaleB * b + 2 * scaleA * scaleB * p;
    norms_[lo] = norm < 0 ? 0 : norm;
    magnitudes_[lo] = scaleA * scaleA * magnitudes_[lo] +
                      scaleB * scaleB * magnitudes_[mid] +
                      2 * std::abs(scaleA * scaleB) * magnitude;
    resultNorm = norms_[lo];
    int merge = static_cast<int>(next_++);
    if (next_ < merges.size() && norm < kCancelled * magnitudes_[lo])
      return merge;
  }
  return -1;
}

void Combination::replace(const Merge &merge,
                          std::span<const double> products) {
  uint32_t lo = merge.lo;
  for (size_t j = 0; j < slots.size(); ++j)
    gram[j <= lo ? pairIndex(lo, j) : pairIndex(j, lo)] = products[j];
  std::fill(slots.begin() + lo, slots.begin() + merge.hi, 0.0);
  slots[lo] = 1;
  norms_[lo] = magnitudes_[lo] = products[lo];
  ++vectors;
}

} // namespace boostrt::adasum
