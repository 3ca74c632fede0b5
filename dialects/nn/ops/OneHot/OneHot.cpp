#include "dialects/interfaces/LinalgHelpers.h"
#include "dialects/nn/NnDialect.h"

using namespace mlir;
using namespace boostc;
using namespace boostc::nn;

LogicalResult OneHotOp::verify() {
  auto labels = getLabels().getType(), to = cast<RankedTensorType>(getType());
  if (labels.getRank() != 1 || to.getRank() != 2 ||
      to.getDimSize(0) != labels.getDimSize(0))
    return emitOpError("expected labels [batch] to become [batch, classes], "
                       "found ")
           << labels << " to " << to;
  return success();
}

LogicalResult OneHotOp::evaluate(ReferenceContext &,
                                 ArrayRef<ReferenceValue> operands,
                                 SmallVectorImpl<ReferenceValue> &results) {
  ReferenceValue result = ReferenceValue::zeros(getType());
  for (int64_t n = 0; n < result.dim(0); ++n)
    for (int64_t c = 0; c < result.dim(1); ++c)
      result.at(n, c) = operands[0].data[n] == static_cast<double>(c);
  results.push_back(std::move(result));
  return success();
}

FailureOr<SmallVector<Value>> OneHotOp::lowerToLinalg(OpBuilder &builder) {
  return SmallVector<Value>{buildElementwise(
      builder, getLoc(), cast<RankedTensorType>(getType()), getLabels(),
      {projection(builder, 2, {0})},
      [](OpBuilder &b, Location loc, ValueRange args) -> Value {
        Value index = linalg::IndexOp::create(b, loc, 1);
        Value column =
            arith::IndexCastOp::create(b, loc, b.getI32Type(), index);
        Value isLabel = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                                              column, args[0]);
        return arith::SelectOp::create(b, loc, isLabel,
                                       buildConstant(b, loc, 1.0),
                                       buildConstant(b, loc, 0.0));
      })};
}

ErrorBounds OneHotOp::boundErrors(ReferenceContext &, ArrayRef<Bounded>,
                                  ArrayRef<ReferenceValue>) {
  return {}; // exact
}

int64_t OneHotOp::getFlops() {
  return cast<RankedTensorType>(getType()).getNumElements();
}
