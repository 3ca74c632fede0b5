#include "compiler/frontend/ResolveModel.h"
#include "compiler/frontend/LayerNames.h"
#include "compiler/frontend/LossScaleGroups.h"
#include "compiler/frontend/Transforms.h"
#include "runtime/support/DataSchemes.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/FormatVariadic.h"

using namespace boostc;
using namespace boostc::frontend;
using llvm::formatv;
using llvm::StringRef;

static bool hasRole(const Node &input, StringRef name) {
  return textAt(input, "role") == name;
}

/// Whether `input` holds classes that the loss and metrics compare with.
static bool areLabels(const Member &input) {
  return input.value.find("classes") &&
         (!input.value.find("shape") || hasRole(input.value, "target"));
}

/// The inputs that layers may read: the target of the loss is one of them only
/// when it is the only one, or when its role says so.
static std::vector<const Member *> samplesOf(const Node &model) {
  const Node *target = model.at("loss").find("target");
  std::vector<const Member *> shaped, read;
  for (const Member &input : model.at("input").members) {
    if (areLabels(input) || hasRole(input.value, "target") ||
        hasRole(input.value, "weight"))
      continue;
    shaped.push_back(&input);
    if (!target || target->text != input.key || hasRole(input.value, "sample"))
      read.push_back(&input);
  }
  return read.empty() ? shaped : read;
}

/// The inputs of numbers with the role of a target.
static std::vector<const Member *> targetsOf(const Node &model) {
  std::vector<const Member *> targets;
  for (const Member &input : model.at("input").members)
    if (!areLabels(input) && hasRole(input.value, "target"))
      targets.push_back(&input);
  return targets;
}

static std::vector<const Member *> labelsOf(const Node &model) {
  std::vector<const Member *> labels;
  for (const Member &input : model.at("input").members)
    if (areLabels(input))
      labels.push_back(&input);
  return labels;
}

const Member &frontend::featuresInput(const Node &model) {
  return *samplesOf(model).front();
}

const Node *frontend::evalShape(const Node &model) {
  const Node &input = featuresInput(model).value;
  const Node *shape = input.find("eval_shape");
  auto areEqual = [](const Node &a, const Node &b) {
    return a.integer == b.integer;
  };
  return shape && !llvm::equal(shape->items, input.at("shape").items, areEqual)
             ? shape
             : nullptr;
}

bool frontend::hasLabels(const Node &model) { return !labelsOf(model).empty(); }
const Member &frontend::labelsInput(const Node &model) {
  return *labelsOf(model).front();
}

static std::vector<const Member *> weightsOf(const Node &model) {
  std::vector<const Member *> weights;
  for (const Member &input : model.at("input").members)
    if (hasRole(input.value, "weight"))
      weights.push_back(&input);
  return weights;
}

const Member *frontend::weightsInput(const Node &model) {
  std::vector<const Member *> weights = weightsOf(model);
  return weights.empty() ? nullptr : weights.front();
}

/// Only labels and weights may be one number for each sample.
static void checkShapes(const Node &model, ErrorList &errors) {
  for (const Member &input : model.at("input").members)
    if (!input.value.find("shape") && !input.value.find("classes") &&
        !hasRole(input.value, "weight"))
      errors.error(input.value.extent,
                   formatv("input '{0}' lacks the key 'shape', the extents of "
                           "a sample without the batch; an input without it "
                           "has 'classes', one label per sample, or the role "
                           "'weight', one weight per sample",
                           input.key));
}

/// What the loss compares with, by default the labels, else the only input of
/// numbers that is a target.
static void resolveTarget(Node &model, ErrorList &errors) {
  Node &loss = *model.find("loss");
  const Node *target = loss.find("target");
  if (!target) {
    std::vector<const Member *> targets =
        hasLabels(model) ? labelsOf(model) : targetsOf(model);
    if (targets.empty())
      errors.error(loss.extent,
                   "the loss has nothing to compare with: give the model an "
                   "input with 'classes', the labels, or name an input of "
                   "numbers with 'target'");
    else
      loss.add("target", loss.extent,
               Node::makeText(targets.front()->key, loss.extent));
    return;
  }
  const Member *input = model.at("input").findMember(target->text);
  if (!input) {
    std::vector<StringRef> names;
    for (const Member &member : model.at("input").members)
      names.push_back(member.key);
    errors.error(
        target->extent,
        formatv("'target': expected the name of an input, found {0}{1}",
                target->describe(), didYouMean(target->text, names)));
  } else if (hasRole(input->value, "weight")) {
    errors.error(target->extent,
                 formatv("'target': expected labels or numbers to compare "
                         "with, but '{0}' holds weights",
                         target->text),
                 ErrorList::Note{input->keyExtent, "it is declared here"});
  } else if (!areLabels(*input) && input->value.find("classes")) {
    errors.error(
        target->extent,
        formatv("'target': expected labels or numbers, but '{0}' holds "
                "integers with a shape",
                target->text),
        ErrorList::Note{input->keyExtent, "it is declared here"});
  }
}

/// Every input has a reader, and no more of a kind than there can be.
static void checkInputs(const Node &model, ErrorList &errors) {
  const Node &inputs = model.at("input");
  for (const Member &input : inputs.members)
    if (!input.value.find("shape") && hasRole(input.value, "sample"))
      errors.error(input.value.at("role").extent,
                   formatv("'role': input '{0}' has no 'shape', so it is one "
                           "label per sample and a target; give it the shape "
                           "of a sample, or remove the role",
                           input.key));
  for (const Member *target : targetsOf(model))
    if (target->key != model.at("loss").at("target").text)
      errors.error(target->keyExtent,
                   formatv("nothing reads input '{0}': the loss compares with "
                           "'{1}'; name it as the loss's 'target', or remove "
                           "it",
                           target->key, model.at("loss").at("target").text));
  if (std::vector<const Member *> weights = weightsOf(model);
      weights.size() > 1)
    errors.error(
        weights[1]->keyExtent,
        formatv("'input': expected at most one entry with the role "
                "'weight', found {0}",
                weights.size()),
        ErrorList::Note{weights[0]->keyExtent, "the first one is here"});
  size_t read = samplesOf(model).size(), labels = labelsOf(model).size();
  if (read != 1)
    errors.error(
        inputs.extent,
        formatv("'input': expected one entry with 'shape' that the layers "
                "read, in addition to the 'target' of the loss, found {0}",
                read));
  if (labels > 1)
    errors.error(inputs.extent,
                 formatv("'input': expected at most one entry with 'classes' "
                         "and no 'shape', or with role 'target', the labels, "
                         "found {0}",
                         labels));
}

static void checkLabelsUse(const Node &model, ErrorList &errors) {
  bool areMeasured = false;
  for (const Node &metric : model.at("metrics").items) {
    bool reads = metric.at("op").text != kLossMetric;
    if (reads && !hasLabels(model))
      errors.error(metric.extent,
                   formatv("metric '{0}' compares with labels; give the model "
                           "an input with 'classes'",
                           metric.at("op").text));
    areMeasured |= reads;
  }
  if (!hasLabels(model) || areMeasured)
    return;
  const Member &labels = labelsInput(model);
  if (model.at("loss").at("target").text != labels.key)
    errors.error(labels.keyExtent,
                 formatv("nothing reads input '{0}': the loss has another "
                         "'target' and no metric compares with labels",
                         labels.key));
}

static void checkInputSize(const Node &model, const Node &shape,
                           ErrorList &errors) {
  int64_t elements = model.at("batch_size").integer;
  for (const Node &extent : shape.items) {
    // Extents and the running product stay below 2^41, so that it cannot
    // overflow.
    if (elements > kMaxElements / 4 / extent.integer) {
      errors.error(shape.extent,
                   "a batch of this shape takes more than 2^40 bytes");
      return;
    }
    elements *= extent.integer;
  }
}

/// What layers read may have another shape in evaluations. False after errors.
static bool checkEvalShape(const Node &model, ErrorList &errors) {
  bool isGood = true;
  for (const Member &input : model.at("input").members) {
    const Node *shape = input.value.find("eval_shape");
    if (!shape)
      continue;
    if (input.key != featuresInput(model).key) {
      errors.error(shape->extent,
                   formatv("'eval_shape': input '{0}' is not what the layers "
                           "read; remove it",
                           input.key));
      isGood = false;
      continue;
    }
    const Node &training = input.value.at("shape");
    if (shape->items.size() != training.items.size()) {
      isGood = false;
      errors.error(shape->extent,
                   formatv("'eval_shape': expected {0} extents as in 'shape', "
                           "found {1}",
                           training.items.size(), shape->items.size()),
                   ErrorList::Note{training.extent, "'shape' is here"});
    } else if (shape->items.size() == 3 &&
               shape->items[0].integer != training.items[0].integer) {
      isGood = false;
      errors.error(shape->extent,
                   formatv("'eval_shape': expected {0} channels as in 'shape', "
                           "found {1}",
                           training.items[0].integer, shape->items[0].integer),
                   ErrorList::Note{training.extent, "'shape' is here"});
    }
    checkInputSize(model, *shape, errors);
  }
  return isGood;
}

/// Bytes are for what layers read.
static void checkTypes(const Node &model, ErrorList &errors) {
  for (const Member &input : model.at("input").members)
    if (isPixels(input) && input.key != featuresInput(model).key)
      errors.error(input.value.at("dtype").extent,
                   formatv("'dtype': expected 'f32' because input '{0}' is "
                           "not what the layers read, found 'u8'",
                           input.key));
}

static void checkMetrics(const Node &model, ErrorList &errors) {
  llvm::StringMap<Extent> seen;
  for (const Node &metric : model.at("metrics").items) {
    auto [first, isNew] = seen.try_emplace(metric.at("op").text, metric.extent);
    if (!isNew)
      errors.error(metric.extent,
                   formatv("duplicate metric '{0}'", metric.at("op").text),
                   ErrorList::Note{first->second, "the first one is here"});
  }
}

/// A loss that computes a function of the last layer itself, and the layers
/// that would compute it a second time.
struct DoubledFunction {
  StringRef loss, function;
  llvm::ArrayRef<StringRef> layers;
};

static void checkLogits(const Node &model, ErrorList &errors) {
  static constexpr StringRef kSoftmax[] = {"softmax", "log_softmax"};
  static constexpr StringRef kSigmoid[] = {"sigmoid", "softmax", "log_softmax"};
  static constexpr DoubledFunction kDoubled[] = {
      {"softmax_cross_entropy", "softmax", kSoftmax},
      {"binary_cross_entropy", "sigmoid", kSigmoid}};
  const Node &layer = model.at("layers").items.back(), &loss = model.at("loss");
  for (const DoubledFunction &doubled : kDoubled)
    if (loss.at("op").text == doubled.loss &&
        llvm::is_contained(doubled.layers, layer.at("op").text))
      errors.warning(layer.extent,
                     formatv("loss '{0}' applies {1} itself and expects "
                             "logits; remove layer '{2}'",
                             doubled.loss, doubled.function,
                             layer.at("name").text));
}

/// Whether a run can try to open the data; no file is looked at.
static void checkSource(const Node &model, ErrorList &errors) {
  const Node &source = model.at("data").at("source");
  if (source.text.empty())
    return;
  if (std::optional<std::string> mistake =
          boostrt::findDataSourceMistake(source.text))
    errors.error(source.extent, "'source': " + *mistake);
}

/// Level auto is O2; a remark says what that means here.
static void chooseAmp(Node &amp, bool hasBFloat16) {
  Node &level = *amp.find("level");
  StringRef chosen = hasBFloat16 ? "bf16" : "f16";
  bool isGiven = amp.find("dtype");
  emitRemark(level.extent.place())
      << "level auto is O2 in "
      << (isGiven ? textAt(amp, "dtype") : chosen).str()
      << (isGiven       ? ", as 'dtype' says"
          : hasBFloat16 ? ", which every target has"
                        : ", because not every target computes in bf16");
  level.text = "O2";
  if (!isGiven)
    amp.add("dtype", amp.extent, Node::makeText(chosen, amp.extent));
}

void frontend::resolveAmp(Node &document, bool hasBFloat16) {
  Node *amp = document.find("amp");
  if (!amp || !amp->is(Node::Kind::Object))
    return;
  if (textAt(*amp, "level") == "auto")
    chooseAmp(*amp, hasBFloat16);
  if (textAt(*amp, "level") != "O2" || textAt(*amp, "dtype") != "f16")
    return;
  Node *given = amp->find("loss_scale");
  if ((given && !given->is(Node::Kind::Null)) ||
      asksForLossScaleGroups(document))
    return;
  Node scale = Node::makeObject(amp->extent);
  scale.add("type", amp->extent, Node::makeText("dynamic", amp->extent));
  if (given)
    *given = std::move(scale);
  else
    amp->add("loss_scale", amp->extent, std::move(scale));
}

void frontend::remarkPrecision(const Node &model,
                               const FrontendOptions &options) {
  const Node &amp = model.at("amp"), &level = amp.at("level");
  bool isComputed =
      amp.at("dtype").text == "bf16" ? options.hasBFloat16 : options.hasFloat16;
  if (level.text != "O0" && !isComputed)
    emitRemark(level.extent.place())
        << "CPUs store " << amp.at("dtype").text
        << " and compute in f32: activations take less memory, contractions "
           "take the time of f32";
}

/// What follows a step that is not finite is for the loss scale to say.
static void resolvePolicy(Node &model, ErrorList &errors) {
  const Node &scale = model.at("amp").at("loss_scale");
  if (scale.is(Node::Kind::Null))
    return;
  bool isDynamic = scale.at("type").text == "dynamic";
  bool skips = isDynamic || scale.at("drop_overflow").boolean;
  StringRef expected = skips ? "skip" : "fail";
  Node &policy = *model.find("train")->find("on_nonfinite");
  if (policy.isDefault || policy.text == expected) {
    policy.text = expected.str();
    return;
  }
  errors.error(
      policy.extent,
      formatv("'on_nonfinite': expected '{0}' or nothing, because {1}, found "
              "{2}",
              expected,
              isDynamic ? "a dynamic loss scale skips steps that are not finite"
              : skips   ? "'drop_overflow' is true"
                        : "'drop_overflow' is false",
              policy.describe()),
      ErrorList::Note{scale.extent, "the loss scale is here"});
}

void frontend::resolveModel(Node &model, const ExpandedLayers &expanded,
                            const ModelTable &table, ErrorList &errors) {
  checkShapes(model, errors);
  resolveTarget(model, errors);
  if (errors.hasErrors())
    return;
  checkInputs(model, errors);
  if (errors.hasErrors())
    return;
  checkLabelsUse(model, errors);
  for (const Member &input : model.at("input").members)
    if (const Node *shape = input.value.find("shape"))
      checkInputSize(model, *shape, errors);
  resolvePolicy(model, errors);
  checkSource(model, errors);
  if (checkEvalShape(model, errors))
    checkTransforms(model, featuresInput(model), errors);
  checkTypes(model, errors);
  checkLogits(model, errors);
  checkMetrics(model, errors);

  for (auto [layer, previous] :
       llvm::zip_equal(model.find("layers")->items, expanded.previous)) {
    const LayerEntry &entry =
        table.entry(LayerSpec::Kind::Layer, layer.at("op").text);
    if (!layer.find("inputs")) {
      if (entry.spec.inputs != 1)
        errors.error(
            layer.extent,
            formatv("layer '{0}' reads {1} values; name them with 'inputs'",
                    layer.at("name").text, entry.spec.inputs));
      Node inputs = Node::makeList(layer.extent);
      inputs.items.push_back(Node::makeText(previous, layer.extent));
      layer.add("inputs", layer.extent, std::move(inputs));
    }
    for (const Node &input : layer.at("inputs").items) {
      const Member *declared = model.at("input").findMember(input.text);
      if (declared && declared->key != featuresInput(model).key)
        errors.error(
            input.extent,
            formatv("'{0}' holds {1}, which no layer reads", input.text,
                    areLabels(*declared)                 ? "labels"
                    : hasRole(declared->value, "weight") ? "weights"
                                                         : "targets"),
            ErrorList::Note{declared->keyExtent, "it is declared here"});
    }
  }
}
