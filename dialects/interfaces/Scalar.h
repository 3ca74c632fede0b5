// Scalar.h - the arithmetic of one element, emitted as it is written: each
// operator and each function adds one op to the code. C++ leaves open which
// operand of an operator or function comes first; name what is to come first.
#pragma once

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"
#include <map>

namespace boostc {

/// Where the arithmetic is emitted. A constant is emitted once.
class ScalarEmitter {
public:
  ScalarEmitter(mlir::OpBuilder &builder, mlir::Location loc)
      : builder(builder), loc(loc) {}

  mlir::Value constant(double value);

  mlir::OpBuilder &builder;
  mlir::Location loc;

private:
  std::map<double, mlir::Value> constants[2]; ///< without and with a sign
};

/// An f32 of the emitted code, or a number that becomes a constant of it: one
/// that f32 does not hold is rounded there (buildRoundedConstant()).
class Scalar {
public:
  Scalar(double number) : number(number) {}
  Scalar(mlir::Value value, ScalarEmitter &emitter)
      : value(value), emitter(&emitter) {}
  /// The name that Approximate has for a number that is rounded.
  static Scalar constant(double number) { return number; }

  mlir::Value get(ScalarEmitter &where) const {
    return value ? value : where.constant(number);
  }
  /// Null for a number.
  ScalarEmitter *getEmitter() const { return emitter; }

private:
  double number = 0.0;
  mlir::Value value;
  ScalarEmitter *emitter = nullptr;
};

Scalar operator+(Scalar a, Scalar b);
Scalar operator-(Scalar a, Scalar b);
Scalar operator*(Scalar a, Scalar b);
Scalar operator/(Scalar a, Scalar b);
Scalar operator-(Scalar a);
/// a / b, with the bound of b that Approximate asks for.
inline Scalar divide(Scalar a, Scalar b, double /*least*/) { return a / b; }
Scalar abs(Scalar a);
Scalar exp(Scalar a);
Scalar log(Scalar a);
Scalar sqrt(Scalar a);
Scalar tanh(Scalar a);
Scalar erf(Scalar a);
/// NaN where either is.
Scalar max(Scalar a, Scalar b);
Scalar min(Scalar a, Scalar b);

/// An i1 of the emitted code. Comparisons are ordered: false for a NaN.
class ScalarCondition {
public:
  ScalarCondition(mlir::Value value, ScalarEmitter &emitter)
      : value(value), emitter(&emitter) {}

  mlir::Value value;
  ScalarEmitter *emitter;
};

ScalarCondition operator<(Scalar a, Scalar b);
ScalarCondition operator<=(Scalar a, Scalar b);
ScalarCondition operator>(Scalar a, Scalar b);
/// Both are computed.
ScalarCondition operator&(ScalarCondition a, ScalarCondition b);
/// condition ? a : b, with both computed.
Scalar select(ScalarCondition condition, Scalar a, Scalar b);

} // namespace boostc
