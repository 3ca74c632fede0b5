// The models of examples/ against the interpreter, ten steps on a CPU and on
// the simulated GPU, there also with every product a library call; with batches
// small enough for an interpreter.
#include "test/e2e/Differential.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include <gtest/gtest.h>

using namespace mlir;
using namespace boostc;
using namespace boostc::e2e;

namespace {

struct Example {
  const char *name;
  int64_t batch, steps;
};

void PrintTo(const Example &example, std::ostream *stream) {
  *stream << example.name;
}

/// What the example's model file says, but for the data and the batch; numbers
/// of the optimizer are binary fractions, which single and double precision
/// hold alike.
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
  model.name = example.name;
  model.batch = example.batch;
  model.sample = print(*input.getObject("image")->get("shape"));
  model.classes = *input.getObject("label")->getInteger("classes");
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
                           std::string name = info.param.name;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

} // namespace
