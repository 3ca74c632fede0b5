// Convolutions as cuDNN is told of them. Where the library is, it is asked for
// real what it proposes for one GPU, which need not be there.
#include "runtime/device/cuda/Cudnn.h"

#include "runtime/device/cuda/CallShape.h"
#include "runtime/device/cuda/EngineConfig.h"
#include "test/runtime/device/ConvolutionCall.h"

#include <cstdlib>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace boostrt;
using namespace boostrt::cuda;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

TEST(ConvolutionGraph, OperandsByKind) {
  for (auto [kind, input, weight, output] :
       {std::tuple(BOOSTC_LIBRARY_CONVOLUTION, DnnTensor::A, DnnTensor::B,
                   DnnTensor::C),
        {BOOSTC_LIBRARY_CONVOLUTION_BACKWARD_DATA, DnnTensor::C, DnnTensor::B,
         DnnTensor::A},
        {BOOSTC_LIBRARY_CONVOLUTION_BACKWARD_WEIGHT, DnnTensor::B, DnnTensor::C,
         DnnTensor::A}}) {
    BoostLibraryCall call = convolutionCall(kind, {2, 4, 7, 9}, {6, 2, 3, 2},
                                            {{2, 1}, {1, 0, 2, 3}, {1, 2}});
    Result<ConvolutionGraph> graph = describeConvolution(call);
    ASSERT_TRUE(graph.ok()) << graph.status().message();
    EXPECT_EQ(graph->input.number, input);
    EXPECT_EQ(graph->weight.number, weight);
    EXPECT_EQ(graph->output.number, output);
    EXPECT_EQ(&graph->tensor(input), &graph->input);
    EXPECT_EQ(&graph->tensor(weight), &graph->weight);
    EXPECT_EQ(&graph->tensor(output), &graph->output);
    EXPECT_THAT(graph->input.strides, ElementsAre(252, 63, 9, 1));
    EXPECT_THAT(graph->output.extents, ElementsAre(2, 6, 4, 10));
    EXPECT_THAT(graph->paddingBefore, ElementsAre(1, 0));
    EXPECT_THAT(graph->paddingAfter, ElementsAre(2, 3));
    EXPECT_THAT(graph->strides, ElementsAre(2, 1));
    EXPECT_THAT(graph->dilations, ElementsAre(1, 2));
    EXPECT_EQ(graph->groups(), 2);
    EXPECT_FALSE(graph->hasBias);
    // What is computed is told by its size, and by how much is added up.
    EXPECT_EQ(countResults(call) * sizeof(float), call.operand_bytes[3]);
    EXPECT_EQ(countTerms(call),
              kind == BOOSTC_LIBRARY_CONVOLUTION                 ? 12
              : kind == BOOSTC_LIBRARY_CONVOLUTION_BACKWARD_DATA ? 18
                                                                 : 80);
  }
}

TEST(ConvolutionGraph, WhatTheLibraryIsNotAsked) {
  auto expect = [](auto &&change, const std::string &text) {
    BoostLibraryCall call =
        convolutionCall(BOOSTC_LIBRARY_CONVOLUTION, {2, 4, 7, 9}, {6, 2, 3, 2});
    change(call.convolution);
    Status status = describeConvolution(call).status();
    EXPECT_EQ(status.code(), ExitCode::Input);
    EXPECT_THAT(status.message(), HasSubstr(text));
  };
  // In any order, but without gaps.
  expect([](BoostConvolution &c) { c.input_strides[0] = 256; },
         "an input [2, 4, 7, 9] has strides [256, 63, 9, 1]; cuDNN is given "
         "tensors without gaps, whose elements do not share memory");
  expect([](BoostConvolution &c) { c.weight_strides[1] = 3; },
         "a weight [6, 2, 3, 2] has strides [12, 3, 2, 1]");
  expect([](BoostConvolution &c) { c.output_strides[2] = 1; },
         "an output [2, 6, 5, 8] has strides [240, 40, 1, 1]");
  const std::string unfit = "no convolution of an input [";
  expect([](BoostConvolution &c) { ++c.output[2]; }, unfit);
  expect([](BoostConvolution &c) { ++c.output[0]; }, unfit);
  expect([](BoostConvolution &c) { --c.output[1]; }, unfit);
  expect([](BoostConvolution &c) { c.weight[1] = 3; }, unfit);
  expect([](BoostConvolution &c) { c.weight[0] = c.output[1] = 5; }, unfit);
  expect([](BoostConvolution &c) { c.padding[3] = 1; }, unfit);
  expect([](BoostConvolution &c) { c.dilations[0] = 9; },
         "has an output [2, 6, 5, 8] with strides 1, 1, padding 0, 0 before "
         "and 0, 0 after, and dilations 9, 1");
}

TEST(ConvolutionGraph, AnyOrderOfDimensions) {
  BoostLibraryCall call =
      convolutionCall(BOOSTC_LIBRARY_CONVOLUTION, {2, 4, 7, 9}, {6, 4, 3, 2});
  const int64_t last[] = {4 * 63, 1, 4 * 9, 4}; // channels last
  std::copy(std::begin(last), std::end(last), call.convolution.input_strides);
  EXPECT_TRUE(describeConvolution(call).ok());
  EXPECT_EQ(describeCall(call),
            "convolution:2x4x7x9:6x4x3x2:2x6x5x8:252,1,36,4:24,6,2,1:"
            "240,40,8,1:stride1,1:pad0,0,0,0:dilation1,1:scratch0");
}

TEST(EngineConfig, Words) {
  for (const char *text : {"engine0", "engine70:2=4:18=0", "engine1:2=-1"}) {
    std::optional<EngineConfig> config = parseConfig(text);
    ASSERT_TRUE(config) << text;
    EXPECT_EQ(formatConfig(*config), text);
  }
  for (const char *text : {"", "-", "engine", "engin1", "engine1:", "engine1:2",
                           "engine1:2=", "engine1:2=4 ", "engine1 :2=4",
                           "engine99999999999999999999"})
    EXPECT_FALSE(parseConfig(text)) << text;
}

/// An H200, as the library's JSON has it (cuDNN 9.19).
constexpr const char *kH200 =
    R"({"deviceName": "NVIDIA H200", "deviceVer": 900, "driverVer": 13000,
        "cudaDeviceId": 0, "pciDeviceId": 0, "isTccDriver": 0,
        "supportCoopLaunch": 1, "totalGlobalMem": 150000000000,
        "multiProcessorCount": 132, "smClockRateKHz": 1980000,
        "memClockRateKHz": 3201000, "l2CacheSize": 62914560, "warpSize": 32,
        "maxGridSize": [2147483647, 65535, 65535],
        "maxBlockSize": [1024, 1024, 64], "regsPerBlock": 65536,
        "maxSharedMemoryPerBlock": 49152,
        "maxSharedMemoryPerBlockOptin": 232448,
        "reservedSharedMemoryPerBlock": 1024, "maxSharedMemoryPerSM": 233472,
        "maxRegistersPerSM": 65536, "maxCtasPerSM": 32,
        "maxThreadsPerBlock": 1024, "maxThreadsPerSM": 2048})";

class CudnnWithoutGpu : public testing::Test {
protected:
  void SetUp() override {
    // Programs of f32, in tests before, have ruled tf32 out.
    unsetenv("NVIDIA_TF32_OVERRIDE");
    Result<CudnnApi> api = CudnnApi::open(SearchContext::current());
    if (!api.ok())
      GTEST_SKIP() << api.status().message();
    if (api->cudnnGetVersion() < 90800)
      GTEST_SKIP() << "this cuDNN plans on the GPU itself";
    Result<std::unique_ptr<Cudnn>> made = Cudnn::createFor(*api, kH200);
    ASSERT_TRUE(made.ok()) << made.status().message();
    library = std::move(made).value();
  }

  Result<std::unique_ptr<LibraryOperation>> describe(BoostLibraryCall call,
                                                     uint64_t scratchBytes) {
    call.scratch_bytes = scratchBytes;
    return library->describe(call);
  }

  static constexpr uint64_t kScratchBytes = 32 << 20;
  std::unique_ptr<Cudnn> library;
};

TEST_F(CudnnWithoutGpu, TheLibraryPlansOurConvolutions) {
  struct Case {
    Extents input, weight;
    ConvolutionSteps steps;
  };
  const Case cases[] = {
      {{32, 64, 56, 56}, {64, 64, 3, 3}, {{1, 1}, {1, 1, 1, 1}}},
      {{64, 1, 28, 28}, {6, 1, 5, 5}, {{1, 1}, {2, 2, 2, 2}}},
      {{8, 3, 224, 224}, {64, 3, 7, 7}, {{2, 2}, {3, 3, 3, 3}}},
      {{32, 256, 14, 14}, {512, 256, 1, 1}, {{2, 2}, {}}},
      {{16, 32, 20, 20}, {32, 32, 3, 3}, {{1, 1}, {2, 2, 2, 2}, {2, 2}}},
      {{16, 32, 20, 20}, {64, 8, 3, 3}, {{1, 1}, {1, 1, 1, 1}}},  // groups
      {{16, 32, 20, 20}, {32, 1, 3, 3}, {{2, 2}, {1, 1, 1, 1}}},  // depthwise
      {{16, 32, 20, 20}, {32, 32, 3, 3}, {{1, 1}, {0, 0, 1, 1}}}, // uneven
      {{4, 5, 11, 13}, {7, 5, 2, 3}, {{3, 2}, {1, 0, 1, 2}, {2, 1}}}};
  for (const Case &each : cases)
    for (uint32_t kind :
         {BOOSTC_LIBRARY_CONVOLUTION, BOOSTC_LIBRARY_CONVOLUTION_BACKWARD_DATA,
          BOOSTC_LIBRARY_CONVOLUTION_BACKWARD_WEIGHT})
      for (bool hasBias : {false, true}) {
        if (hasBias && kind != BOOSTC_LIBRARY_CONVOLUTION)
          continue;
        BoostLibraryCall call =
            convolutionCall(kind, each.input, each.weight, each.steps, hasBias);
        SCOPED_TRACE(describeCall(call));
        auto operation = describe(call, kScratchBytes);
        ASSERT_TRUE(operation.ok()) << operation.status().message();
        Result<std::vector<std::string>> candidates =
            (*operation)->candidates({});
        ASSERT_TRUE(candidates.ok()) << candidates.status().message();
        EXPECT_LE(candidates->size(), size_t{LibraryOperation::kMaxCandidates});
        for (const std::string &candidate : *candidates) {
          Status status = (*operation)->choose(candidate, {});
          EXPECT_TRUE(status.ok()) << status.message();
        }
      }
}

TEST_F(CudnnWithoutGpu, WhatMayNotBeUsedIsNotTaken) {
  BoostLibraryCall call =
      convolutionCall(BOOSTC_LIBRARY_CONVOLUTION_BACKWARD_WEIGHT,
                      {32, 64, 56, 56}, {64, 64, 3, 3}, {{1, 1}, {1, 1, 1, 1}});
  auto operation = describe(call, kScratchBytes);
  ASSERT_TRUE(operation.ok()) << operation.status().message();
  Result<std::vector<std::string>> candidates = (*operation)->candidates({});
  ASSERT_TRUE(candidates.ok()) << candidates.status().message();
  // It has engines with tensor cores, and such that add up in any order.
  std::vector<std::string> refused;
  for (int engine = 0; engine < 200; ++engine) {
    std::string message =
        (*operation)->choose(formatConfig({engine, {}}), {}).message();
    if (message.find("has note ") != std::string::npos)
      refused.push_back(message.substr(message.find("has note ")));
  }
  EXPECT_THAT(refused, testing::Contains("has note 0"));
  EXPECT_THAT(refused, testing::Contains("has note 4"));
  EXPECT_THAT((*operation)->choose("engine123456", {}).message(),
              HasSubstr("an engine: cudnnBackend"));
  EXPECT_THAT((*operation)->choose("nonsense", {}).message(),
              "'nonsense' is not an engine");

  // Less scratch memory leaves fewer, and none that needs more.
  auto poor = describe(call, 0);
  ASSERT_TRUE(poor.ok());
  Result<std::vector<std::string>> fewer = (*poor)->candidates({});
  ASSERT_TRUE(fewer.ok()) << fewer.status().message();
  bool isAnyTooLarge = false;
  for (const std::string &candidate : *candidates) {
    std::string message = (*poor)->choose(candidate, {}).message();
    isAnyTooLarge |= message.find("bytes of scratch memory, and 0 are there") !=
                     std::string::npos;
  }
  EXPECT_TRUE(isAnyTooLarge);
}

TEST_F(CudnnWithoutGpu, TensorCoresForTf32) {
  for (uint32_t kind :
       {BOOSTC_LIBRARY_CONVOLUTION, BOOSTC_LIBRARY_CONVOLUTION_BACKWARD_DATA,
        BOOSTC_LIBRARY_CONVOLUTION_BACKWARD_WEIGHT}) {
    BoostLibraryCall call = convolutionCall(
        kind, {32, 64, 56, 56}, {64, 64, 3, 3}, {{1, 1}, {1, 1, 1, 1}});
    uint64_t scratchBytes = kScratchBytes;
    for (uint64_t bytes : call.operand_bytes) // as boostc reserves
      scratchBytes += bytes;
    auto exact = describe(call, scratchBytes);
    call.precision = BOOSTC_PRECISION_TF32;
    auto rounding = describe(call, scratchBytes);
    ASSERT_TRUE(exact.ok() && rounding.ok());
    Result<std::vector<std::string>> candidates = (*rounding)->candidates({});
    ASSERT_TRUE(candidates.ok()) << candidates.status().message();
    int onTensorCores = 0;
    for (const std::string &candidate : *candidates)
      onTensorCores += (*exact)->choose(candidate, {}).message() ==
                       "'" + candidate + "' has note 0";
    EXPECT_GT(onTensorCores, 0);
    // Those that convert to 16 bits or add up in an order of chance stay out.
    std::vector<std::string> refused;
    for (int engine = 0; engine < 200; ++engine)
      refused.push_back(
          (*rounding)->choose(formatConfig({engine, {}}), {}).message());
    EXPECT_THAT(refused, testing::Not(testing::Contains(
                             testing::EndsWith("has note 0"))));
    EXPECT_THAT(refused, testing::Contains(testing::EndsWith("has note 1")));
    if (kind == BOOSTC_LIBRARY_CONVOLUTION_BACKWARD_WEIGHT) {
      EXPECT_THAT(refused, testing::Contains(testing::EndsWith("has note 4")));
    }
  }
}

// That results are of 16 bits, too, is what boostc-choose-device-library sees
// to.
TEST_F(CudnnWithoutGpu, TensorCoresForLowTypes) {
  for (auto [kind, hasBias] :
       {std::pair(BOOSTC_LIBRARY_CONVOLUTION, false),
        {BOOSTC_LIBRARY_CONVOLUTION, true},
        {BOOSTC_LIBRARY_CONVOLUTION_BACKWARD_DATA, false},
        {BOOSTC_LIBRARY_CONVOLUTION_BACKWARD_WEIGHT, false}})
    for (uint32_t type : {BOOSTC_FLOAT_BF16, BOOSTC_FLOAT_F16}) {
      BoostLibraryCall call =
          convolutionCall(kind, {32, 64, 56, 56}, {64, 64, 3, 3},
                          {{1, 1}, {1, 1, 1, 1}}, hasBias);
      uint64_t scratchBytes = kScratchBytes;
      for (uint64_t &bytes : call.operand_bytes)
        scratchBytes += bytes /= 2; // as boostc reserves
      call.factor_type = call.result_type = type;
      SCOPED_TRACE(describeCall(call));
      auto operation = describe(call, scratchBytes);
      ASSERT_TRUE(operation.ok()) << operation.status().message();
      Result<std::vector<std::string>> candidates =
          (*operation)->candidates({});
      ASSERT_TRUE(candidates.ok()) << candidates.status().message();
      for (const std::string &candidate : *candidates) {
        Status status = (*operation)->choose(candidate, {});
        EXPECT_TRUE(status.ok()) << status.message();
      }
      call.result_type = BOOSTC_FLOAT_F32;
      auto wide = describe(call, scratchBytes);
      ASSERT_TRUE(wide.ok()) << wide.status().message();
      EXPECT_EQ((*wide)->candidates({}).status().message(),
                library->name() +
                    " proposes nothing that is deterministic, "
                    "has the precision of " +
                    (type == BOOSTC_FLOAT_BF16 ? "bf16" : "f16") +
                    " and needs " + std::to_string(scratchBytes) +
                    " bytes of scratch memory at most");
    }
}

TEST_F(CudnnWithoutGpu, WhatTheLibraryRefusesIsSaid) {
  EXPECT_THAT(Cudnn::createFor(library->api(), "{}").status().message(),
              testing::StartsWith("a device: cudnnBackendFinalize failed: "
                                  "CUDNN_STATUS_"));
}

} // namespace
