#include "test/e2e/Programs.h"
#include "compiler/reference/Interpreter.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "runtime/abi/boost_random.h"
#include "runtime/device/cpu/CpuDevice.h"
#include "runtime/device/cuda/CudaDevice.h"
#include "runtime/device/cuda/CudaDriver.h"
#include "runtime/program/ProgramAccumulators.h"
#include "llvm/Support/JSON.h"
#include <cstring>
#include <fstream>
#include <gtest/gtest.h>

using namespace mlir;
using namespace boostc;
using namespace boostc::e2e;

TemporaryDirectory::TemporaryDirectory() {
  std::string pattern =
      (std::filesystem::temp_directory_path() / "boost-e2e-XXXXXX").string();
  path = mkdtemp(pattern.data());
}
TemporaryDirectory::~TemporaryDirectory() {
  std::error_code ignored;
  std::filesystem::remove_all(path, ignored);
}

Context::Context()
    : mlir(
          [] {
            DialectRegistry registry;
            registerCompilerDialects(registry);
            registerReferenceExternalModels(registry);
            return registry;
          }(),
          MLIRContext::Threading::DISABLED),
      handler(&mlir, [this](Diagnostic &diagnostic) {
        diagnostics += diagnostic.str() + "\n";
        return success();
      }) {
  mlir.loadAllAvailableDialects();
}

SmallVector<char, 0> e2e::compileText(StringRef text, CompileOptions options) {
  TemporaryDirectory directory;
  bool isJson = options.from == Phase::Input && text.starts_with("{");
  options.input = directory.file(isJson ? "model.json" : "model.mlir");
  std::ofstream(options.input) << text.str();
  // Locations name the file, so the same text must come from a file of the same
  // name.
  std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(
      std::filesystem::path(options.input).parent_path());
  options.input = isJson ? "model.json" : "model.mlir";
  Context context;
  llvm::SourceMgr sources;
  SmallVector<char, 0> output;
  CompileResult result = compile(context.mlir, sources, options, output);
  std::filesystem::current_path(before);
  EXPECT_EQ(result, CompileResult::Ok) << context.diagnostics;
  return output;
}

Interpreted::Interpreted(StringRef ir) {
  module = parseSourceString<ModuleOp>(ir, &context.mlir);
  if (!module) {
    ADD_FAILURE() << context.diagnostics;
    return;
  }
  program = *module->getOps<train::ProgramOp>().begin();
  trainer.emplace(program);
}

template <typename T> static T take(boostrt::Result<T> result) {
  if (!result.ok()) {
    ADD_FAILURE() << result.status().message();
    std::abort(); // nothing that follows could run
  }
  return std::move(result).value();
}

bool e2e::usesRealGpu() {
  const char *gpu = std::getenv("BOOSTC_TEST_GPU");
  return gpu && StringRef(gpu) == "cuda";
}

std::unique_ptr<boostrt::GpuDriver> Compiled::openGpu(uint32_t threads) {
  if (usesRealGpu())
    return take(boostrt::CudaDriver::create());
  auto driver = take(boostrt::sim::SimDriver::create(threads));
  simulated = driver.get();
  return driver;
}

Compiled::Compiled(ArrayRef<char> library, uint32_t threads,
                   uint32_t gradientSets, boostrt::LibraryUse libraryUse) {
  std::string path = directory.file("train.so");
  std::ofstream(path, std::ios::binary).write(library.data(), library.size());
  program = take(boostrt::Program::load(path));
  const BoostTarget &target = program->targets().front();
  if (target.kind == BOOSTC_TARGET_CPU)
    device = take(
        boostrt::CpuDevice::create(threads, target, descriptor().reproducible));
  else {
    // Where calls are measured, all that load this program keep to one result.
    static TemporaryDirectory plans;
    boostrt::LibrarySettings settings{
        libraryUse,
        {plans.file(program->sha256() + ".plans")},
        program->sha256()};
    device = take(
        boostrt::CudaDevice::create(openGpu(threads), target, path, settings));
  }
  boostrt::MemoryPlan plan = boostrt::planTraining(descriptor(), target);
  plan.copies[BOOSTC_ARENA_GRADIENT] = gradientSets;
  arenas = take(boostrt::Arenas::reserve(plan, device->memory()));
  exec.emplace(*program, *device, *arenas);
}

static ReferenceValue read(const BoostTensor &tensor,
                           const std::byte *address) {
  ReferenceValue value(ArrayRef(tensor.shape, tensor.rank));
  auto readAs = [&](auto zero) {
    for (int64_t i = 0; i < value.size(); ++i) {
      auto element = zero;
      std::memcpy(&element, address + i * sizeof element, sizeof element);
      value.data[i] = static_cast<double>(element);
    }
  };
  switch (static_cast<BoostDType>(tensor.dtype)) {
  case BOOSTC_F32:
    readAs(0.0f);
    break;
  case BOOSTC_I32:
    readAs(int32_t{0});
    break;
  case BOOSTC_I64:
    readAs(int64_t{0});
    break;
  case BOOSTC_U8:
    readAs(uint8_t{0});
    break;
  }
  return value;
}

template <typename T>
static void writeAs(const ReferenceValue &value, std::byte *address) {
  for (int64_t i = 0; i < value.size(); ++i) {
    T element = static_cast<T>(value.data[i]);
    std::memcpy(address + i * sizeof(T), &element, sizeof(T));
  }
}

void Compiled::write(const ReferenceTrainer::Values &inputs, int64_t valid,
                     const BoostInput &samples) {
  for (const BoostInput &input : program->inputs()) {
    // Either of the two is at this address.
    if (input.kind == samples.kind && &input != &samples)
      continue;
    const ReferenceValue &value = inputs.at(input.tensor.name);
    std::byte *address = batch() + input.tensor.offset;
    if (input.tensor.dtype == BOOSTC_I32)
      writeAs<int32_t>(value, address);
    else if (input.tensor.dtype == BOOSTC_U8)
      writeAs<uint8_t>(value, address);
    else
      writeAs<float>(value, address);
  }
  writeAs<int32_t>(ReferenceValue::scalar(static_cast<double>(valid)),
                   batch() + descriptor().valid.offset);
}

static void expectOk(const boostrt::Status &status) {
  EXPECT_TRUE(status.ok()) << status.message();
}

ReferenceTrainer::Values Compiled::getParameters() const {
  expectOk(exec->downloadPersistent());
  ReferenceTrainer::Values values;
  for (const BoostParameter &parameter : program->parameters())
    values[parameter.tensor.name] =
        read(parameter.tensor, exec->tensor(parameter.tensor));
  return values;
}

ReferenceTrainer::Values Compiled::getState() const {
  expectOk(exec->downloadPersistent());
  ReferenceTrainer::Values values;
  for (const BoostState &state : program->states())
    values[state.tensor.name] = read(state.tensor, exec->tensor(state.tensor));
  return values;
}

void Compiled::setParameters(const ReferenceTrainer::Values &values) {
  expectOk(exec->downloadPersistent());
  for (const BoostParameter &parameter : program->parameters())
    writeAs<float>(values.at(parameter.tensor.name),
                   exec->tensor(parameter.tensor));
  expectOk(exec->uploadPersistent());
}

void Compiled::setState(const ReferenceTrainer::Values &values) {
  expectOk(exec->downloadPersistent());
  for (const BoostState &state : program->states())
    if (auto value = values.find(state.tensor.name); value != values.end())
      writeAs<float>(value->second, exec->tensor(state.tensor));
  expectOk(exec->uploadPersistent());
}

void Compiled::forgetSkips() {
  int32_t no = 0;
  expectOk(arenas->write(BOOSTC_ARENA_RESULT, descriptor().failed.offset,
                         std::as_bytes(std::span(&no, 1))));
}

ReferenceTrainer::Partial Compiled::getPartial(int gradients) const {
  ReferenceTrainer::Partial partial;
  expectOk(arenas->pull(arenas->copyOf(BOOSTC_ARENA_GRADIENT, gradients)));
  const std::byte *base = arenas->base(BOOSTC_ARENA_GRADIENT, gradients);
  for (const BoostAccumulator &accumulator :
       boostrt::accumulatorsOf(descriptor())) {
    const BoostTensor &tensor = accumulator.tensor;
    if (accumulator.kind == BOOSTC_ACCUMULATOR_GRADIENT)
      partial.gradients[tensor.name] = read(tensor, base + tensor.offset);
    else if (accumulator.kind == BOOSTC_ACCUMULATOR_OTHER)
      partial.accumulators[tensor.name] = read(tensor, base + tensor.offset);
  }
  boostrt::SumCount loss = take(exec->loss(gradients));
  partial.lossSum = loss.sum;
  partial.lossCount = loss.count;
  partial.lossWeight = loss.weight.value_or(0.0f);
  return partial;
}

std::vector<std::byte> Compiled::getPersistentBytes() const {
  std::vector<std::byte> bytes;
  expectOk(exec->downloadPersistent());
  for (BoostArenaKind kind : {BOOSTC_ARENA_PARAMETER, BOOSTC_ARENA_STATE})
    if (const std::byte *base = arenas->base(kind))
      bytes.insert(bytes.end(), base, base + descriptor().arena_bytes[kind]);
  return bytes;
}

/// `shape` for each sample of the batch.
static ReferenceValue makeInput(const Model &model, StringRef shape) {
  llvm::Expected<llvm::json::Value> sample = llvm::json::parse(shape);
  SmallVector<int64_t> extents = {model.batch};
  for (const llvm::json::Value &extent : *sample->getAsArray())
    extents.push_back(*extent.getAsInteger());
  return ReferenceValue(extents);
}

int64_t Model::countLabels(int64_t samples) const {
  return samples * makeInput(*this, positions).size() / batch;
}

static std::vector<double> &drawNumbers(ReferenceValue &value, uint64_t seed,
                                        uint64_t stream) {
  for (int64_t i = 0; i < value.size(); ++i)
    value.data[i] =
        static_cast<float>(2.0 * boost_random_uniform(seed, stream, i) - 1.0);
  return value.data;
}

static void drawIntegers(ReferenceValue &value, uint64_t seed, uint64_t stream,
                         int64_t count) {
  for (int64_t i = 0; i < value.size(); ++i)
    value.data[i] = std::floor(boost_random_uniform(seed, stream, i) *
                               static_cast<double>(count));
}

ReferenceTrainer::Values e2e::drawBatch(const Model &model, uint64_t stream) {
  ReferenceTrainer::Values batch;
  auto drawSamples = [&](const std::string &name, const std::string &shape,
                         uint64_t seed) {
    ReferenceValue &sample = batch[name] = makeInput(model, shape);
    if (model.vocabulary)
      drawIntegers(sample, seed, stream, model.vocabulary);
    else if (!model.transforms.empty())
      drawIntegers(sample, seed, stream, 256);
    else
      drawNumbers(sample, seed, stream);
  };
  drawSamples("image", model.sample, 11);
  if (!model.evalSample.empty())
    drawSamples("image.eval", model.evalSample, 16);
  drawIntegers(batch["label"] = makeInput(model, model.positions), 12, stream,
               model.classes);
  if (!model.target.empty())
    drawNumbers(batch["target"] = makeInput(model, model.target), 13, stream);
  // Some do not count at all.
  if (!model.weights.empty())
    for (double &weight : drawNumbers(
             batch["weight"] = makeInput(model, model.weights), 15, stream))
      weight = static_cast<float>(std::max(weight + 0.5, 0.0));
  ReferenceValue &keys = batch["sample_key"] = makeInput(model, "[]");
  for (int64_t i = 0; i < keys.size(); ++i)
    keys.data[i] = static_cast<int32_t>(boost_sample_key(14, stream, i));
  return batch;
}
