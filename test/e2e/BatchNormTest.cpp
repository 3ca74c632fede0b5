// Mean and variance of a micro-batch in single precision, where the mean is far
// from zero: running sums of squares would lose what matters there.
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "test/e2e/Differential.h"
#include "test/passes/BatchMoments.h"
#include <cmath>
#include <gtest/gtest.h>

using namespace mlir;
using namespace boostc;
using namespace boostc::e2e;

namespace {

/// Values of a channel: how many samples and positions, and on what device.
struct Case {
  std::string name;
  int64_t samples;
  std::string shape; ///< of a sample
  int64_t channels, positions;
  bool isForGpus = false;
};

void PrintTo(const Case &c, std::ostream *stream) { *stream << c.name; }

Model getModel(const Case &c) {
  Model model;
  model.name = "moments";
  model.batch = c.samples;
  model.sample = c.shape;
  model.layers = R"({ "op": "batch_norm" },
{ "op": "flatten" },
{ "op": "dense", "units": 3 })";
  model.optimizer = R"({ "type": "sgd", "learning_rate": 0.125 })";
  return model;
}

std::string addMoments(const Model &model, CompileOptions options) {
  options.to = Phase::Backward;
  SmallVector<char, 0> ir = compileText(model.getJson(), options);
  Context context;
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(
      StringRef(ir.data(), ir.size()), &context.mlir);
  PassManager manager(&context.mlir);
  bool isRun = module &&
               succeeded(parsePassPipeline("train.program(test-batch-moments)",
                                           manager)) &&
               succeeded(manager.run(*module));
  EXPECT_TRUE(isRun) << context.diagnostics;
  std::string text;
  llvm::raw_string_ostream stream(text);
  if (isRun)
    module->print(stream);
  return text;
}

class BatchMoments : public testing::TestWithParam<Case> {
protected:
  static void SetUpTestSuite() { registerBatchMoments(); }
};

/// A model that also adds up means and variances.
std::unique_ptr<Compiled> compileWithMoments(const Model &model,
                                             bool isForGpus) {
  CompileOptions options;
  options.phase.threads = 1;
  options.phase.forCpu = !isForGpus;
  options.phase.forCuda = isForGpus;
  std::string text = addMoments(model, options);
  options.from = Phase::Backward;
  auto compiled = std::make_unique<Compiled>(compileText(text, options), 1);
  EXPECT_EQ(compiled->execution().init(7).message(), "");
  return compiled;
}

TEST_P(BatchMoments, AreAccurateFarFromZero) {
  const Case &c = GetParam();
  Model model = getModel(c);
  std::unique_ptr<Compiled> owned = compileWithMoments(model, c.isForGpus);
  Compiled &compiled = *owned;
  for (double ratio : {1.0, 30.0, -1000.0}) {
    ReferenceTrainer::Values inputs = drawBatch(model, 1);
    for (auto &[name, value] : inputs)
      if (value.size() > c.samples) // not the labels
        for (double &x : value.data)
          // Uniform in [-1, 1): the deviation is 1 / sqrt(3).
          x = static_cast<float>((x * std::sqrt(3.0) + ratio) * 0.7);
    compiled.setBatch(inputs, model.batch);
    ASSERT_EQ(compiled.execution().micro(compiled.batch(), 0).message(), "");
    ReferenceTrainer::Values found = compiled.getPartial().accumulators;
    const ReferenceValue &x = inputs.begin()->second.size() > c.samples
                                  ? inputs.begin()->second
                                  : std::next(inputs.begin())->second;
    double n = static_cast<double>(c.samples * c.positions);
    for (int64_t channel = 0; channel < c.channels; ++channel) {
      double mean = 0.0, variance = 0.0;
      auto forEach = [&](auto visit) {
        for (int64_t i = 0; i < x.size(); ++i)
          if (i / c.positions % c.channels == channel)
            visit(x.data[i]);
      };
      forEach([&](double value) { mean += value / n; });
      forEach([&](double value) {
        variance += (value - mean) * (value - mean) / n;
      });
      std::string what = "ratio " + std::to_string(ratio) + ", channel " +
                         std::to_string(channel);
      // The mean itself is rounded, by u |mean|.
      EXPECT_LE(std::abs(found.at("0.mean").data[channel] - mean),
                2.0 * kUnitRoundoff * (1.0 + std::abs(ratio)) *
                    std::sqrt(variance))
          << what;
      // Roundings of n additions grow as their root (Higham and Mary, "A new
      // approach to probabilistic rounding error analysis", 2019), whatever
      // the ratio is.
      EXPECT_LE(std::abs(found.at("0.variance").data[channel] / variance - 1.0),
                2.0 * kUnitRoundoff * std::sqrt(n))
          << what;
    }
  }
}

// Equal terms are rounded in the same direction, so that the error of one long
// sum grows as their number. Half of the samples are 0.1 everywhere, as the
// first is, and half are 0.3.
TEST(LongMoments, AreAccurateOfEqualTerms) {
  constexpr int64_t kSamples = 64, kExtent = 90;
  constexpr double kMean = 0.2, kDeviation = 0.1;
  registerBatchMoments();
  for (bool isForGpus : {false, true}) {
    Case c{"", kSamples, "[2, 90, 90]", 2, kExtent * kExtent};
    Model model = getModel(c);
    std::unique_ptr<Compiled> compiled = compileWithMoments(model, isForGpus);
    ReferenceTrainer::Values inputs = drawBatch(model, 1);
    for (auto &[name, value] : inputs)
      if (value.size() > kSamples)
        for (auto [i, x] : llvm::enumerate(value.data))
          x = static_cast<float>(
              static_cast<int64_t>(i) / (2 * c.positions) % 2 == 0
                  ? kMean - kDeviation
                  : kMean + kDeviation);
    compiled->setBatch(inputs, model.batch);
    ASSERT_EQ(compiled->execution().micro(compiled->batch(), 0).message(), "");
    ReferenceTrainer::Values found = compiled->getPartial().accumulators;
    // 64 * 127 vectors at most are added up as sums of sums, about as many as
    // there are terms in each; their lanes, quotients and distances take ten
    // more roundings.
    const double kRoundings = 2 * std::sqrt(64.0 * 127.0) + 10;
    for (double mean : found.at("0.mean").data)
      EXPECT_NEAR(mean, kMean, kRoundings * kUnitRoundoff * kMean) << isForGpus;
    for (double variance : found.at("0.variance").data)
      EXPECT_NEAR(variance, kDeviation * kDeviation,
                  4 * kRoundings * kUnitRoundoff * kMean * kMean)
          << isForGpus;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Cases, BatchMoments,
    testing::Values(Case{"images", 32, "[3, 16, 16]", 3, 256},
                    Case{"columns", 128, "[5]", 5, 1},
                    Case{"one_sample", 1, "[2, 31, 33]", 2, 31 * 33},
                    Case{"images_gpu", 8, "[3, 16, 16]", 3, 256, true},
                    Case{"columns_gpu", 128, "[5]", 5, 1, true}),
    [](const testing::TestParamInfo<Case> &info) { return info.param.name; });

} // namespace
