#include "runtime/data/Transform.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstring>

namespace boostrt {

double TransformPipeline::Pointwise::operator()(double x,
                                                int64_t channel) const {
  return normalize ? (x - first[channel]) / second[channel]
                   : x * first[channel] + second[channel];
}

TransformScratch TransformPipeline::makeScratch(uint64_t decodingBytes) const {
  TransformScratch scratch;
  if (input_.isOfAnySize()) {
    scratch.decoder_ = std::make_unique<ImageDecoder>(decodingBytes);
    scratch.image_.resize(static_cast<size_t>(sized_.elements()));
  }
  if (resize_)
    scratch.numbers_.resize(static_cast<size_t>(resize_->scratchElements()));
  if (resize_ || moves_)
    return scratch;
  for (std::vector<double> &plane : scratch.planes_)
    plane.resize(scratchElements_);
  SampleShape shape = sized_;
  for (const Stage &stage : stages_) {
    if (stage.kind == Stage::ResizedCropKind) {
      scratch.rows_.reserve(shape.height, stage.output.height);
      scratch.columns_.reserve(shape.width, stage.output.width);
    }
    if (stage.kind == Stage::JitterKind)
      scratch.colors_.resize(std::max(scratch.colors_.size(),
                                      static_cast<size_t>(shape.elements())));
    shape = stage.output;
  }
  return scratch;
}

static void applyPad(const double *in, const SampleShape &from, double *out,
                     const SampleShape &to, int64_t top, int64_t left,
                     double value) {
  std::fill(out, out + to.elements(), value);
  for (int64_t c = 0; c < from.channels; ++c)
    for (int64_t y = 0; y < from.height; ++y)
      std::copy_n(in + (c * from.height + y) * from.width, from.width,
                  out + (c * to.height + top + y) * to.width + left);
}

ImageWindow drawWindow(const SampleShape &shape, DrawRange scale,
                       DrawRange ratio, const DrawKey &key, size_t operation) {
  auto area = static_cast<double>(shape.height * shape.width);
  DrawRange logarithm = {std::log(ratio.low), std::log(ratio.high)};
  auto rounded = [](double extent) {
    return static_cast<int64_t>(std::nearbyint(extent));
  };
  for (size_t attempt = 0; attempt < 10; ++attempt) {
    BoostRandomBlock draw = randomBits(key, operation, attempt);
    double wanted = area * between(scale, draw.word[0]);
    double aspect = std::exp(between(logarithm, draw.word[1]));
    int64_t width = rounded(std::sqrt(wanted * aspect));
    int64_t height = rounded(std::sqrt(wanted / aspect));
    if (width >= 1 && width <= shape.width && height >= 1 &&
        height <= shape.height)
      return {below(shape.height - height + 1, draw.word[2]),
              below(shape.width - width + 1, draw.word[3]), height, width};
  }
  auto width = static_cast<double>(shape.width),
       height = static_cast<double>(shape.height);
  ImageWindow middle = {
      0, 0, std::max<int64_t>(1, rounded(std::min(height, width / ratio.low))),
      std::max<int64_t>(1, rounded(std::min(width, height * ratio.high)))};
  middle.top = (shape.height - middle.height) / 2;
  middle.left = (shape.width - middle.width) / 2;
  return middle;
}

static void applyCut(const double *in, const SampleShape &from, double *out,
                     const SampleShape &to, int64_t top, int64_t left) {
  for (int64_t c = 0; c < from.channels; ++c)
    for (int64_t y = 0; y < to.height; ++y)
      std::copy_n(in + (c * from.height + top + y) * from.width + left,
                  to.width, out + (c * to.height + y) * to.width);
}

/// out(y, x) = in(y + down, x + right), 0 where that is outside.
static void applyShift(const double *in, const SampleShape &shape, double *out,
                       int64_t down, int64_t right) {
  std::fill(out, out + shape.elements(), 0.0);
  int64_t top = std::max<int64_t>(0, -down),
          left = std::max<int64_t>(0, -right);
  int64_t bottom = std::min(shape.height, shape.height - down);
  int64_t width = std::min(shape.width, shape.width - right) - left;
  for (int64_t c = 0; c < shape.channels && width > 0; ++c)
    for (int64_t y = top; y < bottom; ++y)
      std::copy_n(in + (c * shape.height + y + down) * shape.width + left +
                      right,
                  width, out + (c * shape.height + y) * shape.width + left);
}

/// Changes the colours of an image of numbers, which it rounds to bytes.
static void applyJitter(const ColorJitter &jitter, const SampleShape &shape,
                        const DrawKey &key, size_t place, double *image,
                        uint8_t *scratch) {
  int64_t elements = shape.elements();
  for (int64_t i = 0; i < elements; ++i)
    scratch[i] = static_cast<uint8_t>(std::clamp(image[i] + 0.5, 0.0, 255.0));
  jitter.apply({scratch, shape.channels, shape.height * shape.width}, key,
               place);
  std::copy_n(scratch, elements, image);
}

static float floatAt(const uint8_t *sample, int64_t index) {
  float value;
  std::memcpy(&value, sample + index * sizeof value, sizeof value);
  return value;
}

void TransformPipeline::applyStages(const uint8_t *sample, void *out,
                                    TransformScratch &scratch,
                                    const DrawKey &key) const {
  double *now = scratch.planes_[0].data();
  double *next = scratch.planes_[1].data();
  SampleShape shape = sized_;
  int64_t area = shape.height * shape.width;
  if (elementType_ == ElementType::F32)
    for (int64_t i = 0; i < shape.elements(); ++i)
      now[i] = floatAt(sample, i);
  else
    for (int64_t c = 0; c < shape.channels; ++c)
      for (int64_t i = 0; i < area; ++i)
        now[c * area + i] = table_[c * 256 + sample[c * area + i]];

  for (const Stage &stage : stages_) {
    area = shape.height * shape.width;
    switch (stage.kind) {
    case Stage::PointwiseKind:
      for (int64_t c = 0; c < shape.channels; ++c)
        for (int64_t i = 0; i < area; ++i)
          now[c * area + i] = stage.pointwise(now[c * area + i], c);
      break;
    case Stage::PadKind:
      applyPad(now, shape, next, stage.output, stage.pad.top, stage.pad.left,
               stage.pad.value);
      std::swap(now, next);
      break;
    case Stage::ResizeKind: {
      const data::ResizeAxis &rows = stage.rows, &columns = stage.columns;
      double *to = next;
      for (int64_t c = 0; c < shape.channels; ++c)
        for (int64_t y = 0; y < stage.output.height; ++y) {
          const double *upper = now + c * area + rows.low[y] * shape.width;
          const double *lower = now + c * area + rows.high[y] * shape.width;
          double v = rows.weight[y];
          for (int64_t x = 0; x < stage.output.width; ++x) {
            int64_t low = columns.low[x], high = columns.high[x];
            double u = columns.weight[x];
            double above = (1 - u) * upper[low] + u * upper[high];
            double below = (1 - u) * lower[low] + u * lower[high];
            *to++ = (1 - v) * above + v * below;
          }
        }
      std::swap(now, next);
      break;
    }
    case Stage::CropKind: {
      BoostRandomBlock draw = randomBits(key, stage.place);
      int64_t choices = 2 * stage.pad.top + 1;
      applyShift(now, shape, next, below(choices, draw.word[0]) - stage.pad.top,
                 below(choices, draw.word[1]) - stage.pad.top);
      std::swap(now, next);
      break;
    }
    case Stage::CutKind:
      applyCut(now, shape, next, stage.output, stage.pad.top, stage.pad.left);
      std::swap(now, next);
      break;
    case Stage::ResampleKind:
      resample(now, shape, {0, 0, shape.height, shape.width}, stage.rowFilter,
               stage.columnFilter, next, now);
      break;
    case Stage::ResizedCropKind: {
      ImageWindow window =
          drawWindow(shape, stage.scale, stage.ratio, key, stage.place);
      scratch.rows_.set(window.height, stage.output.height);
      scratch.columns_.set(window.width, stage.output.width);
      resample(now, shape, window, scratch.rows_, scratch.columns_, next, now);
      break;
    }
    case Stage::JitterKind:
      applyJitter(stage.jitter, shape, key, stage.place, now,
                  scratch.colors_.data());
      break;
    case Stage::FlipKind:
      if (randomBits(key, stage.place).word[0] >=
          (1 - stage.probability) * 0x1p32)
        for (int64_t row = 0; row < shape.channels * shape.height; ++row)
          std::reverse(now + row * shape.width, now + (row + 1) * shape.width);
      break;
    }
    shape = stage.output;
  }
  if (result_ == TransformResult::Bytes)
    // Between bytes, as all that a resize mixes.
    for (int64_t i = 0; i < shape.elements(); ++i)
      static_cast<uint8_t *>(out)[i] = static_cast<uint8_t>(now[i] + 0.5);
  else
    for (int64_t i = 0; i < shape.elements(); ++i)
      static_cast<float *>(out)[i] = static_cast<float>(now[i]);
}

void TransformPipeline::apply(const uint8_t *sample, void *out,
                              TransformScratch &scratch,
                              const DrawKey &key) const {
  assert(elementType_ != ElementType::I32 && "integers are copied");
  if (resize_)
    resize_->apply(sample, out, scratch.numbers_);
  else if (moves_)
    moves_->apply(sample, out, key);
  else if (stages_.empty()) // as they are: pixels become numbers by moves
    std::memcpy(out, sample, static_cast<size_t>(outputBytes()));
  else
    applyStages(sample, out, scratch, key);
}

double TransformPipeline::nanoseconds() const {
  // Measured. Stages compute in double precision.
  constexpr double kSample = 100;
  constexpr double kCopied = 0.1, kMoved = 0.4, kResized = 0.8, kConverted = 1,
                   kChanged = 1, kMixed = 3, kColored = 20; // a value
  double perValue = moves_            ? kMoved
                    : resize_         ? kResized
                    : stages_.empty() ? kCopied
                                      : kConverted;
  for (const Stage &stage : stages_)
    perValue += stage.kind == Stage::JitterKind ? kColored
                : stage.kind == Stage::ResizeKind ||
                        stage.kind == Stage::ResampleKind ||
                        stage.kind == Stage::ResizedCropKind
                    ? kMixed
                    : kChanged;
  int64_t values = std::max(sized_.elements(), output_.elements());
  return kSample + perValue * static_cast<double>(values);
}

/// Half of what is left over; of a half pixel, to the even side.
static int64_t before(int64_t rest) {
  return static_cast<int64_t>(std::nearbyint(static_cast<double>(rest) / 2));
}

ImageRequest TransformPipeline::Fit::request(const ImageSize &size,
                                             const DrawKey &key) const {
  if (draws)
    return {drawWindow({output.channels, size.height, size.width}, scale, ratio,
                       key, place),
            {output.height, output.width},
            {0, 0, output.height, output.width}};
  int64_t shorter = std::min(size.height, size.width);
  ImageSize whole = {shorterSide * size.height / shorter,
                     shorterSide * size.width / shorter};
  return {{0, 0, size.height, size.width},
          whole,
          {before(whole.height - output.height),
           before(whole.width - output.width), output.height, output.width}};
}

Status TransformPipeline::applyFile(const std::string &path, void *out,
                                    TransformScratch &scratch,
                                    const DrawKey &key) const {
  Result<ImageSize> size = scratch.decoder_->open(path);
  if (!size.ok())
    return size.status();
  BOOSTRT_RETURN_IF_ERROR(
      scratch.decoder_->read(fit_.request(*size, key), scratch.image_.data()));
  apply(scratch.image_.data(), out, scratch, key);
  return {};
}

/// Turns the list into tables: what leads on bytes into table_, and everything
/// into a single pass where there is one. Floats have no tables, integers
/// nothing to fold.
void TransformPipeline::fold() {
  if (elementType_ == ElementType::I32)
    return;
  scratchElements_ = sized_.elements();
  SampleShape shape = sized_;
  for (const Stage &stage : stages_) {
    // Rows of a resample are done first.
    scratchElements_ =
        std::max({scratchElements_, stage.output.elements(),
                  shape.channels * shape.height * stage.output.width});
    shape = stage.output;
  }
  if (elementType_ == ElementType::F32)
    return;
  size_t leading = 0;
  table_.resize(sized_.channels * 256);
  for (int64_t c = 0; c < sized_.channels; ++c)
    for (int value = 0; value < 256; ++value)
      table_[c * 256 + value] = value;
  if (foldResize())
    return;
  while (leading < stages_.size() &&
         stages_[leading].kind == Stage::PointwiseKind) {
    const Pointwise &pointwise = stages_[leading++].pointwise;
    for (int64_t c = 0; c < sized_.channels; ++c)
      for (int value = 0; value < 256; ++value)
        table_[c * 256 + value] = pointwise(table_[c * 256 + value], c);
  }
  stages_.erase(stages_.begin(), stages_.begin() + leading);
  // What moves nothing is copied.
  if (result_ != TransformResult::Bytes || !stages_.empty())
    foldMoves();
}

/// A resize with what follows it point by point.
bool TransformPipeline::foldResize() {
  auto isPointwise = [](const Stage &stage) {
    return stage.kind == Stage::PointwiseKind;
  };
  if (stages_.empty() || stages_.front().kind != Stage::ResizeKind ||
      !std::all_of(stages_.begin() + 1, stages_.end(), isPointwise))
    return false;
  const Stage &first = stages_.front();
  resize_ = data::ByteResize::create(
      sized_, first.output, first.rows, first.columns,
      result_ == TransformResult::Bytes, [&](double x, int64_t channel) {
        for (size_t i = 1; i < stages_.size(); ++i)
          x = stages_[i].pointwise(x, channel);
        return x;
      });
  if (resize_)
    stages_.clear();
  return resize_.has_value();
}

/// What moves whole pixels.
void TransformPipeline::foldMoves() {
  data::PixelMoves moves(sized_, table_);
  for (const Stage &stage : stages_)
    switch (stage.kind) {
    case Stage::PointwiseKind:
      moves.change(stage.pointwise);
      break;
    case Stage::PadKind:
      moves.place(stage.output, stage.pad.top, stage.pad.left, stage.pad.value);
      break;
    case Stage::CutKind:
      moves.place(stage.output, -stage.pad.top, -stage.pad.left, 0);
      break;
    case Stage::CropKind:
      moves.shiftAtRandom(stage.pad.top, stage.place);
      break;
    case Stage::FlipKind:
      moves.flipAtRandom(stage.probability, stage.place);
      break;
    default:
      return;
    }
  moves.finish(result_ == TransformResult::Bytes);
  moves_.emplace(std::move(moves));
  stages_.clear();
}

} // namespace boostrt
