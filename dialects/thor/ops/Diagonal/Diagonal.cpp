#include "dialects/interfaces/Approximate.h"
#include "dialects/interfaces/LinalgHelpers.h"
#include "dialects/interfaces/Scalar.h"
#include "dialects/thor/ThorDialect.h"
#include "runtime/abi/boost_call.h"

using namespace mlir;
using namespace boostc;
using namespace boostc::thor;

template <typename T> static T getDivisor(T gradient, T count, T damping) {
  T square = gradient * gradient;
  T share = square / count;
  return share + sqrt(damping);
}

LogicalResult
PreconditionDiagonalOp::evaluate(ReferenceContext &,
                                 ArrayRef<ReferenceValue> operands,
                                 SmallVectorImpl<ReferenceValue> &results) {
  ReferenceValue result = operands[0];
  double count = operands[1].item(), root = std::sqrt(operands[2].item());
  for (double &g : result.data) {
    double divisor = g * g / count + root;
    if (divisor >= BOOSTC_INVERSE_MIN_PIVOT)
      g /= divisor;
  }
  results.push_back(std::move(result));
  return success();
}

ErrorBounds PreconditionDiagonalOp::boundErrors(ReferenceContext &,
                                                ArrayRef<Bounded> operands,
                                                ArrayRef<ReferenceValue>) {
  return boundElements(
      operands, 1, [](Approximates x, MutableArrayRef<Approximate> y) {
        Approximate divisor = getDivisor<Approximate>(x[0], x[1], x[2]);
        Approximate quotient = x[0] / divisor;
        // Each side decides by its own divisor.
        bool divides = divisor.low() >= BOOSTC_INVERSE_MIN_PIVOT;
        bool keeps = divisor.high() < BOOSTC_INVERSE_MIN_PIVOT;
        y[0] = divides ? quotient : x[0];
        if (!divides && !keeps)
          y[0].error = INFINITY;
      });
}

FailureOr<SmallVector<Value>>
PreconditionDiagonalOp::lowerToLinalg(OpBuilder &builder) {
  RankedTensorType type = getType();
  AffineMap same = builder.getMultiDimIdentityMap(type.getRank());
  AffineMap scalar = projection(builder, type.getRank(), {});
  return SmallVector<Value>{buildElementwise(
      builder, getLoc(), type, {getGradient(), getCount(), getDamping()},
      {same, scalar, scalar},
      [](OpBuilder &b, Location loc, ValueRange args) -> Value {
        ScalarEmitter emitter(b, loc);
        Value count = arith::SIToFPOp::create(b, loc, b.getF32Type(), args[1]);
        Scalar gradient(args[0], emitter);
        Scalar divisor =
            getDivisor<Scalar>(gradient, {count, emitter}, {args[2], emitter});
        Scalar quotient = gradient / divisor;
        return select(divisor < BOOSTC_INVERSE_MIN_PIVOT, gradient, quotient)
            .get(emitter);
      })};
}

int64_t PreconditionDiagonalOp::getFlops() {
  return 5 * getType().getNumElements();
}
