#include "compiler/frontend/ResolveModel.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/FormatVariadic.h"

using namespace boostc;
using namespace boostc::frontend;
using llvm::formatv;
using llvm::StringRef;

/// The inputs that are labels, or those that are features.
static std::vector<const Member *> inputsOf(const Node &model, bool areLabels) {
  std::vector<const Member *> found;
  for (const Member &member : model.at("input").members)
    if ((member.value.find("classes") != nullptr) == areLabels)
      found.push_back(&member);
  return found;
}

const Member &frontend::featuresInput(const Node &model) {
  return *inputsOf(model, false).front();
}
const Member &frontend::labelsInput(const Node &model) {
  return *inputsOf(model, true).front();
}

static void checkInputSizes(const Node &model, ErrorList &errors) {
  const Node &shape = featuresInput(model).value.at("shape");
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

/// Transforms that know the image's size must end at the shape of the input.
static void checkTransforms(const Node &model, ErrorList &errors) {
  const Member &input = featuresInput(model);
  const Node &shape = input.value.at("shape");
  bool isImage = shape.items.size() == 3;
  int64_t height = -1, width = -1;
  const Node *sized = nullptr;
  for (const Node &transform : model.at("data").at("transforms").items) {
    for (StringRef key : {"mean", "std"}) {
      const Node *list = transform.find(key);
      size_t channels = isImage ? shape.items[0].integer : 1;
      if (list && list->items.size() != 1 && list->items.size() != channels)
        errors.error(
            list->extent,
            formatv("'{0}': expected 1 number or one for each of the {1} "
                    "channels, found {2}",
                    key, channels, list->items.size()),
            ErrorList::Note{shape.extent, "the input's shape is here"});
    }
    if (const Node *size = transform.find("size")) {
      height = size->items[0].integer;
      width = size->items[1].integer;
      sized = &transform;
    }
    const Node *padding = transform.find("padding");
    bool cropsAgain = transform.at("op").text == "random_crop";
    if (!padding || !sized || cropsAgain)
      continue;
    bool isList = padding->is(Node::Kind::List);
    auto side = [&](unsigned i) {
      return isList ? padding->items[i].integer : padding->integer;
    };
    height += side(0) + side(1);
    width += side(2) + side(3);
    sized = &transform;
  }
  if (!sized || (isImage && shape.items[1].integer == height &&
                 shape.items[2].integer == width))
    return;
  errors.error(sized->extent,
               formatv("the transforms make images of {0}x{1}, which is not "
                       "the shape of input '{2}'",
                       height, width, input.key),
               ErrorList::Note{shape.extent, "the input's shape is here"});
}

static void checkMetrics(const Node &model, ErrorList &errors) {
  llvm::StringMap<Extent> seen;
  for (const Node &metric : model.at("metrics").items) {
    auto [first, isNew] = seen.try_emplace(metric.at("op").text, metric.extent);
    if (!isNew)
      errors.error(metric.extent,
                   formatv("metric '{0}' is there twice", metric.at("op").text),
                   ErrorList::Note{first->second, "the first one is here"});
  }
}

void frontend::resolveModel(Node &model, const ExpandedLayers &expanded,
                            const ModelTable &table, ErrorList &errors) {
  for (bool areLabels : {false, true}) {
    const Node &input = model.at("input");
    size_t found = inputsOf(model, areLabels).size();
    if (found != 1)
      errors.error(
          input.extent,
          formatv("'input': expected one entry with {0}, found {1}",
                  areLabels ? "'classes', the labels" : "'shape', the features",
                  found));
  }
  if (errors.hasErrors())
    return;
  checkInputSizes(model, errors);
  checkTransforms(model, errors);
  checkMetrics(model, errors);

  const Member &labels = labelsInput(model);
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
    for (const Node &input : layer.at("inputs").items)
      if (input.text == labels.key)
        errors.error(
            input.extent,
            formatv("'{0}' holds labels, which no layer reads", input.text),
            ErrorList::Note{labels.keyExtent, "it is declared here"});
  }
}
