#include "dialects/interfaces/Scalar.h"
#include "dialects/interfaces/LinalgHelpers.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include <cmath>

using namespace mlir;
using namespace boostc;

Value ScalarEmitter::constant(double value) {
  Value &constant = constants[std::signbit(value)][value];
  if (!constant)
    constant = buildRoundedConstant(builder, loc, value);
  return constant;
}

template <typename Op> static Scalar emit(Scalar a) {
  ScalarEmitter &emitter = *a.getEmitter();
  return {Op::create(emitter.builder, emitter.loc, a.get(emitter)), emitter};
}

/// At least one of two operands knows where to emit.
static ScalarEmitter &getEmitter(Scalar a, Scalar b) {
  return a.getEmitter() ? *a.getEmitter() : *b.getEmitter();
}

template <typename Op> static Scalar emit(Scalar a, Scalar b) {
  ScalarEmitter &emitter = getEmitter(a, b);
  Value first = a.get(emitter), second = b.get(emitter);
  return {Op::create(emitter.builder, emitter.loc, first, second), emitter};
}

Scalar boostc::operator+(Scalar a, Scalar b) {
  return emit<arith::AddFOp>(a, b);
}
Scalar boostc::operator-(Scalar a, Scalar b) {
  return emit<arith::SubFOp>(a, b);
}
Scalar boostc::operator*(Scalar a, Scalar b) {
  return emit<arith::MulFOp>(a, b);
}
Scalar boostc::operator/(Scalar a, Scalar b) {
  return emit<arith::DivFOp>(a, b);
}
Scalar boostc::operator-(Scalar a) { return emit<arith::NegFOp>(a); }
Scalar boostc::abs(Scalar a) { return emit<math::AbsFOp>(a); }
Scalar boostc::exp(Scalar a) { return emit<math::ExpOp>(a); }
Scalar boostc::log(Scalar a) { return emit<math::LogOp>(a); }
Scalar boostc::sqrt(Scalar a) { return emit<math::SqrtOp>(a); }
Scalar boostc::tanh(Scalar a) { return emit<math::TanhOp>(a); }
Scalar boostc::erf(Scalar a) { return emit<math::ErfOp>(a); }
Scalar boostc::max(Scalar a, Scalar b) { return emit<arith::MaximumFOp>(a, b); }
Scalar boostc::min(Scalar a, Scalar b) { return emit<arith::MinimumFOp>(a, b); }

static ScalarCondition compare(arith::CmpFPredicate predicate, Scalar a,
                               Scalar b) {
  ScalarEmitter &emitter = getEmitter(a, b);
  Value first = a.get(emitter), second = b.get(emitter);
  return {arith::CmpFOp::create(emitter.builder, emitter.loc, predicate, first,
                                second),
          emitter};
}

ScalarCondition boostc::operator<(Scalar a, Scalar b) {
  return compare(arith::CmpFPredicate::OLT, a, b);
}
ScalarCondition boostc::operator<=(Scalar a, Scalar b) {
  return compare(arith::CmpFPredicate::OLE, a, b);
}
ScalarCondition boostc::operator>(Scalar a, Scalar b) {
  return compare(arith::CmpFPredicate::OGT, a, b);
}

ScalarCondition boostc::operator&(ScalarCondition a, ScalarCondition b) {
  return {arith::AndIOp::create(a.emitter->builder, a.emitter->loc, a.value,
                                b.value),
          *a.emitter};
}

Scalar boostc::select(ScalarCondition condition, Scalar a, Scalar b) {
  ScalarEmitter &emitter = *condition.emitter;
  Value first = a.get(emitter), second = b.get(emitter);
  return {arith::SelectOp::create(emitter.builder, emitter.loc, condition.value,
                                  first, second),
          emitter};
}
