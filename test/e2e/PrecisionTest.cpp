// Programs in tf32: their products and convolutions in the libraries of the
// simulated GPU, which rounds factors as NVIDIA documents it, against the
// interpreter within the bounds that follow; and what the choice leaves alone.
#include "test/e2e/Comparison.h"
#include "test/e2e/Differential.h"
#include <gtest/gtest.h>

using namespace mlir;
using namespace boostc;
using namespace boostc::e2e;

namespace {

enum class On { Libraries, Kernels, Cpu };

CompileOptions getOptions(On device, bool isTf32) {
  CompileOptions options;
  options.phase.threads = 2;
  options.phase.forCpu = device == On::Cpu;
  options.phase.forCuda = device != On::Cpu;
  options.phase.cudaLibrary = device == On::Libraries ? "always" : "never";
  if (isTf32)
    options.sets = {"matmul_precision=tf32"};
  return options;
}

Model getModel(StringRef name) {
  return *llvm::find_if(getModels(),
                        [&](const Model &model) { return model.name == name; });
}

/// What a program computes, whose step is to be that of float32.
MicroBatch runMicro(const Model &model, Compiled &compiled) {
  auto step = interpretStep(model, getOptions(On::Libraries, false));
  return {model, *step, compiled};
}

class Tf32 : public testing::TestWithParam<Model> {
protected:
  /// Compiled once for all tests.
  ArrayRef<char> compileModel() const {
    static std::map<std::string, SmallVector<char, 0>> programs;
    auto [entry, isNew] = programs.try_emplace(GetParam().name);
    if (isNew)
      entry->second =
          compileText(GetParam().getJson(), getOptions(On::Libraries, true));
    return entry->second;
  }
};

TEST_P(Tf32, StepsStayInTheirBounds) {
  // Every tail of an epoch once.
  expectStepsOf(compileModel(), GetParam(), getOptions(On::Libraries, true), 4);
}

TEST_P(Tf32, EveryLibraryCallSaysSo) {
  SmallVector<char, 0> exact =
      compileText(GetParam().getJson(), getOptions(On::Libraries, false));
  for (bool isTf32 : {false, true}) {
    Compiled compiled(isTf32 ? compileModel() : ArrayRef<char>(exact), 1);
    const BoostProgram &program = compiled.descriptor();
    uint32_t expected =
        isTf32 ? BOOSTC_PRECISION_TF32 : BOOSTC_PRECISION_FLOAT32;
    EXPECT_EQ(program.matmul_precision, expected);
    bool hasProducts = GetParam().name != "bias_only";
    EXPECT_EQ(program.targets->library_call_count > 0, hasProducts);
    for (const BoostLibraryCall &call :
         std::span(program.targets->library_calls,
                   program.targets->library_call_count))
      EXPECT_EQ(call.precision, expected) << call.location;
  }
}

// The kernel that replaces a call is as exact as ever.
TEST_P(Tf32, FallbacksStayInTheBoundsOfFloat32) {
  Compiled compiled(compileModel(), 1, 2, boostrt::LibraryUse::Off);
  MicroBatch batch = runMicro(GetParam(), compiled);
  expectWithin(batch.exact, batch.found, "fallbacks");
}

INSTANTIATE_TEST_SUITE_P(Models, Tf32, testing::ValuesIn(getModels()),
                         [](const testing::TestParamInfo<Model> &info) {
                           return info.param.name;
                         });

/// Models whose gradients are products of many terms.
class Tf32Products : public testing::TestWithParam<const char *> {};

// Else the bounds of float32 would do, or nothing rounds.
TEST_P(Tf32Products, AreNotThoseOfFloat32) {
  if (usesRealGpu())
    GTEST_SKIP() << "a GPU takes what is fastest, be it in float32";
  Model model = getModel(GetParam());
  for (bool isTf32 : {false, true}) {
    Compiled compiled(
        compileText(model.getJson(), getOptions(On::Libraries, isTf32)), 1);
    EXPECT_EQ(runMicro(model, compiled).countBeyond() > 0, isTf32);
  }
}

INSTANTIATE_TEST_SUITE_P(Models, Tf32Products,
                         testing::Values("parallel", "square", "lenet",
                                         "padded", "smooth"),
                         [](const testing::TestParamInfo<const char *> &info) {
                           return std::string(info.param);
                         });

std::vector<std::byte> trainThreeSteps(const Model &model,
                                       const CompileOptions &options) {
  return runThreeSteps(compileText(model.getJson(), options), model, 2);
}

TEST(Tf32Elsewhere, CpusAndKernelsKeepTheirBits) {
  for (const char *name : {"parallel", "lenet"})
    for (On device : {On::Cpu, On::Kernels})
      EXPECT_EQ(trainThreeSteps(getModel(name), getOptions(device, true)),
                trainThreeSteps(getModel(name), getOptions(device, false)))
          << name;
}

} // namespace
