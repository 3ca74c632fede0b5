// CublasLtApi.h - the functions of cuBLASLt that are used, opened at run time
// as CudaApi.h opens the driver; a test compares what is declared here with
// cublasLt.h where there is one.
#pragma once

#include "runtime/device/cuda/CudaApi.h"
#include "runtime/device/cuda/FindLibraries.h"

#include <cstdint>

namespace boostrt::cuda {

/// cublasStatus_t; 0 is success.
using LtResult = int;

// Handles, as cublasLt.h has them: pointers to structs.
using LtHandle = struct LtContext *;
using LtDescription = struct LtDescriptionHandle *;
using LtLayout = struct LtLayoutHandle *;
using LtPreference = struct LtPreferenceHandle *;

/// cublasLtMatmulAlgo_t: how a matmul is computed. It may be kept in a file
/// for the same version of the library.
struct LtAlgorithm {
  uint64_t data[8];
};

/// cublasLtMatmulHeuristicResult_t.
struct LtHeuristic {
  LtAlgorithm algorithm;
  size_t scratchBytes;
  LtResult state;
  float waves;
  int reserved[4];
};

// The values of cublasLt.h's enumerations that are passed.
inline constexpr int kLtF32 = 0; ///< cudaDataType_t
inline constexpr int kLtF16 = 2;
inline constexpr int kLtBf16 = 14;
inline constexpr int kLtTransposeFirst = 3; ///< cublasLtMatmulDescAttributes_t
inline constexpr int kLtTransposeSecond = 4;
inline constexpr int kLtEpilogue = 7;
inline constexpr int kLtBiasPointer = 8;
inline constexpr int32_t kLtNoTranspose = 0; ///< cublasOperation_t
inline constexpr int32_t kLtTranspose = 1;
// cublasLtMatmulPreferenceAttributes_t
inline constexpr int kLtMaxScratchBytes = 1;
inline constexpr int kLtReductionSchemes = 3;
inline constexpr int kLtAlignmentFirst = 5;  ///< then of B, C and D
inline constexpr int kLtConfigReduction = 3; ///< of an algorithm's attributes
// cublasLtReductionScheme_t
inline constexpr uint32_t kLtReduceNot = 0;
inline constexpr uint32_t kLtReduceSeparately = 2;

// X(result, symbol, parameters...)
// clang-format off
#define BOOSTRT_CUBLASLT_FUNCTIONS(X)                                          \
  X(LtResult, cublasLtCreate, LtHandle *handle)                                \
  X(LtResult, cublasLtDestroy, LtHandle handle)                                \
  X(size_t, cublasLtGetVersion, void)                                          \
  X(const char *, cublasLtGetStatusName, LtResult result)                      \
  X(LtResult, cublasLtMatmulDescCreate, LtDescription *description,            \
    int compute, int scale)                                                    \
  X(LtResult, cublasLtMatmulDescDestroy, LtDescription description)            \
  X(LtResult, cublasLtMatmulDescSetAttribute, LtDescription description,       \
    int attribute, const void *value, size_t bytes)                            \
  X(LtResult, cublasLtMatrixLayoutCreate, LtLayout *layout, int type,          \
    uint64_t rows, uint64_t columns, int64_t leading)                          \
  X(LtResult, cublasLtMatrixLayoutDestroy, LtLayout layout)                    \
  X(LtResult, cublasLtMatmulPreferenceCreate, LtPreference *preference)        \
  X(LtResult, cublasLtMatmulPreferenceDestroy, LtPreference preference)        \
  X(LtResult, cublasLtMatmulPreferenceSetAttribute, LtPreference preference,   \
    int attribute, const void *value, size_t bytes)                            \
  X(LtResult, cublasLtMatmulAlgoGetHeuristic, LtHandle handle,                 \
    LtDescription description, LtLayout a, LtLayout b, LtLayout c, LtLayout d, \
    LtPreference preference, int most, LtHeuristic *found, int *count)         \
  X(LtResult, cublasLtMatmulAlgoCheck, LtHandle handle,                        \
    LtDescription description, LtLayout a, LtLayout b, LtLayout c, LtLayout d, \
    const LtAlgorithm *algorithm, LtHeuristic *found)                          \
  X(LtResult, cublasLtMatmulAlgoConfigGetAttribute,                            \
    const LtAlgorithm *algorithm, int attribute, void *value, size_t bytes,    \
    size_t *written)                                                           \
  X(LtResult, cublasLtMatmul, LtHandle handle, LtDescription description,      \
    const void *alpha, const void *a, LtLayout layoutA, const void *b,         \
    LtLayout layoutB, const void *beta, const void *c, LtLayout layoutC,       \
    void *d, LtLayout layoutD, const LtAlgorithm *algorithm, void *scratch,    \
    size_t scratchBytes, Stream stream)
// clang-format on

inline constexpr const char *kCublasLtName = "libcublasLt.so.13";

/// The library, open until the process ends.
struct CublasLtApi {
#define BOOSTRT_CUBLASLT_MEMBER(result, symbol, ...)                           \
  result (*symbol)(__VA_ARGS__);
  BOOSTRT_CUBLASLT_FUNCTIONS(BOOSTRT_CUBLASLT_MEMBER)
#undef BOOSTRT_CUBLASLT_MEMBER

  /// Looks where openLibrary() does. Fails with ExitCode::Usage.
  static Result<CublasLtApi> open(const SearchContext &context);
  /// The functions of an open library.
  static Result<CublasLtApi> find(void *library, const std::string &path);

  /// "cublasLtCreate failed: CUBLAS_STATUS_NOT_INITIALIZED";
  /// ExitCode::Internal.
  Status failure(const char *call, LtResult result) const;
  Status check(const char *call, LtResult result) const {
    return result == 0 ? Status() : failure(call, result);
  }
};

} // namespace boostrt::cuda
