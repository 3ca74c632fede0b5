#include "test/passes/SelectByCounter.h"
#include "dialects/train/TrainDialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassRegistry.h"

using namespace mlir;
using namespace boostc;
using rt::BindingKind;

namespace {

constexpr StringLiteral kCounter = "controller.count";

struct SelectByCounter
    : PassWrapper<SelectByCounter, OperationPass<train::ProgramOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(SelectByCounter)

  SelectByCounter() = default;
  SelectByCounter(const SelectByCounter &other) : PassWrapper(other) {}

  StringRef getArgument() const final { return "test-select-by-counter"; }
  StringRef getDescription() const final {
    return "Choose the first variant or the last one by a counter, to which "
           "the first adds 2 in a step and the others 1";
  }

  void runOnOperation() override {
    train::ProgramOp program = getOperation();
    OpBuilder builder = OpBuilder::atBlockBegin(&program.getBody().front());
    count = RankedTensorType::get({}, builder.getI64Type());
    train::StateOp::create(
        builder, program.getLoc(), builder.getStringAttr(kCounter),
        builder.getStringAttr("count"), FlatSymbolRefAttr(),
        rt::InitializerAttr(), TypeAttr::get(count), train::Saved::WithWeights);
    SmallVector<func::FuncOp> updates = program.getUpdates();
    for (func::FuncOp update : updates)
      addSteps(update, update == updates.front() ? 2 : 1);
    auto variants = program.getVariants();
    addSelector(OpBuilder::atBlockEnd(&program.getBody().front()),
                {variants.front().name, variants.back().name});
  }

  rt::BindingAttr getBinding(BindingKind kind, StringRef name = {}) {
    return rt::BindingAttr::get(&getContext(), kind, name);
  }

  void addSteps(func::FuncOp update, int times) {
    rt::BindingAttr state = getBinding(BindingKind::State, kCounter);
    Value steps = rt::addArgument(update, count, state);
    auto commit = *update.getOps<train::CommitOp>().begin();
    OpBuilder builder(update.front().getTerminator());
    for (int i = 0; i < times; ++i)
      steps = train::CountAppliedOp::create(builder, update.getLoc(), steps,
                                            commit.getApplied());
    rt::addResult(update, steps, state);
  }

  /// One step in four, about, is of the first variant. Two in four have a
  /// choice that is not in the list.
  void addSelector(OpBuilder builder, ArrayRef<StringRef> variants) {
    Location loc = getOperation().getLoc();
    auto select = func::FuncOp::create(builder, loc, "choose_by_counter",
                                       builder.getFunctionType({}, {}));
    select.addEntryBlock();
    train::SelectorOp::create(builder, loc, FlatSymbolRefAttr::get(select),
                              builder.getArrayAttr(llvm::map_to_vector(
                                  variants,
                                  [&](StringRef name) -> Attribute {
                                    return FlatSymbolRefAttr::get(&getContext(),
                                                                  name);
                                  })),
                              builder.getI64IntegerAttr(lag));
    Value step = rt::addArgument(select, count, getBinding(BindingKind::Step));
    Value last =
        rt::addArgument(select, count, getBinding(BindingKind::RunLength));
    Value counter = rt::addArgument(select, count,
                                    getBinding(BindingKind::State, kCounter));
    builder.setInsertionPointToEnd(&select.front());
    auto number = [&](int64_t value) -> Value {
      return arith::ConstantOp::create(
          builder, loc,
          DenseElementsAttr::get(count, builder.getI64IntegerAttr(value)));
    };
    Value steps = arith::AddIOp::create(builder, loc, last, step);
    Value sum = arith::AddIOp::create(builder, loc, counter, steps);
    Value half = arith::ShRUIOp::create(builder, loc, sum, number(1));
    Value choice = arith::AndIOp::create(builder, loc, half, number(3));
    Value index = arith::TruncIOp::create(
        builder, loc, RankedTensorType::get({}, builder.getI32Type()), choice);
    func::ReturnOp::create(builder, loc);
    rt::addResult(select, index, getBinding(BindingKind::Choice));
  }

  Option<int64_t> lag{*this, "lag",
                      llvm::cl::desc("Steps that a choice is ahead"),
                      llvm::cl::init(2)};
  RankedTensorType count;
};

} // namespace

void boostc::registerSelectByCounter() { PassRegistration<SelectByCounter>(); }
