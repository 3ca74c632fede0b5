#include "test/passes/BatchMoments.h"
#include "dialects/nn/NnDialect.h"
#include "dialects/train/TrainDialect.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassRegistry.h"

using namespace mlir;
using namespace boostc;

namespace {

struct BatchMoments
    : PassWrapper<BatchMoments, OperationPass<train::ProgramOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(BatchMoments)

  StringRef getArgument() const final { return "test-batch-moments"; }
  StringRef getDescription() const final {
    return "Accumulate the mean and the variance of each nn.batch_norm";
  }

  void runOnOperation() override {
    func::FuncOp micro = getOperation().getFunction(train::kMicro);
    for (auto [index, norm] :
         llvm::enumerate(llvm::to_vector(micro.getOps<nn::BatchNormOp>()))) {
      std::string number = std::to_string(index);
      accumulate(micro, number + ".mean", norm.getMean());
      accumulate(micro, number + ".variance", norm.getVariance());
    }
  }

  void accumulate(func::FuncOp micro, const std::string &name, Value value) {
    OpBuilder builder(micro);
    train::AccumulatorOp::create(
        builder, value.getLoc(), builder.getStringAttr(name),
        FlatSymbolRefAttr(), TypeAttr::get(value.getType()));
    rt::addResult(micro, value,
                  rt::BindingAttr::get(&getContext(),
                                       rt::BindingKind::Accumulator, name));
  }
};

} // namespace

void boostc::registerBatchMoments() { PassRegistration<BatchMoments>(); }
