#include "compiler/lowering/kernels/Strides.h"
#include "dialects/rt/RtDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace boostc;

bool boostc::followsStrides(OpOperand &operand) {
  Operation *op = operand.getOwner();
  if (auto convolution = dyn_cast<rt::ConvolutionOp>(op))
    return operand.get() == convolution.getInput() ||
           operand.get() == convolution.getOutput();
  if (auto gram = dyn_cast<rt::GramOp>(op))
    return operand.get() == gram.getInput();
  if (auto product = dyn_cast<rt::MatmulOp>(op))
    return operand.get() == product.getA() || operand.get() == product.getB();
  return isa<linalg::LinalgOp, memref::CopyOp>(op);
}

bool boostc::followsStridesInSlices(OpOperand &operand) {
  auto slice = dyn_cast<memref::SubViewOp>(operand.getOwner());
  if (!slice)
    return followsStrides(operand);
  return slice.getType().getRank() == slice.getSourceType().getRank() &&
         llvm::all_of(slice->getUses(), followsStridesInSlices);
}

bool boostc::isWritten(OpOperand &use) {
  if (auto copy = dyn_cast<memref::CopyOp>(use.getOwner()))
    return use.get() == copy.getTarget();
  auto op = dyn_cast<DestinationStyleOpInterface>(use.getOwner());
  return !op || op.isDpsInit(&use);
}

MemRefType boostc::getTypeInMemory(Value value) {
  if (auto type = dyn_cast<MemRefType>(value.getType()))
    return type;
  auto tensor = cast<RankedTensorType>(value.getType());
  return MemRefType::get(tensor.getShape(), tensor.getElementType());
}

MemRefType boostc::getOrdered(MemRefType type, ArrayRef<unsigned> order) {
  SmallVector<int64_t> strides(type.getRank());
  int64_t stride = 1;
  for (unsigned dim : llvm::reverse(order)) {
    strides[dim] = stride;
    stride *= type.getDimSize(dim);
  }
  return MemRefType::get(type.getShape(), type.getElementType(),
                         StridedLayoutAttr::get(type.getContext(), 0, strides));
}

void boostc::setStrides(Value buffer, MemRefType type) {
  buffer.setType(type);
  for (Operation *user : buffer.getUsers()) {
    if (auto slice = dyn_cast<memref::SubViewOp>(user))
      setStrides(slice, memref::SubViewOp::inferResultType(
                            type, slice.getMixedOffsets(),
                            slice.getMixedSizes(), slice.getMixedStrides()));
    else if (auto view = dyn_cast<memref::CollapseShapeOp>(user))
      setStrides(view, memref::CollapseShapeOp::computeCollapsedType(
                           type, view.getReassociationIndices()));
  }
}
