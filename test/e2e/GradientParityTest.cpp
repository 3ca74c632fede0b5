// Gradients of compiled programs against PyTorch's in double precision, at
// steps 1 and 100 of the runs that test/e2e/reference/*.json record.
//
// The bound is what f32 costs on this problem: the reference gives, per
// parameter, the distance between PyTorch's own f32 and f64 gradients, the
// largest of several runs from weights that differ in the last place. We sum in
// another order and, at step 100, from weights that were rounded 99 times in
// another way: one more such run, so the distance over the recorded positions
// may be twice that over the whole tensor, and no more.
#include "runtime/data/Idx.h"
#include "runtime/data/Transform.h"
#include "test/e2e/Programs.h"
#include "test/runtime/support/SettledUpdate.h"
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sstream>

using namespace boostc;
using namespace boostc::e2e;

namespace {

constexpr double kFactor = 2.0;

std::string findMnist() {
  for (const char *name : {"BOOSTC_MNIST_DIR", "DATA_PATH"})
    if (const char *directory = std::getenv(name))
      return directory;
  return BOOSTC_SHARED_MNIST;
}

std::string readText(const std::string &path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

/// Samples [first, first + 32) in file order, through the program's transforms.
ReferenceTrainer::Values getBatch(const boostrt::Dataset &data,
                                  const boostrt::TransformPipeline &transforms,
                                  int64_t first) {
  boostrt::SampleShape shape = transforms.outputShape();
  ReferenceValue images({32, shape.channels, shape.height, shape.width});
  ReferenceValue labels({32});
  std::vector<float> sample(shape.elements());
  boostrt::TransformScratch scratch = transforms.makeScratch();
  for (int64_t n = 0; n < 32; ++n) {
    transforms.apply(data.sample(first + n), sample.data(), scratch);
    std::copy(sample.begin(), sample.end(),
              images.data.begin() + n * shape.elements());
    labels.data[n] = data.label(first + n);
  }
  return {{"image", images}, {"label", labels}};
}

void compare(const nlohmann::json &reference,
             const ReferenceTrainer::Partial &partial, int step) {
  for (const auto &[name, expected] : reference.items()) {
    const ReferenceValue &sums = partial.gradients.at(name);
    double squares = 0.0, distance = 0.0;
    for (double value : sums.data)
      squares += value / 32 * (value / 32);
    const nlohmann::json &positions = expected["positions"];
    for (size_t i = 0; i < positions.size(); ++i) {
      double ours = sums.data[positions[i].get<size_t>()] / 32;
      distance += std::pow(ours - expected["fp64"][i].get<double>(), 2);
    }
    double noise =
        std::max(expected["fp32_l2_distance"].get<double>(),
                 expected["fp32_l2_distance_of_moved"].get<double>());
    EXPECT_LE(std::sqrt(distance), kFactor * noise)
        << name << " at step " << step;
    EXPECT_NEAR(std::sqrt(squares), expected["l2_norm"].get<double>(),
                kFactor * noise)
        << name << " at step " << step;
  }
}

class GradientParity : public testing::TestWithParam<const char *> {};

TEST_P(GradientParity, WithPyTorchOnMnist) {
  boostrt::Result<boostrt::DataSource> data = boostrt::openMnist(findMnist());
  if (!data.ok())
    GTEST_SKIP() << "needs MNIST: " << data.status().message();
  std::string root = BOOSTC_SOURCE_DIR, name = GetParam();
  auto reference = nlohmann::json::parse(
      readText(root + "/test/e2e/reference/" + name + ".json"));

  CompileOptions options;
  options.phase.threads = 2;
  std::string model = readText(root + "/examples/" + name + "/model.json");
  llvm::SmallVector<char, 0> library = compileText(model, options);
  ASSERT_FALSE(library.empty());
  auto transforms = boostrt::TransformPipeline::create(
      nlohmann::json::parse(model)["data"]["transforms"], data->train->shape());
  ASSERT_TRUE(transforms.ok()) << transforms.status().message();
  Compiled compiled(library, 2);
  ASSERT_EQ(compiled.execution().init(reference["recipe"]["seed"]).message(),
            "");
  int compared = 0;
  for (int step = 1; step <= 100; ++step) {
    compiled.setBatch(getBatch(*data->train, *transforms, (step - 1) * 32), 32);
    ASSERT_EQ(compiled.execution().micro(compiled.batch(), 0).message(), "");
    auto gradients = reference["gradients"].find(std::to_string(step));
    if (gradients != reference["gradients"].end()) {
      compare(*gradients, compiled.getPartial(), step);
      ++compared;
    }
    auto results = settledUpdate(compiled.execution(), step);
    ASSERT_TRUE(results.ok() && results->isApplied);
  }
  EXPECT_EQ(compared, 2);
}

INSTANTIATE_TEST_SUITE_P(Examples, GradientParity,
                         testing::Values("mlp-mnist", "lenet5-mnist"));

} // namespace
