// Micro-batches add to one gradient set; see Passes.td.

#include "compiler/boost/Passes.h"
#include "compiler/boost/UpdateFunction.h"

namespace boostc::boost {
#define GEN_PASS_DEF_ACCUMULATEINPLACEPASS
#include "compiler/boost/Passes.h.inc"
} // namespace boostc::boost

using namespace mlir;
using namespace boostc;
using namespace boostc::boost;

namespace {

struct AccumulateInPlace
    : boost::impl::AccumulateInPlacePassBase<AccumulateInPlace> {
  void runOnOperation() override {
    train::ProgramOp program = getOperation();
    if (program.getMicroBatches() == 1 || !program.accumulatesInPlace())
      return;
    for (func::FuncOp micro : program.getMicros())
      if (failed(accumulate(micro)))
        return signalPassFailure();
  }

  static LogicalResult accumulate(func::FuncOp micro) {
    auto returnOp = cast<func::ReturnOp>(micro.front().getTerminator());
    // In the order of the results: the memory of both is planned in it.
    SmallVector<std::pair<OpOperand *, Value>> summed;
    OpOperand *count = nullptr;
    Value samples;
    for (OpOperand &operand : returnOp->getOpOperands()) {
      rt::BindingAttr binding =
          rt::getResultBinding(micro, operand.getOperandNumber());
      if (!binding || !rt::isAccumulator(binding.getKind()))
        continue;
      // The memory of the result.
      Value sums = rt::addArgument(micro, operand.get().getType(), binding);
      if (binding.getKind() == rt::BindingKind::LossCount) {
        count = &operand;
        samples = sums;
      } else {
        summed.emplace_back(&operand, sums);
      }
    }
    if (!count)
      return micro.emitOpError("does not return the number of samples, which "
                               "tells whether a gradient set is empty");
    for (auto [operand, sums] : summed)
      accumulate(*operand, sums, samples);
    // Last: what is added before asks whether there were samples.
    OpBuilder builder(returnOp);
    count->set(train::CombineOp::create(builder, count->get().getLoc(), samples,
                                        count->get(), samples));
    return success();
  }

  /// Adds a result right where it is made.
  static void accumulate(OpOperand &result, Value sums, Value samples) {
    Value part = result.get();
    OpBuilder builder(part.getContext());
    builder.setInsertionPointAfterValue(part);
    result.set(
        train::CombineOp::create(builder, part.getLoc(), sums, part, samples));
  }
};

} // namespace
