// What a micro-batch adds to a step; see Passes.td.

#include "compiler/boost/Passes.h"
#include "compiler/boost/UpdateFunction.h"

namespace boostc::boost {
#define GEN_PASS_DEF_AVERAGEMICROBATCHESPASS
#include "compiler/boost/Passes.h.inc"
} // namespace boostc::boost

using namespace mlir;
using namespace boostc;
using namespace boostc::boost;

/// The one of two values of a function that is computed later.
static Value getLater(Value a, Value b) {
  Operation *first = a.getDefiningOp(), *second = b.getDefiningOp();
  if (!first || !second)
    return first ? a : b;
  return first->isBeforeInBlock(second) ? b : a;
}

namespace {

struct AverageMicroBatches
    : boost::impl::AverageMicroBatchesPassBase<AverageMicroBatches> {
  void runOnOperation() override {
    train::ProgramOp program = getOperation();
    if (getAveraging(program).getMicroBatches() != train::Reduction::Sum)
      return;
    for (func::FuncOp micro : program.getMicros())
      if (failed(average(micro, getDivisor(program))))
        return signalPassFailure();
  }

  static LogicalResult average(func::FuncOp micro, rt::BindingKind divisor) {
    auto returnOp = cast<func::ReturnOp>(micro.front().getTerminator());
    Value count;
    bool hasGradients = false;
    for (OpOperand &operand : returnOp->getOpOperands()) {
      auto binding = rt::getResultBinding(micro, operand.getOperandNumber());
      if (binding && binding.getKind() == divisor)
        count = operand.get();
      hasGradients |= binding && binding.getKind() == rt::BindingKind::Gradient;
    }
    if (!hasGradients)
      return success();
    if (!count)
      return micro.emitOpError("does not return ")
             << (divisor == rt::BindingKind::LossCount
                     ? "the number of samples"
                     : "the sum of sample weights")
             << ", by which its gradients are divided";
    OpBuilder builder(returnOp);
    for (OpOperand &operand : returnOp->getOpOperands())
      if (auto binding =
              rt::getResultBinding(micro, operand.getOperandNumber());
          binding && binding.getKind() == rt::BindingKind::Gradient) {
        // Where it is computed, so that sums need not be kept next to means.
        builder.setInsertionPointAfterValue(getLater(operand.get(), count));
        operand.set(train::DivideGradientOp::create(
            builder, operand.get().getLoc(), operand.get(), count));
      }
    return success();
  }
};

} // namespace
