#include "compiler/frontend/Transforms.h"
#include "compiler/frontend/LayerNames.h"
#include "compiler/frontend/ResolveModel.h"
#include "llvm/Support/FormatVariadic.h"
#include <cmath>

using namespace boostc;
using namespace boostc::frontend;
using llvm::formatv;
using llvm::StringRef;

bool frontend::isPixels(const Member &input) {
  return textAt(input.value, "dtype") == "u8";
}

/// Whether a transform computes each pixel from itself.
static bool isPointwise(const Node &transform) {
  StringRef op = transform.at("op").text;
  return op == "rescale" || op == "normalize";
}

/// Whether an evaluation leaves it out.
static bool isRandom(const Node &transform) {
  StringRef op = transform.at("op").text;
  return op.starts_with("random_") || op == "color_jitter";
}

/// Whether it makes an image of its own size from a part that is drawn.
static bool drawsPart(const Node &transform) {
  return transform.at("op").text == "random_resized_crop";
}

/// x becomes scale * x + shift, after what was.
static void compose(PixelScaling &all, unsigned c, double scale, double shift) {
  all.scale[c] *= scale;
  all.shift[c] = all.shift[c] * scale + shift;
}

static PixelScaling getScaling(const Node &transforms) {
  PixelScaling all;
  for (const Node &transform : transforms.items) {
    if (!isPointwise(transform))
      continue;
    if (transform.at("op").text == "rescale") {
      for (unsigned c = 0; c < all.scale.size(); ++c)
        compose(all, c, transform.at("scale").number,
                transform.at("shift").number);
      continue;
    }
    const Node &mean = transform.at("mean"), &std = transform.at("std");
    size_t channels = std::max(mean.items.size(), std.items.size());
    if (channels > all.scale.size()) {
      all.scale.assign(channels, all.scale.front());
      all.shift.assign(channels, all.shift.front());
    }
    auto of = [](const Node &list, unsigned c) {
      return list.items[list.items.size() == 1 ? 0 : c].number;
    };
    for (unsigned c = 0; c < all.scale.size(); ++c)
      compose(all, c, 1.0 / of(std, c), -of(mean, c) / of(std, c));
  }
  return all;
}

PixelScaling frontend::getPixelScaling(const Node &model) {
  return getScaling(model.at("data").at("transforms"));
}

/// Bytes are moved first, and become numbers then.
static void checkOrder(const Node &transforms, const Member &input,
                       ErrorList &errors) {
  const Node *numbers = nullptr;
  for (const Node &transform : transforms.items) {
    if (isPointwise(transform)) {
      numbers = &transform;
      continue;
    }
    if (numbers && transform.at("op").text != "color_jitter")
      errors.error(
          transform.extent,
          formatv("'{0}' moves bytes because input '{1}' has the dtype u8; put "
                  "it before '{2}'",
                  transform.at("op").text, input.key, numbers->at("op").text),
          ErrorList::Note{numbers->extent, "it is here"});
    const Node *value = transform.find("value");
    if (value && (value->number < 0 || value->number > 255 ||
                  value->number != std::floor(value->number)))
      errors.error(value->extent,
                   formatv("'value': expected an integer from 0 to 255 because "
                           "input '{0}' has the dtype u8, found {1}",
                           input.key, value->describe()));
  }
}

/// What an input of bytes needs besides.
static void checkPixels(const Node &data, const Member &input,
                        ErrorList &errors) {
  const Node &shape = input.value.at("shape");
  if (shape.items.size() != 3)
    errors.error(shape.extent,
                 formatv("'shape': expected [channels, height, width] because "
                         "input '{0}' has the dtype u8, found {1} extents",
                         input.key, shape.items.size()));
  const Node &training = data.at("transforms"),
             &evaluation = data.at("eval_transforms");
  checkOrder(training, input, errors);
  checkOrder(evaluation, input, errors);
  if (evaluation.is(Node::Kind::Null))
    return;
  PixelScaling both = getScaling(training), own = getScaling(evaluation);
  if (both.scale != own.scale || both.shift != own.shift)
    errors.error(
        evaluation.extent,
        formatv("'eval_transforms': expected the 'rescale' and 'normalize' of "
                "'transforms' because input '{0}' has the dtype u8, and the "
                "program does them once for both",
                input.key),
        ErrorList::Note{training.extent, "'transforms' is here"});
}

namespace {

/// The size of the images after transforms, as far as these know it.
class SizeTracker {
public:
  void add(const Node &transform) {
    StringRef op = transform.at("op").text;
    if (op == "resize_short") {
      sized = nullptr; // the data set decides
    } else if (const Node *size = transform.find("size")) {
      height = size->items[0].integer;
      width = size->items[1].integer;
      sized = &transform;
    } else if (op == "pad" && sized) {
      const Node &padding = transform.at("padding");
      bool isList = padding.is(Node::Kind::List);
      auto side = [&](unsigned i) {
        return isList ? padding.items[i].integer : padding.integer;
      };
      height += side(0) + side(1);
      width += side(2) + side(3);
      sized = &transform;
    }
  }

  int64_t height = -1, width = -1;
  const Node *sized = nullptr; ///< the last transform that determines it
};

} // namespace

static void checkChannels(const Node &transform, const Node &shape,
                          ErrorList &errors) {
  size_t channels = shape.items.size() == 3 ? shape.items[0].integer : 1;
  for (StringRef key : {"mean", "std"}) {
    const Node *list = transform.find(key);
    if (list && list->items.size() != 1 && list->items.size() != channels)
      errors.error(
          list->extent,
          formatv("'{0}': expected 1 number or one for each of the {1} "
                  "channels, found {2}",
                  key, channels, list->items.size()),
          ErrorList::Note{shape.extent, "the input's shape is here"});
  }
}

static void checkRanges(const Node &transform, ErrorList &errors) {
  for (StringRef key :
       {"scale", "ratio", "brightness", "contrast", "saturation", "hue"}) {
    const Node *range = transform.find(key);
    if (range && range->is(Node::Kind::List) &&
        range->items[0].number > range->items[1].number)
      errors.error(range->extent,
                   formatv("'{0}': expected the lowest number and then the "
                           "highest, found {1} and {2}",
                           key, range->items[0].describe(),
                           range->items[1].describe()));
  }
}

/// Colours are those of bytes, before these become other numbers.
static void checkColors(const Node &transforms, const Member &input,
                        ErrorList &errors) {
  const Node *numbers = nullptr, &shape = input.value.at("shape");
  for (const Node &transform : transforms.items) {
    if (isPointwise(transform) && !numbers)
      numbers = &transform;
    if (transform.at("op").text != "color_jitter")
      continue;
    if (numbers)
      errors.error(transform.extent,
                   formatv("'color_jitter' changes the colours of bytes; put "
                           "it before '{0}'",
                           numbers->at("op").text),
                   ErrorList::Note{numbers->extent, "it is here"});
    if (shape.items.size() == 3 && shape.items[0].integer != 1 &&
        shape.items[0].integer != 3)
      errors.error(transform.extent,
                   formatv("'color_jitter' is for images of 1 or 3 channels, "
                           "found {0}",
                           shape.items[0].integer),
                   ErrorList::Note{shape.extent, "the input's shape is here"});
  }
}

/// Transforms that know the image's size must end at the one that layers read:
/// `shape`, which is the 'shape' of the input or its 'eval_shape'. `remedy`
/// ends the message about the latter.
static void checkSize(const Node &transforms, const Member &input,
                      const Node &shape, StringRef remedy, ErrorList &errors) {
  SizeTracker size;
  for (const Node &transform : transforms.items)
    size.add(transform);
  if (!size.sized ||
      (shape.items.size() == 3 && shape.items[1].integer == size.height &&
       shape.items[2].integer == size.width))
    return;
  bool isOfEvaluation = &shape != input.value.find("shape");
  errors.error(
      size.sized->extent,
      formatv(isOfEvaluation
                  ? "the transforms make images of {0}x{1} in an evaluation, "
                    "which is not the 'eval_shape' of input '{2}'{3}"
                  : "the transforms make images of {0}x{1}, which is not the "
                    "shape of input '{2}'",
              size.height, size.width, input.key, remedy),
      ErrorList::Note{shape.extent, isOfEvaluation
                                        ? "'eval_shape' is here"
                                        : "the input's shape is here"});
}

static void checkList(const Node &transforms, const Member &input,
                      ErrorList &errors) {
  checkColors(transforms, input, errors);
  for (const Node &transform : transforms.items) {
    checkChannels(transform, input.value.at("shape"), errors);
    checkRanges(transform, errors);
  }
}

/// Checks the size in training, and in an evaluation.
static void checkSizes(const Node &model, const Member &input,
                       ErrorList &errors) {
  const Node &training = model.at("data").at("transforms"),
             &evaluation = model.at("data").at("eval_transforms");
  const Node &shape = input.value.at("shape"),
             *evalShape = frontend::evalShape(model);
  checkSize(training, input, shape, "", errors);
  if (!evaluation.is(Node::Kind::Null))
    return checkSize(evaluation, input, evalShape ? *evalShape : shape, "",
                     errors);
  // checkDraws() has said that a part which is drawn needs a substitute.
  if (evalShape && llvm::none_of(training.items, drawsPart))
    checkSize(training, input, *evalShape,
              "; say with 'eval_transforms' how images get that size", errors);
}

/// An evaluation gives the same result each time.
static void checkDraws(const Node &data, ErrorList &errors) {
  const Node &evaluation = data.at("eval_transforms");
  for (const Node &transform : evaluation.items)
    if (isRandom(transform))
      errors.error(transform.extent,
                   formatv("'{0}' draws, and an evaluation draws nothing; "
                           "remove it from 'eval_transforms'",
                           transform.at("op").text));
  if (!evaluation.is(Node::Kind::Null))
    return;
  for (const Node &transform : data.at("transforms").items)
    if (drawsPart(transform))
      errors.error(transform.extent,
                   "'random_resized_crop' draws a part of the image, and an "
                   "evaluation draws nothing; say with 'eval_transforms' what "
                   "it does instead");
}

void frontend::checkTransforms(const Node &model, const Member &input,
                               ErrorList &errors) {
  const Node &data = model.at("data");
  for (StringRef key : {"transforms", "eval_transforms"}) {
    const Node &transforms = data.at(key);
    if (!input.value.find("classes"))
      checkList(transforms, input, errors);
    else if (!transforms.items.empty())
      errors.error(transforms.extent,
                   formatv("'{0}' are for numbers, and input '{1}' holds "
                           "integers",
                           key, input.key),
                   ErrorList::Note{input.keyExtent, "it is declared here"});
  }
  if (!input.value.find("classes"))
    checkSizes(model, input, errors);
  checkDraws(data, errors);
  if (isPixels(input))
    checkPixels(data, input, errors);
}
