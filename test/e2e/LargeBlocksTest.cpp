// Blocks of inverses that are large enough for a library: oneDNN multiplies with
// them and inverts them.

#include "test/e2e/Differential.h"
#include "test/runtime/support/SettledUpdate.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <span>

using namespace mlir;
using namespace boostc;
using namespace boostc::e2e;
using Values = ReferenceTrainer::Values;

namespace {

struct Case {
  Model model;
  /// Inversions by libraries, and different matmuls with blocks.
  int64_t inversions, matmuls;
};

/// Damping adds 4 to factors.
Model makeModel(const char *name, const char *input, const char *layers,
                int64_t blockSize) {
  return {name,
          3,
          input,
          3,
          layers,
          R"({ "type": "thor", "learning_rate": 0.0625, "damping": 16,
  "frequency": 1, "block_size": )" +
              std::to_string(blockSize) + " }"};
}

const Case kCases[] = {
    // A block of all inputs.
    {makeModel("inputs", "[650]", R"({ "op": "dense", "units": 3 })", 650), 1,
     1},
    // Two, the last of which the gradient does not fill.
    {makeModel("padded", "[1025]", R"({ "op": "dense", "units": 3 })", 515), 0,
     1},
    // A block of outputs, and one of the next layer's inputs.
    {makeModel("outputs", "[12]", R"({ "op": "dense", "units": 640 },
{ "op": "relu" },
{ "op": "dense", "units": 3 })",
               640),
     2, 2},
    // Two blocks of inputs, and one of outputs.
    {makeModel("both", "[1026]",
               R"({ "op": "dense", "units": 513, "bias": false },
{ "op": "relu" },
{ "op": "dense", "units": 3 })",
               513),
     0, 3}};

class LargeBlocks : public testing::TestWithParam<Case> {
protected:
  static CompileOptions getOptions(bool useLibrary, unsigned threads = 2) {
    CompileOptions options;
    options.phase.useLibrary = useLibrary;
    options.phase.threads = threads;
    options.phase.forCpu = true;
    options.phase.forCuda = false;
    return options;
  }
};

/// Calls of `kind` whose operands are blocks.
int64_t countCalls(Compiled &compiled, uint32_t kind) {
  const BoostTarget &target = *compiled.descriptor().targets;
  std::span calls(target.library_calls, target.library_call_count);
  return llvm::count_if(calls, [&](const BoostLibraryCall &call) {
    return call.kind == kind &&
           (kind != BOOSTC_LIBRARY_MATMUL ||
            (call.matmul.k >= 512 && (call.matmul.m == call.matmul.k ||
                                      call.matmul.n == call.matmul.k)));
  });
}

/// State after a step: the inverses, and the gradients between them.
Values trainOneStep(Compiled &compiled, const Model &model) {
  EXPECT_EQ(compiled.execution().init(7).message(), "");
  compiled.setBatch(drawBatch(model, 1), model.batch);
  EXPECT_EQ(compiled.execution().micro(compiled.batch(), 0).message(), "");
  EXPECT_TRUE(settledUpdate(compiled.execution(), 1).ok());
  return compiled.getState();
}

// Two ways to compute an inverse of d rows differ by some 8 sqrt(d) u of it
// times its condition, and that is (d / 3 + 4) / 4 at most: samples are below 1
// in magnitude, and their squares 1 / 3 in the mean. What the analysis knows of
// inverses of this size is wider than they are.
TEST_P(LargeBlocks, LibrariesComputeWhatKernelsDo) {
  const Model &model = GetParam().model;
  Compiled library(compileText(model.getJson(), getOptions(true)), 2);
  EXPECT_EQ(countCalls(library, BOOSTC_LIBRARY_DAMPED_INVERSE),
            GetParam().inversions);
  EXPECT_EQ(countCalls(library, BOOSTC_LIBRARY_MATMUL), GetParam().matmuls);
  Compiled loops(compileText(model.getJson(), getOptions(false)), 2);
  EXPECT_EQ(loops.descriptor().targets->library_call_count, 0u);
  Values expected = trainOneStep(loops, model);
  for (const auto &[name, found] : trainOneStep(library, model)) {
    const std::vector<double> &other = expected.at(name).data;
    double largest = 0, difference = 0;
    for (size_t i = 0; i < other.size(); ++i) {
      largest = std::max(largest, std::abs(other[i]));
      difference = std::max(difference, std::abs(found.data[i] - other[i]));
    }
    EXPECT_GT(largest, 0) << name;
    EXPECT_LE(difference, 0x1p-10 * largest) << name;
    RecordProperty(name, std::to_string(difference / largest));
  }
}

TEST_P(LargeBlocks, StrictOnesHaveTheSameBitsOnAnyNumberOfThreads) {
  CompileOptions options = getOptions(true);
  options.reproducible = rt::Reproducibility::Strict;
  SmallVector<char, 0> library =
      compileText(GetParam().model.getJson(), options);
  EXPECT_EQ(runThreeSteps(library, GetParam().model, 1),
            runThreeSteps(library, GetParam().model, 2));
}

INSTANTIATE_TEST_SUITE_P(Models, LargeBlocks, testing::ValuesIn(kCases),
                         [](const testing::TestParamInfo<Case> &info) {
                           return info.param.model.name;
                         });

} // namespace
