#include "compiler/lowering/kernels/KernelWork.h"
#include "compiler/lowering/kernels/KernelOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace mlir;
using namespace boostc;

/// Operations on floating-point numbers in one iteration of `op`: conversions,
/// choices and moves are none.
static int64_t countFlopsOfIteration(linalg::LinalgOp op) {
  int64_t flops = 0;
  op->getRegion(0).walk([&](Operation *inner) {
    bool computes =
        isa<arith::ArithDialect, math::MathDialect>(inner->getDialect());
    if (computes && inner->getNumOperands() > 0 &&
        isa<FloatType>(inner->getOperand(0).getType()) &&
        !isa<CastOpInterface>(inner))
      flops += isa<math::FmaOp>(inner) ? 2 : 1;
  });
  return flops;
}

namespace {

class WorkCounter {
public:
  void add(Operation *op) {
    if (auto contraction = dyn_cast<ContractionOpInterface>(op)) {
      // Scratch memory and partial sums are how, and not what.
      for (Value operand :
           {contraction.getA(), contraction.getB(), contraction.getBias()})
        if (operand)
          noteRead(operand);
      noteWritten(contraction.getC());
      flops += cast<CostOpInterface>(op).getFlops();
      return;
    }
    if (auto loops = dyn_cast<linalg::LinalgOp>(op))
      return addLoops(loops);
    if (auto copy = dyn_cast<memref::CopyOp>(op)) {
      noteRead(copy.getSource());
      noteWritten(copy.getTarget());
      return;
    }
    if (auto cost = dyn_cast<CostOpInterface>(op)) {
      flops += cost.getFlops();
      read += cost.getBytesRead();
      written += cost.getBytesWritten();
    }
  }

  int64_t flops = 0, read = 0, written = 0;

private:
  /// What has been touched of the memory that begins at a buffer.
  struct Touched {
    llvm::SmallPtrSet<Value, 4> read, written;
    int64_t bytesRead = 0, bytesWritten = 0;
  };

  void addLoops(linalg::LinalgOp op) {
    int64_t iterations = 1;
    for (int64_t extent : op.getStaticLoopRanges())
      iterations *= extent;
    flops += iterations * countFlopsOfIteration(op);
    for (OpOperand &operand : op->getOpOperands())
      if (isa<MemRefType>(operand.get().getType()) &&
          op.payloadUsesValueFromOperand(&operand))
        noteRead(operand.get());
    for (Value init : op.getDpsInits())
      noteWritten(init);
  }

  static int64_t bytesOf(Value buffer) { return countBytes(buffer.getType()); }

  void noteRead(Value view) {
    Value buffer = getViewedBuffer(view);
    Touched &memory = touched[buffer];
    int64_t all = bytesOf(buffer);
    if (memory.bytesWritten == all || memory.written.contains(view) ||
        !memory.read.insert(view).second)
      return;
    int64_t more = std::min(bytesOf(view), all - memory.bytesRead);
    memory.bytesRead += more;
    read += more;
  }

  void noteWritten(Value view) {
    Value buffer = getViewedBuffer(view);
    Touched &memory = touched[buffer];
    if (!memory.written.insert(view).second)
      return;
    int64_t more =
        std::min(bytesOf(view), bytesOf(buffer) - memory.bytesWritten);
    memory.bytesWritten += more;
    written += more;
  }

  llvm::DenseMap<Value, Touched> touched;
};

} // namespace

rt::WorkAttr boostc::describeWork(ArrayRef<Operation *> ops) {
  WorkCounter counter;
  for (Operation *op : ops)
    counter.add(op);
  return rt::WorkAttr::get(ops.front()->getContext(), counter.flops,
                           counter.read, counter.written);
}
