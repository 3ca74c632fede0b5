// Convolutions as library calls, on the stand-ins for NVIDIA's driver and
// cuDNN. What all kinds of calls have in common is in LibraryCallsTest.cpp.
#include "runtime/device/cuda/CudnnApi.h"
#include "test/runtime/device/ConvolutionCall.h"
#include "test/runtime/device/cuda/LibraryCallsFixture.h"

using namespace boostrt;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

/// The call that is under test, for the functions without a context.
BoostLibraryCall tested;

/// The fallback: what the call computes, and not the library's code.
void convolve(const cuda::Address *operands) {
  auto at = [&](int i) { return reinterpret_cast<float *>(operands[i]); };
  const float *a = at(0), *b = at(1);
  bool hasBias = tested.convolution.has_bias != 0;
  float *c = at(hasBias ? 3 : 2);
  const int64_t *output = tested.convolution.output;
  for (int64_t i = 0; i < int64_t(tested.operand_bytes[3] / 4); ++i)
    c[i] = hasBias ? at(2)[i / (output[2] * output[3]) % output[1]] : 0;
  forEachProduct(tested.kind, tested.convolution,
                 [&](size_t result, size_t first, size_t second) {
                   c[result] += a[first] * b[second];
                 });
}

// Parts of TRANSIENT, of 4 KiB each: A, B, bias, C, scratch.
constexpr uint64_t kPart = 4096;

int32_t callLibrary(const BoostEnv *env, void *const *arenas) {
  auto *base = static_cast<std::byte *>(arenas[BOOSTC_ARENA_TRANSIENT]);
  bool hasBias = tested.convolution.has_bias != 0;
  void *operands[] = {base, base + kPart, hasBias ? base + 2 * kPart : nullptr,
                      base + 3 * kPart, base + 4 * kPart};
  return env->library_call(env, 0, operands);
}

class Convolutions : public LibraryCallsFixture {
protected:
  Convolutions()
      : LibraryCallsFixture({BOOSTC_FAKE_CUDNN, "fakeCudnn"},
                            "FAKE_CUDNN_PROPOSES") {}

  void SetUp() override {
    LibraryCallsFixture::SetUp();
    target.library_calls = &tested;
    target.library_call_count = 1;
    functions.giveTo(target);
    functions.set(BOOSTC_FUNCTION_MICRO, "micro", callLibrary);
    test(BOOSTC_LIBRARY_CONVOLUTION);
  }

  void test(uint32_t kind, bool hasBias = false) {
    tested = convolutionCall(kind, {2, 4, 5, 6}, {6, 2, 3, 2},
                             {{2, 1}, {1, 0, 2, 3}, {1, 2}}, hasBias);
    tested.scratch_bytes = 1024;
    operands.clear();
    for (uint64_t bytes : tested.operand_bytes)
      if (bytes > 0)
        operands.push_back(
            {bytes, &bytes == &tested.operand_bytes[3], 0, "buffer"});
    launch.operands = operands.data();
    launch.operand_count = static_cast<uint32_t>(operands.size());
    fake_cuda::define(static_cast<int>(operands.size()), convolve);
  }

  /// Calls the function twice and checks what it computes; whether the library
  /// did.
  bool runAndCheck() {
    std::vector<float> memory(5 * kPart / sizeof(float));
    for (size_t i = 0; i < memory.size(); ++i)
      memory[i] = static_cast<float>(i % 7) - 3;
    auto base = device->allocate(5 * kPart, "transient");
    EXPECT_TRUE(base.ok());
    EXPECT_TRUE(device->copyIn(*base, std::as_bytes(std::span(memory))).ok());
    forget();
    EXPECT_TRUE(step(*base).ok());
    std::string calls = library.trace(), driverCalls = fake_cuda::trace();
    EXPECT_TRUE(step(*base).ok());
    EXPECT_EQ(library.trace(), calls) << "a graph needs no second call";
    EXPECT_EQ(fake_cuda::waits(driverCalls), 0);
    int found = fake_cuda::count(calls, "cudnnBackendExecute");
    EXPECT_EQ(found + fake_cuda::count(driverCalls, "cuLaunchKernel"), 1);

    std::vector<float> result(tested.operand_bytes[3] / 4), expected = result;
    DeviceCopy copy{std::as_writable_bytes(std::span(result)),
                    static_cast<std::byte *>(*base) + 3 * kPart};
    EXPECT_TRUE(device->copyOut({&copy, 1}).ok());
    auto address = [](float *pointer) {
      return reinterpret_cast<cuda::Address>(pointer);
    };
    std::vector<cuda::Address> addresses;
    for (uint64_t part : {0, 1, 2})
      if (part < 2 || tested.convolution.has_bias)
        addresses.push_back(address(&memory[part * kPart / sizeof(float)]));
    addresses.push_back(address(expected.data()));
    convolve(addresses.data());
    EXPECT_EQ(result, expected);
    return found == 1;
  }

  std::vector<BoostOperand> operands;
};

TEST_F(Convolutions, TheFastestIsTakenAndKept) {
  for (auto [kind, hasBias] :
       {std::pair(BOOSTC_LIBRARY_CONVOLUTION, false),
        {BOOSTC_LIBRARY_CONVOLUTION, true},
        {BOOSTC_LIBRARY_CONVOLUTION_BACKWARD_DATA, false},
        {BOOSTC_LIBRARY_CONVOLUTION_BACKWARD_WEIGHT, false}}) {
    SCOPED_TRACE(kind);
    test(kind, hasBias);
    EXPECT_THAT(
        notesWith("slow fast fastest"),
        ElementsAre(testing::AllOf(
            HasSubstr("cuDNN 9.19.0 computes 1 of 1 large convolutions, "
                      "generated kernels the others; measured in "),
            HasSubstr(" s, kept in '" + settings.planFiles[0] + "'"))));
    EXPECT_TRUE(runAndCheck());
    EXPECT_THAT(readPlanFile(), HasSubstr("\nlibrary cuDNN 9.19.0\n"));
    EXPECT_THAT(readPlanFile(),
                HasSubstr(":scratch1024 library 2.000 10.000 engine12:2=-7\n"));

    // The next run asks for no proposals.
    ASSERT_TRUE(create().ok());
    EXPECT_THAT(device->notes(), ElementsAre(HasSubstr(", as is kept in '")));
    EXPECT_EQ(fake_cuda::count(library.trace(), "cudnnBackendExecute"), 1);
    EXPECT_TRUE(runAndCheck());
  }
}

TEST_F(Convolutions, WhatIsNotSoundIsNotTaken) {
  // Each would be the fastest.
  for (const char *unsound : {"restless", "refused", "greedy", "unplanned",
                              "random", "tensorcores", "halves", "unheard"}) {
    SCOPED_TRACE(unsound);
    notesWith((std::string(unsound) + " fast").c_str());
    EXPECT_TRUE(runAndCheck());
    EXPECT_THAT(readPlanFile(), HasSubstr(" library 5.000 "));
  }
  EXPECT_THAT(notesWith("wrong"),
              ElementsAre(HasSubstr("model.json:9:5: cuDNN 9.19.0 does not "
                                    "compute what the generated kernel does"),
                          HasSubstr("computes 0 of 1")));
  EXPECT_FALSE(runAndCheck());
  for (const char *nothing : {"", "greedy random tensorcores unheard"})
    EXPECT_THAT(
        notesWith(nothing),
        ElementsAre(HasSubstr("cuDNN 9.19.0 proposes nothing that is "
                              "deterministic, has the precision of f32 and "
                              "needs 1024 bytes of scratch memory at most"),
                    HasSubstr("computes 0 of 1")));
  EXPECT_FALSE(runAndCheck());
}

// In tf32 tensor cores may be used, and what else lowers precision may not.
TEST_F(Convolutions, TensorCoresForTf32) {
  for (uint32_t kind :
       {BOOSTC_LIBRARY_CONVOLUTION, BOOSTC_LIBRARY_CONVOLUTION_BACKWARD_DATA,
        BOOSTC_LIBRARY_CONVOLUTION_BACKWARD_WEIGHT}) {
    test(kind);
    tested.precision = BOOSTC_PRECISION_TF32;
    EXPECT_THAT(notesWith("fast random halves unheard tensorcores"),
                ElementsAre(HasSubstr("computes 1 of 1 large convolutions")));
    EXPECT_THAT(readPlanFile(),
                HasSubstr(":tf32:scratch1024 library 1.000 10.000 engine19:"));
    EXPECT_TRUE(runAndCheck());
  }
  EXPECT_THAT(notesWith("wrong"),
              testing::Contains(HasSubstr("does not compute what")));
  EXPECT_THAT(notesWith("random halves unheard"),
              testing::Contains(HasSubstr("has the precision of tf32 and")));
}

TEST_F(Convolutions, TheSecondModeHasWhatTheFirstLacks) {
  setenv("FAKE_CUDNN_FALLBACK", "fast slow", 1);
  EXPECT_THAT(notesWith("tensorcores"), ElementsAre(HasSubstr("1 of 1")));
  EXPECT_TRUE(runAndCheck());
}

TEST_F(Convolutions, WhatDoesNotWorkLeavesTheKernels) {
  for (const char *call : {"cudnnCreate", "cudnnSetStream"}) {
    setenv("FAKE_CUDNN_FAILS", (std::string(call) + "=1001").c_str(), 1);
    EXPECT_THAT(notesWith("fast"),
                ElementsAre(std::string("generated kernels compute all "
                                        "convolutions: ") +
                            call + " failed: CUDNN_STATUS_NOT_INITIALIZED"));
    EXPECT_FALSE(runAndCheck());
  }
  for (const char *call :
       {"cudnnBackendCreateDescriptor", "cudnnBackendSetAttribute",
        "cudnnBackendFinalize"}) {
    setenv("FAKE_CUDNN_FAILS", (std::string(call) + "=3000").c_str(), 1);
    EXPECT_THAT(notesWith("fast"),
                ElementsAre(std::string("generated kernels compute all "
                                        "convolutions: a tensor: ") +
                            call + " failed: CUDNN_STATUS_NOT_SUPPORTED"));
    EXPECT_FALSE(runAndCheck());
  }
  setenv("FAKE_CUDNN_FAILS", "cudnnBackendGetAttribute=2000", 1);
  EXPECT_THAT(notesWith("fast"),
              ElementsAre("model.json:9:5: cudnnBackendGetAttribute failed: "
                          "CUDNN_STATUS_BAD_PARAM",
                          HasSubstr("computes 0 of 1")));
  EXPECT_FALSE(runAndCheck());
}

TEST_F(Convolutions, AMissingLibraryLeavesTheKernels) {
  // Another library of this name is found first.
  std::filesystem::copy(BOOSTC_FAKE_CUDA, folder / cuda::kCudnnName);
  context.origin = folder;
  EXPECT_THAT(notesWith("fast"),
              ElementsAre("generated kernels compute all convolutions: " +
                          (folder / cuda::kCudnnName).string() +
                          " has no function cudnnCreate"));
  EXPECT_FALSE(runAndCheck());
}

TEST_F(Convolutions, AFailureInAStepIsAnError) {
  notesWith("fast");
  setenv("FAKE_CUDNN_FAILS", "cudnnBackendExecute=5000", 1);
  Status status = failedStep(5 * kPart);
  EXPECT_EQ(status.code(), ExitCode::Internal);
  EXPECT_EQ(status.message(), "model.json:9:5: cudnnBackendExecute failed: "
                              "CUDNN_STATUS_EXECUTION_FAILED");
}

TEST_F(Convolutions, PlansOfAnotherVersionAreIgnored) {
  notesWith("fast");
  setenv("FAKE_CUDNN_VERSION", "92001", 1);
  ASSERT_TRUE(create().ok());
  EXPECT_THAT(device->notes(),
              ElementsAre("'" + settings.planFiles[0] +
                              "' is about another library and is ignored",
                          HasSubstr("cuDNN 9.20.1 computes 1 of 1")));
}

// A library that does not work costs the other nothing.
TEST_F(Convolutions, MatmulsNextToThem) {
  BoostLibraryCall calls[] = {tested, {}};
  calls[1].kind = BOOSTC_LIBRARY_MATMUL;
  calls[1].scratch_bytes = 1024;
  calls[1].location = "model.json:5:3";
  calls[1].layers = "fc1";
  calls[1].matmul = {5, 3, 4, {4, 1}, {3, 1}, 0, 0};
  const uint64_t bytes[] = {80, 48, 0, 60};
  std::copy(std::begin(bytes), std::end(bytes), calls[1].operand_bytes);
  target.library_calls = calls;
  target.library_call_count = 2;
  // The kernel that replaces both computes the convolution.
  EXPECT_THAT(notesWith("fast"),
              ElementsAre(HasSubstr("model.json:5:3: cuBLASLt 13.2.3 does not "
                                    "compute what the generated kernel does"),
                          HasSubstr("cuBLASLt 13.2.3 computes 0 of 1 large "
                                    "matmuls, cuDNN 9.19.0 computes 1 "
                                    "of 1 large convolutions, generated "
                                    "kernels the others; measured in ")));
  EXPECT_THAT(readPlanFile(),
              HasSubstr("\nlibrary cuBLASLt 13.2.3, cuDNN 9.19.0\n"));
  setenv("FAKE_CUBLASLT_FAILS", "cublasLtCreate=1", 1);
  EXPECT_THAT(notesWith("fast"),
              ElementsAre("generated kernels compute all matmuls: "
                          "cublasLtCreate failed: "
                          "CUBLAS_STATUS_NOT_INITIALIZED",
                          HasSubstr("cuDNN 9.19.0 computes 1 of 1")));
  EXPECT_TRUE(runAndCheck());
}

} // namespace
