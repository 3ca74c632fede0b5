// CudnnApi.h - the functions of cuDNN's graph interface, opened at run time as
// CudaApi.h opens the driver; a test compares what is declared here with
// cudnn_graph.h where there is one.
//
// The interface has few functions and many attributes: everything is a
// descriptor that is given attributes and finalised.
#pragma once

#include "runtime/device/cuda/CudaApi.h"
#include "runtime/device/cuda/FindLibraries.h"

#include <cstdint>

namespace boostrt::cuda {

/// cudnnStatus_t; 0 is success.
using DnnResult = int;
/// cudnnHandle_t.
using DnnHandle = struct DnnContext *;
/// cudnnBackendDescriptor_t.
using DnnDescriptor = void *;

// cudnnBackendDescriptorType_t.
inline constexpr int kDnnPointwise = 0;
inline constexpr int kDnnConvolution = 1;
inline constexpr int kDnnEngine = 2;
inline constexpr int kDnnEngineConfig = 3;
inline constexpr int kDnnHeuristics = 4;
inline constexpr int kDnnPlan = 5;
inline constexpr int kDnnKnobChoice = 7;
inline constexpr int kDnnForwardOperation = 10;
inline constexpr int kDnnWeightOperation = 11;
inline constexpr int kDnnImageOperation = 12;
inline constexpr int kDnnPointwiseOperation = 13;
inline constexpr int kDnnGraph = 15;
inline constexpr int kDnnVariantPack = 16;
inline constexpr int kDnnTensor = 17;
inline constexpr int kDnnDeviceProperties = 38;

// cudnnBackendAttributeType_t.
inline constexpr int kDnnTypeHandle = 0;
inline constexpr int kDnnTypeDataType = 1;
inline constexpr int kDnnTypeBoolean = 2;
inline constexpr int kDnnTypeInt64 = 3;
inline constexpr int kDnnTypeFloat = 4;
inline constexpr int kDnnTypeVoidPointer = 6;
inline constexpr int kDnnTypeConvolutionMode = 7;
inline constexpr int kDnnTypeHeuristicMode = 8;
inline constexpr int kDnnTypeKnob = 9;
inline constexpr int kDnnTypeNumericalNote = 11;
inline constexpr int kDnnTypePointwiseMode = 14;
inline constexpr int kDnnTypeDescriptor = 15;
inline constexpr int kDnnTypeChar = 24;

// cudnnBackendAttributeName_t.
inline constexpr int kDnnPointwiseMode = 0;
inline constexpr int kDnnPointwisePrecision = 1;
inline constexpr int kDnnConvolutionPrecision = 100;
inline constexpr int kDnnConvolutionMode = 101;
inline constexpr int kDnnConvolutionDilations = 102;
inline constexpr int kDnnConvolutionStrides = 103;
inline constexpr int kDnnConvolutionPaddingAfter = 104;
inline constexpr int kDnnConvolutionPaddingBefore = 105;
inline constexpr int kDnnConvolutionDimensions = 106;
inline constexpr int kDnnHeuristicsMode = 200;
inline constexpr int kDnnHeuristicsGraph = 201;
inline constexpr int kDnnHeuristicsResults = 202;
inline constexpr int kDnnHeuristicsDevice = 204;
inline constexpr int kDnnConfigEngine = 300;
inline constexpr int kDnnConfigKnobs = 302;
inline constexpr int kDnnPlanHandle = 400;
inline constexpr int kDnnPlanConfig = 401;
inline constexpr int kDnnPlanScratchBytes = 402;
inline constexpr int kDnnPlanDevice = 407;
inline constexpr int kDnnKnobType = 600;
inline constexpr int kDnnKnobValue = 601;
/// For an operation: alpha; then beta, convolution, w, x, y.
inline constexpr int kDnnForwardFirst = 700;
/// Alpha; then beta, convolution, w, dx, dy.
inline constexpr int kDnnImageFirst = 706;
/// Alpha; then beta, convolution, dw, x, dy.
inline constexpr int kDnnWeightFirst = 712;
inline constexpr int kDnnOperationPointwise = 750;
inline constexpr int kDnnOperationX = 751;
inline constexpr int kDnnOperationB = 752;
inline constexpr int kDnnOperationY = 753;
inline constexpr int kDnnGraphHandle = 800;
inline constexpr int kDnnGraphOperations = 801;
inline constexpr int kDnnTensorAlignment = 900;
inline constexpr int kDnnTensorDataType = 901;
inline constexpr int kDnnTensorExtents = 902;
inline constexpr int kDnnTensorStrides = 903;
inline constexpr int kDnnTensorId = 906;
inline constexpr int kDnnTensorIsVirtual = 907;
inline constexpr int kDnnPackIds = 1000;
inline constexpr int kDnnPackPointers = 1001;
inline constexpr int kDnnPackScratch = 1003;
inline constexpr int kDnnEngineGraph = 1300;
inline constexpr int kDnnEngineNumber = 1301;
inline constexpr int kDnnEngineNotes = 1303;
inline constexpr int kDnnEngineDevice = 1307;
inline constexpr int kDnnDeviceJson = 2702;

// The values of some more enumerations.
inline constexpr int kDnnF32 = 0; ///< cudnnDataType_t
inline constexpr int kDnnF16 = 2;
inline constexpr int kDnnBf16 = 9;
inline constexpr int kDnnCrossCorrelation = 1; ///< cudnnConvolutionMode_t
inline constexpr int kDnnAdd = 0;              ///< cudnnPointwiseMode_t
inline constexpr int kDnnModeFallback = 2;     ///< cudnnBackendHeurMode_t
inline constexpr int kDnnModeA = 3;
// cudnnBackendNumericalNote_t.
inline constexpr int kDnnNoteTensorCore = 0;
inline constexpr int kDnnNoteStrictNan = 9;

// X(result, symbol, parameters...)
// clang-format off
#define BOOSTRT_CUDNN_FUNCTIONS(X)                                             \
  X(DnnResult, cudnnCreate, DnnHandle *handle)                                 \
  X(DnnResult, cudnnDestroy, DnnHandle handle)                                 \
  X(DnnResult, cudnnSetStream, DnnHandle handle, Stream stream)                \
  X(size_t, cudnnGetVersion, void)                                             \
  X(const char *, cudnnGetErrorString, DnnResult result)                       \
  X(void, cudnnGetLastErrorString, char *text, size_t bytes)                   \
  X(DnnResult, cudnnBackendCreateDescriptor, int type,                         \
    DnnDescriptor *descriptor)                                                 \
  X(DnnResult, cudnnBackendDestroyDescriptor, DnnDescriptor descriptor)        \
  X(DnnResult, cudnnBackendFinalize, DnnDescriptor descriptor)                 \
  X(DnnResult, cudnnBackendSetAttribute, DnnDescriptor descriptor,             \
    int attribute, int type, int64_t count, const void *values)                \
  X(DnnResult, cudnnBackendGetAttribute, DnnDescriptor descriptor,             \
    int attribute, int type, int64_t most, int64_t *count, void *values)       \
  X(DnnResult, cudnnBackendExecute, DnnHandle handle, DnnDescriptor plan,      \
    DnnDescriptor pack)
// clang-format on

inline constexpr const char *kCudnnName = "libcudnn.so.9";

/// The library, open until the process ends.
struct CudnnApi {
#define BOOSTRT_CUDNN_MEMBER(result, symbol, ...) result (*symbol)(__VA_ARGS__);
  BOOSTRT_CUDNN_FUNCTIONS(BOOSTRT_CUDNN_MEMBER)
#undef BOOSTRT_CUDNN_MEMBER

  /// Looks where openLibrary() does. Fails with ExitCode::Usage.
  static Result<CudnnApi> open(const SearchContext &context);
  /// The functions of an open library.
  static Result<CudnnApi> find(void *library, const std::string &path);

  /// "cudnnCreate failed: CUDNN_STATUS_NOT_INITIALIZED (what it says of it)";
  /// ExitCode::Internal.
  Status failure(const char *call, DnnResult result) const;
  Status check(const char *call, DnnResult result) const {
    return result == 0 ? Status() : failure(call, result);
  }
};

} // namespace boostrt::cuda
