// Programs whose activations are stored in bf16 or f16 against the interpreter,
// which rounds where the program does, within the bounds that follow.
#include "test/e2e/Cells.h"
#include "test/e2e/Comparison.h"
#include "test/e2e/Differential.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <set>

using namespace mlir;
using namespace boostc;
using namespace boostc::e2e;

namespace {

struct Amp {
  const char *level, *dtype;
  bool isForGpus = false; ///< and runs on the simulated one
  TilingPolicy tiling = TilingPolicy::Auto;
  const char *library = "never"; ///< cuBLASLt and cuDNN; on CPUs bf16 by oneDNN

  /// f16 at O2 has a loss scale.
  bool isScaled() const {
    return StringRef(level) == "O2" && StringRef(dtype) == "f16";
  }
};

std::string getName(const Amp &amp) {
  return std::string(amp.level) + "_" + amp.dtype +
         (amp.isForGpus ? "_gpu" : "_cpu") +
         (amp.tiling == TilingPolicy::Always ? "_tiled" : "") +
         (StringRef(amp.library) == "always" ? "_libraries" : "");
}

void PrintTo(const Amp &amp, std::ostream *stream) { *stream << getName(amp); }

CompileOptions getOptions(const Amp &amp) {
  CompileOptions options;
  options.phase.threads = 2;
  options.phase.forCpu = !amp.isForGpus;
  options.phase.forCuda = amp.isForGpus;
  options.phase.tilingPolicy = amp.tiling;
  options.phase.cudaLibrary = amp.isForGpus ? amp.library : "auto";
  options.phase.keepsBFloat16 = StringRef(amp.library) == "always";
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

/// On CPUs and on GPUs.
const std::vector<std::vector<Amp>> kAmps = {
    {{"O1", "bf16"},
     {"O1", "f16"},
     {"O2", "bf16"},
     {"O2", "f16"},
     {"O3", "bf16"},
     {"O3", "f16"},
     {"O2", "bf16", false, TilingPolicy::Auto, "always"}},
    {{"O1", "f16", true},
     {"O2", "bf16", true},
     {"O2", "bf16", true, TilingPolicy::Always},
     {"O2", "f16", true},
     {"O3", "f16", true},
     {"O2", "bf16", true, TilingPolicy::Auto, "always"},
     {"O1", "f16", true, TilingPolicy::Auto, "always"}}};

INSTANTIATE_TEST_SUITE_P(Models, MixedPrecision,
                         testing::ValuesIn(chooseCells(getModels(), kAmps)),
                         getTestName);

// Channels innermost: kernels multiply pairs or tiles of bf16 where the CPU
// does.
INSTANTIATE_TEST_SUITE_P(
    ChannelsInnermost, MixedPrecision,
    testing::Combine(testing::Values(getModel("many_channels"),
                                     getModel("many_groups"),
                                     getModel("odd_channels"),
                                     getModel("tiles"), getModel("wide_taps"),
                                     getModel("even_heads"),
                                     getModel("larger_eval")),
                     testing::Values(Amp{"O1", "bf16"}, Amp{"O3", "bf16"},
                                     Amp{"O1", "bf16", false,
                                         TilingPolicy::Always})),
    getTestName);

// Factors of 16 bits go to the libraries as they are. Gradients of dense
// weights come back in f32.
TEST(LowLibraries, CallsSayTheirTypes) {
  for (auto [dtype, type] :
       {std::pair("bf16", BOOSTC_FLOAT_BF16), {"f16", BOOSTC_FLOAT_F16}}) {
    Amp amp{"O2", dtype, true, TilingPolicy::Auto, "always"};
    Compiled compiled(compileText(getModel("lenet").getJson(), getOptions(amp)),
                      1);
    const BoostTarget &target = *compiled.descriptor().targets;
    std::set<std::pair<uint32_t, bool>> found; // kind, whether rounded
    for (const BoostLibraryCall &call :
         std::span(target.library_calls, target.library_call_count)) {
      EXPECT_EQ(call.factor_type, type) << call.location;
      EXPECT_THAT(call.result_type,
                  testing::AnyOf(type, uint32_t{BOOSTC_FLOAT_F32}));
      EXPECT_EQ(call.precision, BOOSTC_PRECISION_FLOAT32);
      found.emplace(call.kind, call.result_type == type);
    }
    EXPECT_THAT(
        found,
        testing::ElementsAre(
            std::pair(BOOSTC_LIBRARY_MATMUL, false),
            std::pair(BOOSTC_LIBRARY_MATMUL, true),
            std::pair(BOOSTC_LIBRARY_CONVOLUTION, true),
            std::pair(BOOSTC_LIBRARY_CONVOLUTION_BACKWARD_DATA, true),
            std::pair(BOOSTC_LIBRARY_CONVOLUTION_BACKWARD_WEIGHT, true)));
  }
}

// oneDNN multiplies bf16 on CPUs with AVX-512, in software where it has to.
TEST(LowLibraries, CpusKeepBFloat16WhereTheyAreTold) {
  if (!__builtin_cpu_supports("avx512bw"))
    GTEST_SKIP() << "oneDNN has no matmul in bf16 without AVX-512";
  for (auto [dtype, library, type] :
       {std::tuple("bf16", "always", BOOSTC_FLOAT_BF16),
        {"f16", "always", BOOSTC_FLOAT_F32}}) {
    Amp amp{"O2", dtype, false, TilingPolicy::Auto, library};
    Compiled compiled(compileText(getModel("lenet").getJson(), getOptions(amp)),
                      1, 2);
    const BoostTarget &target = *compiled.descriptor().targets;
    ASSERT_GT(target.library_call_count, 0u);
    for (const BoostLibraryCall &call :
         std::span(target.library_calls, target.library_call_count))
      EXPECT_EQ(call.factor_type, type) << call.location;
  }
}

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
