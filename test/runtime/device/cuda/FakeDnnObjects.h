// FakeDnnObjects.h - the descriptors of FakeCudnn.cpp, and what each is to be
// told before it is final.
#pragma once

#include "runtime/abi/boost_abi.h"
#include "runtime/device/cuda/CudnnApi.h"

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace boostrt::cuda::fake {

inline constexpr int kBadParameter = 2000, kNotSupported = 3000,
                     kExecutionFailed = 5000;
inline constexpr int64_t kFirstEngine = 10;
/// What cudnnGetLastErrorString() tells.
inline std::string reason;

struct Kind {
  const char *name;
  double microseconds;
  int note = kDnnNoteStrictNan;
};
inline constexpr Kind kKinds[] = {
    {"fast", 5},           {"slow", 20},     {"fastest", 2},
    {"wrong", 1},          {"restless", 1},  {"refused", 1},
    {"greedy", 1},         {"unplanned", 1}, {"random", 1, 4},
    {"tensorcores", 1, 0}, {"halves", 1, 1}, {"unheard", 1, 77}};

inline DnnResult refuse(const char *why, DnnResult result = kBadParameter) {
  reason = why;
  return result;
}

inline size_t sizeOf(int type) {
  switch (type) {
  case kDnnTypeBoolean:
  case kDnnTypeChar:
    return 1;
  case kDnnTypeHandle:
  case kDnnTypeInt64:
  case kDnnTypeVoidPointer:
  case kDnnTypeDescriptor:
    return 8;
  }
  return 4;
}

struct Object;
using ObjectPointer = std::shared_ptr<Object>;

struct Attribute {
  int type = -1;
  std::vector<std::byte> bytes;
  /// For descriptors, which may be destroyed before what names them.
  std::vector<ObjectPointer> objects;
};

struct Object {
  int type;
  bool isFinal = false;
  std::map<int, Attribute> attributes;

  /// The values of an attribute, where it was said in `type`.
  template <class T> std::vector<T> all(int attribute, int type) const {
    auto found = attributes.find(attribute);
    if (found == attributes.end() || found->second.type != type)
      return {};
    std::vector<T> values(found->second.bytes.size() / sizeof(T));
    std::memcpy(values.data(), found->second.bytes.data(),
                values.size() * sizeof(T));
    return values;
  }
  template <class T> T one(int attribute, int type, T otherwise) const {
    std::vector<T> values = all<T>(attribute, type);
    return values.size() == 1 ? values[0] : otherwise;
  }
  std::vector<ObjectPointer> objects(int attribute) const {
    auto found = attributes.find(attribute);
    return found == attributes.end() ? std::vector<ObjectPointer>()
                                     : found->second.objects;
  }
  /// What an attribute names, final and of `kind`; null otherwise.
  Object *object(int attribute, int kind) const {
    std::vector<ObjectPointer> found = objects(attribute);
    return found.size() == 1 && found[0]->isFinal && found[0]->type == kind
               ? found[0].get()
               : nullptr;
  }
  void say(int attribute, int type, const void *values, size_t bytes) {
    auto *from = static_cast<const std::byte *>(values);
    attributes[attribute] = {type, {from, from + bytes}, {}};
  }
};

inline ObjectPointer &of(DnnDescriptor descriptor) {
  return *static_cast<ObjectPointer *>(descriptor);
}

inline bool isTensor(const Object &tensor) {
  int type = tensor.one(kDnnTensorDataType, kDnnTypeDataType, -1);
  return (type == kDnnF32 || type == kDnnF16 || type == kDnnBf16) &&
         tensor.all<int64_t>(kDnnTensorExtents, kDnnTypeInt64).size() == 4 &&
         tensor.all<int64_t>(kDnnTensorStrides, kDnnTypeInt64).size() == 4 &&
         tensor.one<int64_t>(kDnnTensorId, kDnnTypeInt64, 0) > 0 &&
         tensor.one<int64_t>(kDnnTensorAlignment, kDnnTypeInt64, 256) ==
             BOOSTC_ALIGNMENT;
}

inline bool isConvolution(const Object &convolution) {
  for (int attribute :
       {kDnnConvolutionDilations, kDnnConvolutionStrides,
        kDnnConvolutionPaddingBefore, kDnnConvolutionPaddingAfter})
    if (convolution.all<int64_t>(attribute, kDnnTypeInt64).size() != 2)
      return false;
  return convolution.one(kDnnConvolutionPrecision, kDnnTypeDataType, -1) ==
             kDnnF32 &&
         convolution.one(kDnnConvolutionMode, kDnnTypeConvolutionMode, -1) ==
             kDnnCrossCorrelation &&
         convolution.one<int64_t>(kDnnConvolutionDimensions, kDnnTypeInt64,
                                  0) == 2;
}

inline int firstOf(int operation) {
  return operation == kDnnForwardOperation ? kDnnForwardFirst
         : operation == kDnnImageOperation ? kDnnImageFirst
                                           : kDnnWeightFirst;
}

inline bool isOperation(const Object &operation) {
  int first = firstOf(operation.type);
  for (int tensor : {3, 4, 5})
    if (!operation.object(first + tensor, kDnnTensor))
      return false;
  return operation.one(first, kDnnTypeFloat, 0.0f) == 1 &&
         operation.one(first + 1, kDnnTypeFloat, 1.0f) == 0 &&
         operation.object(first + 2, kDnnConvolution);
}

inline bool isVirtual(const Object &tensor) {
  return tensor.one<uint8_t>(kDnnTensorIsVirtual, kDnnTypeBoolean, 0) != 0;
}

/// A convolution, and what adds a bias to its output.
inline bool isGraph(const Object &graph) {
  std::vector<ObjectPointer> operations = graph.objects(kDnnGraphOperations);
  if (operations.empty() || operations.size() > 2 ||
      !graph.one<void *>(kDnnGraphHandle, kDnnTypeHandle, nullptr))
    return false;
  const Object &convolution = *operations[0];
  Object *y = convolution.object(firstOf(convolution.type) + 5, kDnnTensor);
  if (operations.size() == 1)
    return y && !isVirtual(*y);
  const Object &addition = *operations[1];
  Object *out = addition.object(kDnnOperationY, kDnnTensor);
  return y && isVirtual(*y) && convolution.type == kDnnForwardOperation &&
         addition.object(kDnnOperationX, kDnnTensor) == y && out &&
         !isVirtual(*out) && addition.object(kDnnOperationB, kDnnTensor);
}

/// The kind of proposal that an engine is; null for another's.
inline const Kind *kindOf(const Object &engine) {
  int64_t number = engine.one<int64_t>(kDnnEngineNumber, kDnnTypeInt64, -1);
  size_t index = static_cast<size_t>(number - kFirstEngine);
  return number >= kFirstEngine && index < std::size(kKinds) ? &kKinds[index]
                                                             : nullptr;
}

/// A plan needs the settings that were proposed with the engine.
inline DnnResult finalizePlan(Object &plan) {
  Object *config = plan.object(kDnnPlanConfig, kDnnEngineConfig);
  Object *engine =
      config ? config->object(kDnnConfigEngine, kDnnEngine) : nullptr;
  const Kind *kind = engine ? kindOf(*engine) : nullptr;
  if (!kind || !plan.one<void *>(kDnnPlanHandle, kDnnTypeHandle, nullptr))
    return refuse("no plan");
  Object *knob = config->object(kDnnConfigKnobs, kDnnKnobChoice);
  if (!knob || knob->one(kDnnKnobType, kDnnTypeKnob, -1) != 2 ||
      knob->one<int64_t>(kDnnKnobValue, kDnnTypeInt64, -1) != -7)
    return refuse("other settings");
  if (std::string(kind->name) == "unplanned")
    return refuse("unplanned", kNotSupported);
  int64_t bytes =
      std::string(kind->name) == "greedy" ? int64_t{1} << 40 : int64_t{256};
  plan.say(kDnnPlanScratchBytes, kDnnTypeInt64, &bytes, sizeof bytes);
  return 0;
}

inline DnnResult finalize(Object &object) {
  switch (object.type) {
  case kDnnTensor:
    return isTensor(object) ? 0 : refuse("no tensor");
  case kDnnConvolution:
    return isConvolution(object) ? 0 : refuse("no convolution");
  case kDnnForwardOperation:
  case kDnnImageOperation:
  case kDnnWeightOperation:
    return isOperation(object) ? 0 : refuse("no operation");
  case kDnnPointwise:
    return object.one(kDnnPointwiseMode, kDnnTypePointwiseMode, -1) ==
                       kDnnAdd &&
                   object.one(kDnnPointwisePrecision, kDnnTypeDataType, -1) ==
                       kDnnF32
               ? 0
               : refuse("no addition");
  case kDnnPointwiseOperation:
    return object.object(kDnnOperationPointwise, kDnnPointwise)
               ? 0
               : refuse("no addition");
  case kDnnGraph:
    return isGraph(object) ? 0 : refuse("no graph");
  case kDnnHeuristics:
    return object.object(kDnnHeuristicsGraph, kDnnGraph) ? 0
                                                         : refuse("no graph");
  case kDnnEngine:
    return object.object(kDnnEngineGraph, kDnnGraph) && kindOf(object)
               ? 0
               : refuse("no engine");
  case kDnnPlan:
    return finalizePlan(object);
  }
  return 0;
}

} // namespace boostrt::cuda::fake
