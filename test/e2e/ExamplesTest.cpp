// The models of examples/ against the interpreter, on a CPU and on the
// simulated GPU, there also with every product a library call; with batches
// small enough for an interpreter. Of the deep ones it is a net of the same
// blocks, with few of them and few channels, at levels of mixed precision.
#include "test/e2e/Cells.h"
#include "test/e2e/Differential.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include <cmath>
#include <gtest/gtest.h>

using namespace mlir;
using namespace boostc;
using namespace boostc::e2e;

namespace {

struct Example {
  const char *name;
  int64_t batch, steps;
  std::string sample = {}; ///< its shape; "": as the file says
  /// What makes the net small, as `boostc --set` has it.
  std::vector<std::string> sets = {};
};

void PrintTo(const Example &example, std::ostream *stream) {
  *stream << example.name;
}

std::string getName(const Example &example) {
  std::string name = example.name;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

/// What the example's model file says, but for the batch, and of the data only
/// the type and what is compiled; numbers of the optimizer are binary
/// fractions, which single and double precision hold alike.
Model readModel(const Example &example) {
  std::string path = std::string(BOOSTC_SOURCE_DIR "/examples/") +
                     example.name + "/model.json";
  auto file = llvm::MemoryBuffer::getFile(path);
  Model model;
  if (!file) {
    ADD_FAILURE() << "cannot read " << path;
    return model;
  }
  llvm::Expected<llvm::json::Value> json =
      llvm::json::parse((*file)->getBuffer());
  if (!json) {
    ADD_FAILURE() << path << ": " << llvm::toString(json.takeError());
    return model;
  }
  const llvm::json::Object &root = *json->getAsObject();
  const llvm::json::Object &input = *root.getObject("input");
  auto print = [](const llvm::json::Value &value) {
    return llvm::formatv("{0}", value).str();
  };
  auto printElements = [&](const llvm::json::Value &array) {
    return StringRef(print(array)).drop_front().drop_back().str();
  };
  const llvm::json::Object &image = *input.getObject("image");
  model.name = example.name;
  model.batch = example.batch;
  model.sample =
      example.sample.empty() ? print(*image.get("shape")) : example.sample;
  model.classes = *input.getObject("label")->getInteger("classes");
  if (const llvm::json::Value *blocks = root.get("blocks"))
    model.blocks = print(*blocks);
  if (image.getString("dtype").value_or("f32") == "u8")
    model.transforms = print(*root.getObject("data")->get("transforms"));
  model.layers = printElements(*root.get("layers"));
  model.loss = print(*root.get("loss"));
  model.metrics = printElements(*root.get("metrics"));
  model.optimizer =
      R"({ "type": "momentum", "learning_rate": 0.0625, "momentum": 0.875 })";
  return model;
}

class Examples : public testing::TestWithParam<Example> {
protected:
  void train(bool isForGpus, const char *cudaLibrary = "auto") {
    CompileOptions options;
    options.phase.cudaLibrary = cudaLibrary;
    options.phase.threads = 2;
    options.phase.forCpu = !isForGpus;
    options.phase.forCuda = isForGpus;
    expectSteps(readModel(GetParam()), options, GetParam().steps);
  }
};

TEST_P(Examples, Cpu) { train(false); }
TEST_P(Examples, Gpu) { train(true); }
TEST_P(Examples, GpuWithLibraries) { train(true, "always"); }

INSTANTIATE_TEST_SUITE_P(All, Examples,
                         testing::Values(Example{"mlp-mnist", 4, 10},
                                         Example{"lenet5-mnist", 4, 10},
                                         Example{"convnet-cifar10", 2, 3}),
                         [](const testing::TestParamInfo<Example> &info) {
                           return getName(info.param);
                         });

/// The settings in `sets`, one after the other, and each use or layer of
/// `omitted` left out.
std::vector<std::string> reduce(std::vector<std::string> sets,
                                ArrayRef<std::string> omitted = {}) {
  for (std::string &set : sets)
    set = "layers." + set;
  for (const std::string &name : omitted)
    sets.push_back("layers." + name + ".if=false");
  return sets;
}

/// Features `first` to `last` of MobileNetV2, which repeat what others do.
std::vector<std::string> getFeatures(int first, int last) {
  std::vector<std::string> names;
  for (int i = first; i <= last; ++i) {
    // The first of each stage changes the number of channels.
    bool isResidual = i != 4 && i != 7 && i != 11 && i != 14 && i != 17;
    names.push_back("features." + std::to_string(i) +
                    (isResidual ? "" : ".conv"));
  }
  return names;
}

/// Blocks with and without a projection, a stride or a residual connection;
/// concatenations that grow.
const std::vector<Example> kReduced = {
    {"resnet20-cifar10", 4, 3, "[3, 8, 7]",
     reduce({"conv1.filters=4", "layer1.with.filters=4", "layer1.repeat=1",
             "layer2.with.filters=6", "layer2.repeat=1"},
            {"layer3"})},
    {"resnet18-cifar10", 3, 3, "[3, 8, 8]",
     reduce({"conv1.filters=3", "layer1.with.filters=3", "layer1.repeat=1",
             "layer4.with.filters=5", "layer4.repeat=1"},
            {"layer2", "layer3"})},
    {"mobilenetv2-cifar10", 4, 3, "[3, 8, 8]",
     reduce({"features.0.with.filters=4", "features.1.conv.0.with.filters=4",
             "features.1.conv.0.with.groups=4", "features.1.conv.1.filters=3",
             "features.2.conv.with.expanded=6",
             "features.2.conv.with.filters=2", "features.2.conv.with.stride=2",
             "features.3.with.filters=2", "features.18.with.filters=9"},
            getFeatures(4, 17))},
    {"densenet-cifar10", 4, 3, "[3, 8, 8]",
     reduce({"conv1.filters=3", "block1.layer.with.growth=2",
             "block1.layer.repeat=2", "trans1.with.filters=4",
             "block2.layer.with.growth=1", "block2.layer.repeat=2"},
            {"trans2", "block3.layer"})}};

struct Level {
  const char *level, *dtype;
  bool isForGpus; ///< and runs on the simulated one
};

void PrintTo(const Level &level, std::ostream *stream) {
  *stream << level.level << " " << level.dtype
          << (level.isForGpus ? " on GPUs" : "");
}

CompileOptions getOptions(const Example &example, const Level &level) {
  CompileOptions options;
  options.phase.threads = 2;
  options.phase.forCpu = !level.isForGpus;
  options.phase.forCuda = level.isForGpus;
  options.sets = example.sets;
  options.sets.push_back(std::string("amp.level=") + level.level);
  options.sets.push_back(std::string("amp.dtype=") + level.dtype);
  return options;
}

class Reduced : public testing::TestWithParam<std::tuple<Example, Level>> {};

TEST_P(Reduced, StepsStayInTheirBounds) {
  const auto &[example, level] = GetParam();
  expectSteps(readModel(example), getOptions(example, level), example.steps);
}

std::string
getReducedName(const testing::TestParamInfo<std::tuple<Example, Level>> &info) {
  const auto &[example, level] = info.param;
  return getName(example) + "_" + level.level + "_" + level.dtype +
         (level.isForGpus ? "_gpu" : "_cpu");
}

INSTANTIATE_TEST_SUITE_P(Examples, Reduced,
                         testing::ValuesIn(chooseCells<Example, Level>(
                             kReduced, {{{"O0", "bf16", false},
                                         {"O1", "bf16", false},
                                         {"O2", "bf16", false},
                                         {"O3", "f16", false}},
                                        {{"O0", "bf16", true},
                                         {"O1", "f16", true},
                                         {"O2", "bf16", true},
                                         {"O3", "f16", true}}})),
                         getReducedName);

// Worst cases of so many layers add up to bounds that hold for gradients that
// are a hundredth off, too. Those of f32 are therefore compared by their L2
// distance as well. Its limit is chosen, not derived: far above rounding, far
// below a wrong gradient.
class Gradients : public testing::TestWithParam<std::tuple<Example, bool>> {};

TEST_P(Gradients, AreNearTheExactOnes) {
  const auto &[example, isForGpus] = GetParam();
  Model model = readModel(example);
  CompileOptions options = getOptions(example, {"O0", "bf16", isForGpus});
  Compiled compiled(compileText(model.getJson(), options), 2);
  auto step = interpretStep(model, options);
  MicroBatch batch(model, *step, compiled);
  struct Distance {
    std::string name;
    double distance = 0.0, size = 0.0;
  };
  std::vector<Distance> distances;
  double largest = 0.0;
  for (const auto &[name, gradient] : batch.found.gradients) {
    const ReferenceValue &exact = batch.exact.at("gradient " + name).value;
    Distance &next = distances.emplace_back();
    next.name = name;
    for (int64_t i = 0; i < gradient.size(); ++i) {
      next.distance += std::pow(gradient.data[i] - exact.data[i], 2);
      next.size += std::pow(exact.data[i], 2);
    }
    largest = std::max(largest, std::sqrt(next.size));
  }
  // The gradient of a bias before a normalisation is 0 but for the roundings of
  // what cancels, which is of the size of other gradients.
  for (const Distance &found : distances)
    EXPECT_LE(std::sqrt(found.distance),
              1e-3 * std::sqrt(found.size) + 0x1p-22 * largest)
        << found.name;
}

INSTANTIATE_TEST_SUITE_P(
    Examples, Gradients,
    testing::Combine(testing::ValuesIn(kReduced), testing::Bool()),
    [](const testing::TestParamInfo<std::tuple<Example, bool>> &info) {
      return getName(std::get<0>(info.param)) +
             (std::get<1>(info.param) ? "_gpu" : "_cpu");
    });

} // namespace
