// What CudnnApi.h says of cuDNN, against cudnn_graph.h.
#include "runtime/device/cuda/CudnnApi.h"

#include <cuda.h>
#include <cudnn_graph.h>
#include <gtest/gtest.h>

#include "test/runtime/device/cuda/SamePrototype.h"

using namespace boostrt;

namespace boostrt::cuda {

template <>
constexpr bool kSameHandle<std::remove_pointer_t<DnnHandle>, cudnnContext> =
    true;

} // namespace boostrt::cuda

namespace {

#define BOOSTRT_SAME_FUNCTION(result, symbol, ...)                             \
  static_assert(cuda::SameFunction<decltype(cuda::CudnnApi::symbol),           \
                                   decltype(&::symbol)>(),                     \
                #symbol " is another function in cudnn_graph.h");
BOOSTRT_CUDNN_FUNCTIONS(BOOSTRT_SAME_FUNCTION)

// Attributes of numbers and enumerations are read and written in memory.
static_assert(sizeof(cudnnBackendKnobType_t) == sizeof(int) &&
              sizeof(cudnnBackendNumericalNote_t) == sizeof(int) &&
              sizeof(cudnnBackendHeurMode_t) == sizeof(int) &&
              sizeof(cudnnConvolutionMode_t) == sizeof(int) &&
              sizeof(cudnnPointwiseMode_t) == sizeof(int) &&
              sizeof(cudnnDataType_t) == sizeof(int));

TEST(CudnnPrototypes, DescriptorsAreThoseOfTheHeader) {
  EXPECT_EQ(CUDNN_STATUS_SUCCESS, 0);
  EXPECT_EQ(cuda::kDnnPointwise, CUDNN_BACKEND_POINTWISE_DESCRIPTOR);
  EXPECT_EQ(cuda::kDnnConvolution, CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR);
  EXPECT_EQ(cuda::kDnnEngine, CUDNN_BACKEND_ENGINE_DESCRIPTOR);
  EXPECT_EQ(cuda::kDnnEngineConfig, CUDNN_BACKEND_ENGINECFG_DESCRIPTOR);
  EXPECT_EQ(cuda::kDnnHeuristics, CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR);
  EXPECT_EQ(cuda::kDnnPlan, CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR);
  EXPECT_EQ(cuda::kDnnKnobChoice, CUDNN_BACKEND_KNOB_CHOICE_DESCRIPTOR);
  EXPECT_EQ(cuda::kDnnForwardOperation,
            CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR);
  EXPECT_EQ(cuda::kDnnWeightOperation,
            CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_FILTER_DESCRIPTOR);
  EXPECT_EQ(cuda::kDnnImageOperation,
            CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR);
  EXPECT_EQ(cuda::kDnnPointwiseOperation,
            CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR);
  EXPECT_EQ(cuda::kDnnGraph, CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR);
  EXPECT_EQ(cuda::kDnnVariantPack, CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR);
  EXPECT_EQ(cuda::kDnnTensor, CUDNN_BACKEND_TENSOR_DESCRIPTOR);
}

TEST(CudnnPrototypes, TypesAndValuesAreThoseOfTheHeader) {
  EXPECT_EQ(cuda::kDnnTypeHandle, CUDNN_TYPE_HANDLE);
  EXPECT_EQ(cuda::kDnnTypeDataType, CUDNN_TYPE_DATA_TYPE);
  EXPECT_EQ(cuda::kDnnTypeBoolean, CUDNN_TYPE_BOOLEAN);
  EXPECT_EQ(cuda::kDnnTypeInt64, CUDNN_TYPE_INT64);
  EXPECT_EQ(cuda::kDnnTypeFloat, CUDNN_TYPE_FLOAT);
  EXPECT_EQ(cuda::kDnnTypeVoidPointer, CUDNN_TYPE_VOID_PTR);
  EXPECT_EQ(cuda::kDnnTypeConvolutionMode, CUDNN_TYPE_CONVOLUTION_MODE);
  EXPECT_EQ(cuda::kDnnTypeHeuristicMode, CUDNN_TYPE_HEUR_MODE);
  EXPECT_EQ(cuda::kDnnTypeKnob, CUDNN_TYPE_KNOB_TYPE);
  EXPECT_EQ(cuda::kDnnTypeNumericalNote, CUDNN_TYPE_NUMERICAL_NOTE);
  EXPECT_EQ(cuda::kDnnTypePointwiseMode, CUDNN_TYPE_POINTWISE_MODE);
  EXPECT_EQ(cuda::kDnnTypeDescriptor, CUDNN_TYPE_BACKEND_DESCRIPTOR);
  EXPECT_EQ(cuda::kDnnTypeChar, CUDNN_TYPE_CHAR);
  EXPECT_EQ(cuda::kDnnF32, CUDNN_DATA_FLOAT);
  EXPECT_EQ(cuda::kDnnF16, CUDNN_DATA_HALF);
  EXPECT_EQ(cuda::kDnnBf16, CUDNN_DATA_BFLOAT16);
  EXPECT_EQ(cuda::kDnnCrossCorrelation, CUDNN_CROSS_CORRELATION);
  EXPECT_EQ(cuda::kDnnAdd, CUDNN_POINTWISE_ADD);
  EXPECT_EQ(cuda::kDnnModeFallback, CUDNN_HEUR_MODE_FALLBACK);
  EXPECT_EQ(cuda::kDnnModeA, CUDNN_HEUR_MODE_A);
  EXPECT_EQ(cuda::kDnnNoteTensorCore, CUDNN_NUMERICAL_NOTE_TENSOR_CORE);
  EXPECT_EQ(cuda::kDnnNoteStrictNan, CUDNN_NUMERICAL_NOTE_STRICT_NAN_PROP);
}

TEST(CudnnPrototypes, AttributesAreThoseOfTheHeader) {
  EXPECT_EQ(cuda::kDnnPointwiseMode, CUDNN_ATTR_POINTWISE_MODE);
  EXPECT_EQ(cuda::kDnnPointwisePrecision, CUDNN_ATTR_POINTWISE_MATH_PREC);
  EXPECT_EQ(cuda::kDnnConvolutionPrecision, CUDNN_ATTR_CONVOLUTION_COMP_TYPE);
  EXPECT_EQ(cuda::kDnnConvolutionMode, CUDNN_ATTR_CONVOLUTION_CONV_MODE);
  EXPECT_EQ(cuda::kDnnConvolutionDilations, CUDNN_ATTR_CONVOLUTION_DILATIONS);
  EXPECT_EQ(cuda::kDnnConvolutionStrides,
            CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES);
  EXPECT_EQ(cuda::kDnnConvolutionPaddingAfter,
            CUDNN_ATTR_CONVOLUTION_POST_PADDINGS);
  EXPECT_EQ(cuda::kDnnConvolutionPaddingBefore,
            CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS);
  EXPECT_EQ(cuda::kDnnConvolutionDimensions,
            CUDNN_ATTR_CONVOLUTION_SPATIAL_DIMS);
  EXPECT_EQ(cuda::kDnnHeuristicsMode, CUDNN_ATTR_ENGINEHEUR_MODE);
  EXPECT_EQ(cuda::kDnnHeuristicsGraph, CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH);
  EXPECT_EQ(cuda::kDnnHeuristicsResults, CUDNN_ATTR_ENGINEHEUR_RESULTS);
  EXPECT_EQ(cuda::kDnnConfigEngine, CUDNN_ATTR_ENGINECFG_ENGINE);
  EXPECT_EQ(cuda::kDnnConfigKnobs, CUDNN_ATTR_ENGINECFG_KNOB_CHOICES);
  EXPECT_EQ(cuda::kDnnPlanConfig, CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG);
  EXPECT_EQ(cuda::kDnnPlanScratchBytes,
            CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE);
  EXPECT_EQ(cuda::kDnnKnobType, CUDNN_ATTR_KNOB_CHOICE_KNOB_TYPE);
  EXPECT_EQ(cuda::kDnnKnobValue, CUDNN_ATTR_KNOB_CHOICE_KNOB_VALUE);
  EXPECT_EQ(cuda::kDnnOperationPointwise,
            CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR);
  EXPECT_EQ(cuda::kDnnOperationX, CUDNN_ATTR_OPERATION_POINTWISE_XDESC);
  EXPECT_EQ(cuda::kDnnOperationB, CUDNN_ATTR_OPERATION_POINTWISE_BDESC);
  EXPECT_EQ(cuda::kDnnOperationY, CUDNN_ATTR_OPERATION_POINTWISE_YDESC);
  EXPECT_EQ(cuda::kDnnGraphOperations, CUDNN_ATTR_OPERATIONGRAPH_OPS);
  EXPECT_EQ(cuda::kDnnTensorAlignment, CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT);
  EXPECT_EQ(cuda::kDnnTensorDataType, CUDNN_ATTR_TENSOR_DATA_TYPE);
  EXPECT_EQ(cuda::kDnnTensorExtents, CUDNN_ATTR_TENSOR_DIMENSIONS);
  EXPECT_EQ(cuda::kDnnTensorStrides, CUDNN_ATTR_TENSOR_STRIDES);
  EXPECT_EQ(cuda::kDnnTensorId, CUDNN_ATTR_TENSOR_UNIQUE_ID);
  EXPECT_EQ(cuda::kDnnTensorIsVirtual, CUDNN_ATTR_TENSOR_IS_VIRTUAL);
  EXPECT_EQ(cuda::kDnnPackIds, CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS);
  EXPECT_EQ(cuda::kDnnPackPointers, CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS);
  EXPECT_EQ(cuda::kDnnPackScratch, CUDNN_ATTR_VARIANT_PACK_WORKSPACE);
  EXPECT_EQ(cuda::kDnnEngineGraph, CUDNN_ATTR_ENGINE_OPERATION_GRAPH);
  EXPECT_EQ(cuda::kDnnEngineNumber, CUDNN_ATTR_ENGINE_GLOBAL_INDEX);
  EXPECT_EQ(cuda::kDnnEngineNotes, CUDNN_ATTR_ENGINE_NUMERICAL_NOTE);
// The next ones are known to cuDNN 9.8 or newer, or deprecated in some.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
  EXPECT_EQ(cuda::kDnnPlanHandle, CUDNN_ATTR_EXECUTION_PLAN_HANDLE);
  EXPECT_EQ(cuda::kDnnGraphHandle, CUDNN_ATTR_OPERATIONGRAPH_HANDLE);
#pragma GCC diagnostic pop
#if CUDNN_VERSION >= 90800
  EXPECT_EQ(cuda::kDnnDeviceProperties, CUDNN_BACKEND_DEVICEPROP_DESCRIPTOR);
  EXPECT_EQ(cuda::kDnnHeuristicsDevice, CUDNN_ATTR_ENGINEHEUR_DEVICEPROP);
  EXPECT_EQ(cuda::kDnnPlanDevice, CUDNN_ATTR_EXECUTION_PLAN_DEVICEPROP);
  EXPECT_EQ(cuda::kDnnEngineDevice, CUDNN_ATTR_ENGINE_DEVICEPROP);
  EXPECT_EQ(cuda::kDnnDeviceJson, CUDNN_ATTR_DEVICEPROP_JSON_REPRESENTATION);
#endif
}

TEST(CudnnPrototypes, OperationsAreThoseOfTheHeader) {
  constexpr int kForward[] = {
      CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_ALPHA,
      CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_BETA,
      CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_CONV_DESC,
      CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_W,
      CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_X,
      CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y};
  constexpr int kImage[] = {CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_ALPHA,
                            CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_BETA,
                            CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_CONV_DESC,
                            CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_W,
                            CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DX,
                            CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DY};
  constexpr int kWeight[] = {
      CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_ALPHA,
      CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_BETA,
      CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_CONV_DESC,
      CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DW,
      CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_X,
      CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DY};
  for (int i = 0; i < 6; ++i) {
    EXPECT_EQ(cuda::kDnnForwardFirst + i, kForward[i]) << i;
    EXPECT_EQ(cuda::kDnnImageFirst + i, kImage[i]) << i;
    EXPECT_EQ(cuda::kDnnWeightFirst + i, kWeight[i]) << i;
  }
}

} // namespace
