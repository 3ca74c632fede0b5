// Accumulators and states that a pass of the tests adds to all steps or to some
// of them, and a selector by another one, with no edit of another pass or of
// the runtime: each number against the interpreter.
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "test/e2e/Differential.h"
#include "test/passes/MeanActivations.h"
#include "test/passes/SelectByCounter.h"
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

/// `model` in phase `backward` with the accumulators in every `every`-th step,
/// and after `pass`.
std::string addAccumulators(const Model &model, CompileOptions options,
                            int64_t every, const std::string &pass = "") {
  options.to = Phase::Backward;
  SmallVector<char, 0> ir = compileText(model.getJson(), options);
  Context context;
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(
      StringRef(ir.data(), ir.size()), &context.mlir);
  PassManager manager(&context.mlir);
  bool isRun =
      module &&
      succeeded(parsePassPipeline("train.program(test-mean-activations{every=" +
                                      std::to_string(every) + "}" + pass + ")",
                                  manager)) &&
      succeeded(manager.run(*module));
  EXPECT_TRUE(isRun) << context.diagnostics;
  std::string text;
  llvm::raw_string_ostream stream(text);
  if (isRun)
    module->print(stream);
  return text;
}

class Accumulators
    : public testing::TestWithParam<std::tuple<Model, bool, int64_t>> {
protected:
  static void SetUpTestSuite() { registerMeanActivations(); }
};

// Every fifth step is of the variant that observes, and so is a step for which
// the selector chooses it.
class Selector : public testing::TestWithParam<std::tuple<bool, int64_t>> {
protected:
  static void SetUpTestSuite() {
    registerMeanActivations();
    registerSelectByCounter();
  }
};

TEST_P(Selector, ChoosesAsTheInterpreterDoes) {
  const auto &[isForGpu, lag] = GetParam();
  CompileOptions options;
  options.phase.threads = 1;
  options.phase.forCpu = !isForGpu;
  options.phase.forCuda = isForGpu;
  options.boosts = {"grad_accumulation_step=4"};
  options.reproducible = rt::Reproducibility::Off;
  std::string text = addAccumulators(
      kModels[0], options, 5,
      ",test-select-by-counter{lag=" + std::to_string(lag) + "}");
  options.boosts.clear();
  options.from = Phase::Backward;
  options.to = Phase::So;
  expectSteps(text, kModels[0], options, 14);
}

INSTANTIATE_TEST_SUITE_P(
    Lags, Selector, testing::Combine(testing::Bool(), testing::Values(1, 2)),
    [](const testing::TestParamInfo<std::tuple<bool, int64_t>> &info) {
      return std::string(std::get<0>(info.param) ? "gpu_" : "cpu_") +
             std::to_string(std::get<1>(info.param));
    });

TEST_P(Accumulators, FeedAState) {
  const auto &[model, isForGpus, every] = GetParam();
  for (int64_t window : {1, 3}) {
    CompileOptions options;
    options.phase.threads = 1;
    options.phase.forCpu = !isForGpus;
    options.phase.forCuda = isForGpus;
    options.boosts = {"grad_accumulation_step=" + std::to_string(window)};
    // One micro-batch needs no sum; several are added in place.
    options.reproducible =
        window == 1 ? rt::Reproducibility::On : rt::Reproducibility::Off;
    std::string text = addAccumulators(model, options, every);
    options.boosts.clear();
    options.from = Phase::Backward;
    options.to = Phase::So;
    expectSteps(text, model, options, 7);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Models, Accumulators,
    testing::Combine(testing::ValuesIn(kModels), testing::Bool(),
                     testing::Values(1, 3)),
    [](const testing::TestParamInfo<std::tuple<Model, bool, int64_t>> &info) {
      return std::get<0>(info.param).name +
             (std::get<1>(info.param) ? "_gpu" : "") + "_every_" +
             std::to_string(std::get<2>(info.param));
    });

} // namespace
