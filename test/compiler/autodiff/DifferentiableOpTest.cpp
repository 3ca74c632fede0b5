// Every op with DifferentiableOpInterface, whatever its dialect, keeps the
// contract of the interface. The instances are those of this folder's .mlir
// files, so an op without a test there fails here.

#include "compiler/pipeline/Phases.h"
#include "dialects/interfaces/Interfaces.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/SetVector.h"
#include <filesystem>
#include <gtest/gtest.h>
#include <set>

using namespace mlir;
using namespace boostc;

namespace {

class DifferentiableOpTest : public testing::Test {
protected:
  DifferentiableOpTest() : context(MLIRContext::Threading::DISABLED) {
    DialectRegistry registry;
    registerCompilerDialects(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
    // Files of wrong programs do not count.
    ScopedDiagnosticHandler silence(&context, [](Diagnostic &) {});
    for (const auto &entry :
         std::filesystem::directory_iterator(BOOSTC_AUTODIFF_TESTS)) {
      if (entry.path().extension() != ".mlir")
        continue;
      modules.push_back(
          parseSourceFile<ModuleOp>(entry.path().string(), &context));
      if (modules.back())
        modules.back()->walk(
            [&](DifferentiableOpInterface op) { ops.push_back(op); });
    }
  }

  /// The gradients `op` builds when those of `needed` are asked for. Incoming
  /// gradients and `valid` are arguments of a function `scratch`, in which the
  /// ops are built.
  struct Built {
    func::FuncOp function;
    SmallVector<Value> gradOperands;
  };
  Built build(DifferentiableOpInterface op, ArrayRef<bool> needed) {
    OpBuilder builder(op->getParentOfType<func::FuncOp>());
    SmallVector<Type> types(op->getResultTypes());
    types.push_back(RankedTensorType::get({}, builder.getI32Type()));
    Built built{func::FuncOp::create(builder, op->getLoc(), "scratch",
                                     builder.getFunctionType(types, {})),
                SmallVector<Value>(op->getNumOperands())};
    Block *block = built.function.addEntryBlock();
    builder.setInsertionPointToStart(block);
    SmallVector<Value> gradients(block->getArguments().drop_back());
    BackwardContext context{
        builder,   op->getLoc(), block->getArguments().back(),
        gradients, needed,       built.gradOperands};
    EXPECT_TRUE(succeeded(op.buildBackward(context)));
    return built;
  }

  static SmallVector<bool> getActive(DifferentiableOpInterface op) {
    SmallVector<bool> active;
    for (unsigned i = 0; i < op->getNumOperands(); ++i)
      active.push_back(op.isActiveOperand(i));
    return active;
  }

  MLIRContext context;
  std::vector<OwningOpRef<ModuleOp>> modules;
  std::vector<DifferentiableOpInterface> ops;
};

TEST_F(DifferentiableOpTest, EveryOpHasATestHere) {
  std::set<std::string> tested;
  for (DifferentiableOpInterface op : ops)
    tested.insert(op->getName().getStringRef().str());
  unsigned known = 0;
  for (RegisteredOperationName name : context.getRegisteredOperations())
    if (name.hasInterface<DifferentiableOpInterface>()) {
      ++known;
      EXPECT_TRUE(tested.count(name.getStringRef().str()))
          << name.getStringRef().str();
    }
  EXPECT_GE(known, 7u);
}

// A sum over samples is of f32, whatever it is the gradient of.
TEST_F(DifferentiableOpTest, GradientsHaveTheTypesOfTheirOperands) {
  for (DifferentiableOpInterface op : ops) {
    SmallVector<bool> active = getActive(op);
    Built built = build(op, active);
    for (unsigned i = 0; i < active.size(); ++i) {
      if (!active[i])
        continue;
      ASSERT_TRUE(built.gradOperands[i]) << op->getName().getStringRef().str();
      Type type = op->getOperand(i).getType();
      EXPECT_TRUE(llvm::is_contained({type, widen(type)},
                                     built.gradOperands[i].getType()))
          << op->getName().getStringRef().str();
    }
  }
}

TEST_F(DifferentiableOpTest, IntegersAreNotActive) {
  for (DifferentiableOpInterface op : ops)
    for (unsigned i = 0; i < op->getNumOperands(); ++i)
      EXPECT_TRUE(!op.isActiveOperand(i) || isa<FloatType>(getElementTypeOrSelf(
                                                op->getOperand(i).getType())));
}

TEST_F(DifferentiableOpTest, WhatNobodyNeedsIsNotBuilt) {
  for (DifferentiableOpInterface op : ops) {
    SmallVector<bool> active = getActive(op);
    for (unsigned only = 0; only <= active.size(); ++only) {
      SmallVector<bool> needed(active.size(), false);
      if (only < active.size())
        needed[only] = active[only];
      // The driver asks only for ops that have something to do.
      if (llvm::none_of(needed, [](bool is) { return is; }))
        continue;
      Built built = build(op, needed);
      for (unsigned i = 0; i < active.size(); ++i)
        EXPECT_EQ(static_cast<bool>(built.gradOperands[i]), needed[i])
            << op->getName().getStringRef().str() << " operand " << i;
      // Every op built leads to the gradient asked for.
      SetVector<Operation *> alive;
      if (Operation *last = built.gradOperands[only].getDefiningOp())
        if (last->getParentOp() == built.function)
          alive.insert(last);
      for (size_t i = 0; i < alive.size(); ++i)
        for (Value operand : alive[i]->getOperands())
          if (Operation *definition = operand.getDefiningOp())
            if (definition->getParentOp() == built.function)
              alive.insert(definition);
      EXPECT_EQ(alive.size(),
                built.function.getBody().front().getOperations().size())
          << op->getName().getStringRef().str() << " operand " << only;
    }
  }
}

TEST_F(DifferentiableOpTest, TheBackwardReadsNothingButWhatIsSaved) {
  for (DifferentiableOpInterface op : ops) {
    SmallVector<Value> saved = op.savedForBackward();
    for (Value value : saved)
      EXPECT_TRUE(llvm::is_contained(op->getOperands(), value) ||
                  llvm::is_contained(op->getResults(), value));
    Built built = build(op, getActive(op));
    built.function.walk([&](Operation *nested) {
      for (Value operand : nested->getOperands())
        EXPECT_TRUE(operand.getParentRegion() == &built.function.getBody() ||
                    llvm::is_contained(saved, operand))
            << op->getName().getStringRef().str()
            << " reads an operand or result that "
            << "savedForBackward() does not name";
    });
  }
}

} // namespace
