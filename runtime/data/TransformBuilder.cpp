// TransformBuilder.cpp - reads data.transforms and checks every value of it.

#include "runtime/data/Transform.h"
#include "runtime/support/Suggest.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <initializer_list>
#include <new>
#include <nlohmann/json.hpp>
#include <optional>

namespace boostrt {

using nlohmann::json;

namespace {
/// Limits that no image meets and that keep every product below far from
/// overflow and a sample far from filling memory.
constexpr int64_t kMaxExtent = 16384;
constexpr int64_t kMaxElements = int64_t{1} << 26;
/// What to do about images of any size.
constexpr const char *kFitting =
    "begin with random_resized_crop, or with resize_short and center_crop";

} // namespace

struct TransformPipeline::Builder {
  TransformPipeline pipeline;
  SampleShape shape;
  TransformPurpose purpose;
  const char *list;             ///< its name, for errors
  size_t place = 0;             ///< in the list
  std::string where;            ///< "data.transforms[2]"
  bool isLeftToProgram = false; ///< what came last
  bool hasNumbers = false;      ///< rescale or normalize came before

  Status error(std::string_view key, const std::string &text) const {
    return Status(
        ExitCode::Input,
        fmt::format("{}{}{}: {}", where, key.empty() ? "" : ".", key, text));
  }

  static std::string show(const json &value) {
    std::string text =
        value.dump(-1, ' ', false, json::error_handler_t::replace);
    return text.size() > 40 ? fmt::format("{:.37}...", text) : text;
  }

  Status checkKeys(const json &object,
                   std::initializer_list<std::string_view> legal) const {
    for (auto it = object.begin(); it != object.end(); ++it) {
      bool known = false;
      for (std::string_view key : legal)
        known |= key == it.key();
      if (!known)
        return error(
            "", fmt::format("unknown key '{}'{}; the keys are {}",
                            printable(it.key()),
                            didYouMean(it.key(), {legal.begin(), legal.end()}),
                            fmt::join(legal, ", ")));
    }
    return {};
  }

  /// A finite number at `key`, or the default.
  Status number(const json &object, const char *key,
                std::optional<double> byDefault, double &value) const {
    auto it = object.find(key);
    if (it == object.end() && byDefault) {
      value = *byDefault;
      return {};
    }
    if (it == object.end())
      return error(key, "missing, expected a number");
    if (!it->is_number() || !std::isfinite(it->get<double>()))
      return error(key, fmt::format("found {}, expected a number", show(*it)));
    value = it->get<double>();
    return {};
  }

  /// One number for all channels, or one for each.
  Status perChannel(const json &object, const char *key,
                    std::vector<double> &values) const {
    auto it = object.find(key);
    auto count = static_cast<size_t>(shape.channels);
    std::string expected =
        count == 1
            ? std::string("a list of 1 number")
            : fmt::format("a list of 1 or {} numbers, one a channel", count);
    if (it == object.end())
      return error(key, "missing, expected " + expected);
    bool good = it->is_array() && (it->size() == 1 || it->size() == count);
    for (size_t i = 0; good && i < it->size(); ++i)
      good = (*it)[i].is_number() && std::isfinite((*it)[i].get<double>());
    if (!good)
      return error(key,
                   fmt::format("found {}, expected {}", show(*it), expected));
    for (size_t c = 0; c < count; ++c)
      values.push_back((*it)[it->size() == 1 ? 0 : c].get<double>());
    return {};
  }

  static bool extent(const json &value, int64_t least, int64_t &out) {
    if (!value.is_number_integer() ||
        (value.is_number_unsigned() && value.get<uint64_t>() > kMaxExtent))
      return false;
    out = value.get<int64_t>();
    return out >= least && out <= kMaxExtent;
  }

  Stage begin(Stage::Kind kind) const {
    Stage stage;
    stage.kind = kind;
    stage.place = place;
    stage.output = shape;
    return stage;
  }

  /// What a program does itself is left out, and comes last.
  Status pushForBytes(Stage stage) {
    if (stage.kind == Stage::PointwiseKind) {
      isLeftToProgram = true;
      return {};
    }
    if (isLeftToProgram)
      return error("", "moves pixels after an operation that the program does "
                       "itself, because it takes bytes; move it before all "
                       "rescale and normalize");
    double value = stage.pad.value;
    if (value < 0 || value > 255 || value != std::floor(value))
      return error("value",
                   fmt::format("found {}, expected an integer from 0 "
                               "to 255 because the program takes bytes",
                               value));
    return {};
  }

  Status push(Stage stage) {
    hasNumbers |= stage.kind == Stage::PointwiseKind;
    if (pipeline.result_ == TransformResult::Bytes) {
      BOOSTRT_RETURN_IF_ERROR(pushForBytes(stage));
      if (stage.kind == Stage::PointwiseKind)
        return {};
    }
    if (stage.output.height > kMaxExtent || stage.output.width > kMaxExtent ||
        stage.output.elements() > kMaxElements)
      return error("", fmt::format("makes images of {}, expected at most {} "
                                   "pixels a side and {} in all",
                                   toString(stage.output), kMaxExtent,
                                   kMaxElements));
    shape = stage.output;
    pipeline.stages_.push_back(std::move(stage));
    return {};
  }

  Status rescale(const json &object) {
    BOOSTRT_RETURN_IF_ERROR(checkKeys(object, {"op", "scale", "shift"}));
    double scale, shift;
    BOOSTRT_RETURN_IF_ERROR(number(object, "scale", {}, scale));
    BOOSTRT_RETURN_IF_ERROR(number(object, "shift", 0.0, shift));
    Stage stage = begin(Stage::PointwiseKind);
    stage.pointwise.first.assign(shape.channels, scale);
    stage.pointwise.second.assign(shape.channels, shift);
    return push(std::move(stage));
  }

  Status normalize(const json &object) {
    BOOSTRT_RETURN_IF_ERROR(checkKeys(object, {"op", "mean", "std"}));
    Stage stage = begin(Stage::PointwiseKind);
    stage.pointwise.normalize = true;
    BOOSTRT_RETURN_IF_ERROR(perChannel(object, "mean", stage.pointwise.first));
    BOOSTRT_RETURN_IF_ERROR(perChannel(object, "std", stage.pointwise.second));
    for (double deviation : stage.pointwise.second)
      if (!(deviation > 0))
        return error("std", fmt::format("found {}, expected numbers above 0, "
                                        "because pixels are divided by them",
                                        deviation));
    return push(std::move(stage));
  }

  Status resize(const json &object) {
    BOOSTRT_RETURN_IF_ERROR(checkKeys(object, {"op", "size"}));
    Stage stage = begin(Stage::ResizeKind);
    BOOSTRT_RETURN_IF_ERROR(
        sizeOf(object, stage.output.height, stage.output.width));
    stage.rows = {shape.height, stage.output.height};
    stage.columns = {shape.width, stage.output.width};
    return push(std::move(stage));
  }

  /// [h, w] at `size`.
  Status sizeOf(const json &object, int64_t &height, int64_t &width) const {
    auto it = object.find("size");
    if (it != object.end() && it->is_array() && it->size() == 2 &&
        extent((*it)[0], 1, height) && extent((*it)[1], 1, width))
      return {};
    return error(
        "size",
        fmt::format("{}, expected [height, width], each from 1 to {}",
                    it == object.end() ? "missing" : "found " + show(*it),
                    kMaxExtent));
  }

  /// `size` of resize_short.
  Status shorterSide(const json &object, int64_t &size) const {
    BOOSTRT_RETURN_IF_ERROR(checkKeys(object, {"op", "size"}));
    auto it = object.find("size");
    if (it != object.end() && extent(*it, 1, size))
      return {};
    return error("size", fmt::format("{}, expected a number from 1 to {}",
                                     it == object.end() ? "missing"
                                                        : "found " + show(*it),
                                     kMaxExtent));
  }

  Status resizeShort(const json &object) {
    int64_t size;
    BOOSTRT_RETURN_IF_ERROR(shorterSide(object, size));
    Stage stage = begin(Stage::ResampleKind);
    int64_t shorter = std::min(shape.height, shape.width);
    stage.output.height = size * shape.height / shorter;
    stage.output.width = size * shape.width / shorter;
    stage.rowFilter.set(shape.height, stage.output.height);
    stage.columnFilter.set(shape.width, stage.output.width);
    return push(std::move(stage));
  }

  Status centerCrop(const json &object) {
    BOOSTRT_RETURN_IF_ERROR(checkKeys(object, {"op", "size"}));
    Stage stage = begin(Stage::CutKind);
    BOOSTRT_RETURN_IF_ERROR(
        sizeOf(object, stage.output.height, stage.output.width));
    if (stage.output.height > shape.height || stage.output.width > shape.width)
      return error("size", fmt::format("found {}x{}, which does not fit into "
                                       "images of {}x{}; put resize_short or "
                                       "pad before it",
                                       stage.output.height, stage.output.width,
                                       shape.height, shape.width));
    auto half = [](int64_t rest) {
      return static_cast<int64_t>(
          std::nearbyint(static_cast<double>(rest) / 2));
    };
    stage.pad.top = half(shape.height - stage.output.height);
    stage.pad.left = half(shape.width - stage.output.width);
    return push(std::move(stage));
  }

  /// Two numbers above 0, `high` or less, the lower one first.
  Status range(const json &object, const char *key, double high,
               DrawRange &range) const {
    auto it = object.find(key);
    if (it == object.end())
      return {};
    bool good = it->is_array() && it->size() == 2;
    for (size_t i = 0; good && i < 2; ++i)
      good = (*it)[i].is_number() && std::isfinite((*it)[i].get<double>());
    if (good)
      range = {(*it)[0].get<double>(), (*it)[1].get<double>()};
    if (good && range.low > 0 && range.low <= range.high && range.high <= high)
      return {};
    return error(key, fmt::format("found {}, expected [lowest, highest], above "
                                  "0 and {:g} at most",
                                  show(*it), high));
  }

  Status readResizedCrop(const json &object, Stage &stage) const {
    BOOSTRT_RETURN_IF_ERROR(
        checkKeys(object, {"op", "size", "scale", "ratio"}));
    BOOSTRT_RETURN_IF_ERROR(
        sizeOf(object, stage.output.height, stage.output.width));
    stage.scale = {0.08, 1.0};
    stage.ratio = {3.0 / 4.0, 4.0 / 3.0};
    BOOSTRT_RETURN_IF_ERROR(range(object, "scale", 1.0, stage.scale));
    BOOSTRT_RETURN_IF_ERROR(range(object, "ratio", 1000.0, stage.ratio));
    if (purpose == TransformPurpose::Evaluation)
      return error("", "draws a part of the image, and an evaluation draws "
                       "nothing; give data.eval_transforms");
    return {};
  }

  Status randomResizedCrop(const json &object) {
    Stage stage = begin(Stage::ResizedCropKind);
    BOOSTRT_RETURN_IF_ERROR(readResizedCrop(object, stage));
    return pushDrawing(std::move(stage));
  }

  Status pad(const json &object) {
    BOOSTRT_RETURN_IF_ERROR(checkKeys(object, {"op", "padding", "value"}));
    Stage stage = begin(Stage::PadKind);
    BOOSTRT_RETURN_IF_ERROR(number(object, "value", 0.0, stage.pad.value));
    auto it = object.find("padding");
    int64_t sides[4];
    bool good = it != object.end() &&
                (it->is_array() ? it->size() == 4 : it->is_number_integer());
    for (size_t i = 0; good && i < 4; ++i)
      good = extent(it->is_array() ? (*it)[i] : *it, 0, sides[i]);
    if (!good)
      return error(
          "padding",
          fmt::format("{}, expected a number or [top, bottom, left, "
                      "right], each from 0 to {}",
                      it == object.end() ? "missing" : "found " + show(*it),
                      kMaxExtent));
    stage.pad.top = sides[0];
    stage.pad.bottom = sides[1];
    stage.pad.left = sides[2];
    stage.pad.right = sides[3];
    stage.output.height += stage.pad.top + stage.pad.bottom;
    stage.output.width += stage.pad.left + stage.pad.right;
    return push(std::move(stage));
  }

  Status randomCrop(const json &object) {
    BOOSTRT_RETURN_IF_ERROR(checkKeys(object, {"op", "padding"}));
    Stage stage = begin(Stage::CropKind);
    auto it = object.find("padding");
    if (it == object.end() || !extent(*it, 0, stage.pad.top))
      return error(
          "padding",
          fmt::format("{}, expected a number from 0 to {}",
                      it == object.end() ? "missing" : "found " + show(*it),
                      kMaxExtent));
    return pushDrawing(std::move(stage));
  }

  Status randomFlip(const json &object) {
    BOOSTRT_RETURN_IF_ERROR(checkKeys(object, {"op", "p"}));
    Stage stage = begin(Stage::FlipKind);
    BOOSTRT_RETURN_IF_ERROR(number(object, "p", 0.5, stage.probability));
    if (stage.probability < 0 || stage.probability > 1)
      return error("p", fmt::format("found {}, expected a number from 0 to 1",
                                    stage.probability));
    return pushDrawing(std::move(stage));
  }

  /// What `key` says of a factor, or of a shift, whose middle changes nothing:
  /// how far to both sides, or [lowest, highest]. All are in `legal`.
  Status strength(const json &object, const char *key, double middle,
                  DrawRange legal, std::optional<DrawRange> &range) const {
    auto it = object.find(key);
    if (it == object.end())
      return {};
    double most = legal.high - middle;
    bool isPair = it->is_array() && it->size() == 2;
    DrawRange found;
    bool good =
        isPair ? (*it)[0].is_number() && (*it)[1].is_number() : it->is_number();
    if (good && isPair) {
      found = {(*it)[0].get<double>(), (*it)[1].get<double>()};
    } else if (good) {
      double side = it->get<double>();
      good = side >= 0;
      found = {std::max(middle - side, legal.low), middle + side};
    }
    // One of these is false where a number is not finite.
    if (!good || !(legal.low <= found.low && found.low <= found.high &&
                   found.high <= legal.high))
      return error(key, fmt::format("found {}, expected a number from 0 to "
                                    "{:g}, or [lowest, highest] from {:g} to "
                                    "{:g}",
                                    show(*it), most, legal.low, legal.high));
    if (found != DrawRange{middle, middle})
      range = found;
    return {};
  }

  Status colorJitter(const json &object) {
    BOOSTRT_RETURN_IF_ERROR(checkKeys(
        object, {"op", "brightness", "contrast", "saturation", "hue"}));
    Stage stage = begin(Stage::JitterKind);
    ColorJitter &jitter = stage.jitter;
    // Enough to make any image black and white.
    constexpr DrawRange kFactors = {0, 1001}, kShifts = {-0.5, 0.5};
    BOOSTRT_RETURN_IF_ERROR(
        strength(object, "brightness", 1, kFactors, jitter.brightness));
    BOOSTRT_RETURN_IF_ERROR(
        strength(object, "contrast", 1, kFactors, jitter.contrast));
    BOOSTRT_RETURN_IF_ERROR(
        strength(object, "saturation", 1, kFactors, jitter.saturation));
    BOOSTRT_RETURN_IF_ERROR(strength(object, "hue", 0, kShifts, jitter.hue));
    if (pipeline.elementType_ != ElementType::U8)
      return error("", "changes the colours of bytes, and these samples are "
                       "floats; remove it, or convert them with numpy's "
                       "astype(\"uint8\")");
    if (shape.channels != 1 && shape.channels != 3)
      return error("", fmt::format("found images of {} channels, expected 1 or "
                                   "3: grey, or red, green and blue",
                                   shape.channels));
    if (hasNumbers)
      return error("", "changes the colours of bytes, and comes after rescale "
                       "or normalize, which make other numbers of them; move "
                       "it before all of these");
    return pushDrawing(std::move(stage));
  }

  /// Checked for both purposes, done for one.
  Status pushDrawing(Stage stage) {
    if (purpose != TransformPurpose::Training)
      return Status();
    pipeline.isRandom_ = true;
    return push(std::move(stage));
  }

  /// What gives images of any size one, of the operations that can.
  Status fitImages(std::string_view name, const json &object) {
    TransformPipeline::Fit &fit = pipeline.fit_;
    if (name == "random_resized_crop" && fit.shorterSide == 0) {
      Stage stage;
      BOOSTRT_RETURN_IF_ERROR(readResizedCrop(object, stage));
      fit.draws = pipeline.isRandom_ = true;
      fit.place = place;
      fit.scale = stage.scale;
      fit.ratio = stage.ratio;
      fit.output = stage.output;
    } else if (name == "resize_short" && fit.shorterSide == 0) {
      return shorterSide(object, fit.shorterSide);
    } else if (name == "center_crop" && fit.shorterSide > 0) {
      BOOSTRT_RETURN_IF_ERROR(checkKeys(object, {"op", "size"}));
      BOOSTRT_RETURN_IF_ERROR(
          sizeOf(object, fit.output.height, fit.output.width));
      if (std::max(fit.output.height, fit.output.width) > fit.shorterSide)
        return error("size",
                     fmt::format("found {}x{}, which does not fit into images "
                                 "whose shorter side is {}",
                                 fit.output.height, fit.output.width,
                                 fit.shorterSide));
    } else {
      return error("", fmt::format("'{}' is for images of one size, and these "
                                   "have their own; {}",
                                   printable(std::string(name)), kFitting));
    }
    fit.output.channels = shape.channels;
    if (fit.output.elements() > kMaxElements)
      return error("size", fmt::format("found {}x{}, expected at most {} "
                                       "values in all",
                                       fit.output.height, fit.output.width,
                                       kMaxElements));
    shape = pipeline.sized_ = fit.output;
    return {};
  }

  Status operation(const json &object) {
    if (!object.is_object())
      return error("", fmt::format("found {}, expected an object with \"op\"",
                                   show(object)));
    auto it = object.find("op");
    if (it == object.end() || !it->is_string())
      return error("op", "missing, expected the name of an operation");
    const auto &name = it->get_ref<const std::string &>();
    static constexpr struct {
      std::string_view name;
      Status (Builder::*read)(const json &);
    } kOperations[] = {{"rescale", &Builder::rescale},
                       {"normalize", &Builder::normalize},
                       {"resize", &Builder::resize},
                       {"pad", &Builder::pad},
                       {"resize_short", &Builder::resizeShort},
                       {"center_crop", &Builder::centerCrop},
                       {"random_crop", &Builder::randomCrop},
                       {"random_flip", &Builder::randomFlip},
                       {"random_resized_crop", &Builder::randomResizedCrop},
                       {"color_jitter", &Builder::colorJitter}};
    std::vector<std::string_view> names;
    for (const auto &operation : kOperations) {
      if (operation.name == name)
        return shape.isOfAnySize() ? fitImages(name, object)
                                   : (this->*operation.read)(object);
      names.push_back(operation.name);
    }
    return error("op",
                 fmt::format("unknown operation '{}'{}; the operations are {}",
                             printable(name), didYouMean(name, names),
                             fmt::join(names, ", ")));
  }

  Status build(const json &transforms) {
    where = list;
    if (pipeline.elementType_ == ElementType::I32)
      return transforms.empty()
                 ? Status()
                 : error("", "found operations, expected none, because the "
                             "samples are integers; remove them");
    bool fits = true;
    bool isSized = !shape.isOfAnySize();
    for (int64_t extent : {shape.channels, shape.height, shape.width})
      fits &= extent >= 1 && extent <= kMaxExtent;
    if (isSized && (!fits || shape.elements() > kMaxElements))
      return error("", fmt::format("starts from images of {}, expected extents "
                                   "from 1 to {} and {} values in all",
                                   toString(shape), kMaxExtent, kMaxElements));
    if (transforms.is_null())
      return isSized ? Status() : notFitted();
    if (!transforms.is_array())
      return error("", fmt::format("found {}, expected a list of operations",
                                   show(transforms)));
    if (transforms.size() > kMaxOperations)
      return error("", fmt::format("found {} operations, expected {} at most",
                                   transforms.size(), kMaxOperations));
    for (size_t i = 0; i < transforms.size(); ++i) {
      where = fmt::format("{}[{}]", list, i);
      place = i;
      BOOSTRT_RETURN_IF_ERROR(operation(transforms[i]));
    }
    where = list;
    return shape.isOfAnySize() ? notFitted() : Status();
  }

  Status notFitted() const {
    return error("", fmt::format("images of any size stay so, and the model "
                                 "takes one; {}",
                                 kFitting));
  }
};

Result<TransformPipeline>
TransformPipeline::create(const nlohmann::json &transforms, SampleShape input,
                          ElementType elementType, TransformPurpose purpose,
                          TransformResult result, const char *list) {
  try {
    Builder builder;
    builder.list = list;
    builder.pipeline.input_ = builder.pipeline.sized_ = builder.shape = input;
    builder.pipeline.elementType_ = elementType;
    builder.pipeline.result_ = result;
    builder.purpose = purpose;
    BOOSTRT_RETURN_IF_ERROR(builder.build(transforms));
    builder.pipeline.output_ = builder.shape;
    builder.pipeline.fold();
    return std::move(builder.pipeline);
  } catch (const std::bad_alloc &) {
    return Status(
        ExitCode::Input,
        fmt::format("{}: not enough memory for images of this size", list));
  }
}

} // namespace boostrt
