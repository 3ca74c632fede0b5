// Every phase is run and compared: the interpreter agrees on all phases it can
// run, every phase survives being printed and parsed, and compiling on from its
// text gives the same program, byte for byte.
#include "compiler/reference/Compare.h"
#include "dialects/thor/ThorDialect.h"
#include "mlir/IR/AsmState.h"
#include "mlir/Parser/Parser.h"
#include "test/e2e/Cells.h"
#include "test/e2e/Programs.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/raw_ostream.h"
#include <fstream>
#include <gtest/gtest.h>
#include <set>

using namespace mlir;
using namespace boostc;
using namespace boostc::e2e;

namespace {

std::string compileTo(StringRef text, Phase from, Phase to,
                      bool useLibrary = true, bool forGpus = false) {
  CompileOptions options;
  options.from = from;
  options.to = to;
  options.phase.useLibrary = useLibrary;
  // Later on the text says it.
  options.phase.forCuda = forGpus && from < Phase::Linalg;
  options.phase.threads = 2;
  // What LLVM makes of equal IR is equal; not optimising it saves most of the
  // time.
  options.codegenLevel = 0;
  SmallVector<char, 0> output = compileText(text, options);
  return std::string(output.data(), output.size());
}

/// A model, and whether it is compiled for GPUs and the CPU.
class Phases : public testing::TestWithParam<std::tuple<Model, bool>> {
protected:
  const Model &model() const { return std::get<0>(GetParam()); }
  bool isForGpus() const { return std::get<1>(GetParam()); }
  /// Compiled once for all tests.
  const std::string &compileModel(Phase to, bool useLibrary = true) const {
    static std::map<std::tuple<std::string, bool, Phase, bool>, std::string>
        texts;
    auto [entry, isNew] =
        texts.try_emplace({model().name, isForGpus(), to, useLibrary});
    if (isNew)
      entry->second = compileTo(model().getJson(), Phase::Input, to, useLibrary,
                                isForGpus());
    return entry->second;
  }
};

/// Those whose central differences take seconds, not minutes, and whose
/// gradients are large enough for differences to see.
class SmallModels : public testing::TestWithParam<Model> {
protected:
  std::string compileModel(Phase to, bool useLibrary = true) const {
    return compileTo(GetParam().getJson(), Phase::Input, to, useLibrary);
  }
};

std::vector<Model> getSmallModels() {
  std::vector<Model> models = getModels();
  llvm::erase_if(models, [](const Model &model) {
    return model.name == "parallel" || model.name == "square" ||
           model.name == "many_tokens" || model.name == "many_channels" ||
           model.name == "many_groups" || model.name == "odd_channels" ||
           model.name == "decoder" || model.name == "heads" ||
           model.name == "even_heads" || model.name == "wide_taps" ||
           model.name == "tiles" || model.name == "small_gradients";
  });
  return models;
}

/// What phases may differ by that compute in double precision, in parts of the
/// largest magnitude of a value.
constexpr double kRounding = 1e-9;

/// Parameters whose gradient is 0 by the maths: normalisation takes away what a
/// bias adds, softmax what it adds to all entries of a row. What is left is
/// rounding, to be small compared with the other gradients.
bool vanishes(const Model &model, StringRef parameter) {
  static const std::set<std::pair<StringRef, StringRef>> kVanishing = {
      {"normed_images", "first.bias"},
      {"normed_images", "conv2d1.bias"},
      {"normed_columns", "dense1.bias"},
      {"averaged_statistics", "dense1.bias"},
      {"tagger", "key.bias"}};
  return kVanishing.contains({model.name, parameter});
}

double getLargestMagnitude(const ReferenceTrainer::Values &values) {
  double largest = 0.0;
  for (const auto &[name, value] : values)
    for (double element : value.data)
      largest = std::max(largest, std::abs(element));
  return largest;
}

/// Everything @micro, @update and @eval say about one batch, in a fixed order;
/// gradients that vanish are within `tolerance` of the largest gradient.
std::vector<ReferenceValue> runStep(Interpreted &program, const Model &model,
                                    const ReferenceTrainer::Values &parameters,
                                    int64_t valid, double tolerance) {
  ReferenceTrainer &trainer = *program.trainer;
  trainer.parameters = parameters;
  for (auto state : program.program.getOps<train::StateOp>()) {
    bool isFloat =
        cast<RankedTensorType>(state.getType()).getElementType().isF32();
    llvm::fill(trainer.state.at(state.getSymName().str()).data,
               isFloat ? 0.25 : 3.0);
  }
  ReferenceTrainer::Values inputs = drawBatch(model, 3);
  std::vector<ReferenceValue> results;
  FailureOr<ReferenceTrainer::Partial> sums = trainer.micro(inputs, valid);
  auto metrics = trainer.evaluate(inputs, valid);
  if (failed(sums) || failed(metrics)) {
    ADD_FAILURE() << program.context.diagnostics;
    return results;
  }
  double largest = getLargestMagnitude(sums->gradients);
  for (const auto &[name, gradient] : sums->gradients) {
    if (!vanishes(model, name)) {
      results.push_back(gradient);
      continue;
    }
    for (double element : gradient.data)
      EXPECT_LE(std::abs(element), tolerance * largest) << name;
  }
  results.push_back(ReferenceValue::scalar(sums->lossSum));
  results.push_back(
      ReferenceValue::scalar(static_cast<double>(sums->lossCount)));
  for (const auto &[name, metric] : *metrics) {
    results.push_back(ReferenceValue::scalar(metric.sum));
    results.push_back(
        ReferenceValue::scalar(static_cast<double>(metric.count)));
  }
  // The update on gradients of its own, which do not depend on the phase of
  // @micro.
  ReferenceTrainer::Partial fixed = *sums;
  for (auto &[name, gradient] : fixed.gradients)
    for (size_t i = 0; i < gradient.data.size(); ++i)
      gradient.data[i] = 0.5 - static_cast<double>(i % 7);
  // More controls than any one optimizer of the models reads.
  FailureOr<bool> applied = trainer.update(
      fixed,
      {{"learning_rate", 0.1}, {"learning_rate.0", 0.2}, {"damping", 0.25}});
  if (failed(applied)) {
    ADD_FAILURE() << program.context.diagnostics;
    return results;
  }
  results.push_back(ReferenceValue::scalar(*applied));
  for (const ReferenceTrainer::Values &values :
       {trainer.parameters, trainer.state})
    for (const auto &[name, value] : values)
      results.push_back(value);
  return results;
}

/// Phase step is the first that has averages and preconditioned gradients.
bool lacksPartsOfStep(train::ProgramOp program) {
  return program->hasAttr(train::kEmaAttrName) ||
         program
             ->walk([](thor::NaturalGradientOp) {
               return WalkResult::interrupt();
             })
             .wasInterrupted();
}

TEST_P(SmallModels, InterpreterAgreesOnAll) {
  Interpreted step(compileModel(Phase::Step));
  ASSERT_TRUE(succeeded(step.trainer->initialize(7)));
  ReferenceTrainer::Values parameters = step.trainer->parameters;
  struct Case {
    const char *name;
    std::string ir;
    double tolerance;
  };
  // Gradients of phase input are central differences.
  const Case cases[] = {
      {"input", compileModel(Phase::Input), 1e-6},
      {"backward", compileModel(Phase::Backward), kRounding},
      {"linalg with the library", compileModel(Phase::Linalg), kRounding},
      {"linalg alone", compileModel(Phase::Linalg, false), kRounding}};
  int64_t batch = GetParam().batch;
  for (const Case &other : cases) {
    Interpreted program(other.ir);
    if (lacksPartsOfStep(program.program))
      continue;
    std::set<int64_t> tails = {batch, batch - 1, 1, 0};
    // Differences of a large batch take seconds for each tail.
    if (batch >= 16 && StringRef(other.name) == "input" && !runsLongTests())
      tails = {batch - 1, 0};
    for (int64_t valid : tails)
      EXPECT_EQ(
          findDifference(
              runStep(step, GetParam(), parameters, valid, kRounding),
              runStep(program, GetParam(), parameters, valid, other.tolerance),
              other.tolerance),
          "")
          << other.name << " with " << valid << " samples";
  }
}

std::string print(ModuleOp module, bool withLocations) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  OpPrintingFlags flags;
  flags.enableDebugInfo(withLocations, /*prettyForm=*/false);
  module->print(stream, flags);
  return text + "\n";
}

TEST_P(Phases, PrintingAndParsingIsAFixpoint) {
  for (const PhaseInfo &info : getPhases()) {
    if (info.phase > Phase::Llvm)
      break;
    const std::string &text = compileModel(info.phase);
    Context context;
    OwningOpRef<ModuleOp> module =
        parseSourceString<ModuleOp>(text, &context.mlir);
    ASSERT_TRUE(module) << info.name.str() << ": " << context.diagnostics;
    EXPECT_EQ(text, print(*module, /*withLocations=*/true)) << info.name.str();
  }
}

/// The phases to compile on from: all of them at night; else the last one, and
/// of the others, from which StepByStepIsTheWholeWay comes to the last, one
/// that is another for each model and kind of program.
std::vector<Phase> choosePhases(StringRef model, unsigned kind) {
  auto isModel = [&](const Model &other) { return other.name == model; };
  size_t turn =
      llvm::find_if(getModels(), isModel) - getModels().begin() + kind;
  size_t last = static_cast<size_t>(Phase::Llvm);
  std::vector<Phase> phases;
  for (size_t i = 0; i <= last; ++i)
    if (runsLongTests() || i == last || i == turn % last)
      phases.push_back(getPhases()[i].phase);
  return phases;
}

// The same bytes train to the same weights.
TEST_P(Phases, CompilingOnFromTextGivesTheSameProgram) {
  for (bool useLibrary : {true, false}) {
    if (isForGpus() && !useLibrary)
      continue; // the same phases again, of the CPU
    const std::string &direct = compileModel(Phase::So, useLibrary);
    ASSERT_FALSE(direct.empty());
    for (Phase phase :
         choosePhases(model().name, isForGpus() + 2 * useLibrary)) {
      const std::string &text = compileModel(phase, useLibrary);
      EXPECT_TRUE(compileTo(text, phase, Phase::So, useLibrary, isForGpus()) ==
                  direct)
          << "from " << getPhaseName(phase).str();
    }
  }
}

/// The text without locations.
std::string stripLocations(StringRef ir) {
  Context context;
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(ir, &context.mlir);
  EXPECT_TRUE(module) << context.diagnostics;
  return module ? print(*module, /*withLocations=*/false) : "";
}

// A later phase is reached step by step with the same IR. Locations aside:
// scf.for does not print that of its loop variable.
TEST_P(Phases, StepByStepIsTheWholeWay) {
  std::string text = compileModel(Phase::Input);
  for (size_t i = 1; i <= static_cast<size_t>(Phase::Llvm); ++i) {
    text = compileTo(text, getPhases()[i - 1].phase, getPhases()[i].phase,
                     /*useLibrary=*/true, isForGpus());
    EXPECT_TRUE(stripLocations(text) ==
                stripLocations(compileModel(getPhases()[i].phase)))
        << getPhases()[i].name.str();
  }
}

INSTANTIATE_TEST_SUITE_P(Models, SmallModels,
                         testing::ValuesIn(getSmallModels()),
                         [](const auto &info) { return info.param.name; });

std::string
nameOf(const testing::TestParamInfo<std::tuple<Model, bool>> &info) {
  return std::get<0>(info.param).name;
}

INSTANTIATE_TEST_SUITE_P(Models, Phases,
                         testing::Combine(testing::ValuesIn(getModels()),
                                          testing::Values(false)),
                         nameOf);

struct FailSilently : PassWrapper<FailSilently, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(FailSilently)
  void runOnOperation() override { signalPassFailure(); }
};

TEST(Pipeline, SpeaksForAPassThatFailsWithoutAMessage) {
  TemporaryDirectory directory;
  CompileOptions options;
  options.input = directory.file("model.json");
  std::ofstream(options.input) << getModels().front().getJson();
  options.configure = [](PassManager &manager) {
    manager.addPass(std::make_unique<FailSilently>());
    return success();
  };
  Context context;
  llvm::SourceMgr sources;
  SmallVector<char, 0> output;
  EXPECT_EQ(compile(context.mlir, sources, options, output),
            CompileResult::Internal);
  EXPECT_EQ(context.diagnostics,
            "internal error: a pass failed and did not say why; please report "
            "it with the input file\n");
}

/// Together they have each kind of kernel: products, reductions, convolutions,
/// windows, rows of a table, random numbers.
std::vector<Model> getModelsForGpus() {
  std::vector<Model> models = getModels();
  const std::set<StringRef> names = {"mlp",    "lenet",          "padded",
                                     "tokens", "dropout_pooled", "clipped"};
  llvm::erase_if(models, [&](const Model &model) {
    return !names.contains(StringRef(model.name));
  });
  if (models.size() != names.size())
    llvm::report_fatal_error("a model of the phases test has another name now");
  return models;
}

INSTANTIATE_TEST_SUITE_P(ForGpusToo, Phases,
                         testing::Combine(testing::ValuesIn(getModelsForGpus()),
                                          testing::Values(true)),
                         nameOf);

} // namespace
