// Compiled programs against the interpreter, number by number: ten steps
// (Differential.h), and what holds to the last bit.
#include "test/e2e/Differential.h"
#include "test/e2e/Cells.h"
#include "test/e2e/Comparison.h"
#include "test/e2e/Programs.h"
#include "test/runtime/support/SettledUpdate.h"
#include "llvm/ADT/StringExtras.h"
#include <cmath>
#include <gtest/gtest.h>

using namespace mlir;
using namespace boostc;
using namespace boostc::e2e;

namespace {

using Values = ReferenceTrainer::Values;
using Partial = ReferenceTrainer::Partial;

struct Variant {
  bool useLibrary;
  unsigned threads;
  /// How sums of products are computed: number of the candidate, or the last
  /// one.
  unsigned candidate = 0;
  bool isForGpus = false;           ///< and runs on the simulated one
  std::string cudaLibrary = "auto"; ///< and its library
  TilingPolicy tilingPolicy = TilingPolicy::Auto;

  auto operator<=>(const Variant &) const = default;
};

void PrintTo(const Variant &variant, std::ostream *stream) {
  *stream << (variant.isForGpus ? "GPUs, " : "")
          << (variant.tilingPolicy == TilingPolicy::Always ? "tiling, " : "")
          << (variant.useLibrary ? "library, " : "loops, ") << "on GPUs "
          << variant.cudaLibrary << ", " << variant.threads
          << " threads, candidate " << variant.candidate;
}

CompileOptions getOptions(const Variant &variant) {
  CompileOptions options;
  options.phase.useLibrary = variant.useLibrary;
  options.phase.cudaLibrary = variant.cudaLibrary;
  options.phase.tilingPolicy = variant.tilingPolicy;
  options.phase.threads = variant.threads;
  options.phase.forCpu = !variant.isForGpus;
  options.phase.forCuda = variant.isForGpus;
  if (variant.candidate != 0)
    options.phase.chooseContraction =
        [=](Operation *, StringRef,
            ArrayRef<ContractionCandidate> candidates) -> FailureOr<unsigned> {
      return std::min<unsigned>(variant.candidate, candidates.size() - 1);
    };
  return options;
}

class Differential : public testing::TestWithParam<std::tuple<Model, Variant>> {
protected:
  const Model &model() const { return std::get<0>(GetParam()); }
  const Variant &variant() const { return std::get<1>(GetParam()); }

  /// The program, compiled once for all tests of the same parameter.
  ArrayRef<char> compileModel() const {
    static std::map<std::pair<std::string, Variant>, SmallVector<char, 0>>
        programs;
    auto [entry, isNew] = programs.try_emplace({model().name, variant()});
    if (isNew)
      entry->second = compileText(model().getJson(), getOptions(variant()));
    return entry->second;
  }
  std::unique_ptr<Interpreted> interpret(const Model &of) const {
    return interpretStep(of, getOptions(variant()));
  }
};

TEST_P(Differential, TenSteps) {
  expectStepsOf(compileModel(), model(), getOptions(variant()), 10);
}

// What padding holds must not matter, whatever it is.
TEST_P(Differential, PaddingDoesNotCount) {
  Compiled compiled(compileModel(), variant().threads);
  boostrt::Execution &execution = compiled.execution();
  ASSERT_EQ(execution.init(7).message(), "");
  Values inputs = drawBatch(model(), 1), other = inputs;
  int64_t valid = model().batch - 1;
  for (const auto &[name, drawn] : drawBatch(model(), 2)) {
    int64_t perSample = drawn.size() / model().batch;
    std::copy(drawn.data.begin() + valid * perSample, drawn.data.end(),
              other.at(name).data.begin() + valid * perSample);
  }

  compiled.setBatch(inputs, valid);
  ASSERT_EQ(execution.micro(compiled.batch(), 0).message(), "");
  compiled.setBatch(other, valid);
  ASSERT_EQ(execution.micro(compiled.batch(), 1).message(), "");
  Partial first = compiled.getPartial(0), second = compiled.getPartial(1);
  EXPECT_EQ(first.lossSum, second.lossSum);
  EXPECT_EQ(first.lossCount, model().countLossTerms(valid));
  for (const auto &[name, gradient] : first.gradients)
    EXPECT_EQ(gradient.data, second.gradients.at(name).data) << name;
}

// Two micro-batches through micro, combine and update are one batch of twice
// the size.
TEST_P(Differential, TwoMicroBatchesAreOneBatch) {
  if (StringRef(model().layers).contains("batch_norm"))
    GTEST_SKIP() << "each micro-batch is normalised by itself";
  Model twice = model();
  twice.batch *= 2;
  std::unique_ptr<Interpreted> exact = interpret(twice);
  Compiled compiled(compileModel(), variant().threads);
  boostrt::Execution &execution = compiled.execution();
  ASSERT_EQ(execution.init(7).message(), "");
  Values weights = compiled.getParameters(), state = compiled.getState();
  Values kept = weights;
  kept.insert(state.begin(), state.end());

  Values both = drawBatch(twice, 1);
  for (int half = 0; half < 2; ++half) {
    Values inputs = both;
    for (auto &[name, value] : inputs) {
      int64_t elements = value.size() / 2;
      value.shape[0] /= 2;
      value.data.assign(both.at(name).data.begin() + half * elements,
                        both.at(name).data.begin() + (half + 1) * elements);
    }
    compiled.setBatch(inputs, model().batch);
    ASSERT_EQ(execution.micro(compiled.batch(), half).message(), "");
  }
  Partial second = compiled.getPartial(1);
  ASSERT_EQ(execution.combine(0, 1).message(), "");
  EXPECT_EQ(compiled.getPartial(1).gradients.begin()->second.data,
            second.gradients.begin()->second.data)
      << "combine changed the set it only reads";

  func::FuncOp micro = exact->program.getFunction(train::kMicro);
  Partial sums = compiled.getPartial();
  // Sums over 2B samples in some order: the analysis of the double batch covers
  // it.
  expectWithin(
      analyzeByName(micro, bindArguments(micro, kept, both, twice.batch)), sums,
      "combined");
  auto results = settledUpdate(execution, 1);
  ASSERT_TRUE(results.ok()) << results.status().message();
  EXPECT_TRUE(results->isApplied);
  exact->trainer->parameters = weights;
  exact->trainer->state = state;
  expectUpdate(*exact, sums, weights, state, compiled, 1, "combined");
}

// A step whose loss or gradients are not finite leaves no trace, and neither
// does one after it.
TEST_P(Differential, NonFiniteStepChangesNothing) {
  std::unique_ptr<Interpreted> exact = interpret(model());
  Compiled compiled(compileModel(), variant().threads);
  boostrt::Execution &execution = compiled.execution();
  ASSERT_EQ(execution.init(7).message(), "");
  for (double bad :
       {static_cast<double>(NAN), static_cast<double>(INFINITY), 3e38}) {
    Values inputs = drawBatch(model(), 1);
    if (model().vocabulary) {
      // Integers are never bad, the rows they name may be.
      Values weights = compiled.getParameters();
      ReferenceValue &table = weights.at("embedding1.weight");
      std::fill(table.data.begin(), table.data.end(), bad);
      compiled.setParameters(weights);
    } else if (!model().transforms.empty()) {
      // Nor are bytes; a bias reaches all that follows.
      Values weights = compiled.getParameters();
      weights.begin()->second.data.front() = bad;
      compiled.setParameters(weights);
    } else {
      // All features of a sample, so that no dead unit hides it.
      ReferenceValue &features = inputs.at("image");
      int64_t perSample = features.size() / model().batch;
      std::fill_n(features.data.begin(), perSample, bad);
    }
    std::vector<std::byte> before = compiled.getPersistentBytes();
    compiled.setBatch(inputs, model().batch);
    ASSERT_EQ(execution.micro(compiled.batch(), 0).message(), "");
    Partial sums = compiled.getPartial();
    bool isFinite = std::isfinite(sums.lossSum);
    for (const auto &[name, gradient] : sums.gradients)
      isFinite &= llvm::all_of(gradient.data,
                               [](double x) { return std::isfinite(x); });
    exact->trainer->hasFailed = false;
    auto expectFlag = [&](const Partial &step, bool isApplied) {
      auto results = settledUpdate(execution, 1);
      ASSERT_TRUE(results.ok()) << results.status().message();
      EXPECT_EQ(results->isApplied, isApplied) << bad;
      exact->trainer->parameters = compiled.getParameters();
      exact->trainer->state = compiled.getState();
      FailureOr<bool> expected =
          exact->trainer->update(step, getControls(compiled, 1));
      ASSERT_TRUE(succeeded(expected)) << exact->context.diagnostics;
      EXPECT_EQ(*expected, isApplied) << bad;
    };
    expectFlag(sums, isFinite);
    if (std::isnan(bad)) {
      EXPECT_FALSE(isFinite) << "a NaN input must show";
    }
    if (!isFinite) {
      EXPECT_EQ(compiled.getPersistentBytes(), before) << bad;
      compiled.setBatch(drawBatch(model(), 1), model().batch);
      ASSERT_EQ(execution.micro(compiled.batch(), 0).message(), "");
      expectFlag(compiled.getPartial(), false);
      EXPECT_EQ(compiled.getPersistentBytes(), before) << bad;
    }
    ASSERT_EQ(execution.init(7).message(), "");
    compiled.setBatch(drawBatch(model(), 1), model().batch);
    ASSERT_EQ(execution.micro(compiled.batch(), 0).message(), "");
    exact->trainer->hasFailed = false;
    expectFlag(compiled.getPartial(), true);
    ASSERT_EQ(execution.init(7).message(), "");
  }
}

// The same program on the same batch gives the same bits.
TEST_P(Differential, Repeats) {
  ArrayRef<char> library = compileModel();
  EXPECT_EQ(runThreeSteps(library, model(), variant().threads),
            runThreeSteps(library, model(), variant().threads));
}

// So does one that computes values again instead of keeping them.
class Recomputation : public testing::TestWithParam<Model> {};

TEST_P(Recomputation, ChangesNoBit) {
  CompileOptions options = getOptions({true, 1});
  SmallVector<char, 0> keeps = compileText(GetParam().getJson(), options);
  options.phase.maxRecomputed = std::numeric_limits<uint64_t>::max();
  SmallVector<char, 0> repeats = compileText(GetParam().getJson(), options);
  EXPECT_EQ(runThreeSteps(keeps, GetParam(), 1),
            runThreeSteps(repeats, GetParam(), 1));
}

/// Micro-batches that add to one gradient set, on CPUs and on the simulated
/// GPU.
class Accumulation : public testing::TestWithParam<std::tuple<Model, bool>> {
protected:
  const Model &model() const { return std::get<0>(GetParam()); }
  CompileOptions getOptions(int64_t window,
                            StringRef reduction = "mean") const {
    CompileOptions options =
        ::getOptions({true, 2, 0, std::get<1>(GetParam())});
    options.reproducible = rt::Reproducibility::Off;
    options.boosts = {"grad_accumulation_step=" + std::to_string(window)};
    options.sets = {"train.reduction=" + reduction.str()};
    return options;
  }
};

TEST_P(Accumulation, AddsUpWindowsThatNeedNotBeFull) {
  expectSteps(model(), getOptions(3), 4);
  expectSteps(model(), getOptions(3, "sum"), 2);
}

TEST_P(Accumulation, OneMicroBatchIsSummedByNobody) {
  SmallVector<char, 0> off = compileText(model().getJson(), getOptions(1));
  CompileOptions options = getOptions(1);
  options.reproducible = rt::Reproducibility::On;
  SmallVector<char, 0> on = compileText(model().getJson(), options);
  EXPECT_EQ(runThreeSteps(off, model(), 2), runThreeSteps(on, model(), 2));
}

INSTANTIATE_TEST_SUITE_P(
    Models, Accumulation,
    testing::ValuesIn(chooseCells<Model, bool>(getModels(), {{false, true}})),
    [](const testing::TestParamInfo<std::tuple<Model, bool>> &info) {
      return std::get<0>(info.param).name +
             (std::get<1>(info.param) ? "_gpu" : "");
    });

/// The programs' library calls on GPUs and the kernels that stand in for them.
class LibraryCalls : public testing::TestWithParam<Model> {};

TEST_P(LibraryCalls, AgreeWithTheirFallbacks) {
  CompileOptions options = getOptions({true, 1, 0, true, "always"});
  SmallVector<char, 0> library = compileText(GetParam().getJson(), options);
  std::unique_ptr<Interpreted> step = interpretStep(GetParam(), options);
  {
    Compiled compiled(library, 1);
    const BoostTarget &target = *compiled.descriptor().targets;
    std::span calls(target.library_calls, target.library_call_count);
    // A bias alone multiplies nothing.
    EXPECT_EQ(calls.empty(), GetParam().name == "bias_only");
    // Every convolution is one.
    bool hasConvolutions = false;
    step->program.getFunction(train::kMicro).walk([&](Operation *op) {
      hasConvolutions |= op->getName().getStringRef() == "nn.conv2d";
    });
    EXPECT_EQ(llvm::any_of(calls,
                           [](const BoostLibraryCall &call) {
                             return call.kind != BOOSTC_LIBRARY_MATMUL;
                           }),
              hasConvolutions);
  }
  for (boostrt::LibraryUse use :
       {boostrt::LibraryUse::On, boostrt::LibraryUse::Off}) {
    Compiled compiled(library, 1, 2, use);
    MicroBatch batch(GetParam(), *step, compiled);
    expectWithin(batch.exact, batch.found,
                 use == boostrt::LibraryUse::On ? "library" : "fallbacks");
  }
}

INSTANTIATE_TEST_SUITE_P(Models, LibraryCalls, testing::ValuesIn(getModels()),
                         [](const testing::TestParamInfo<Model> &info) {
                           return info.param.name;
                         });

/// Products and convolutions of several tiles each, most of which are not full.
const Model kStaged[] = {
    // Rows, columns and terms that are primes, or one more than a tile.
    {"ragged", 33, "[37]", 5,
     R"({ "op": "dense", "units": 65 },
{ "op": "tanh" },
{ "op": "dense", "units": 34 },
{ "op": "relu" },
{ "op": "dense", "units": 5 })",
     R"({ "type": "sgd", "learning_rate": 0.0625 })"},
    // Full tiles, read 16 bytes at a time; one row less than a slice.
    {"full", 64, "[31]", 3,
     R"({ "op": "dense", "units": 128 },
{ "op": "sigmoid" },
{ "op": "dense", "units": 64, "bias": false },
{ "op": "relu" },
{ "op": "dense", "units": 3 })",
     R"({ "type": "momentum", "learning_rate": 0.0625, "momentum": 0.875 })"},
    // Windows that reach over all edges of an image, and leave pixels out.
    {"windows", 8, "[3, 11, 9]", 4,
     R"({ "op": "conv2d", "filters": 34, "kernel": 3, "padding": 1 },
{ "op": "relu" },
{ "op": "conv2d", "filters": 17, "kernel": [2, 3], "stride": 2, "padding": [1, 0, 2, 1] },
{ "op": "tanh" },
{ "op": "flatten" },
{ "op": "dense", "units": 4 })",
     R"({ "type": "sgd", "learning_rate": 0.0625 })"},
    // Groups have tiles of their own.
    {"groups", 5, "[8, 7, 7]", 4,
     R"({ "op": "conv2d", "filters": 36, "kernel": 3, "groups": 2, "dilation": 2 },
{ "op": "relu" },
{ "op": "flatten" },
{ "op": "dense", "units": 4 })",
     R"({ "type": "sgd", "learning_rate": 0.0625 })"}};

class StagedProducts : public testing::TestWithParam<Model> {
protected:
  CompileOptions getOptions(TilingPolicy tilingPolicy) const {
    return ::getOptions({true, 2, 0, true, "never", tilingPolicy});
  }
  /// What the kernels of one micro-batch read.
  uint64_t countBytesRead(TilingPolicy tilingPolicy) const {
    Compiled compiled(
        compileText(GetParam().getJson(), getOptions(tilingPolicy)), 2);
    EXPECT_EQ(compiled.execution().init(7).message(), "");
    compiled.setBatch(drawBatch(GetParam(), 1), GetParam().batch);
    uint64_t before = compiled.countBytesRead();
    EXPECT_EQ(compiled.execution().micro(compiled.batch(), 0).message(), "");
    return compiled.countBytesRead() - before;
  }
};

TEST_P(StagedProducts, AreExact) {
  expectSteps(GetParam(), getOptions(TilingPolicy::Always), 3);
}

TEST_P(StagedProducts, Repeat) {
  SmallVector<char, 0> library =
      compileText(GetParam().getJson(), getOptions(TilingPolicy::Always));
  EXPECT_EQ(runThreeSteps(library, GetParam(), 1),
            runThreeSteps(library, GetParam(), 2));
}

// The reason why there are any.
TEST_P(StagedProducts, ReadLess) {
  if (usesRealGpu())
    GTEST_SKIP() << "a GPU does not count what kernels read";
  uint64_t tiling = countBytesRead(TilingPolicy::Always);
  uint64_t untiled = countBytesRead(TilingPolicy::Never);
  RecordProperty("tiled", std::to_string(tiling));
  RecordProperty("untiled", std::to_string(untiled));
  EXPECT_LT(2 * tiling, untiled);
}

INSTANTIATE_TEST_SUITE_P(Models, StagedProducts, testing::ValuesIn(kStaged),
                         [](const testing::TestParamInfo<Model> &info) {
                           return info.param.name;
                         });

INSTANTIATE_TEST_SUITE_P(Models, Recomputation, testing::ValuesIn(getModels()),
                         [](const testing::TestParamInfo<Model> &info) {
                           return info.param.name;
                         });

std::string
nameOf(const testing::TestParamInfo<std::tuple<Model, Variant>> &info) {
  const auto &[model, variant] = info.param;
  return model.name + (variant.isForGpus ? "_gpu" : "") +
         (variant.cudaLibrary == "always" ? "_libraries" : "") +
         (variant.tilingPolicy == TilingPolicy::Always ? "_staged" : "") +
         (variant.useLibrary ? "_library_" : "_loops_") +
         std::to_string(variant.threads) +
         (variant.candidate ? "_candidate_" + std::to_string(variant.candidate)
                            : "");
}

/// On one thread, on two, and on GPUs.
const std::vector<std::vector<Variant>> kVariants = {
    {{true, 1}, {false, 1}, {true, 1, 3}},
    {{true, 2},
     {false, 2},
     {true, 2, 1},
     {true, 2, 0, false, "auto", TilingPolicy::Always},
     {true, 3, 2, false, "auto", TilingPolicy::Always}},
    {{true, 1, 0, true},
     {true, 2, 0, true, "always"},
     {false, 2, 0, true},
     {true, 2, 0, true, "never", TilingPolicy::Always}}};

INSTANTIATE_TEST_SUITE_P(Models, Differential,
                         testing::ValuesIn(chooseCells(getModels(), kVariants)),
                         nameOf);

// What continuous integration leaves out are combinations, no model and no
// variant.
TEST(Cells, HaveEveryRowAndEveryColumn) {
  const std::vector<int> rows = {0, 1, 2, 3, 4};
  const std::vector<std::vector<char>> kinds = {{'a', 'b'}, {'c', 'd', 'e'}};
  std::map<int, std::string> columnsOf;
  std::map<char, int> rowsOf;
  for (auto [row, column] : chooseCells(rows, kinds, /*isLong=*/false)) {
    columnsOf[row] += column;
    ++rowsOf[column];
  }
  EXPECT_EQ(columnsOf,
            (std::map<int, std::string>{
                {0, "ad"}, {1, "be"}, {2, "ac"}, {3, "bd"}, {4, "ae"}}));
  EXPECT_EQ(rowsOf, (std::map<char, int>{
                        {'a', 3}, {'b', 2}, {'c', 1}, {'d', 2}, {'e', 2}}));
  EXPECT_EQ(chooseCells(rows, kinds, /*isLong=*/true).size(), 25u);
}

} // namespace
