#include "compiler/frontend/PixelInput.h"
#include "compiler/frontend/LayerNames.h"
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

/// x becomes scale * x + shift, after what was.
static void compose(PixelScaling &all, unsigned c, double scale, double shift) {
  all.scale[c] *= scale;
  all.shift[c] = all.shift[c] * scale + shift;
}

PixelScaling frontend::getPixelScaling(const Node &model) {
  PixelScaling all;
  for (const Node &transform : model.at("data").at("transforms").items) {
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

void frontend::checkPixels(const Node &model, const Member &input,
                           ErrorList &errors) {
  const Node &shape = input.value.at("shape");
  if (shape.items.size() != 3)
    errors.error(shape.extent,
                 formatv("'shape': expected [channels, height, width] because "
                         "input '{0}' has the dtype u8, found {1} extents",
                         input.key, shape.items.size()));
  const Node *numbers = nullptr;
  for (const Node &transform : model.at("data").at("transforms").items) {
    if (isPointwise(transform)) {
      numbers = &transform;
      continue;
    }
    if (numbers)
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
