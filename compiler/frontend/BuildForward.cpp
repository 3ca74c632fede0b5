#include "compiler/frontend/BuildForward.h"
#include "compiler/frontend/ResolveModel.h"
#include "compiler/frontend/Transforms.h"
#include "dialects/nn/NnDialect.h"
#include "runtime/abi/boost_random.h"
#include "runtime/support/EvalInput.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>

using namespace mlir;
using namespace boostc;
using namespace boostc::frontend;
using llvm::formatv;
using rt::BindingKind;

/// Whether a tensor of this shape takes more than 2^40 bytes; its elements may
/// be more than 64 bits count.
static bool isTooLarge(ArrayRef<int64_t> shape) {
  uint64_t elements = 1;
  for (int64_t extent : shape)
    elements =
        llvm::SaturatingMultiply(elements, static_cast<uint64_t>(extent));
  return elements > kMaxElements / 4;
}

static bool hasLayer(const ProgramParts &parts,
                     llvm::function_ref<bool(const LayerSpec &)> isMeant) {
  return llvm::any_of(parts.model.at("layers").items, [&](const Node &layer) {
    return isMeant(
        parts.table.entry(LayerSpec::Kind::Layer, layer.at("op").text).spec);
  });
}

bool ProgramParts::isRandom() const {
  return hasLayer(*this, [](const LayerSpec &spec) { return spec.isRandom; });
}

bool ProgramParts::hasInference() const {
  return evalShape(model) || hasLayer(*this, [](const LayerSpec &spec) {
           return spec.isRandom || !spec.statistics.empty();
         });
}

void frontend::bindArgument(func::FuncOp function, unsigned index,
                            BindingKind kind, StringRef name) {
  function.setArgAttr(index, rt::kBindingAttrName,
                      rt::BindingAttr::get(function.getContext(), kind, name));
}

void frontend::bindResult(func::FuncOp function, unsigned index,
                          BindingKind kind, StringRef name) {
  function.setResultAttr(
      index, rt::kBindingAttrName,
      rt::BindingAttr::get(function.getContext(), kind, name));
}

func::FuncOp frontend::createFunction(ProgramParts &parts, StringRef name) {
  OpBuilder &b = parts.builder;
  b.setInsertionPointToEnd(&parts.program.getBody().front());
  auto function = func::FuncOp::create(b, parts.program.getLoc(), name,
                                       b.getFunctionType({}, {}));
  b.setInsertionPointToStart(function.addEntryBlock());
  return function;
}

Value frontend::addArgument(func::FuncOp function, Type type, Location loc) {
  return function.front().addArgument(type, loc);
}

void frontend::finishFunction(ProgramParts &parts, func::FuncOp function,
                              ValueRange results) {
  OpBuilder &b = parts.builder;
  b.setInsertionPointToEnd(&function.front());
  func::ReturnOp::create(b, function.getLoc(), results);
  function.setFunctionType(b.getFunctionType(
      function.front().getArgumentTypes(), results.getTypes()));
}

/// The attribute of a resolved initialiser.
static FailureOr<rt::InitializerAttr> makeInitializer(ProgramParts &parts,
                                                      const Node &node,
                                                      int64_t fanIn,
                                                      int64_t fanOut) {
  using rt::InitializerKind;
  auto get = [&](InitializerKind kind, double a, double b) {
    return rt::InitializerAttr::get(parts.builder.getContext(), kind, a, b);
  };
  StringRef type = node.at("type").text;
  if (type == "zeros")
    return get(InitializerKind::Constant, 0.0, 0.0);
  if (type == "ones")
    return get(InitializerKind::Constant, 1.0, 0.0);
  if (type == "constant")
    return get(InitializerKind::Constant, node.at("value").number, 0.0);
  if (type == "normal")
    return get(InitializerKind::Normal, node.at("mean").number,
               node.at("std").number);
  if (type == "uniform") {
    double low = node.at("min").number, high = node.at("max").number;
    if (low > high) {
      parts.errors.error(
          node.at("max").extent,
          formatv("'max': expected a number of at least 'min', {0}, found {1}",
                  node.at("min").describe(), node.at("max").describe()));
      return failure();
    }
    return get(InitializerKind::Uniform, low, high);
  }
  if (type == "truncated_normal")
    return get(InitializerKind::TruncatedNormal, node.at("mean").number,
               node.at("std").number);
  double in = static_cast<double>(fanIn), out = static_cast<double>(fanOut);
  auto normal = [&](double std) {
    return get(InitializerKind::Normal, 0.0, std);
  };
  auto uniform = [&](double bound) {
    return get(InitializerKind::Uniform, -bound, bound);
  };
  if (type == "truncated_normal_fan_in") // deviation of what the cut leaves
    return get(InitializerKind::TruncatedNormal, 0.0,
               std::sqrt(1.0 / in) / 0.87962566103423978);
  if (type == "xavier_uniform")
    return uniform(node.at("gain").number * std::sqrt(6.0 / (in + out)));
  if (type == "xavier_normal")
    return normal(node.at("gain").number * std::sqrt(2.0 / (in + out)));
  if (type == "he_uniform" || type == "he_normal") {
    double fan = node.at("mode").text == "fan_in" ? in : out;
    return type == "he_uniform" ? uniform(std::sqrt(6.0 / fan))
                                : normal(std::sqrt(2.0 / fan));
  }
  assert(type == "uniform_fan_in" && "the table lists the initialisers");
  return uniform(1.0 / std::sqrt(in));
}

namespace {

/// @forward or @inference under construction.
struct Forward {
  func::FuncOp function;
  bool isTraining;
  /// The bindings of the arguments, in their order.
  SmallVector<rt::BindingAttr> bindings = {};
  SmallVector<Value> accumulated = {}; ///< see ProgramParts::accumulators

  Value addArgument(Type type, Location loc, BindingKind kind,
                    StringRef name = {}) {
    bindings.push_back(rt::BindingAttr::get(type.getContext(), kind, name));
    return frontend::addArgument(function, type, loc);
  }
};

/// One layer while its op builds it.
class LayerUse : public EntryBuilder {
public:
  /// The layer is added to `forward`.
  LayerUse(ProgramParts &parts, Forward &forward, Location loc,
           const LayerSpec &spec, const Node &node)
      : EntryBuilder(parts.builder, loc, spec, node,
                     formatv("layer '{0}'", node.at("name").text),
                     parts.errors),
        parts(parts), forward(forward) {
    isTraining = forward.isTraining;
  }

  FailureOr<Value> parameter(StringRef name, ArrayRef<int64_t> shape,
                             int64_t fanIn, int64_t fanOut) override {
    if (auto known = declared.find(name); known != declared.end())
      return known->second;
    if (isTooLarge(shape)) {
      errors.error(
          node.extent,
          formatv("{0}: parameter '{1}' would take more than 2^40 bytes", noun,
                  name));
      return failure();
    }
    const ParameterSpec *parameterSpec =
        llvm::find_if(spec.parameters, [&](const ParameterSpec &p) {
          return p.name == name;
        }).base();
    FailureOr<rt::InitializerAttr> initializer =
        makeInitializer(parts, node.at("init").at(name), fanIn, fanOut);
    if (failed(initializer))
      return failure();

    auto type = RankedTensorType::get(shape, builder.getF32Type());
    std::string symbol = getSymbol(name);
    if (isTraining) {
      OpBuilder::InsertionGuard guard(builder);
      parts.moveToDeclarations();
      parts.parameters.push_back(train::ParameterOp::create(
          builder, loc, symbol, static_cast<train::Role>(parameterSpec->role),
          *initializer, type));
    }
    if (!isTraining &&
        failed(checkSame<train::ParameterOp>("parameter", name, type)))
      return failure();
    Value value =
        forward.addArgument(type, loc, BindingKind::Parameter, symbol);
    declared[name] = value;
    return value;
  }

  Value statistic(StringRef name, ArrayRef<int64_t> shape) override {
    auto type = RankedTensorType::get(shape, builder.getF32Type());
    std::string symbol = getSymbol(name);
    if (isTraining) {
      const StatisticSpec *statistic =
          llvm::find_if(spec.statistics, [&](const StatisticSpec &s) {
            return s.name == name;
          }).base();
      OpBuilder::InsertionGuard guard(builder);
      parts.moveToDeclarations();
      statistics[name] = train::StateOp::create(
          builder, loc, builder.getStringAttr(symbol),
          builder.getStringAttr(name), FlatSymbolRefAttr(),
          rt::InitializerAttr::get(builder.getContext(),
                                   rt::InitializerKind::Constant,
                                   statistic->initial, 0.0),
          TypeAttr::get(type), train::Saved::WithWeights);
    } else {
      (void)checkSame<train::StateOp>("statistic", name, type); // counted
    }
    return forward.addArgument(type, loc, BindingKind::State, symbol);
  }

  void trackMoments(const RunningMoments &moments) override {
    OpBuilder::InsertionGuard guard(builder);
    parts.moveToDeclarations();
    auto accumulate = [&](StringRef name, Value sum) {
      forward.accumulated.push_back(sum);
      parts.accumulators.push_back(train::AccumulatorOp::create(
          builder, loc, builder.getStringAttr(getSymbol(name)),
          FlatSymbolRefAttr(), TypeAttr::get(sum.getType())));
      return parts.accumulators.back();
    };
    auto shifts = accumulate("shifts", moments.shifts);
    auto squares = accumulate("squares", moments.squares);
    auto count = accumulate("count", moments.count);
    parts.moments.push_back({loc, statistics.lookup(moments.mean),
                             statistics.lookup(moments.variance), shifts,
                             squares, count, moments.momentum,
                             moments.isUnbiased});
  }

  /// An initialiser that the file gives for a parameter which this layer does
  /// not have.
  void checkInitializers() {
    const Node *init = node.find("init");
    for (const ParameterSpec &p : spec.parameters)
      if (!init->at(p.name).isDefault && !declared.contains(p.name))
        errors.error(
            init->findMember(p.name)->keyExtent,
            formatv("{0} has no parameter '{1}' to initialise", noun, p.name));
  }

private:
  std::string getSymbol(StringRef name) {
    return node.at("name").text + "." + name.str();
  }

  /// Whether an evaluation has what training has under this name.
  template <typename Op>
  LogicalResult checkSame(StringRef what, StringRef name,
                          RankedTensorType type) {
    auto trained = parts.program.lookupSymbol<Op>(getSymbol(name));
    auto before = trained ? dyn_cast<RankedTensorType>(trained.getType())
                          : RankedTensorType();
    if (before == type)
      return success();
    auto shapeOf = [](RankedTensorType type) {
      return type ? formatv("[{0:$[, ]}]",
                            llvm::make_range(type.getShape().begin(),
                                             type.getShape().end()))
                        .str()
                  : std::string("missing");
    };
    errors.error(
        node.extent,
        formatv("{0}: {1} '{2}' is {3} in training and {4} in an evaluation, "
                "whose images have another size; put global_avg_pool before "
                "the layer, or give 'eval_shape' the extents of 'shape'",
                noun, what, name, shapeOf(before), shapeOf(type)));
    return failure();
  }

  ProgramParts &parts;
  Forward &forward;
  llvm::StringMap<Value> declared;
  llvm::StringMap<train::StateOp> statistics;
};

/// Builds @forward or @inference, layer by layer.
class ForwardBuilder {
public:
  ForwardBuilder(ProgramParts &parts, bool isTraining)
      : parts(parts), b(parts.builder), model(parts.model),
        forward{{}, isTraining} {}

  LogicalResult build() {
    if (forward.isTraining)
      declareInputs();
    addInputs();
    for (const Node &layer : model.at("layers").items) {
      if (parts.errors.isFull())
        return failure();
      buildLayer(layer);
    }
    if (parts.errors.hasErrors())
      return failure();
    const Node &last = model.at("layers").items.back();
    output = values[last.at("name").text];
    if (failed(checkClasses(last)) || failed(checkUses()))
      return failure();
    buildMeasure(LayerSpec::Kind::Loss, "loss", model.at("loss"));
    for (const Node &metric : model.at("metrics").items)
      if (metric.at("op").text != kLossMetric)
        buildMeasure(LayerSpec::Kind::Metric, "metric", metric);
    if (parts.errors.hasErrors())
      return failure();
    finish();
    return success();
  }

private:
  void declareInputs() {
    int64_t batch = parts.microBatch;
    b.setInsertionPointToEnd(&parts.program.getBody().front());
    for (const Member &input : model.at("input").members) {
      IntegerAttr classes;
      Type element = b.getF32Type();
      if (const Node *integers = input.value.find("classes")) {
        classes = b.getI64IntegerAttr(integers->integer);
        element = b.getI32Type();
      } else if (isPixels(input)) {
        element = b.getI8Type();
      }
      // Labels of one per sample need not say that they are a target.
      bool isWeight = &input == weightsInput(model);
      bool isTarget = !isWeight && input.value.find("shape") &&
                      input.key != featuresInput(model).key;
      auto declare = [&](std::string name, const Node *extents) {
        SmallVector<int64_t> shape = {batch};
        if (extents)
          for (const Node &extent : extents->items)
            shape.push_back(extent.integer);
        train::InputOp::create(b, nameLocation(b, input.key, input.keyExtent),
                               name, classes, isTarget, isWeight,
                               /*sample_keys=*/false,
                               RankedTensorType::get(shape, element));
      };
      declare(input.key, input.value.find("shape"));
      if (const Node *shape = evalShape(model);
          shape && input.key == featuresInput(model).key)
        declare(input.key + std::string(boostrt::kEvalSuffix), shape);
    }
    if (parts.isRandom())
      train::InputOp::create(b, parts.program.getLoc(), train::kSampleKey,
                             IntegerAttr(), /*target=*/false,
                             /*weight=*/false, /*sample_keys=*/true,
                             RankedTensorType::get(batch, b.getI32Type()));
  }

  void addInputs() {
    SmallVector<train::InputOp> inputs(
        parts.program.getBody().getOps<train::InputOp>());
    bool isTraining = forward.isTraining;
    forward.function =
        createFunction(parts, isTraining ? train::kForward : train::kInference);
    (isTraining ? parts.forward : parts.inference) = forward.function;
    for (train::InputOp input : inputs) {
      StringRef name = input.getSymName();
      std::string_view evaluated = boostrt::evaluatedInput(name);
      bool isReplaced = evalShape(model) && name == featuresInput(model).key;
      if (isTraining ? !evaluated.empty() : input.getSampleKeys() || isReplaced)
        continue;
      Value value = forward.addArgument(input.getType(), input.getLoc(),
                                        BindingKind::Input, name);
      if (input.getKind() == BOOSTC_INPUT_PIXELS)
        value = normalize(input, value);
      if (input.getSampleKeys())
        sampleKeys = value;
      else
        addValue(evaluated.empty() ? name : StringRef(evaluated), value,
                 static_cast<int64_t>(input.getClasses().value_or(0)));
    }
    valid = forward.addArgument(RankedTensorType::get({}, b.getI32Type()),
                                parts.program.getLoc(), BindingKind::Valid);
  }

  /// Makes an input known to the layers.
  void addValue(StringRef name, Value value, int64_t classes) {
    values[name] = {name.str(), value,
                    model.at("input").findMember(name)->keyExtent, classes};
  }

  /// The transforms that `pixels`, the value of `input`, have still before
  /// them.
  Value normalize(train::InputOp input, Value pixels) {
    PixelScaling scaling = getPixelScaling(model);
    auto type = cast<RankedTensorType>(input.getType());
    b.setInsertionPointToEnd(&forward.function.front());
    return nn::NormalizeOp::create(
        b, input.getLoc(), type.clone(b.getF32Type()), pixels,
        b.getF64ArrayAttr(scaling.scale), b.getF64ArrayAttr(scaling.shift));
  }

  void buildLayer(const Node &node) {
    StringRef name = node.at("name").text;
    const LayerEntry &entry =
        parts.table.entry(LayerSpec::Kind::Layer, node.at("op").text);
    LayerUse use(parts, forward, nameLocation(b, name, node.extent), entry.spec,
                 node);
    for (const Node &input : node.at("inputs").items) {
      const NamedValue &value = values[input.text];
      if (!value.value)
        return; // what it reads failed; one error is enough
      use.reads.push_back(value);
      use.inputs.push_back(value.value);
      if (failed(checkElements(node, entry.spec, value, input)))
        return;
    }
    if (entry.spec.isRandom) {
      use.sampleKeys = sampleKeys;
      use.stream = boost_random_stream(name.str().c_str());
    }
    use.valid = valid;
    b.setInsertionPointToEnd(&forward.function.front());
    FailureOr<SmallVector<Value>> outputs = entry.build(use);
    if (failed(outputs))
      return;
    if (!entry.spec.parameters.empty())
      use.checkInitializers();
    auto type = cast<RankedTensorType>(outputs->front().getType());
    if (isTooLarge(type.getShape())) {
      parts.errors.error(
          node.extent,
          formatv(
              "layer '{0}': its output would take more than 2^40 bytes a batch",
              name));
      return;
    }
    values[name] = {name.str(), outputs->front(), node.extent};
  }

  /// Whether the layer reads integers where there are some, and only there.
  LogicalResult checkElements(const Node &node, const LayerSpec &spec,
                              const NamedValue &value, const Node &input) {
    bool areIntegers = value.classes != 0;
    if (areIntegers == spec.readsIntegers)
      return success();
    parts.errors.error(
        input.isDefault ? node.extent : input.extent,
        formatv(areIntegers
                    ? "layer '{0}': '{1}' holds integers; add an embedding "
                      "layer before it"
                    : "layer '{0}' reads an input of integers, one with "
                      "'shape' and 'classes'; '{1}' holds numbers",
                node.at("name").text, value.name),
        ErrorList::Note{value.extent, formatv("'{0}' is here", value.name)});
    return failure();
  }

  /// Labels index the outputs, so there must be one for each class.
  LogicalResult checkClasses(const Node &last) {
    if (!hasLabels(model))
      return success();
    const Member &labels = labelsInput(model);
    int64_t classes = labels.value.at("classes").integer;
    auto type = cast<RankedTensorType>(output.value.getType());
    auto given = cast<RankedTensorType>(values[labels.key].value.getType());
    if (type.getShape().drop_back() != given.getShape() ||
        type.getShape().back() == classes)
      return success(); // the loss itself judges the dimensions before
    parts.errors.error(last.extent,
                       formatv("the last layer, '{0}', has shape {1}, but "
                               "input '{2}' has {3} classes",
                               last.at("name").text,
                               describeShape(output.value), labels.key,
                               classes),
                       ErrorList::Note{labels.value.at("classes").extent,
                                       "the classes are here"});
    return failure();
  }

  LogicalResult checkUses() {
    for (const Node &layer : model.at("layers").items) {
      const NamedValue &value = values[layer.at("name").text];
      if (value.value != output.value && value.value.use_empty())
        parts.errors.error(layer.extent, formatv("nothing reads layer '{0}'",
                                                 layer.at("name").text));
    }
    return failure(parts.errors.hasErrors());
  }

  void buildMeasure(LayerSpec::Kind kind, StringRef noun, const Node &node) {
    StringRef name = node.at("op").text;
    const LayerEntry &entry = parts.table.entry(kind, name);
    EntryBuilder use(b, nameLocation(b, name, node.extent), entry.spec, node,
                     formatv("{0} '{1}'", noun, name), parts.errors);
    use.reads.push_back(output);
    bool isLoss = kind == LayerSpec::Kind::Loss;
    StringRef target = isLoss ? node.at("target").text : labelsInput(model).key;
    if (isLoss)
      use.reads.push_back(values[target]);
    use.inputs = {output.value, values[target].value, valid};
    if (const Member *weights = weightsInput(model)) {
      use.reads.push_back(values[weights->key]);
      use.inputs.push_back(values[weights->key].value);
    }
    b.setInsertionPointToEnd(&forward.function.front());
    FailureOr<SmallVector<Value>> measure = entry.build(use);
    if (failed(measure))
      return;
    // Sum and count; of weighted samples the sum of their weights stands for
    // the count, but a step needs the number of samples of its loss, too.
    bool isWeighted = measure->size() > 2;
    if (isWeighted && isLoss)
      weight = measure->back();
    results.push_back(measure->front());
    results.push_back(isWeighted && !isLoss ? measure->back() : (*measure)[1]);
    if (forward.isTraining)
      parts.metrics.push_back(isLoss ? "loss" : name.str());
  }

  void finish() {
    if (weight)
      results.push_back(weight);
    parts.isWeighted = weight != nullptr;
    llvm::append_range(results, forward.accumulated);
    finishFunction(parts, forward.function, results);
    for (auto [index, binding] : llvm::enumerate(forward.bindings))
      forward.function.setArgAttr(index, rt::kBindingAttrName, binding);
  }

  ProgramParts &parts;
  OpBuilder &b;
  const Node &model;
  Forward forward;
  llvm::StringMap<NamedValue> values;
  NamedValue output;
  Value valid, sampleKeys;
  Value weight; ///< of the loss; null where samples have none
  SmallVector<Value> results;
};

} // namespace

LogicalResult frontend::buildForward(ProgramParts &parts) {
  if (failed(ForwardBuilder(parts, /*isTraining=*/true).build()))
    return failure();
  if (!parts.hasInference())
    return success();
  if (const Node *shape = evalShape(parts.model))
    parts.errors.setCommonNote(ErrorList::Note{
        shape->extent, "in an evaluation, images have this shape"});
  LogicalResult built = ForwardBuilder(parts, /*isTraining=*/false).build();
  parts.errors.setCommonNote(std::nullopt);
  return built;
}
