// Steps of several phases, one of them done as often as its probe says: a line
// search that a pass of the tests adds, and dim_reduce, compiled and in the
// interpreter.
#include "test/passes/LineSearch.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "runtime/trainer/StepWindow.h"
#include "test/e2e/Differential.h"
#include <cmath>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <limits>
#include <set>

using namespace mlir;
using namespace boostc;
using namespace boostc::e2e;

namespace {

using Values = ReferenceTrainer::Values;
using Window = std::vector<ReferenceTrainer::MicroBatch>;

Model getModel() {
  Model model =
      getPerceptron("search", R"({ "type": "sgd", "learning_rate": 0.0625 })");
  model.train = R"({ "on_nonfinite": "skip" })";
  return model;
}

/// `model` in phase `backward`, after the pass with `arguments`.
std::string addSearch(const Model &model, CompileOptions options,
                      const std::string &arguments = "") {
  options.to = Phase::Backward;
  SmallVector<char, 0> ir = compileText(model.getJson(), options);
  Context context;
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(
      StringRef(ir.data(), ir.size()), &context.mlir);
  PassManager manager(&context.mlir);
  bool isRun =
      module &&
      succeeded(parsePassPipeline(
          "train.program(test-line-search{" + arguments + "})", manager)) &&
      succeeded(manager.run(*module));
  EXPECT_TRUE(isRun) << context.diagnostics;
  std::string text;
  llvm::raw_string_ostream stream(text);
  if (isRun)
    module->print(stream);
  return text;
}

CompileOptions getOptions(int64_t window, bool isForGpus,
                          rt::Reproducibility reproducible) {
  CompileOptions options;
  options.phase.threads = 1;
  options.phase.forCpu = !isForGpus;
  options.phase.forCuda = isForGpus;
  options.boosts = {"grad_accumulation_step=" + std::to_string(window)};
  options.reproducible = reproducible;
  return options;
}

CompileOptions goOn(CompileOptions options, Phase to) {
  options.boosts.clear();
  options.from = Phase::Backward;
  options.to = to;
  return options;
}

std::unique_ptr<Interpreted> interpretText(const std::string &text,
                                           const CompileOptions &options) {
  SmallVector<char, 0> ir = compileText(text, goOn(options, Phase::Step));
  return std::make_unique<Interpreted>(StringRef(ir.data(), ir.size()));
}

/// The window of a step: every second one is not full, and its last micro-batch
/// is short.
Window drawWindow(const Model &model, int64_t step, int64_t microBatches) {
  Window window;
  int64_t count = std::max<int64_t>(1, microBatches - step % 2);
  for (int64_t i = 0; i < count; ++i)
    window.push_back({drawBatch(model, static_cast<uint64_t>(step + 1000 * i)),
                      i + 1 == count ? model.batch - 1 : model.batch});
  return window;
}

/// What a step reads, on the host's one batch arena.
struct Batches {
  Compiled &compiled;
  const Window &window;
  size_t next_ = 0;
  int64_t passes = 1;

  boostrt::Result<std::byte *> next() {
    if (next_ == window.size())
      return static_cast<std::byte *>(nullptr);
    if (auto status = compiled.execution().finishBatches(); !status.ok())
      return status;
    compiled.setBatch(window[next_].inputs, window[next_].valid);
    ++next_;
    return compiled.batch();
  }
  boostrt::Status rewind() {
    next_ = 0;
    ++passes;
    return boostrt::Status();
  }
};

/// A step of this model rounds fewer than 100 times on the way to a number, and
/// its sums do not cancel: each is off by less than 100 units of roundoff of
/// the largest of its tensor, or of 1.
constexpr double kStepError = 100.0 / (1 << 24);

void expectNear(const ReferenceValue &expected, const ReferenceValue &found,
                const std::string &what) {
  ASSERT_EQ(expected.data.size(), found.data.size()) << what;
  double largest = 1.0;
  for (double value : expected.data)
    largest = std::max(largest, std::abs(value));
  for (size_t i = 0; i < expected.data.size(); ++i) {
    // What a step that was not finite has left, and no later one has written.
    if (std::isnan(expected.data[i]) && std::isnan(found.data[i]))
      continue;
    EXPECT_NEAR(found.data[i], expected.data[i], kStepError * largest)
        << what << " " << i;
  }
}

struct Case {
  const char *name;
  bool isForGpus;
  int64_t window;
  rt::Reproducibility reproducible;
  const char *arguments;
  int64_t every = 1;       ///< step that searches
  bool isWeighted = false; ///< samples have weights
};

void PrintTo(const Case &given, std::ostream *stream) { *stream << given.name; }

constexpr rt::Reproducibility kOn = rt::Reproducibility::On,
                              kOff = rt::Reproducibility::Off;
const Case kCases[] = {{"cpu", false, 1, kOn, ""},
                       {"cpu_tree", false, 4, kOn, ""},
                       {"cpu_in_place", false, 3, kOff, ""},
                       {"cpu_gradient_again", false, 4, kOn, "again=true"},
                       {"cpu_every_3", false, 4, kOn, "every=3", 3},
                       {"gpu", true, 1, kOn, ""},
                       {"gpu_tree", true, 4, kOn, ""},
                       {"gpu_in_place", true, 3, kOff, ""}};

class LineSearch : public testing::TestWithParam<Case> {
protected:
  static void SetUpTestSuite() { registerLineSearch(); }
};

/// Text, and how it is compiled.
struct Source {
  std::string text;
  CompileOptions options;
};

/// Takes `steps` steps of a compiled program that begins with the states
/// `given`, each as the interpreter takes it. Returns how often their last
/// phases were done.
std::set<int64_t> takeSteps(const Model &model, const Case &given,
                            const Source &source, int64_t steps,
                            const Values &states) {
  std::set<int64_t> times;
  CompileOptions toStep = source.options;
  toStep.to = Phase::Step;
  SmallVector<char, 0> ir = compileText(source.text, toStep);
  Interpreted exact(StringRef(ir.data(), ir.size()));
  Compiled compiled(
      compileText(source.text, source.options), 1,
      boostrt::gradientSets(static_cast<uint32_t>(given.window),
                            given.reproducible == rt::Reproducibility::Off));
  boostrt::Execution &execution = compiled.execution();
  ReferenceTrainer &trainer = *exact.trainer;
  EXPECT_EQ(execution.init(7).message(), "");
  EXPECT_TRUE(succeeded(trainer.initialize(7))) << exact.context.diagnostics;
  compiled.setState(states);

  constexpr int64_t kNotFinite = 6;
  boostrt::StepWindow plan(execution);
  for (int64_t step = 1; step <= steps; ++step) {
    std::string what = "step " + std::to_string(step) + " ";
    trainer.step = step;
    trainer.parameters = compiled.getParameters();
    trainer.state = compiled.getState();
    Window window = drawWindow(model, step, given.window);
    if (step == kNotFinite)
      window.front().inputs.begin()->second.data.front() =
          std::numeric_limits<double>::infinity();

    plan.begin(step);
    Batches batches{compiled, window};
    EXPECT_EQ(plan.run(step, batches).message(), "");
    auto before = plan.apply(step);
    EXPECT_TRUE(before.ok()) << before.status().message();
    auto results = execution.settle();
    auto done = ReferenceTrainer::takeStep({&trainer, 1}, {window},
                                           getControls(compiled, step));
    if (!results.ok() || failed(done)) {
      ADD_FAILURE() << what << exact.context.diagnostics;
      return times;
    }
    EXPECT_EQ(results->isApplied, done->isApplied.front()) << what;
    EXPECT_EQ(results->isApplied, step != kNotFinite) << what;
    int64_t passes = trainer.getVariant().micro ? 1 : 0;
    for (int64_t phase : done->times)
      passes += phase;
    EXPECT_EQ(batches.passes, passes) << what;
    for (const auto &[name, value] : compiled.getParameters())
      expectNear(trainer.parameters.at(name), value, what + name);
    if (!results->isApplied)
      continue; // what its probes left is not a number
    if (!done->times.empty())
      times.insert(done->times.back());
    for (const auto &[name, value] : compiled.getState())
      expectNear(trainer.state.at(name), value, what + name);
  }
  return times;
}

TEST_P(LineSearch, TakesTheStepsOfTheInterpreter) {
  const Case &given = GetParam();
  Model model = getModel();
  CompileOptions options =
      getOptions(given.window, given.isForGpus, given.reproducible);
  Source source{addSearch(model, options, given.arguments),
                goOn(options, Phase::So)};
  std::set<int64_t> times =
      takeSteps(model, given, source, 12 * given.every, {});
  EXPECT_GE(times.size(), 3u) << "searches that end after different trials";
  EXPECT_EQ(*times.begin(), 1) << "some with the first";
}

INSTANTIATE_TEST_SUITE_P(Cases, LineSearch, testing::ValuesIn(kCases),
                         [](const testing::TestParamInfo<Case> &info) {
                           return info.param.name;
                         });

const Case kReduced[] = {{"cpu", false, 1, kOn, ""},
                         {"cpu_tree", false, 4, kOn, ""},
                         {"cpu_in_place", false, 3, kOff, ""},
                         {"gpu", true, 1, kOn, ""},
                         {"gpu_tree", true, 4, kOn, ""},
                         {.name = "cpu_weighted",
                          .window = 2,
                          .reproducible = kOn,
                          .arguments = "",
                          .isWeighted = true},
                         {.name = "gpu_weighted",
                          .isForGpus = true,
                          .window = 1,
                          .reproducible = kOn,
                          .arguments = "",
                          .isWeighted = true}};

class DimReduce : public testing::TestWithParam<Case> {};

/// The parts of a basis: vectors of norm 1, number i with element i of each
/// parameter.
Values makeBasis(const Values &parameters, int64_t vectors) {
  Values basis;
  double element = 1.0 / std::sqrt(static_cast<double>(parameters.size()));
  for (const auto &[name, value] : parameters) {
    SmallVector<int64_t> shape = {vectors};
    llvm::append_range(shape, value.shape);
    ReferenceValue part(shape);
    for (int64_t i = 0; i < vectors; ++i)
      part.data[i * value.size() + i % value.size()] = element;
    basis[name + ".basis"] = part;
  }
  return basis;
}

TEST_P(DimReduce, TakesTheStepsOfTheInterpreter) {
  const Case &given = GetParam();
  Model model = getModel();
  if (given.isWeighted)
    model.weights = "[]";
  Source source{model.getJson(),
                getOptions(given.window, given.isForGpus, given.reproducible)};
  llvm::append_values(source.options.boosts, "dim_reduce=true",
                      "n_components=2", "alpha=0.0625", "gamma=0.75", "rho=0.5",
                      "sigma=0.96875");
  Compiled compiled(compileText(source.text, source.options), 1);
  std::set<int64_t> times = takeSteps(model, given, source, 12,
                                      makeBasis(compiled.getParameters(), 2));
  EXPECT_EQ(times, (std::set<int64_t>{1, 2})) << "steps of one and two trials";
}

INSTANTIATE_TEST_SUITE_P(Cases, DimReduce, testing::ValuesIn(kReduced),
                         [](const testing::TestParamInfo<Case> &info) {
                           return info.param.name;
                         });

// Four ranks of one micro-batch are one rank of four; a rank may have none.
TEST(LineSearchOnRanks, IsThatOfOneRank) {
  registerLineSearch();
  Model model = getModel();
  CompileOptions four = getOptions(4, false, kOn),
                 one = getOptions(1, false, kOn);
  auto alone = interpretText(addSearch(model, four), four);
  auto shared = interpretText(addSearch(model, one), one);
  std::vector<ReferenceTrainer> ranks;
  for (int rank = 0; rank < 4; ++rank) {
    ranks.emplace_back(shared->program);
    ASSERT_TRUE(succeeded(ranks.back().initialize(7)));
  }
  ASSERT_TRUE(succeeded(alone->trainer->initialize(7)));
  for (int64_t step = 1; step <= 6; ++step) {
    Window window = drawWindow(model, step, 4);
    std::vector<Window> shares(4);
    for (size_t i = 0; i < window.size(); ++i)
      shares[i] = {window[i]};
    alone->trainer->step = step;
    for (ReferenceTrainer &rank : ranks)
      rank.step = step;
    const std::map<std::string, double> controls = {{"learning_rate", 0.0}};
    auto expected =
        ReferenceTrainer::takeStep({&*alone->trainer, 1}, {window}, controls);
    auto found = ReferenceTrainer::takeStep(ranks, shares, controls);
    ASSERT_TRUE(succeeded(expected) && succeeded(found))
        << shared->context.diagnostics;
    EXPECT_EQ(expected->times, found->times) << "step " << step;
    for (ReferenceTrainer &rank : ranks)
      for (const auto &[name, value] : rank.parameters)
        for (size_t i = 0; i < value.data.size(); ++i)
          EXPECT_NEAR(value.data[i],
                      alone->trainer->parameters.at(name).data[i], 1e-12);
  }
}

// Ranks that each keep a row of the basis take the steps of one that keeps all.
TEST(DimReduceInShards, IsThatOfTheWholeBasis) {
  constexpr int kRanks = 4;
  Model model = getModel();
  auto interpret = [&](int64_t window, const std::string &shards) {
    CompileOptions options = getOptions(window, false, kOn);
    llvm::append_values(options.boosts, "dim_reduce=true", "n_components=4",
                        "alpha=0.0625", "gamma=0.75", "rho=0.5",
                        "sigma=0.96875", "shards=" + shards);
    options.to = Phase::Step;
    SmallVector<char, 0> ir = compileText(model.getJson(), options);
    return std::make_unique<Interpreted>(StringRef(ir.data(), ir.size()));
  };
  auto alone = interpret(kRanks, "1"), shared = interpret(1, "4");
  std::vector<ReferenceTrainer> ranks;
  for (int rank = 0; rank < kRanks; ++rank) {
    ranks.emplace_back(shared->program);
    ASSERT_TRUE(succeeded(ranks.back().initialize(7)));
  }
  ReferenceTrainer &whole = *alone->trainer;
  ASSERT_TRUE(succeeded(whole.initialize(7)));
  for (const auto &[name, value] : makeBasis(whole.parameters, kRanks)) {
    whole.state[name] = value;
    ReferenceValue row = ranks.front().state.at(name);
    ASSERT_EQ(row.size() * kRanks, value.size());
    for (int rank = 0; rank < kRanks; ++rank) {
      std::copy_n(value.data.begin() + rank * row.size(), row.size(),
                  row.data.begin());
      ranks[rank].state[name] = row;
    }
  }
  std::set<int64_t> times;
  for (int64_t step = 1; step <= 8; ++step) {
    Window window = drawWindow(model, step, kRanks);
    std::vector<Window> shares(kRanks);
    for (size_t i = 0; i < window.size(); ++i)
      shares[i] = {window[i]};
    whole.step = step;
    for (ReferenceTrainer &rank : ranks)
      rank.step = step;
    const std::map<std::string, double> controls = {{"learning_rate", 0.0}};
    auto expected = ReferenceTrainer::takeStep({&whole, 1}, {window}, controls);
    auto found = ReferenceTrainer::takeStep(ranks, shares, controls);
    ASSERT_TRUE(succeeded(expected) && succeeded(found))
        << shared->context.diagnostics;
    EXPECT_EQ(expected->times, found->times) << "step " << step;
    times.insert(found->times.back());
    for (ReferenceTrainer &rank : ranks)
      for (const auto &[name, value] : rank.parameters)
        for (size_t i = 0; i < value.data.size(); ++i)
          EXPECT_NEAR(value.data[i], whole.parameters.at(name).data[i], 1e-12)
              << name << " after step " << step;
  }
  EXPECT_EQ(times, (std::set<int64_t>{1, 2})) << "steps of one and two trials";
}

TEST(LineSearchInTheInterpreter, EndsWithoutAnEnd) {
  registerLineSearch();
  Model model = getModel();
  CompileOptions options = getOptions(1, false, kOn);
  auto exact =
      interpretText(addSearch(model, options, "endless=true"), options);
  ASSERT_TRUE(succeeded(exact->trainer->initialize(7)));
  EXPECT_TRUE(failed(ReferenceTrainer::takeStep(
      {&*exact->trainer, 1}, {drawWindow(model, 1, 1)}, {}, 5)));
  EXPECT_THAT(
      exact->context.diagnostics,
      testing::HasSubstr("does phase 2 of step 1 5 times and asks for more"));
}

} // namespace
