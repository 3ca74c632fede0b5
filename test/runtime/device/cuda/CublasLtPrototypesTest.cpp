// What CublasLtApi.h says of cuBLASLt, against cublasLt.h; and whether the
// library itself, where it is, takes what we say of a matmul. That needs no
// GPU.
#include "runtime/device/cuda/CublasLt.h"

#include <cstddef>
#include <cublasLt.h>
#include <cuda.h>
#include <gtest/gtest.h>
#include <tuple>

#include "test/runtime/device/cuda/SamePrototype.h"

using namespace boostrt;

namespace boostrt::cuda {

template <>
constexpr bool kSameHandle<std::remove_pointer_t<LtHandle>, cublasLtContext> =
    true;
template <>
constexpr bool kSameHandle<std::remove_pointer_t<LtDescription>,
                           cublasLtMatmulDescOpaque_t> = true;
template <>
constexpr bool
    kSameHandle<std::remove_pointer_t<LtLayout>, cublasLtMatrixLayoutOpaque_t> =
        true;
template <>
constexpr bool kSameHandle<std::remove_pointer_t<LtPreference>,
                           cublasLtMatmulPreferenceOpaque_t> = true;
template <>
constexpr bool kSameHandle<LtAlgorithm, cublasLtMatmulAlgo_t> =
    sizeof(LtAlgorithm) == sizeof(cublasLtMatmulAlgo_t) &&
    alignof(LtAlgorithm) == alignof(cublasLtMatmulAlgo_t);
template <>
constexpr bool kSameHandle<LtHeuristic, cublasLtMatmulHeuristicResult_t> =
    sizeof(LtHeuristic) == sizeof(cublasLtMatmulHeuristicResult_t) &&
    offsetof(LtHeuristic, scratchBytes) ==
        offsetof(cublasLtMatmulHeuristicResult_t, workspaceSize) &&
    offsetof(LtHeuristic, state) ==
        offsetof(cublasLtMatmulHeuristicResult_t, state) &&
    offsetof(LtHeuristic, waves) ==
        offsetof(cublasLtMatmulHeuristicResult_t, wavesCount);

} // namespace boostrt::cuda

namespace {

#define BOOSTRT_SAME_FUNCTION(result, symbol, ...)                             \
  static_assert(cuda::SameFunction<decltype(cuda::CublasLtApi::symbol),        \
                                   decltype(&::symbol)>(),                     \
                #symbol " is another function in cublasLt.h");
BOOSTRT_CUBLASLT_FUNCTIONS(BOOSTRT_SAME_FUNCTION)

TEST(CublasLtPrototypes, ValuesAreThoseOfTheHeader) {
  EXPECT_EQ(CUBLAS_STATUS_SUCCESS, 0);
  EXPECT_EQ(cuda::kLtF32, CUDA_R_32F);
  EXPECT_EQ(cuda::kLtF16, CUDA_R_16F);
  EXPECT_EQ(cuda::kLtBf16, CUDA_R_16BF);
  EXPECT_EQ(cuda::kLtComputeF32, CUBLAS_COMPUTE_32F);
  EXPECT_EQ(cuda::kLtComputeTf32, CUBLAS_COMPUTE_32F_FAST_TF32);
  EXPECT_EQ(cuda::kLtTransposeFirst, CUBLASLT_MATMUL_DESC_TRANSA);
  EXPECT_EQ(cuda::kLtTransposeSecond, CUBLASLT_MATMUL_DESC_TRANSB);
  EXPECT_EQ(cuda::kLtEpilogue, CUBLASLT_MATMUL_DESC_EPILOGUE);
  EXPECT_EQ(cuda::kLtBiasPointer, CUBLASLT_MATMUL_DESC_BIAS_POINTER);
  EXPECT_EQ(cuda::kLtNoTranspose, CUBLAS_OP_N);
  EXPECT_EQ(cuda::kLtTranspose, CUBLAS_OP_T);
  EXPECT_EQ(cuda::kLtMaxScratchBytes, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES);
  EXPECT_EQ(cuda::kLtReductionSchemes,
            CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK);
  EXPECT_EQ(cuda::kLtAlignmentFirst,
            CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES);
  EXPECT_EQ(cuda::kLtAlignmentFirst + 3,
            CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES);
  EXPECT_EQ(cuda::kLtConfigReduction, CUBLASLT_ALGO_CONFIG_REDUCTION_SCHEME);
  EXPECT_EQ(cuda::kLtReduceNot, uint32_t{CUBLASLT_REDUCTION_SCHEME_NONE});
  EXPECT_EQ(cuda::kLtReduceSeparately,
            uint32_t{CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE});
  EXPECT_EQ(cuda::kEpilogueNone, uint32_t{CUBLASLT_EPILOGUE_DEFAULT});
  EXPECT_EQ(cuda::kEpilogueBias, uint32_t{CUBLASLT_EPILOGUE_BIAS});
}

TEST(CublasLt, TheLibraryTakesOurDescriptions) {
  Result<cuda::CublasLtApi> api =
      cuda::CublasLtApi::open(cuda::SearchContext::current());
  if (!api.ok())
    GTEST_SKIP() << api.status().message();
  const BoostMatmul matmuls[] = {{5, 3, 4, {4, 1}, {3, 1}, 0, 0},
                                 {5, 3, 4, {1, 5}, {1, 4}, 1, 0},
                                 {128, 512, 784, {784, 1}, {1, 784}, 1, 0}};
  for (const BoostMatmul &matmul : matmuls)
    for (auto [precision, factor, result] :
         {std::tuple(BOOSTC_PRECISION_FLOAT32, BOOSTC_FLOAT_F32,
                     BOOSTC_FLOAT_F32),
          {BOOSTC_PRECISION_TF32, BOOSTC_FLOAT_F32, BOOSTC_FLOAT_F32},
          {BOOSTC_PRECISION_FLOAT32, BOOSTC_FLOAT_BF16, BOOSTC_FLOAT_BF16},
          {BOOSTC_PRECISION_FLOAT32, BOOSTC_FLOAT_BF16, BOOSTC_FLOAT_F32},
          {BOOSTC_PRECISION_FLOAT32, BOOSTC_FLOAT_F16, BOOSTC_FLOAT_F16},
          {BOOSTC_PRECISION_FLOAT32, BOOSTC_FLOAT_F16, BOOSTC_FLOAT_F32}}) {
      BoostLibraryCall call{};
      call.scratch_bytes = 32 << 20;
      call.matmul = matmul;
      call.precision = precision;
      call.factor_type = factor;
      call.result_type = result;
      Status status = cuda::LtMatmul::checkDescription(*api, call);
      EXPECT_TRUE(status.ok()) << status.message();
    }
}

} // namespace
