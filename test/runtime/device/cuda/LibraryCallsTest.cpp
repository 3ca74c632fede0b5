// Library calls on the stand-ins for NVIDIA's driver and cuBLASLt.
#include "runtime/device/cuda/CublasLtApi.h"
#include "test/runtime/device/Elements.h"
#include "test/runtime/device/MatmulCall.h"
#include "test/runtime/device/cuda/LibraryCallsFixture.h"

using namespace boostrt;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

namespace {

namespace fs = std::filesystem;

// C[5, 3] = A[5, 4] * B[4, 3] + bias, B stored as its transposed.
constexpr int64_t kM = 5, kN = 3, kK = 4;

/// BoostFloatTypes of the calls under test, for the functions without a
/// context.
uint32_t factorType, resultType;

/// The fallback: what the calls compute, and not the library's code.
void multiply(const cuda::Address *operands) {
  auto at = [&](int i) {
    return Elements(reinterpret_cast<const void *>(operands[i]),
                    i < 2 ? factorType : resultType);
  };
  for (int64_t i = 0; i < kM; ++i)
    for (int64_t j = 0; j < kN; ++j) {
      float sum = at(2)[j];
      for (int64_t k = 0; k < kK; ++k)
        sum += at(0)[i * kK + k] * at(1)[j * kK + k];
      at(3).set(i * kN + j, sum);
    }
}

// Parts of TRANSIENT.
constexpr uint64_t kA = 0, kB = 128, kBias = 256, kC = 320, kScratch = 512;

int32_t callLibrary(const BoostEnv *env, void *const *arenas) {
  auto *base = static_cast<std::byte *>(arenas[BOOSTC_ARENA_TRANSIENT]);
  void *operands[] = {base + kA, base + kB, base + kBias, base + kC,
                      base + kScratch};
  if (int32_t status = env->library_call(env, 0, operands))
    return status;
  return env->library_call(env, 1, operands);
}

class Libraries : public LibraryCallsFixture {
protected:
  Libraries()
      : LibraryCallsFixture({BOOSTC_FAKE_CUBLASLT, "fakeCublasLt"},
                            "FAKE_CUBLASLT_PROPOSES") {}

  void SetUp() override {
    LibraryCallsFixture::SetUp();
    fake_cuda::define(4, multiply);
    setTypes(BOOSTC_FLOAT_F32, BOOSTC_FLOAT_F32);
    launch.operands = kOperands;
    launch.operand_count = 4;
    target.library_calls = calls;
    target.library_call_count = 2;
    functions.giveTo(target);
    functions.set(BOOSTC_FUNCTION_MICRO, "micro", callLibrary);
  }

  void setTypes(uint32_t factor, uint32_t result) {
    factorType = factor;
    resultType = result;
    auto bytes = [](int64_t elements, uint32_t type) {
      return static_cast<uint64_t>(elements) *
             (type == BOOSTC_FLOAT_F32 ? 4 : 2);
    };
    for (BoostLibraryCall &call : calls) {
      call.factor_type = factor;
      call.result_type = result;
      call.operand_bytes[0] = bytes(kM * kK, factor);
      call.operand_bytes[1] = bytes(kN * kK, factor);
      call.operand_bytes[2] = bytes(kN, result);
      call.operand_bytes[3] = bytes(kM * kN, result);
    }
  }

  /// Calls the function twice and checks what it computes; the products of the
  /// library in one of these calls.
  int runAndCheck() {
    // In all types these are what they are, and so are sums of their products.
    std::vector<std::byte> memory(2048);
    auto at = [&](uint64_t offset) { return memory.data() + offset; };
    for (int i = 0; i < kM * kK; ++i)
      Elements(at(kA), factorType).set(i, static_cast<float>(i % 7) - 3);
    for (int i = 0; i < kN * kK; ++i)
      Elements(at(kB), factorType).set(i, static_cast<float>(i % 5) - 1);
    for (int i = 0; i < kN; ++i)
      Elements(at(kBias), resultType).set(i, static_cast<float>(10 * i));
    auto base = device->allocate(2048, "transient");
    EXPECT_TRUE(base.ok());
    EXPECT_TRUE(device->copyIn(*base, memory).ok());
    forget();
    EXPECT_TRUE(step(*base).ok());
    std::string calls = library.trace(), driverCalls = fake_cuda::trace();
    EXPECT_TRUE(step(*base).ok());
    EXPECT_EQ(library.trace(), calls) << "a graph needs no second call";
    EXPECT_EQ(fake_cuda::count(driverCalls, "cuMemAlloc_v2"), 0);
    EXPECT_EQ(fake_cuda::waits(driverCalls), 0);
    int products = fake_cuda::count(calls, "cublasLtMatmul");
    EXPECT_EQ(products + fake_cuda::count(driverCalls, "cuLaunchKernel"), 2);

    std::vector<std::byte> found(this->calls[0].operand_bytes[3]),
        expected = found;
    DeviceCopy copy{found, static_cast<std::byte *>(*base) + kC};
    EXPECT_TRUE(device->copyOut({&copy, 1}).ok());
    auto address = [](std::byte *pointer) {
      return reinterpret_cast<cuda::Address>(pointer);
    };
    cuda::Address operands[] = {address(at(kA)), address(at(kB)),
                                address(at(kBias)), address(expected.data())};
    multiply(operands);
    EXPECT_EQ(found, expected);
    return products;
  }

  static constexpr BoostOperand kOperands[] = {{kM * kK * 4, 0, 0, "a"},
                                               {kN * kK * 4, 0, 0, "b"},
                                               {kN * 4, 0, 0, "bias"},
                                               {kM * kN * 4, 1, 0, "c"}};
  BoostLibraryCall calls[2] = {matmulCall({kM, kN, kK, {kK, 1}, {1, kK}, 1, 0},
                                          /*scratchBytes=*/1024,
                                          "model.json:5:3"),
                               calls[0]};
};

TEST_F(Libraries, TheFastestIsTakenAndKept) {
  EXPECT_THAT(notesWith("slow fast fastest"),
              ElementsAre(testing::AllOf(
                  HasSubstr("cuBLASLt 13.2.3 computes 2 of 2 large matmuls, "
                            "generated kernels the others; measured "
                            "in "),
                  HasSubstr(" s, kept in '" + settings.planFiles[0] + "'"))));
  // Equal calls are planned once.
  EXPECT_EQ(fake_cuda::count(library.trace(), "cublasLtMatmulAlgoGetHeuristic"),
            1);
  EXPECT_EQ(runAndCheck(), 2);
  EXPECT_THAT(readPlanFile(),
              testing::StartsWith(
                  "boost-run plans 2\ndevice NVIDIA Fake, sm_86\n"
                  "driver 12040\nlibrary cuBLASLt 13.2.3\nuse auto\nprogram "
                  "abc\nmatmul:5x3x4:4,1:1,4:bias:scratch1024 library "
                  "2.000 10.000 0000000000000002"));

  // The next run tries nothing, and runs each once: its code is loaded then.
  ASSERT_TRUE(create().ok());
  EXPECT_THAT(device->notes(),
              ElementsAre("cuBLASLt 13.2.3 computes 2 of 2 large matmuls, "
                          "generated kernels the others, as is kept "
                          "in '" +
                          settings.planFiles[0] + "'"));
  EXPECT_EQ(fake_cuda::count(library.trace(), "cublasLtMatmulAlgoGetHeuristic"),
            0);
  EXPECT_EQ(fake_cuda::count(library.trace(), "cublasLtMatmul"), 1);
  EXPECT_EQ(runAndCheck(), 2);
}

TEST_F(Libraries, AKernelThatIsFasterIsTaken) {
  EXPECT_THAT(notesWith("slow"), ElementsAre(HasSubstr("computes 0 of 2")));
  EXPECT_EQ(runAndCheck(), 0);
  ASSERT_TRUE(create().ok()); // from the file
  EXPECT_EQ(runAndCheck(), 0);
  settings.use = LibraryUse::On;
  EXPECT_THAT(notesWith("slow"), ElementsAre(HasSubstr("computes 2 of 2")));
  EXPECT_EQ(runAndCheck(), 2);
  settings.use = LibraryUse::Off;
  EXPECT_THAT(notesWith("fast"), IsEmpty());
  EXPECT_EQ(library.trace(), "");
  EXPECT_EQ(runAndCheck(), 0);
}

TEST_F(Libraries, WhatIsNotSoundIsNotTaken) {
  // Each would be the fastest.
  for (const char *unsound :
       {"restless", "refused", "greedy", "inplace", "invalid"}) {
    SCOPED_TRACE(unsound);
    notesWith((std::string(unsound) + " fast").c_str());
    EXPECT_EQ(runAndCheck(), 2);
    EXPECT_THAT(readPlanFile(), HasSubstr(" library 5.000 "));
  }
  EXPECT_THAT(notesWith("wrong"),
              ElementsAre(HasSubstr("model.json:5:3: cuBLASLt 13.2.3 does not "
                                    "compute what the generated kernel does"),
                          HasSubstr("computes 0 of 2")));
  EXPECT_EQ(runAndCheck(), 0);
  for (const char *nothing : {"", "greedy inplace invalid"})
    EXPECT_THAT(notesWith(nothing),
                ElementsAre(HasSubstr("proposes nothing that is deterministic "
                                      "and needs 1024 bytes"),
                            HasSubstr("computes 0 of 2")));
  EXPECT_EQ(runAndCheck(), 0);
}

// A sum of 200000 terms of the bench is some 150 large: what is off by 10 is
// not the rounding of its parts.
TEST_F(Libraries, LongSumsAreComparedToo) {
  static constexpr int64_t kTerms = 200000;
  fake_cuda::define(4, [](const cuda::Address *operands) {
    auto at = [&](int i) { return reinterpret_cast<float *>(operands[i]); };
    double sum = *at(2);
    for (int64_t k = 0; k < kTerms; ++k)
      sum += double(at(0)[k]) * at(1)[k];
    *at(3) = static_cast<float>(sum);
  });
  for (BoostLibraryCall &call : calls) {
    call.matmul = {1, 1, kTerms, {kTerms, 1}, {1, kTerms}, 1, 0};
    call.operand_bytes[0] = call.operand_bytes[1] = kTerms * sizeof(float);
    call.operand_bytes[2] = call.operand_bytes[3] = sizeof(float);
  }
  EXPECT_THAT(notesWith("off"),
              testing::Contains(HasSubstr("does not compute what")));
  EXPECT_THAT(notesWith("fast"), ElementsAre(HasSubstr("computes 2 of 2")));
}

// The kernel that a library is compared with is in f32 in any case.
TEST_F(Libraries, PrecisionIsThatOfTheProgram) {
  const std::string wrong = "does not compute what the generated kernel does";
  for (const char *lower : {"rounding", "brief"})
    EXPECT_THAT(notesWith(lower), testing::Contains(HasSubstr(wrong)));
  EXPECT_EQ(runAndCheck(), 0);
  EXPECT_STREQ(getenv("NVIDIA_TF32_OVERRIDE"), "0");
  EXPECT_STREQ(getenv("CUBLAS_EMULATE_SINGLE_PRECISION"), "0");
  setenv("NVIDIA_TF32_OVERRIDE", "1", 1);
  notesWith("fast");
  EXPECT_STREQ(getenv("NVIDIA_TF32_OVERRIDE"), "0");

  for (BoostLibraryCall &call : calls)
    call.precision = BOOSTC_PRECISION_TF32;
  EXPECT_THAT(notesWith("fast"), ElementsAre(HasSubstr("computes 2 of 2")));
  EXPECT_EQ(runAndCheck(), 2);
  EXPECT_EQ(getenv("NVIDIA_TF32_OVERRIDE"), nullptr);
  EXPECT_THAT(readPlanFile(), HasSubstr("bias:tf32:scratch1024 library "));
  EXPECT_THAT(notesWith("brief"), testing::Contains(HasSubstr(wrong)));
  // What was found for one precision says nothing of the other.
  notesWith("fast");
  for (BoostLibraryCall &call : calls)
    call.precision = BOOSTC_PRECISION_FLOAT32;
  ASSERT_TRUE(create().ok());
  EXPECT_THAT(device->notes(), ElementsAre(HasSubstr("; measured in ")));
}

TEST_F(Libraries, TypesAreThoseOfTheProgram) {
  for (auto [factor, result, text] :
       {std::tuple(BOOSTC_FLOAT_BF16, BOOSTC_FLOAT_BF16, "bias:bf16:scratch"),
        {BOOSTC_FLOAT_BF16, BOOSTC_FLOAT_F32, "bias:bf16:to-f32:scratch"},
        {BOOSTC_FLOAT_F16, BOOSTC_FLOAT_F16, "bias:f16:scratch"},
        {BOOSTC_FLOAT_F16, BOOSTC_FLOAT_F32, "bias:f16:to-f32:scratch"}}) {
    SCOPED_TRACE(text);
    setTypes(factor, result);
    EXPECT_THAT(notesWith("fast"), ElementsAre(HasSubstr("computes 2 of 2")));
    EXPECT_EQ(runAndCheck(), 2);
    EXPECT_THAT(readPlanFile(), HasSubstr(text));
    // Fewer bits than the type has are noticed where the result has more.
    const std::string wrong = "does not compute what the generated kernel does";
    if (result == BOOSTC_FLOAT_F32) {
      EXPECT_THAT(notesWith("brief"), testing::Contains(HasSubstr(wrong)));
    }
    EXPECT_THAT(notesWith("off"), testing::Contains(HasSubstr(wrong)));
    EXPECT_EQ(runAndCheck(), 0);
  }
  // Calls of several types have memory of their own to be tried with.
  calls[1].factor_type = calls[1].result_type = BOOSTC_FLOAT_F32;
  fake_cuda::define(4, [](const cuda::Address *) {});
  notesWith("fast");
  EXPECT_EQ(fake_cuda::count(library.trace(), "cublasLtMatmulAlgoGetHeuristic"),
            2);
}

TEST_F(Libraries, WhatDoesNotWorkLeavesTheKernels) {
  for (const char *call :
       {"cublasLtCreate", "cublasLtMatmulDescCreate",
        "cublasLtMatmulDescSetAttribute", "cublasLtMatrixLayoutCreate",
        "cublasLtMatmulPreferenceCreate",
        "cublasLtMatmulPreferenceSetAttribute"}) {
    SCOPED_TRACE(call);
    setenv("FAKE_CUBLASLT_FAILS", (std::string(call) + "=1").c_str(), 1);
    EXPECT_THAT(
        notesWith("fast"),
        ElementsAre(std::string("generated kernels compute all matmuls: ") +
                    call + " failed: CUBLAS_STATUS_NOT_INITIALIZED"));
    EXPECT_EQ(runAndCheck(), 0);
  }
  setenv("FAKE_CUBLASLT_FAILS", "cublasLtMatmulAlgoGetHeuristic=15", 1);
  EXPECT_THAT(notesWith("fast"),
              ElementsAre(HasSubstr("model.json:5:3: "
                                    "cublasLtMatmulAlgoGetHeuristic failed: "
                                    "CUBLAS_STATUS_NOT_SUPPORTED"),
                          HasSubstr("computes 0 of 2")));
  unsetenv("FAKE_CUBLASLT_FAILS");
  setenv("FAKE_CUDA_FAILS", "cuMemAlloc_v2=2", 1);
  EXPECT_THAT(notesWith("fast"),
              ElementsAre(HasSubstr("generated kernels compute all matmuls: "
                                    "cuMemAlloc failed: "
                                    "CUDA_ERROR_OUT_OF_MEMORY")));
}

TEST_F(Libraries, AMissingLibraryLeavesTheKernels) {
  // Another library of this name is found first.
  fs::copy(BOOSTC_FAKE_CUDA, folder / cuda::kCublasLtName);
  context.origin = folder;
  EXPECT_THAT(notesWith("fast"),
              ElementsAre("generated kernels compute all matmuls: " +
                          (folder / cuda::kCublasLtName).string() +
                          " has no function cublasLtCreate"));
  EXPECT_EQ(runAndCheck(), 0);
}

TEST_F(Libraries, AFailureInAStepIsAnError) {
  notesWith("fast");
  setenv("FAKE_CUBLASLT_FAILS", "cublasLtMatmul=13", 1);
  Status status = failedStep(2048);
  EXPECT_EQ(status.code(), ExitCode::Internal);
  EXPECT_EQ(status.message(), "model.json:5:3: cublasLtMatmul failed: "
                              "CUBLAS_STATUS_EXECUTION_FAILED");
}

TEST_F(Libraries, PlansThatDoNotFitAreIgnored) {
  const std::string &file = settings.planFiles[0];
  auto expectAgain = [&](const std::string &note) {
    SCOPED_TRACE(note);
    ASSERT_TRUE(create().ok());
    EXPECT_THAT(device->notes(),
                ElementsAre("'" + file + "' " + note + " and is ignored",
                            HasSubstr("; measured in ")));
    EXPECT_EQ(runAndCheck(), 2);
    // It was replaced.
    ASSERT_TRUE(create().ok());
    EXPECT_THAT(device->notes(), ElementsAre(HasSubstr("as is kept in")));
  };
  notesWith("fast");
  setenv("FAKE_CUBLASLT_VERSION", "130204", 1);
  expectAgain("is about another library");
  settings.programHash = "abd";
  expectAgain("is about another program");
  settings.use = LibraryUse::On;
  expectAgain("is about another use");
  setenv("FAKE_CUDA_NAME", "NVIDIA Other", 1);
  expectAgain("is about another device");
  unsetenv("FAKE_CUDA_NAME");
  expectAgain("is about another device");
  fs::resize_file(file, fs::file_size(file) - 1);
  expectAgain("is damaged");
  {
    std::fstream text(file, std::ios::in | std::ios::out);
    text.seekp(30);
    text.put('X');
  }
  expectAgain("is damaged");
  std::ofstream(file) << "";
  expectAgain("is damaged");
}

TEST_F(Libraries, PlansLieWhereTheyCanBeWritten) {
  settings.planFiles = {folder / "p.so.plans", folder / "cache/x/abc.plans"};
  fs::create_directory(settings.planFiles[0]); // cannot be replaced
  setenv("FAKE_CUBLASLT_PROPOSES", "fast", 1);
  ASSERT_TRUE(create().ok());
  EXPECT_THAT(device->notes().back(),
              HasSubstr("kept in '" + settings.planFiles[1] + "'"));
  ASSERT_TRUE(create().ok());
  EXPECT_THAT(device->notes().back(),
              HasSubstr("as is kept in '" + settings.planFiles[1] + "'"));
  settings.planFiles.pop_back();
  ASSERT_TRUE(create().ok());
  EXPECT_THAT(device->notes(),
              testing::Contains(HasSubstr("what was measured is not kept: ")));
  EXPECT_EQ(runAndCheck(), 2);
}

TEST_F(Libraries, NoTimeToMeasureTakesTheFirst) {
  setenv("FAKE_CUBLASLT_PROPOSES", "restless slow fast", 1);
  auto driver = CudaDriver::create(BOOSTC_FAKE_CUDA, context);
  ASSERT_TRUE(driver.ok());
  ASSERT_TRUE((*driver)->load(kModules, "p.so").ok());
  uint32_t kernels[] = {*(*driver)->findKernel("defined")};
  (*driver)->limitMeasuring(std::chrono::nanoseconds(0));
  std::vector<std::string> notes;
  ASSERT_TRUE((*driver)->prepareCalls(target, kernels, settings, notes).ok());
  EXPECT_THAT(notes, ElementsAre(testing::AllOf(
                         HasSubstr("computes 2 of 2"),
                         HasSubstr("which was not enough for 1 of them"))));
  EXPECT_TRUE((*driver)->executes(1));
  EXPECT_FALSE(fs::exists(settings.planFiles[0]));
}

} // namespace
