#include "dialects/rt/Gram.h"
#include "dialects/rt/RtDialect.h"

using namespace mlir;
using namespace boostc;
using namespace boostc::rt;

static FailureOr<GramShape>
readShape(GramOp op, llvm::function_ref<InFlightDiagnostic()> emitError) {
  auto destination = cast<ShapedType>(op.getDestination().getType());
  return GramShape::get(emitError, cast<ShapedType>(op.getInput().getType()),
                        op.getChannelsLast(), op.getKernel(), op.getStrides(),
                        op.getPadding(), op.getDilations(), op.getGroups(),
                        destination.getRank() == 3 ? destination.getDimSize(1)
                                                   : 1);
}

LogicalResult GramOp::verify() {
  FailureOr<GramShape> shape = readShape(*this, [&] { return emitOpError(); });
  if (failed(shape))
    return failure();
  auto destination = cast<ShapedType>(getDestination().getType());
  int64_t size = shape->blockSize;
  SmallVector<int64_t> expected = {shape->countBlocks(), size, size};
  if (destination.getShape() != ArrayRef(expected))
    return emitOpError("expected a destination of ")
           << expected[0] << "x" << size << "x" << size << ", found "
           << destination;
  if (cast<ShapedType>(getValid().getType()).getRank() != 0)
    return emitOpError("expected one number of samples, found ")
           << getValid().getType();
  return verifyDestinationStyle(*this);
}

GramShape GramOp::getShape() {
  FailureOr<GramShape> shape = readShape(*this, [&] { return emitOpError(); });
  assert(succeeded(shape) && "the verifier has seen the op");
  return *shape;
}

void GramOp::getEffects(
    SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  addEffects(*this, /*workspace=*/{}, effects);
}

int64_t GramOp::getFlops() { return getShape().countFlops(); }

int64_t GramOp::getBytesRead() { return countBytes(getInput().getType()); }

int64_t GramOp::getBytesWritten() {
  return countBytes(getDestination().getType());
}

LogicalResult GramOp::evaluate(ReferenceContext &,
                               ArrayRef<ReferenceValue> operands,
                               SmallVectorImpl<ReferenceValue> &results) {
  results.push_back(evaluateGram(getShape(), Bounded(operands[0]),
                                 static_cast<int64_t>(operands[1].item()))
                        .value);
  return success();
}
