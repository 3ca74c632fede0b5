// Accumulators and states that a pass of the tests adds to a step, with no edit
// of another pass or of the runtime: each number against the interpreter.
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "test/e2e/Differential.h"
#include "test/passes/MeanActivations.h"
#include <gtest/gtest.h>

using namespace mlir;
using namespace boostc;
using namespace boostc::e2e;

namespace {

/// Channels in columns and in images; an accumulator of a single number.
const Model kModels[] = {
    {"columns", 5, "[7]", 3,
     R"({ "op": "dense", "units": 17 },
{ "op": "relu" },
{ "op": "dense", "units": 1 },
{ "op": "relu" },
{ "op": "dense", "units": 3 })",
     R"({ "type": "adam", "learning_rate": 0.0625 })"},
    {"images", 3, "[2, 5, 6]", 3,
     R"({ "op": "conv2d", "filters": 5, "kernel": 3 },
{ "op": "relu" },
{ "op": "flatten" },
{ "op": "dense", "units": 3 })",
     R"({ "type": "momentum", "learning_rate": 0.0625, "momentum": 0.5 })"},
};

/// `model` in phase `backward` with the accumulators.
std::string addAccumulators(const Model &model, CompileOptions options) {
  options.to = Phase::Backward;
  SmallVector<char, 0> ir = compileText(model.getJson(), options);
  Context context;
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(
      StringRef(ir.data(), ir.size()), &context.mlir);
  PassManager manager(&context.mlir);
  bool isRun = module &&
               succeeded(parsePassPipeline(
                   "train.program(test-mean-activations)", manager)) &&
               succeeded(manager.run(*module));
  EXPECT_TRUE(isRun) << context.diagnostics;
  std::string text;
  llvm::raw_string_ostream stream(text);
  if (isRun)
    module->print(stream);
  return text;
}

class Accumulators : public testing::TestWithParam<std::tuple<Model, bool>> {
protected:
  static void SetUpTestSuite() { registerMeanActivations(); }
};

TEST_P(Accumulators, FeedAState) {
  const auto &[model, isForGpus] = GetParam();
  for (int64_t window : {1, 3}) {
    CompileOptions options;
    options.phase.threads = 1;
    options.phase.forCpu = !isForGpus;
    options.phase.forCuda = isForGpus;
    options.boosts = {"grad_accumulation_step=" + std::to_string(window)};
    // One micro-batch needs no sum; several are added in place.
    options.reproducible =
        window == 1 ? rt::Reproducibility::On : rt::Reproducibility::Off;
    std::string text = addAccumulators(model, options);
    options.boosts.clear();
    options.from = Phase::Backward;
    options.to = Phase::So;
    expectSteps(text, model, options, 5);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Models, Accumulators,
    testing::Combine(testing::ValuesIn(kModels), testing::Bool()),
    [](const testing::TestParamInfo<std::tuple<Model, bool>> &info) {
      return std::get<0>(info.param).name +
             (std::get<1>(info.param) ? "_gpu" : "");
    });

} // namespace
