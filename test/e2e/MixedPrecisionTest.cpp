// Programs whose activations are stored in bf16 or f16 against the interpreter,
// which rounds where the program does, within the bounds that follow.
#include "test/e2e/Comparison.h"
#include "test/e2e/Differential.h"
#include <gtest/gtest.h>

using namespace mlir;
using namespace boostc;
using namespace boostc::e2e;

namespace {

struct Amp {
  const char *level, *dtype;
  bool isForGpus = false; ///< and runs on the simulated one
  TilingPolicy tiling = TilingPolicy::Auto;

  /// f16 at O2 has a loss scale.
  bool isScaled() const {
    return StringRef(level) == "O2" && StringRef(dtype) == "f16";
  }
};

std::string getName(const Amp &amp) {
  return std::string(amp.level) + "_" + amp.dtype +
         (amp.isForGpus ? "_gpu" : "_cpu") +
         (amp.tiling == TilingPolicy::Always ? "_tiled" : "");
}

void PrintTo(const Amp &amp, std::ostream *stream) { *stream << getName(amp); }

CompileOptions getOptions(const Amp &amp) {
  CompileOptions options;
  options.phase.threads = 2;
  options.phase.forCpu = !amp.isForGpus;
  options.phase.forCuda = amp.isForGpus;
  options.phase.cudaStaging = amp.tiling;
  options.sets = {std::string("amp.level=") + amp.level,
                  std::string("amp.dtype=") + amp.dtype};
  // Low enough that most steps are applied, and one that changes.
  if (amp.isScaled())
    options.sets.push_back("amp.loss_scale={\"type\":\"dynamic\","
                           "\"initial\":64,\"window\":2}");
  return options;
}

Model getModel(StringRef name) {
  return *llvm::find_if(getModels(),
                        [&](const Model &model) { return model.name == name; });
}

/// What a program computes, whose step is to be that of `exact`.
MicroBatch runMicro(const Model &model, const CompileOptions &options,
                    const CompileOptions &exact) {
  Compiled compiled(compileText(model.getJson(), options), 2);
  auto step = interpretStep(model, exact);
  return {model, *step, compiled};
}

class MixedPrecision : public testing::TestWithParam<std::tuple<Model, Amp>> {};

TEST_P(MixedPrecision, StepsStayInTheirBounds) {
  auto [model, amp] = GetParam();
  // Every tail of an epoch once.
  expectSteps(model, getOptions(amp), 4);
}

std::string
getTestName(const testing::TestParamInfo<std::tuple<Model, Amp>> &info) {
  return std::get<0>(info.param).name + "_" + getName(std::get<1>(info.param));
}

constexpr Amp kAmps[] = {
    {"O1", "bf16"},       {"O1", "f16"},
    {"O2", "bf16"},       {"O3", "bf16"},
    {"O3", "f16"},        {"O1", "f16", true},
    {"O2", "bf16", true}, {"O2", "bf16", true, TilingPolicy::Always},
    {"O3", "f16", true},  {"O2", "f16"},
    {"O2", "f16", true}};

INSTANTIATE_TEST_SUITE_P(Models, MixedPrecision,
                         testing::Combine(testing::ValuesIn(getModels()),
                                          testing::ValuesIn(kAmps)),
                         getTestName);

/// Models whose gradients tell the types apart.
class LowPrecision : public testing::TestWithParam<const char *> {};

// Else the bounds of f32 would do, or nothing rounds.
TEST_P(LowPrecision, IsNotFloat32) {
  Model model = getModel(GetParam());
  CompileOptions exact;
  exact.phase.threads = 2;
  for (const Amp &amp : {Amp{"O2", "bf16"}, Amp{"O3", "f16"}})
    EXPECT_GT(runMicro(model, getOptions(amp), exact).countBeyond(), 0)
        << getName(amp);
  EXPECT_EQ(runMicro(model, getOptions({"O0", "bf16"}), exact).countBeyond(),
            0);
}

INSTANTIATE_TEST_SUITE_P(Models, LowPrecision,
                         testing::Values("parallel", "square", "lenet",
                                         "padded", "smooth"),
                         [](const testing::TestParamInfo<const char *> &info) {
                           return std::string(info.param);
                         });

} // namespace
