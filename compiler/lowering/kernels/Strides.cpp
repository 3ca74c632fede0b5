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

bool boostc::isWritten(OpOperand &use) {
  if (auto copy = dyn_cast<memref::CopyOp>(use.getOwner()))
    return use.get() == copy.getTarget();
  auto op = dyn_cast<DestinationStyleOpInterface>(use.getOwner());
  return !op || op.isDpsInit(&use);
}
