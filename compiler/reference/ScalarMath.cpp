// ScalarMath.cpp - math in double precision.

#include "compiler/reference/ScalarTable.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include <cmath>

using namespace mlir;
using namespace boostc;

void boostc::addMathOps(ScalarTable &table) {
  table.add<math::AbsFOp>([](const double *x) { return std::fabs(x[0]); });
  table.add<math::CeilOp>([](const double *x) { return std::ceil(x[0]); });
  table.add<math::CosOp>([](const double *x) { return std::cos(x[0]); });
  table.add<math::ErfOp>([](const double *x) { return std::erf(x[0]); });
  table.add<math::ExpOp>([](const double *x) { return std::exp(x[0]); });
  table.add<math::Exp2Op>([](const double *x) { return std::exp2(x[0]); });
  table.add<math::ExpM1Op>([](const double *x) { return std::expm1(x[0]); });
  table.add<math::FloorOp>([](const double *x) { return std::floor(x[0]); });
  table.add<math::FmaOp>(
      [](const double *x) { return std::fma(x[0], x[1], x[2]); });
  table.add<math::LogOp>([](const double *x) { return std::log(x[0]); });
  table.add<math::Log1pOp>([](const double *x) { return std::log1p(x[0]); });
  table.add<math::Log2Op>([](const double *x) { return std::log2(x[0]); });
  table.add<math::PowFOp>([](const double *x) { return std::pow(x[0], x[1]); });
  table.add<math::RsqrtOp>(
      [](const double *x) { return 1.0 / std::sqrt(x[0]); });
  table.add<math::SinOp>([](const double *x) { return std::sin(x[0]); });
  table.add<math::SqrtOp>([](const double *x) { return std::sqrt(x[0]); });
  table.add<math::TanhOp>([](const double *x) { return std::tanh(x[0]); });
}
