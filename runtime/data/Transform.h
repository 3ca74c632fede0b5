// Transform.h - the model's `data.transforms`, from bytes to the numbers that
// the first layer sees.
//
// Meaning, on a channels-first image whose bytes are read as the doubles
// 0..255:
//   rescale   {scale, shift = 0}     x * scale + shift
//   normalize {mean[], std[]}        (x - mean[c]) / std[c]; a list of one
//   value
//                                    holds for all channels
//   resize    {size: [h, w]}         bilinear, half-pixel centres, no
//                                    antialiasing, edges clamped: PyTorch's
//                                    interpolate(mode="bilinear",
//                                    align_corners=False)
//   resize_short {size}            the shorter side becomes `size`, the other
//                                    floor(size * longer / shorter); without
//                                    aliasing (Resample.h)
//   center_crop {size: [h, w]}      the part in the middle; half a pixel goes
//   to
//                                    the even side, as torchvision rounds
//   pad       {padding, value = 0}   padding = n or [top, bottom, left, right];
//                                    value in the units at that point of the
//                                    list
// and, in training only, where a draw decides:
//   random_crop {padding}            adds `padding` zeros on every side and
//   cuts
//                                    the image's size out again, anywhere
//   random_flip {p = 0.5}            mirrors left and right with probability p
//   random_resized_crop {size: [h, w], scale = [0.08, 1], ratio = [3/4, 4/3]}
//                                    a part whose share of the area is uniform
//                                    in `scale` and whose width by height is
//                                    log-uniform in `ratio`, in that size,
//                                    without aliasing. Of ten draws the first
//                                    that fits; else the largest part in the
//                                    middle whose ratio is legal:
//                                    torchvision's RandomResizedCrop
//   color_jitter {brightness = 0, contrast = 0, saturation = 0, hue = 0}
//                                    a number x draws factors from max(0, 1 -
//                                    x) to 1 + x, and shifts of the hue from -x
//                                    to x turns; [low, high] says both ends. In
//                                    an order that is drawn, too, on bytes
//                                    (ColorJitter.h): before all rescale and
//                                    normalize, of numbers rounded to bytes
// Draw.h says what a draw depends on.
//
// Every operation is one double expression as written here, without contraction
// to fused multiply-add, in the order of the list; the result is rounded to
// float once, at the end. So equal inputs give equal bits on every machine, and
// the values agree with PyTorch's float pipeline within its own rounding.
//
// Operations are data, not code to interpret per pixel. A list that moves
// whole pixels that are bytes is one pass with a table of 256 values per
// channel (PixelMoves.h), and one that begins with a resize of simple weights
// is one in integers with a larger table (ByteResize.h).
//
// Where a program takes bytes, they stay bytes: operations that move pixels
// come first, a resize rounds to the nearest byte, and rescale and normalize
// are left to the program.
//
// Images in files have sizes of their own. The list then begins with
// random_resized_crop, or with resize_short and center_crop, which read what
// they need of the file and make bytes of it, rounded as Pillow rounds
// (ByteFilter.h), so that an image is what torchvision makes of it; the others
// follow on these bytes. Of an image that is more than twice as large as it is
// to be, a smaller one is decoded (ImageDecoder.h).
//
// Integers have none of this: their pipeline is empty and moves no numbers.
#pragma once

#include "runtime/data/ByteResize.h"
#include "runtime/data/ColorJitter.h"
#include "runtime/data/Draw.h"
#include "runtime/data/ImageDecoder.h"
#include "runtime/data/PixelMoves.h"

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <vector>

namespace boostrt {

/// Whether operations that draw are done or left out.
enum class TransformPurpose { Training, Evaluation };

/// What a program takes: numbers, or pixels as bytes.
enum class TransformResult { Floats, Bytes };

/// The part of an image that random_resized_crop draws.
ImageWindow drawWindow(const SampleShape &shape, DrawRange scale,
                       DrawRange ratio, const DrawKey &key, size_t operation);

/// Working memory of TransformPipeline::apply, one per thread.
class TransformScratch {
  friend class TransformPipeline;
  std::vector<double> planes_[2];
  std::vector<uint16_t> numbers_; ///< of a ByteResize
  ResampleFilter rows_, columns_;
  std::unique_ptr<ImageDecoder> decoder_; ///< of files
  std::vector<uint8_t> image_;            ///< decoded, in its size
  std::vector<uint8_t> colors_;           ///< whose colours change
};

/// Immutable; one may serve several threads, each with its own scratch.
class TransformPipeline {
public:
  /// `transforms` is the array data.transforms; null or absent is the identity.
  /// The compiler has checked it; it is checked again because a program may
  /// come from elsewhere. Integers take none. Fails with ExitCode::Input.
  /// `list` is what errors call it.
  static Result<TransformPipeline>
  create(const nlohmann::json &transforms, SampleShape input,
         ElementType elementType = ElementType::U8,
         TransformPurpose purpose = TransformPurpose::Evaluation,
         TransformResult result = TransformResult::Floats,
         const char *list = "data.transforms");

  /// Images of any size where samples are files.
  const SampleShape &inputShape() const { return input_; }
  const SampleShape &outputShape() const { return output_; }
  ElementType elementType() const { return elementType_; }
  /// One sample after the transforms.
  int64_t outputBytes() const {
    return output_.elements() * (result_ == TransformResult::Bytes ? 1 : 4);
  }

  /// Whether a sample is another one in each epoch.
  bool isRandom() const { return isRandom_; }
  /// Whether a sample is made as fast as it is copied: at most, values move.
  bool copies() const {
    return !input_.isOfAnySize() && !resize_ && (moves_ || stages_.empty());
  }

  /// About how long it takes to find and to transform a sample in memory, in
  /// nanoseconds, on a core of some 3 GHz.
  double nanoseconds() const;

  /// Allocates all that apply() needs. Decoding an image takes at most so many
  /// bytes.
  TransformScratch makeScratch(uint64_t decodingBytes = kDecodingBytes) const;

  /// Writes outputBytes() bytes, floats or pixels, made of a sample of the
  /// input's shape and element type, which is not I32. Allocates nothing.
  void apply(const uint8_t *sample, void *out, TransformScratch &scratch,
             const DrawKey &key = {}) const;

  /// The same of a sample in the file `path`. Fails with ExitCode::Data and a
  /// message that names the file.
  Status applyFile(const std::string &path, void *out,
                   TransformScratch &scratch, const DrawKey &key = {}) const;

private:
  /// x * scale + shift, or (x - mean) / std; per channel.
  struct Pointwise {
    bool normalize = false;
    std::vector<double> first;  ///< scale or mean
    std::vector<double> second; ///< shift or std
    double operator()(double x, int64_t channel) const;
  };
  struct Pad {
    int64_t top = 0, bottom = 0, left = 0, right = 0;
    double value = 0;
  };
  struct Stage {
    enum Kind {
      PointwiseKind,
      PadKind,
      ResizeKind,
      CutKind,
      ResampleKind,
      CropKind,
      FlipKind,
      ResizedCropKind,
      JitterKind
    } kind;
    size_t place = 0; ///< in the list
    Pointwise pointwise;
    Pad pad; ///< of a crop: padding in `top`; of a cut: `top` and `left`
    data::ResizeAxis rows, columns;
    ResampleFilter rowFilter, columnFilter; ///< of the whole image
    double probability = 0;                 ///< of a flip
    DrawRange scale, ratio;                 ///< of a part of an image
    ColorJitter jitter;
    SampleShape output;
  };
  /// How images of any size get one.
  struct Fit {
    bool draws = false;      ///< random_resized_crop
    size_t place = 0;        ///< in the list
    DrawRange scale, ratio;  ///< of what is drawn
    int64_t shorterSide = 0; ///< else of the image in its new size
    SampleShape output;      ///< of which the middle is kept
    ImageRequest request(const ImageSize &size, const DrawKey &key) const;
  };
  struct Builder;

  void fold();
  void foldMoves();
  bool foldResize();
  void applyStages(const uint8_t *sample, void *out, TransformScratch &scratch,
                   const DrawKey &key) const;

  SampleShape input_;
  Fit fit_;           ///< of images in files
  SampleShape sized_; ///< what the stages begin with
  SampleShape output_;
  ElementType elementType_ = ElementType::U8;
  TransformResult result_ = TransformResult::Floats;
  std::vector<double>
      table_; ///< bytes: channels x 256: the leading pointwise stages
  std::vector<Stage> stages_; ///< what follows them; empty when folded
  // Everything, where it can be done so.
  std::optional<data::PixelMoves> moves_;
  std::optional<data::ByteResize> resize_;
  int64_t scratchElements_ = 0;
  bool isRandom_ = false;
};

} // namespace boostrt
