// Convolutions and their gradients by Winograd's algorithm, against the
// interpreter within the bounds of WinogradBound.h; and what their bits do not
// depend on.
#include "test/e2e/Differential.h"
#include <gtest/gtest.h>

using namespace mlir;
using namespace boostc;
using namespace boostc::e2e;

namespace {

const std::string kSgd = R"({ "type": "sgd", "learning_rate": 0.0625 })";

Model makeModel(const char *name, int64_t batch, const char *sample,
                const std::string &layers) {
  return {name,
          batch,
          sample,
          3,
          layers + R"(, { "op": "global_avg_pool" },
{ "op": "dense", "units": 3 })",
          kSgd};
}

std::string makeConvolution(int64_t filters, const char *rest) {
  return R"({ "op": "conv2d", "filters": )" + std::to_string(filters) +
         R"(, "kernel": 3, )" + rest + " }";
}

const std::string kRelu = R"(, { "op": "relu" }, )";

const Model kModels[] = {
    // Whole tiles and halves of them; a convolution of padding 0, whose input's
    // gradient has 2.
    makeModel("extents", 3, "[16, 8, 9]",
              makeConvolution(16, R"("padding": "same")") + kRelu +
                  makeConvolution(16, R"("padding": 1, "bias": false)") +
                  kRelu + makeConvolution(16, R"("padding": 0)") + kRelu +
                  makeConvolution(16, R"("padding": [2, 0, 1, 2])")),
    // Channels that do not fill vectors, of the source and of the result.
    makeModel("channels", 3, "[3, 7, 7]",
              makeConvolution(5, R"("padding": "same")") + kRelu +
                  makeConvolution(17, R"("padding": 1)") + kRelu +
                  makeConvolution(24, R"("padding": 1)") + kRelu +
                  makeConvolution(7, R"("padding": 1, "bias": false)")),
    // Strips of several samples, and a last one that is not full.
    makeModel("small", 19, "[64, 4, 4]",
              makeConvolution(64, R"("padding": 1)") + kRelu +
                  makeConvolution(48, R"("padding": 1)")),
    // Pieces of channels: weights of all would not fit into their memory.
    makeModel("shares", 2, "[200, 2, 3]",
              makeConvolution(160, R"("padding": 1)") + kRelu +
                  makeConvolution(136, R"("padding": 1)")),
    // Rows of more tiles than a strip has.
    makeModel("wide", 1, "[16, 3, 150]",
              makeConvolution(16, R"("padding": 1)") + kRelu +
                  makeConvolution(16, R"("padding": 1)")),
    // One row: most of a tile is border.
    makeModel("row", 2, "[16, 1, 6]",
              makeConvolution(16, R"("padding": 1)") + kRelu +
                  makeConvolution(16, R"("padding": [1, 0, 1, 0])"))};

struct Variant {
  const char *cpu;
  unsigned threads;
  rt::Reproducibility reproducible;
};

constexpr Variant kVariants[] = {{"native", 1, rt::Reproducibility::On},
                                 {"native", 3, rt::Reproducibility::On},
                                 {"native", 16, rt::Reproducibility::On},
                                 {"native", 2, rt::Reproducibility::Strict},
                                 {"x86-64-v3", 2, rt::Reproducibility::On}};

CompileOptions getOptions(const Variant &variant, const char *winograd) {
  CompileOptions options;
  options.phase.cpu = variant.cpu;
  options.phase.threads = variant.threads;
  options.phase.winograd = winograd;
  options.reproducible = variant.reproducible;
  return options;
}

/// Contractions of `model` whose first candidate is the algorithm's.
int64_t countTransformed(const Model &model, CompileOptions options) {
  int64_t count = 0;
  options.phase.chooseContraction =
      [&](Operation *, StringRef,
          ArrayRef<ContractionCandidate> candidates) -> FailureOr<unsigned> {
    count += StringRef(candidates.front().name).starts_with("Winograd");
    return 0;
  };
  options.to = Phase::Buffers;
  compileText(model.getJson(), options);
  return count;
}

class Winograd : public testing::TestWithParam<std::tuple<Model, Variant>> {
protected:
  const Model &model() const { return std::get<0>(GetParam()); }
  const Variant &variant() const { return std::get<1>(GetParam()); }
};

TEST_P(Winograd, StepsStayInTheirBounds) {
  expectSteps(model(), getOptions(variant(), "always"), 2);
}

TEST_P(Winograd, ComputesWhatItIsAskedFor) {
  // Equal ops are asked about once. Threads share the rows of one sample, but
  // not in this way.
  EXPECT_GE(countTransformed(model(), getOptions(variant(), "always")),
            model().batch == 1 ? 2 : 3);
  EXPECT_EQ(countTransformed(model(), getOptions(variant(), "off")), 0);
}

std::string
nameOf(const testing::TestParamInfo<std::tuple<Model, Variant>> &info) {
  const auto &[model, variant] = info.param;
  return model.name + "_" + (variant.cpu[0] == 'n' ? "native" : "v3") + "_" +
         std::to_string(variant.threads) + "_" +
         rt::stringifyReproducibility(variant.reproducible).str();
}

INSTANTIATE_TEST_SUITE_P(Models, Winograd,
                         testing::Combine(testing::ValuesIn(kModels),
                                          testing::ValuesIn(kVariants)),
                         nameOf);

TEST(WinogradBits, DoNotDependOnThreadsWhereTheyAreStrict) {
  for (const Model &model : kModels) {
    Variant variant{"native", 1, rt::Reproducibility::Strict};
    SmallVector<char, 0> one =
        compileText(model.getJson(), getOptions(variant, "always"));
    variant.threads = 3;
    SmallVector<char, 0> three =
        compileText(model.getJson(), getOptions(variant, "always"));
    std::vector<std::byte> expected = runThreeSteps(one, model, 1);
    EXPECT_EQ(expected, runThreeSteps(three, model, 3)) << model.name;
    EXPECT_EQ(expected, runThreeSteps(three, model, 2)) << model.name;
  }
}

} // namespace
