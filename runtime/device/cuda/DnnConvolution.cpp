// Convolutions as cuDNN is told of them, and what it proposes.
#include "runtime/device/cuda/Cudnn.h"
#include "runtime/device/cuda/EngineConfig.h"

#include <algorithm>
#include <fmt/format.h>

namespace boostrt::cuda {
namespace {

/// The longest lists that the library returns; it has some forty kinds of
/// knobs.
constexpr int64_t kMaxConfigs = 64, kMaxNotes = 64, kMaxKnobs = 64;

/// The operation of a kind, and its first attribute.
struct Operation {
  int type, first;
};
Operation operationOf(uint32_t kind) {
  switch (kind) {
  case BOOSTC_LIBRARY_CONVOLUTION_BACKWARD_DATA:
    return {kDnnImageOperation, kDnnImageFirst};
  case BOOSTC_LIBRARY_CONVOLUTION_BACKWARD_WEIGHT:
    return {kDnnWeightOperation, kDnnWeightFirst};
  }
  return {kDnnForwardOperation, kDnnForwardFirst};
}
/// Its attributes, from the first on.
enum { kAlpha, kBeta, kConvolution, kWeight, kInput, kOutput };

/// cudnnDataType_t of a BoostFloatType.
int dataTypeOf(uint32_t type) {
  return type == BOOSTC_FLOAT_F32   ? kDnnF32
         : type == BOOSTC_FLOAT_F16 ? kDnnF16
                                    : kDnnBf16;
}

Result<EngineConfig> readConfig(const CudnnApi &api, const DnnObject &object) {
  Result<DnnObject> engine = DnnObject::make(api, kDnnEngine);
  if (!engine.ok())
    return engine.status();
  DnnDescriptor descriptor = engine->get();
  BOOSTRT_RETURN_IF_ERROR(
      object.read(kDnnConfigEngine, kDnnTypeDescriptor, descriptor));
  EngineConfig config;
  BOOSTRT_RETURN_IF_ERROR(
      engine->read(kDnnEngineNumber, kDnnTypeInt64, config.engine));
  std::vector<DnnObject> choices;
  BOOSTRT_RETURN_IF_ERROR(
      object.readObjects(kDnnConfigKnobs, kDnnKnobChoice, kMaxKnobs, choices));
  for (const DnnObject &choice : choices) {
    EngineConfig::Knob knob{};
    BOOSTRT_RETURN_IF_ERROR(choice.read(kDnnKnobType, kDnnTypeKnob, knob.type));
    BOOSTRT_RETURN_IF_ERROR(
        choice.read(kDnnKnobValue, kDnnTypeInt64, knob.value));
    config.knobs.push_back(knob);
  }
  return config;
}

} // namespace

Result<std::unique_ptr<DnnConvolution>>
DnnConvolution::create(const Cudnn &library, const BoostLibraryCall &call) {
  Result<ConvolutionGraph> graph = describeConvolution(call);
  if (!graph.ok())
    return graph.status();
  std::unique_ptr<DnnConvolution> convolution(new DnnConvolution(library));
  convolution->hasBias_ = graph->hasBias;
  convolution->precision_ = nameOfPrecision(call);
  convolution->allowsTensorCores_ = allowsTensorCores(call);
  convolution->scratchBytes_ = call.scratch_bytes;
  BOOSTRT_RETURN_IF_ERROR(convolution->describe(*graph));
  return convolution;
}

Result<DnnObject> DnnConvolution::makeTensor(const DnnTensor &tensor,
                                             bool isVirtual) const {
  DnnBuilder builder(library_.api(), kDnnTensor);
  builder.set(kDnnTensorDataType, kDnnTypeDataType, dataTypeOf(tensor.type))
      .set(kDnnTensorExtents, kDnnTypeInt64, tensor.extents)
      .set(kDnnTensorStrides, kDnnTypeInt64, tensor.strides)
      .set(kDnnTensorId, kDnnTypeInt64, tensor.number)
      .set(kDnnTensorAlignment, kDnnTypeInt64, int64_t{BOOSTC_ALIGNMENT});
  if (isVirtual)
    builder.set(kDnnTensorIsVirtual, kDnnTypeBoolean, true);
  return builder.finish("a tensor");
}

Result<DnnObject>
DnnConvolution::makeConvolution(const ConvolutionGraph &graph) const {
  return DnnBuilder(library_.api(), kDnnConvolution)
      .set(kDnnConvolutionPrecision, kDnnTypeDataType, kDnnF32)
      .set(kDnnConvolutionMode, kDnnTypeConvolutionMode, kDnnCrossCorrelation)
      .set(kDnnConvolutionDimensions, kDnnTypeInt64, int64_t{2})
      .set(kDnnConvolutionDilations, kDnnTypeInt64, graph.dilations)
      .set(kDnnConvolutionStrides, kDnnTypeInt64, graph.strides)
      .set(kDnnConvolutionPaddingBefore, kDnnTypeInt64, graph.paddingBefore)
      .set(kDnnConvolutionPaddingAfter, kDnnTypeInt64, graph.paddingAfter)
      .finish("a convolution");
}

Result<DnnObject>
DnnConvolution::makeOperation(const ConvolutionGraph &graph,
                              const DnnObject &convolution,
                              const DnnObject *const (&tensors)[3]) const {
  auto [type, first] = operationOf(graph.kind);
  return DnnBuilder(library_.api(), type)
      .set(first + kAlpha, kDnnTypeFloat, 1.0f)
      .set(first + kBeta, kDnnTypeFloat, 0.0f)
      .set(first + kConvolution, convolution)
      .set(first + kWeight, *tensors[0])
      .set(first + kInput, *tensors[1])
      .set(first + kOutput, *tensors[2])
      .finish("an operation");
}

Result<DnnObject> DnnConvolution::makeAddition(const DnnObject &sums,
                                               const DnnObject &bias,
                                               const DnnObject &result) const {
  Result<DnnObject> add =
      DnnBuilder(library_.api(), kDnnPointwise)
          .set(kDnnPointwiseMode, kDnnTypePointwiseMode, kDnnAdd)
          .set(kDnnPointwisePrecision, kDnnTypeDataType, kDnnF32)
          .finish("an addition");
  if (!add.ok())
    return add.status();
  return DnnBuilder(library_.api(), kDnnPointwiseOperation)
      .set(kDnnOperationPointwise, *add)
      .set(kDnnOperationX, sums)
      .set(kDnnOperationB, bias)
      .set(kDnnOperationY, result)
      .finish("an operation");
}

Status DnnConvolution::describe(const ConvolutionGraph &graph) {
  // A convolution with a bias hands its sums, in f32, to an addition.
  DnnTensor sums = graph.output;
  sums.number = DnnTensor::Sums;
  sums.type = BOOSTC_FLOAT_F32;
  Result<DnnObject> input = makeTensor(graph.input, false),
                    weight = makeTensor(graph.weight, false),
                    output = makeTensor(graph.output, false),
                    bias = makeTensor(graph.bias, false),
                    between = makeTensor(sums, true),
                    convolution = makeConvolution(graph);
  for (const Result<DnnObject> *made :
       {&input, &weight, &output, &bias, &between, &convolution})
    BOOSTRT_RETURN_IF_ERROR(made->status());
  Result<DnnObject> operation =
      makeOperation(graph, *convolution,
                    {&*weight, &*input, graph.hasBias ? &*between : &*output});
  BOOSTRT_RETURN_IF_ERROR(operation.status());
  std::vector<DnnDescriptor> operations = {operation->get()};
  DnnObject addition;
  if (graph.hasBias) {
    Result<DnnObject> made = makeAddition(*between, *bias, *output);
    BOOSTRT_RETURN_IF_ERROR(made.status());
    addition = std::move(made).value();
    operations.push_back(addition.get());
  }
  DnnBuilder builder(library_.api(), kDnnGraph);
  builder.set(kDnnGraphOperations, kDnnTypeDescriptor,
              std::span<const DnnDescriptor>(operations));
  library_.setDevice(builder, kDnnGraphHandle, Cudnn::kNone);
  Result<DnnObject> made = builder.finish("a graph");
  BOOSTRT_RETURN_IF_ERROR(made.status());
  graph_ = std::move(made).value();
  return Status();
}

Result<std::vector<std::string>> DnnConvolution::candidates(Operands) {
  std::vector<std::string> fit;
  // The second mode has engines that take whatever the first does not.
  for (int mode : {kDnnModeA, kDnnModeFallback})
    BOOSTRT_RETURN_IF_ERROR(addCandidates(mode, fit));
  if (fit.empty())
    return Status(
        ExitCode::Internal,
        fmt::format("{} proposes nothing that is deterministic, has the "
                    "precision of {} and needs {} bytes of scratch memory at "
                    "most",
                    library_.name(), precision_, scratchBytes_));
  return fit;
}

Status DnnConvolution::addCandidates(int mode,
                                     std::vector<std::string> &fit) const {
  DnnBuilder builder(library_.api(), kDnnHeuristics);
  builder.set(kDnnHeuristicsGraph, graph_)
      .set(kDnnHeuristicsMode, kDnnTypeHeuristicMode, mode);
  library_.setDevice(builder, Cudnn::kNone, kDnnHeuristicsDevice);
  Result<DnnObject> heuristics = builder.finish("heuristics");
  BOOSTRT_RETURN_IF_ERROR(heuristics.status());
  std::vector<DnnObject> configs;
  BOOSTRT_RETURN_IF_ERROR(heuristics->readObjects(
      kDnnHeuristicsResults, kDnnEngineConfig, kMaxConfigs, configs));
  for (const DnnObject &object : configs) {
    if (fit.size() == kMaxCandidates)
      break;
    Result<EngineConfig> config = readConfig(library_.api(), object);
    BOOSTRT_RETURN_IF_ERROR(config.status());
    std::string text = formatConfig(*config);
    if (std::find(fit.begin(), fit.end(), text) == fit.end() &&
        makePlan(text).ok())
      fit.push_back(text);
  }
  return Status();
}

Result<DnnObject> DnnConvolution::makeEngine(int64_t number) const {
  DnnBuilder builder(library_.api(), kDnnEngine);
  builder.set(kDnnEngineGraph, graph_)
      .set(kDnnEngineNumber, kDnnTypeInt64, number);
  library_.setDevice(builder, Cudnn::kNone, kDnnEngineDevice);
  return builder.finish("an engine");
}

Result<DnnObject> DnnConvolution::makePlan(const std::string &candidate) const {
  const CudnnApi &api = library_.api();
  std::optional<EngineConfig> wanted = parseConfig(candidate);
  if (!wanted)
    return Status(ExitCode::Input,
                  fmt::format("'{}' is not an engine", candidate));
  Result<DnnObject> engine = makeEngine(wanted->engine);
  if (!engine.ok())
    return engine.status();
  std::vector<int> notes;
  BOOSTRT_RETURN_IF_ERROR(engine->readAll(
      kDnnEngineNotes, kDnnTypeNumericalNote, kMaxNotes, notes));
  // The others are what results would suffer from, those of later versions
  // too. Of f32 as it is, tensor cores multiply tf32; what else inputs may be
  // converted to has a note of its own.
  for (int note : notes)
    if (note != kDnnNoteStrictNan &&
        !(note == kDnnNoteTensorCore && allowsTensorCores_))
      return Status(ExitCode::Input,
                    fmt::format("'{}' has note {}", candidate, note));

  std::vector<DnnObject> knobs;
  std::vector<DnnDescriptor> choices;
  for (const EngineConfig::Knob &knob : wanted->knobs) {
    Result<DnnObject> choice =
        DnnBuilder(api, kDnnKnobChoice)
            .set(kDnnKnobType, kDnnTypeKnob, knob.type)
            .set(kDnnKnobValue, kDnnTypeInt64, knob.value)
            .finish("a setting of an engine");
    if (!choice.ok())
      return choice.status();
    choices.push_back(choice->get());
    knobs.push_back(std::move(choice).value());
  }
  DnnBuilder configBuilder(api, kDnnEngineConfig);
  configBuilder.set(kDnnConfigEngine, *engine);
  if (!choices.empty())
    configBuilder.set(kDnnConfigKnobs, kDnnTypeDescriptor,
                      std::span<const DnnDescriptor>(choices));
  Result<DnnObject> config = configBuilder.finish("an engine's settings");
  if (!config.ok())
    return config.status();
  DnnBuilder planBuilder(api, kDnnPlan);
  library_.setDevice(planBuilder, kDnnPlanHandle, kDnnPlanDevice);
  Result<DnnObject> plan =
      planBuilder.set(kDnnPlanConfig, *config).finish("a plan");
  if (!plan.ok())
    return plan;
  int64_t bytes = 0;
  BOOSTRT_RETURN_IF_ERROR(
      plan->read(kDnnPlanScratchBytes, kDnnTypeInt64, bytes));
  if (static_cast<uint64_t>(bytes) > scratchBytes_)
    return Status(ExitCode::Input,
                  fmt::format("'{}' needs {} bytes of scratch memory, and {} "
                              "are there",
                              candidate, bytes, scratchBytes_));
  return plan;
}

Status DnnConvolution::choose(const std::string &candidate, Operands) {
  Result<DnnObject> plan = makePlan(candidate);
  BOOSTRT_RETURN_IF_ERROR(plan.status());
  plan_ = std::move(plan).value();
  return Status();
}

Status DnnConvolution::run(Operands operands) {
  const CudnnApi &api = library_.api();
  std::vector<int64_t> numbers;
  std::vector<void *> addresses;
  for (int64_t number :
       {DnnTensor::A, DnnTensor::B, DnnTensor::Bias, DnnTensor::C})
    if (number != DnnTensor::Bias || hasBias_) {
      numbers.push_back(number);
      addresses.push_back(
          reinterpret_cast<void *>(operands[DnnTensor::operandOf(number)]));
    }
  Result<DnnObject> pack =
      DnnBuilder(api, kDnnVariantPack)
          .set(kDnnPackIds, kDnnTypeInt64, std::span<const int64_t>(numbers))
          .set(kDnnPackPointers, kDnnTypeVoidPointer,
               std::span<void *const>(addresses))
          .set(kDnnPackScratch, kDnnTypeVoidPointer,
               reinterpret_cast<void *>(operands[CallOperands::Scratch]))
          .finish("a call");
  BOOSTRT_RETURN_IF_ERROR(pack.status());
  return api.check(
      "cudnnBackendExecute",
      api.cudnnBackendExecute(library_.handle_, plan_.get(), pack->get()));
}

} // namespace boostrt::cuda
