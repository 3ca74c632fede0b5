// FakeCudnn.cpp - cuDNN's graphs of convolutions as far as Cudnn uses them, on
// the memory and the stream of FakeCuda.cpp. It refuses what is not said, said
// in another type or does not fit, counts what is not freed, traces calls, and
// fails where FAKE_CUDNN_FAILS says ("cudnnCreate=1001").
//
// FAKE_CUDNN_PROPOSES names what it proposes first, FAKE_CUDNN_FALLBACK what
// else, in this order: "fast", "slow" and "fastest" are right and take 5, 20
// and 2 us; "wrong" is not right; "restless" differs from run to run; "refused"
// fails when it is run; "greedy" asks for more scratch memory than there is;
// "unplanned" is one of which no plan is made; "random", "tensorcores",
// "halves" and "unheard" have notes, the last one of a later version; tensor
// cores cut factors off to tf32.
#include "test/runtime/device/cuda/FakeDnnObjects.h"

#include "runtime/device/cuda/ConvolutionGraph.h"
#include "test/runtime/device/ConvolutionCall.h"
#include "test/runtime/device/Elements.h"
#include "test/runtime/device/cuda/FakeCuda.h"
#include "test/runtime/device/cuda/FakeSettings.h"

#include <algorithm>
#include <sstream>

using namespace boostrt;
using namespace boostrt::cuda;
using namespace boostrt::cuda::fake;

namespace {

int live = 0, runs = 0;
std::string trace;

/// What heuristics propose, or an engine notes, into the caller's descriptors.
DnnResult propose(const Object &heuristics, int64_t most, int64_t *count,
                  void *values) {
  bool isFirst = heuristics.one(kDnnHeuristicsMode, kDnnTypeHeuristicMode,
                                -1) == kDnnModeA;
  std::istringstream names(isFirst ? setting("FAKE_CUDNN_PROPOSES", "fast")
                                   : setting("FAKE_CUDNN_FALLBACK", ""));
  auto *configs = static_cast<DnnDescriptor *>(values);
  *count = 0;
  for (std::string name; names >> name && *count < most;)
    for (int64_t kind = 0; kind < int64_t{std::size(kKinds)}; ++kind)
      if (name == kKinds[kind].name) {
        int64_t engine = kFirstEngine + kind;
        Object &config = *of(configs[(*count)++]);
        config.isFinal = true;
        config.say(kDnnEngineNumber, kDnnTypeInt64, &engine, sizeof engine);
      }
  return 0;
}

DnnResult get(const Object &object, int attribute, int type, int64_t most,
              int64_t *count, void *values) {
  if (!object.isFinal || !count || !values)
    return refuse("not final");
  auto *descriptors = static_cast<DnnDescriptor *>(values);
  if (object.type == kDnnHeuristics && attribute == kDnnHeuristicsResults)
    return propose(object, most, count, values);
  if (object.type == kDnnEngineConfig && attribute == kDnnConfigEngine) {
    Object &engine = *of(descriptors[0]);
    engine.attributes = object.attributes;
    engine.isFinal = true;
    *count = 1;
    return 0;
  }
  if (object.type == kDnnEngineConfig && attribute == kDnnConfigKnobs) {
    Object &knob = *of(descriptors[0]);
    int kind = 2;
    int64_t value = -7;
    knob.say(kDnnKnobType, kDnnTypeKnob, &kind, sizeof kind);
    knob.say(kDnnKnobValue, kDnnTypeInt64, &value, sizeof value);
    knob.isFinal = true;
    *count = 1;
    return 0;
  }
  if (object.type == kDnnEngine && attribute == kDnnEngineNotes) {
    *static_cast<int *>(values) = kindOf(object)->note;
    *count = 1;
    return 0;
  }
  auto found = object.attributes.find(attribute);
  if (found == object.attributes.end() || found->second.type != type)
    return refuse("no such attribute");
  size_t bytes = std::min(found->second.bytes.size(),
                          static_cast<size_t>(most) * sizeOf(type));
  std::memcpy(values, found->second.bytes.data(), bytes);
  *count = static_cast<int64_t>(bytes / sizeOf(type));
  return 0;
}

/// What a plan is asked to compute.
struct Asked {
  uint32_t kind = 0;
  BoostConvolution convolution{};
  std::map<int64_t, void *> at;      ///< by number
  std::map<int64_t, uint32_t> types; ///< BoostFloatType, likewise
  int64_t x = 0, w = 0, y = 0, bias = 0, result = 0;

  void take(const Object &tensor, int64_t *extents, int64_t &number) {
    auto values = tensor.all<int64_t>(kDnnTensorExtents, kDnnTypeInt64);
    std::copy(values.begin(), values.end(), extents);
    number = tensor.one<int64_t>(kDnnTensorId, kDnnTypeInt64, 0);
    int type = tensor.one(kDnnTensorDataType, kDnnTypeDataType, -1);
    types[number] = type == kDnnF32   ? BOOSTC_FLOAT_F32
                    : type == kDnnF16 ? BOOSTC_FLOAT_F16
                                      : BOOSTC_FLOAT_BF16;
  }
  Elements elements(int64_t number) const {
    return {at.at(number), types.at(number)};
  }

  explicit Asked(const Object &graph) {
    std::vector<ObjectPointer> operations = graph.objects(kDnnGraphOperations);
    const Object &operation = *operations[0];
    kind = operation.type == kDnnForwardOperation ? BOOSTC_LIBRARY_CONVOLUTION
           : operation.type == kDnnImageOperation
               ? BOOSTC_LIBRARY_CONVOLUTION_BACKWARD_DATA
               : BOOSTC_LIBRARY_CONVOLUTION_BACKWARD_WEIGHT;
    int first = firstOf(operation.type);
    take(*operation.object(first + 3, kDnnTensor), convolution.weight, w);
    take(*operation.object(first + 4, kDnnTensor), convolution.input, x);
    take(*operation.object(first + 5, kDnnTensor), convolution.output, y);
    const Object &steps = *operation.object(first + 2, kDnnConvolution);
    auto set = [&](int attribute, int64_t *to) {
      auto values = steps.all<int64_t>(attribute, kDnnTypeInt64);
      std::copy(values.begin(), values.end(), to);
    };
    set(kDnnConvolutionStrides, convolution.strides);
    set(kDnnConvolutionDilations, convolution.dilations);
    set(kDnnConvolutionPaddingBefore, convolution.padding);
    set(kDnnConvolutionPaddingAfter, convolution.padding + 2);
    result = kind == BOOSTC_LIBRARY_CONVOLUTION                 ? y
             : kind == BOOSTC_LIBRARY_CONVOLUTION_BACKWARD_DATA ? x
                                                                : w;
    if (operations.size() == 1)
      return;
    int64_t unused[4];
    take(*operations[1]->object(kDnnOperationB, kDnnTensor), unused, bias);
    take(*operations[1]->object(kDnnOperationY, kDnnTensor), unused, result);
  }

  bool isComplete() const {
    for (int64_t number : {x, w, y, bias})
      if (number != DnnTensor::Sums && number != 0 && !at.contains(number))
        return false;
    return at.contains(result) && at.size() == (bias ? 4u : 3u);
  }

  /// On row-major tensors.
  void compute(float error, uint32_t bits) {
    const BoostConvolution &c = convolution;
    bool isForward = kind == BOOSTC_LIBRARY_CONVOLUTION;
    bool isImage = kind == BOOSTC_LIBRARY_CONVOLUTION_BACKWARD_DATA;
    const int64_t *extents = isForward ? c.output
                             : isImage ? c.input
                                       : c.weight;
    Elements first = elements(isForward ? x : y);
    Elements second = elements(isForward || isImage ? w : x);
    std::vector<float> sums(bytesOf(extents) / sizeof(float));
    auto pixels = static_cast<size_t>(c.output[2] * c.output[3]);
    for (size_t i = 0; i < sums.size(); ++i)
      sums[i] =
          error +
          (bias ? elements(bias)[i / pixels % static_cast<size_t>(c.output[1])]
                : 0);
    forEachProduct(kind, c, [&](size_t sum, size_t i, size_t j) {
      sums[sum] += cut(first[i], bits) * cut(second[j], bits);
    });
    for (size_t i = 0; i < sums.size(); ++i)
      elements(result).set(i, sums[i]);
  }
};

/// The stream that is set.
struct Started {
  Stream stream = nullptr;
};

} // namespace

#define FAKE(symbol) extern "C" DnnResult symbol
#define FAIL_IF_ASKED                                                          \
  trace += std::string(__func__) + "\n";                                       \
  reason.clear();                                                              \
  if (int failure = failureOf("FAKE_CUDNN_FAILS", __func__))                   \
  return failure

extern "C" int fakeCudnnLiveObjects() { return live; }
extern "C" const char *fakeCudnnTrace() { return trace.c_str(); }
extern "C" void fakeCudnnForget() { trace.clear(); }

extern "C" size_t cudnnGetVersion() {
  return static_cast<size_t>(std::stoi(setting("FAKE_CUDNN_VERSION", "91900")));
}
extern "C" const char *cudnnGetErrorString(DnnResult result) {
  return result == 1001               ? "CUDNN_STATUS_NOT_INITIALIZED"
         : result == kBadParameter    ? "CUDNN_STATUS_BAD_PARAM"
         : result == kNotSupported    ? "CUDNN_STATUS_NOT_SUPPORTED"
         : result == kExecutionFailed ? "CUDNN_STATUS_EXECUTION_FAILED"
                                      : "unknown";
}
extern "C" void cudnnGetLastErrorString(char *text, size_t bytes) {
  text[reason.copy(text, bytes - 1)] = 0;
}
FAKE(cudnnCreate)(DnnHandle *handle) {
  FAIL_IF_ASKED;
  *handle = reinterpret_cast<DnnHandle>(new Started);
  ++live;
  return 0;
}
FAKE(cudnnDestroy)(DnnHandle handle) {
  delete reinterpret_cast<Started *>(handle);
  --live;
  return 0;
}
FAKE(cudnnSetStream)(DnnHandle handle, Stream stream) {
  FAIL_IF_ASKED;
  reinterpret_cast<Started *>(handle)->stream = stream;
  return 0;
}
FAKE(cudnnBackendCreateDescriptor)(int type, DnnDescriptor *descriptor) {
  FAIL_IF_ASKED;
  *descriptor = new ObjectPointer(new Object{type, false, {}});
  ++live;
  return 0;
}
FAKE(cudnnBackendDestroyDescriptor)(DnnDescriptor descriptor) {
  delete static_cast<ObjectPointer *>(descriptor);
  --live;
  return 0;
}
FAKE(cudnnBackendSetAttribute)(DnnDescriptor descriptor, int attribute,
                               int type, int64_t count, const void *values) {
  FAIL_IF_ASKED;
  Object &object = *of(descriptor);
  if (object.isFinal || count < 1 || !values)
    return refuse("final");
  object.say(attribute, type, values,
             static_cast<size_t>(count) * sizeOf(type));
  if (type == kDnnTypeDescriptor)
    for (int64_t i = 0; i < count; ++i)
      object.attributes[attribute].objects.push_back(
          of(static_cast<const DnnDescriptor *>(values)[i]));
  return 0;
}
FAKE(cudnnBackendFinalize)(DnnDescriptor descriptor) {
  FAIL_IF_ASKED;
  Object &object = *of(descriptor);
  if (DnnResult result = object.isFinal ? kBadParameter : finalize(object))
    return result;
  object.isFinal = true;
  return 0;
}
FAKE(cudnnBackendGetAttribute)(DnnDescriptor descriptor, int attribute,
                               int type, int64_t most, int64_t *count,
                               void *values) {
  FAIL_IF_ASKED;
  return get(*of(descriptor), attribute, type, most, count, values);
}
FAKE(cudnnBackendExecute)(DnnHandle handle, DnnDescriptor plan,
                          DnnDescriptor pack) {
  FAIL_IF_ASKED;
  const Object *engine = of(plan)
                             ->object(kDnnPlanConfig, kDnnEngineConfig)
                             ->object(kDnnConfigEngine, kDnnEngine);
  Asked asked(*engine->object(kDnnEngineGraph, kDnnGraph));
  auto numbers = of(pack)->all<int64_t>(kDnnPackIds, kDnnTypeInt64);
  auto pointers = of(pack)->all<void *>(kDnnPackPointers, kDnnTypeVoidPointer);
  void *scratch =
      of(pack)->one<void *>(kDnnPackScratch, kDnnTypeVoidPointer, nullptr);
  for (size_t i = 0; i < std::min(numbers.size(), pointers.size()); ++i)
    if (pointers[i])
      asked.at[numbers[i]] = pointers[i];
  if (!handle || !reinterpret_cast<Started *>(handle)->stream ||
      !of(pack)->isFinal || !scratch || !asked.isComplete())
    return refuse("no call");
  const Kind &kind = *kindOf(*engine);
  std::string name = kind.name;
  if (name == "refused")
    return refuse("refused", kExecutionFailed);
  fake_cuda::submit(
      [=, error = errorOf(name, runs)]() mutable {
        asked.compute(error, name == "tensorcores" ? kTf32Bits : kAllBits);
      },
      scratch, kind.microseconds);
  return 0;
}
