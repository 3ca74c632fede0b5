// ScalarArith.cpp - arith in double precision. f32 does not round: the
// interpreter is what f32 code is compared with. bf16 and f16 do, where a
// number becomes one. Integers wrap around at their width.

#include "compiler/reference/Integers.h"
#include "compiler/reference/ScalarTable.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include <cmath>
#include <limits>

using namespace mlir;
using namespace boostc;

static constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

/// The larger of two numbers, +0 above -0; IEEE 754-2019 maximum without its
/// NaN rule.
static double larger(double a, double b) {
  if (a == b)
    return std::signbit(a) ? b : a;
  return a > b ? a : b;
}
static double smaller(double a, double b) { return -larger(-a, -b); }

static void addFloatOps(ScalarTable &table) {
  table.add<arith::AddFOp>([](const double *x) { return x[0] + x[1]; });
  table.add<arith::SubFOp>([](const double *x) { return x[0] - x[1]; });
  table.add<arith::MulFOp>([](const double *x) { return x[0] * x[1]; });
  table.add<arith::DivFOp>([](const double *x) { return x[0] / x[1]; });
  table.add<arith::NegFOp>([](const double *x) { return -x[0]; });
  table.add<arith::ExtFOp>([](const double *x) { return x[0]; });
  table.addFactory<arith::TruncFOp>([](arith::TruncFOp op) -> ScalarFunction {
    auto type = cast<FloatType>(getElementTypeOrSelf(op.getType()));
    if (!isLowPrecision(type))
      return [](const double *x) { return x[0]; };
    return [type](const double *x) { return roundTo(type, x[0]); };
  });
  // A NaN on either side wins in maximumf and minimumf, and loses in the other
  // two.
  table.add<arith::MaximumFOp>([](const double *x) {
    return std::isunordered(x[0], x[1]) ? kNaN : larger(x[0], x[1]);
  });
  table.add<arith::MinimumFOp>([](const double *x) {
    return std::isunordered(x[0], x[1]) ? kNaN : smaller(x[0], x[1]);
  });
  table.add<arith::MaxNumFOp>([](const double *x) {
    return std::isnan(x[0])   ? x[1]
           : std::isnan(x[1]) ? x[0]
                              : larger(x[0], x[1]);
  });
  table.add<arith::MinNumFOp>([](const double *x) {
    return std::isnan(x[0])   ? x[1]
           : std::isnan(x[1]) ? x[0]
                              : smaller(x[0], x[1]);
  });
}

/// Whether the predicate holds for (less, equal, greater, unordered); exactly
/// one of them is true.
static bool holds(arith::CmpFPredicate predicate, bool less, bool equal,
                  bool greater, bool unordered) {
  using Predicate = arith::CmpFPredicate;
  switch (predicate) {
  case Predicate::AlwaysFalse:
    return false;
  case Predicate::OEQ:
    return equal;
  case Predicate::OGT:
    return greater;
  case Predicate::OGE:
    return greater || equal;
  case Predicate::OLT:
    return less;
  case Predicate::OLE:
    return less || equal;
  case Predicate::ONE:
    return less || greater;
  case Predicate::ORD:
    return !unordered;
  case Predicate::UEQ:
    return equal || unordered;
  case Predicate::UGT:
    return greater || unordered;
  case Predicate::UGE:
    return !less;
  case Predicate::ULT:
    return less || unordered;
  case Predicate::ULE:
    return !greater;
  case Predicate::UNE:
    return !equal;
  case Predicate::UNO:
    return unordered;
  case Predicate::AlwaysTrue:
    return true;
  }
  llvm_unreachable("all predicates are listed");
}

static bool holds(arith::CmpIPredicate predicate, int64_t a, int64_t b,
                  uint64_t ua, uint64_t ub) {
  using Predicate = arith::CmpIPredicate;
  switch (predicate) {
  case Predicate::eq:
    return a == b;
  case Predicate::ne:
    return a != b;
  case Predicate::slt:
    return a < b;
  case Predicate::sle:
    return a <= b;
  case Predicate::sgt:
    return a > b;
  case Predicate::sge:
    return a >= b;
  case Predicate::ult:
    return ua < ub;
  case Predicate::ule:
    return ua <= ub;
  case Predicate::ugt:
    return ua > ub;
  case Predicate::uge:
    return ua >= ub;
  }
  llvm_unreachable("all predicates are listed");
}

static void addComparisons(ScalarTable &table) {
  table.addFactory<arith::CmpFOp>([](arith::CmpFOp op) -> ScalarFunction {
    return [predicate = op.getPredicate()](const double *x) -> double {
      return holds(predicate, x[0]<x[1], x[0] == x[1], x[0]> x[1],
                   std::isunordered(x[0], x[1]));
    };
  });
  table.addFactory<arith::CmpIOp>([](arith::CmpIOp op) -> ScalarFunction {
    return [predicate = op.getPredicate(),
            format = IntegerFormat::of(op.getLhs().getType())](
               const double *x) -> double {
      return holds(predicate, format.toSigned(x[0]), format.toSigned(x[1]),
                   format.toBits(x[0]), format.toBits(x[1]));
    };
  });
  table.add<arith::SelectOp>(
      [](const double *x) { return x[0] != 0.0 ? x[1] : x[2]; });
}

/// An op that maps bits to bits, the same for signed and unsigned numbers.
template <typename Op>
static void addBitwise(ScalarTable &table,
                       uint64_t (*function)(uint64_t, uint64_t)) {
  table.addFactory<Op>([function](Op op) -> ScalarFunction {
    return [function,
            format = IntegerFormat::of(op.getType())](const double *x) {
      return format.toValue(function(format.toBits(x[0]), format.toBits(x[1])));
    };
  });
}

/// An op that maps signed numbers to one.
template <typename Op>
static void addSigned(ScalarTable &table,
                      int64_t (*function)(int64_t, int64_t)) {
  table.addFactory<Op>([function](Op op) -> ScalarFunction {
    return
        [function, format = IntegerFormat::of(op.getType())](const double *x) {
          return format.toValue(
              function(format.toSigned(x[0]), format.toSigned(x[1])));
        };
  });
}

static void addIntegerOps(ScalarTable &table) {
  addBitwise<arith::AddIOp>(table,
                            [](uint64_t a, uint64_t b) { return a + b; });
  addBitwise<arith::SubIOp>(table,
                            [](uint64_t a, uint64_t b) { return a - b; });
  addBitwise<arith::MulIOp>(table,
                            [](uint64_t a, uint64_t b) { return a * b; });
  addBitwise<arith::AndIOp>(table,
                            [](uint64_t a, uint64_t b) { return a & b; });
  addBitwise<arith::OrIOp>(table, [](uint64_t a, uint64_t b) { return a | b; });
  addBitwise<arith::XOrIOp>(table,
                            [](uint64_t a, uint64_t b) { return a ^ b; });
  // A shift by the width or more has no meaning in arith; here it is 0.
  addBitwise<arith::ShRUIOp>(
      table, [](uint64_t a, uint64_t b) { return b < 64 ? a >> b : 0; });
  // Nor has a division by 0.
  addBitwise<arith::DivUIOp>(
      table, [](uint64_t a, uint64_t b) { return b != 0 ? a / b : 0; });
  addBitwise<arith::RemUIOp>(
      table, [](uint64_t a, uint64_t b) { return b != 0 ? a % b : 0; });
  addSigned<arith::MaxSIOp>(
      table, [](int64_t a, int64_t b) { return std::max(a, b); });
  addSigned<arith::MinSIOp>(
      table, [](int64_t a, int64_t b) { return std::min(a, b); });
}

/// A change of integer type that reads its operand as a signed number;
/// narrowing keeps the lower bits.
template <typename Op> static void addSignedCast(ScalarTable &table) {
  table.addFactory<Op>([](Op op) -> ScalarFunction {
    return [from = IntegerFormat::of(op.getIn().getType()),
            to = IntegerFormat::of(op.getType())](const double *x) {
      return to.toValue(from.toSigned(x[0]));
    };
  });
}

/// The same for an unsigned number.
template <typename Op> static void addUnsignedCast(ScalarTable &table) {
  table.addFactory<Op>([](Op op) -> ScalarFunction {
    return [from = IntegerFormat::of(op.getIn().getType()),
            to = IntegerFormat::of(op.getType())](const double *x) {
      return to.toValue(from.toBits(x[0]));
    };
  });
}

static void addCasts(ScalarTable &table) {
  addSignedCast<arith::ExtSIOp>(table);
  addSignedCast<arith::TruncIOp>(table);
  addSignedCast<arith::IndexCastOp>(table);
  addUnsignedCast<arith::ExtUIOp>(table);
  addUnsignedCast<arith::IndexCastUIOp>(table);
  table.addFactory<arith::SIToFPOp>([](arith::SIToFPOp op) -> ScalarFunction {
    return [format = IntegerFormat::of(op.getIn().getType())](const double *x) {
      return static_cast<double>(format.toSigned(x[0]));
    };
  });
  table.addFactory<arith::UIToFPOp>([](arith::UIToFPOp op) -> ScalarFunction {
    return [format = IntegerFormat::of(op.getIn().getType())](const double *x) {
      return static_cast<double>(format.toBits(x[0]));
    };
  });
  table.addFactory<arith::FPToSIOp>([](arith::FPToSIOp op) -> ScalarFunction {
    return [format = IntegerFormat::of(op.getType())](const double *x) {
      // Toward zero. A number that does not fit has no meaning in arith; here
      // it is 0.
      double bound = std::ldexp(1.0, static_cast<int>(format.width) - 1);
      double number = std::trunc(x[0]);
      return number >= -bound && number < bound
                 ? format.toValue(static_cast<int64_t>(number))
                 : 0.0;
    };
  });
}

void boostc::addArithOps(ScalarTable &table) {
  addFloatOps(table);
  addComparisons(table);
  addIntegerOps(table);
  addCasts(table);
}
