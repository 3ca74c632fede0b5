#include "dialects/interfaces/LinalgHelpers.h"
#include "dialects/nn/NnDialect.h"

using namespace mlir;
using namespace boostc;
using namespace boostc::nn;

LogicalResult OneHotOp::verify() {
  auto labels = getLabels().getType(), to = cast<RankedTensorType>(getType());
  if (labels.getRank() < 1 || to.getRank() < 2 ||
      to.getShape().drop_back() != labels.getShape())
    return emitOpError("expected labels [batch, ...] to become [batch, ..., "
                       "classes], found ")
           << labels << " to " << to;
  return success();
}

LogicalResult OneHotOp::evaluate(ReferenceContext &,
                                 ArrayRef<ReferenceValue> operands,
                                 SmallVectorImpl<ReferenceValue> &results) {
  ReferenceValue result = ReferenceValue::zeros(getType());
  int64_t classes = result.shape.back();
  for (int64_t i = 0; i < result.size(); ++i)
    result.data[i] =
        operands[0].data[i / classes] == static_cast<double>(i % classes);
  results.push_back(std::move(result));
  return success();
}

FailureOr<SmallVector<Value>> OneHotOp::lowerToLinalg(OpBuilder &builder) {
  auto type = cast<RankedTensorType>(getType());
  unsigned rank = type.getRank();
  auto rows = llvm::to_vector(llvm::seq<unsigned>(0, rank - 1));
  return SmallVector<Value>{buildElementwise(
      builder, getLoc(), type, getLabels(), {projection(builder, rank, rows)},
      [rank](OpBuilder &b, Location loc, ValueRange args) -> Value {
        Value index = linalg::IndexOp::create(b, loc, rank - 1);
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
