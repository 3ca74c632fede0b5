#include "test/passes/MeanActivations.h"
#include "dialects/nn/NnDialect.h"
#include "dialects/train/TrainDialect.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassRegistry.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace boostc;
using rt::BindingKind;

namespace {

struct MeanActivations
    : PassWrapper<MeanActivations, OperationPass<train::ProgramOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(MeanActivations)

  MeanActivations() = default;
  MeanActivations(const MeanActivations &other) : PassWrapper(other) {}

  StringRef getArgument() const final { return "test-mean-activations"; }
  StringRef getDescription() const final {
    return "Accumulate the mean activation of each nn.relu";
  }

  void runOnOperation() override {
    program = getOperation();
    micro = program.getFunction(train::kMicro);
    update = program.getFunction(train::kUpdate);
    if (every > 1)
      addVariant();
    commit = *update.getOps<train::CommitOp>().begin();
    for (auto [index, relu] :
         llvm::enumerate(llvm::to_vector(micro.getOps<nn::ReluOp>())))
      observe(relu, llvm::formatv("relu{0}.", index).str());
  }

  /// A step that observes, and the one there was.
  void addVariant() {
    OpBuilder builder(micro);
    auto name = [&](StringRef text) { return builder.getStringAttr(text); };
    auto symbol = [](func::FuncOp function) {
      return FlatSymbolRefAttr::get(function);
    };
    func::FuncOp usualMicro = micro, usualUpdate = update;
    micro = cast<func::FuncOp>(builder.clone(*usualMicro));
    micro.setName("micro_observed");
    update = cast<func::FuncOp>(builder.clone(*usualUpdate));
    update.setName("update_observed");
    auto steps = train::StepsAttr::get(&getContext(), every, 0, every);
    train::VariantOp::create(builder, program.getLoc(), name("observed"),
                             symbol(micro), FlatSymbolRefAttr(), symbol(update),
                             builder.getArrayAttr({steps}),
                             builder.getArrayAttr({}));
    train::VariantOp::create(builder, program.getLoc(), name("usual"),
                             symbol(usualMicro), FlatSymbolRefAttr(),
                             symbol(usualUpdate), builder.getArrayAttr({}),
                             builder.getArrayAttr({}));
  }

  void observe(nn::ReluOp relu, const std::string &layer) {
    Location loc = relu.getLoc();
    OpBuilder builder(relu->getNextNode());
    Value sum =
        nn::BiasGradOp::create(builder, loc, relu, findValid(), /*axis=*/1);
    std::string sumName = layer + "activation_sum";
    std::string meanName = layer + "mean_activation";
    builder.setInsertionPoint(micro);
    TypeAttr type = TypeAttr::get(sum.getType());
    train::AccumulatorOp::create(builder, loc, builder.getStringAttr(sumName),
                                 FlatSymbolRefAttr(), type);
    train::StateOp::create(builder, loc, builder.getStringAttr(meanName),
                           builder.getStringAttr("mean_activation"),
                           FlatSymbolRefAttr(), rt::InitializerAttr(), type,
                           train::Saved::WithWeights);
    rt::addResult(micro, sum, getBinding(BindingKind::Accumulator, sumName));

    Value total = rt::addArgument(
        update, sum.getType(), getBinding(BindingKind::Accumulator, sumName));
    Value before = rt::addArgument(update, sum.getType(),
                                   getBinding(BindingKind::State, meanName));
    commit.getValuesMutable().append(total);
    builder.setInsertionPoint(update.front().getTerminator());
    Value mean =
        train::DivideGradientOp::create(builder, loc, total, commit.getCount());
    Value change = nn::SubOp::create(builder, loc, mean, before);
    Value after = train::ApplyDeltaOp::create(builder, loc, change, before,
                                              commit.getApplied());
    rt::addResult(update, after, getBinding(BindingKind::State, meanName));
  }

  Value findValid() {
    for (BlockArgument argument : micro.getArguments())
      if (rt::getArgumentBinding(argument).getKind() == BindingKind::Valid)
        return argument;
    llvm_unreachable("every @micro has it");
  }

  rt::BindingAttr getBinding(BindingKind kind, StringRef name) {
    return rt::BindingAttr::get(&getContext(), kind, name);
  }

  Option<int64_t> every{*this, "every",
                        llvm::cl::desc("Observe every n-th step alone"),
                        llvm::cl::init(1)};
  train::ProgramOp program;
  func::FuncOp micro, update;
  train::CommitOp commit;
};

} // namespace

void boostc::registerMeanActivations() { PassRegistration<MeanActivations>(); }
