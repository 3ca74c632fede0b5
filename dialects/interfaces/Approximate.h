// Approximate.h - a number with a bound of its error, and arithmetic that
// carries the bound through operations in single precision.
//
// Each operation adds the rounding of its own result, fl(a op b) =
// (a op b)(1 + d) with |d| <= u = 2^-24, to what its operands bring. Evaluating
// an op's definition in this arithmetic gives the bound of its result.
#pragma once

#include "dialects/interfaces/ErrorBound.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <algorithm>
#include <cmath>
#include <vector>

namespace boostc {

struct Approximate {
  double value = 0.0, error = 0.0;

  Approximate() = default;
  /// A number that single precision holds.
  Approximate(double value) : value(value) {}
  Approximate(double value, double error) : value(value), error(error) {}

  /// The largest and smallest number this may stand for.
  double high() const { return value + error; }
  double low() const { return value - error; }
  double magnitude() const { return std::abs(value) + error; }

  /// A constant that is rounded once.
  static Approximate constant(double value) {
    return {value, kUnitRoundoff * std::abs(value)};
  }
  /// A result in exact arithmetic, off by `inherited`, after rounding.
  static Approximate rounded(double value, double inherited) {
    return {value, inherited + kUnitRoundoff * (std::abs(value) + inherited)};
  }
};

inline Approximate Bounded::at(int64_t i) const {
  return {value.data[i], error[i]};
}

inline Approximate operator+(Approximate a, Approximate b) {
  return Approximate::rounded(a.value + b.value, a.error + b.error);
}
inline Approximate operator-(Approximate a, Approximate b) {
  return Approximate::rounded(a.value - b.value, a.error + b.error);
}
inline Approximate operator-(Approximate a) { return {-a.value, a.error}; }
/// a b before it is rounded.
inline Approximate multiplyExactly(Approximate a, Approximate b) {
  return {a.value * b.value, a.error * std::abs(b.value) +
                                 std::abs(a.value) * b.error +
                                 a.error * b.error};
}
inline Approximate operator*(Approximate a, Approximate b) {
  Approximate exact = multiplyExactly(a, b);
  return Approximate::rounded(exact.value, exact.error);
}
/// a / b where |b| is `least` or more on either side, whatever the doubt about
/// it: |a'/b' - a/b| <= (|a' - a| + |a/b| |b' - b|) / |b'|.
inline Approximate divide(Approximate a, Approximate b, double least) {
  double quotient = a.value / b.value;
  double inherited =
      least > 0.0 ? (a.error + std::abs(quotient) * b.error) / least : INFINITY;
  return Approximate::rounded(quotient, inherited);
}
/// The divisor is away from zero.
inline Approximate operator/(Approximate a, Approximate b) {
  return divide(a, b, std::abs(b.value) - b.error);
}
/// For a number that is not negative on either side, so it lies between
/// max(0, low) and high. The root bends down: away from zero the lower end is
/// farther from it, but once the lower end is cut at zero the upper one may be.
inline Approximate sqrt(Approximate a) {
  double root = std::sqrt(a.value);
  double below = root - std::sqrt(std::max(a.low(), 0.0));
  double above = std::sqrt(a.high()) - root;
  return Approximate::rounded(root, std::max(below, above));
}
/// 1 / sqrt(a) of a number that is `least` or more on either side, so that each
/// lies between 1 / sqrt(high) and 1 / sqrt(max(low, least)): a sum of squares
/// and a constant, say, whatever the doubt about the squares. Two roundings.
inline Approximate reciprocalRoot(Approximate a, double least) {
  double y = 1.0 / std::sqrt(a.value);
  double above = 1.0 / std::sqrt(std::max(a.low(), least)) - y;
  double below = y - 1.0 / std::sqrt(a.high());
  double inherited = std::max(above, below);
  return {y, inherited + gammaOf(2) * (y + inherited)};
}
/// The upper end is the farther one. Far below zero its power is nothing, where
/// the power's relative distance has no number.
inline Approximate exp(Approximate a) {
  double power = std::exp(a.value);
  double inherited =
      a.error < 1.0 ? power * std::expm1(a.error) : std::exp(a.high());
  return {power,
          inherited + kElementaryError * (power + inherited) + kUnderflow};
}
/// For a number away from zero.
inline Approximate log(Approximate a) {
  double logarithm = std::log(a.value);
  double inherited = a.low() > 0.0 ? logarithm - std::log(a.low()) : INFINITY;
  return {logarithm,
          inherited + kElementaryError * (1.0 + std::abs(logarithm))};
}
/// 1 / (1 + exp(-x)) moves by a quarter of its argument at most; the power's
/// relative error counts by y (1 - y), the sum and the quotient by y. Not by
/// steps: far below zero the power has no number, and its reciprocal does.
inline Approximate logistic(Approximate a) {
  double y = 1.0 / (1.0 + std::exp(-a.value));
  return {y, a.error / 4.0 + kUnderflow + y * (kElementaryError + gammaOf(2))};
}
/// As for nn.tanh: a rational function, a few roundings next to 1.
inline Approximate tanh(Approximate a) {
  double y = std::tanh(a.value);
  return {y, a.error + 2 * kElementaryError * std::abs(y)};
}
inline Approximate erf(Approximate a) {
  double y = std::erf(a.value);
  // 2 / sqrt(pi) is the steepest slope.
  return {y, 1.1283792 * a.error + kErfError};
}
inline Approximate abs(Approximate a) { return {std::abs(a.value), a.error}; }
inline Approximate max(Approximate a, double b) {
  return {std::max(a.value, b), a.high() <= b ? 0.0 : a.error};
}
inline Approximate min(Approximate a, double b) {
  return {std::min(a.value, b), a.low() >= b ? 0.0 : a.error};
}
/// min(max(a, -limit), limit) for a limit that is rounded, so that both sides
/// cut at limits of their own.
///
/// Where all that `a` may stand for is below all that the limit may stand for,
/// neither side cuts and the error is a's: a limit that is not reached brings
/// nothing, however large its rounding is for a small `a`. Where all of it
/// is beyond, both give their limit, of the same sign. In between
/// |clamp(a, l) - clamp(b, m)| <= max(|a - b|, |l - m|), because the median of
/// three numbers moves no farther than the one that moves most.
inline Approximate clamp(Approximate a, Approximate limit) {
  double value = std::min(std::max(a.value, -limit.value), limit.value);
  if (a.magnitude() <= limit.low())
    return {value, a.error};
  if (std::abs(a.value) - a.error >= limit.high())
    return {value, limit.error};
  return {value, std::max(a.error, limit.error)};
}

/// A sum in any order: rounding n terms, each a number or a product, and adding
/// them is off by at most gamma_n times the sum of their magnitudes.
class ApproximateSum {
public:
  void add(Approximate term) {
    value += term.value;
    inherited += term.error;
    magnitudes += term.magnitude();
    ++terms;
  }
  /// a b is a term.
  void addProduct(Approximate a, Approximate b) { add(multiplyExactly(a, b)); }
  Approximate get() const {
    return {value, inherited + gammaOf(terms) * magnitudes};
  }

private:
  double value = 0.0, inherited = 0.0, magnitudes = 0.0, terms = 0.0;
};

/// The errors of the sums, as those of one result.
ErrorBounds getErrors(llvm::ArrayRef<ApproximateSum> sums);

using Approximates = llvm::ArrayRef<Approximate>;

/// Bounds of `rule`, from elements of the operands to elements of `results`
/// results, for each element of operand 0. An operand with one element counts
/// for all.
ErrorBounds
boundElements(llvm::ArrayRef<Bounded> operands, size_t results,
              llvm::function_ref<void(Approximates x,
                                      llvm::MutableArrayRef<Approximate> y)>
                  rule);

} // namespace boostc
