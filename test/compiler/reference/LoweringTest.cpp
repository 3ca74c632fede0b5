// Every op against its lowerings: the functions of all programs in
// test/compiler/autodiff and test/compiler/reference are interpreted, lowered
// to linalg with and without library calls, and interpreted again. An op with a
// lowering that none of them has fails here.

#include "compiler/autodiff/Passes.h"
#include "compiler/lowering/linalg/Passes.h"
#include "compiler/pipeline/Phases.h"
#include "compiler/reference/Compare.h"
#include "compiler/reference/Interpreter.h"
#include "compiler/reference/RandomArguments.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include <filesystem>
#include <gtest/gtest.h>
#include <set>

using namespace mlir;
using namespace boostc;

namespace {

using Results = SmallVector<ReferenceValue>;

class LoweringTest : public testing::Test {
protected:
  LoweringTest() : context(MLIRContext::Threading::DISABLED) {
    DialectRegistry registry;
    registerCompilerDialects(registry);
    registerReferenceExternalModels(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
  }

  /// The programs with their gradients explicit; files of wrong programs do not
  /// count.
  std::vector<std::pair<std::string, OwningOpRef<ModuleOp>>> getCorpus() {
    ScopedDiagnosticHandler silence(&context, [](Diagnostic &) {});
    std::vector<std::pair<std::string, OwningOpRef<ModuleOp>>> corpus;
    for (const char *folder : {"autodiff", "reference"})
      for (const auto &entry : std::filesystem::directory_iterator(
               std::filesystem::path(BOOSTC_COMPILER_TESTS) / folder)) {
        if (entry.path().extension() != ".mlir")
          continue;
        auto module =
            parseSourceFile<ModuleOp>(entry.path().string(), &context);
        if (module &&
            succeeded(run(*module, autodiff::createBuildBackwardPass())))
          corpus.emplace_back(entry.path().filename().string(),
                              std::move(module));
      }
    return corpus;
  }

  LogicalResult run(ModuleOp module, std::unique_ptr<Pass> pass) {
    PassManager passes(&context);
    passes.addNestedPass<train::ProgramOp>(std::move(pass));
    return passes.run(module);
  }

  /// The results of every function that runs, by name.
  std::map<std::string, Results> interpret(ModuleOp module) {
    ScopedDiagnosticHandler silence(&context, [](Diagnostic &) {});
    std::map<std::string, Results> results;
    module.walk([&](func::FuncOp function) {
      auto lists = randomArguments(function);
      if (function.isExternal() || failed(lists))
        return;
      Results values;
      for (ArrayRef<ReferenceValue> arguments : *lists)
        if (failed(Interpreter().interpret(function, arguments, values)))
          return;
      results[function.getName().str()] = values;
    });
    return results;
  }

  MLIRContext context;
};

TEST_F(LoweringTest, EveryOpEqualsItsLowerings) {
  unsigned functions = 0;
  for (auto &[file, module] : getCorpus()) {
    std::map<std::string, Results> expected = interpret(*module);
    for (bool useLibrary : {false, true}) {
      SCOPED_TRACE(file + (useLibrary ? ", library calls" : ", linalg"));
      OwningOpRef<ModuleOp> lowered = module->clone();
      LowerToLinalgPassOptions options;
      options.useLibrary = useLibrary;
      ASSERT_TRUE(succeeded(run(*lowered, createLowerToLinalgPass(options))));
      lowered->walk([](Operation *op) {
        EXPECT_FALSE(isa<LowerToLinalgOpInterface>(op) &&
                     op->getParentOfType<train::ProgramOp>())
            << op->getName().getStringRef().str() << " is left";
      });
      std::map<std::string, Results> actual = interpret(*lowered);
      for (const auto &[name, values] : expected) {
        ASSERT_TRUE(actual.count(name)) << name << " runs no more";
        EXPECT_EQ(findDifference(values, actual[name], 1e-12), "") << name;
        ++functions;
      }
    }
  }
  EXPECT_GE(functions, 60u);
}

TEST_F(LoweringTest, EveryOpWithALoweringIsInTheCorpus) {
  std::set<std::string> present;
  for (auto &[file, module] : getCorpus())
    module->walk([&](Operation *op) {
      if (op->getParentOfType<train::ProgramOp>())
        present.insert(op->getName().getStringRef().str());
    });
  unsigned known = 0;
  for (RegisteredOperationName name : context.getRegisteredOperations())
    if (name.hasInterface<LowerToLinalgOpInterface>() ||
        name.hasInterface<LibraryCallOpInterface>()) {
      ++known;
      EXPECT_TRUE(present.count(name.getStringRef().str()))
          << name.getStringRef().str();
    }
  EXPECT_GE(known, 16u);
}

} // namespace
