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
//   pad       {padding, value = 0}   padding = n or [top, bottom, left, right];
//                                    value in the units at that point of the
//                                    list
// Every operation is one double expression as written here, without contraction
// to fused multiply-add, in the order of the list; the result is rounded to
// float once, at the end. So equal inputs give equal bits on every machine, and
// the values agree with PyTorch's float pipeline within its own rounding.
//
// Operations are data, not code to interpret per pixel: what acts on bytes
// point by point becomes a table of 256 values per channel, so that without a
// resize a pixel costs one look-up.
#pragma once

#include "runtime/data/Dataset.h"

#include <nlohmann/json_fwd.hpp>
#include <vector>

namespace boostrt {

/// Working memory of TransformPipeline::apply, one per thread.
class TransformScratch {
  friend class TransformPipeline;
  std::vector<double> planes_[2];
};

/// Immutable; one may serve several threads, each with its own scratch.
class TransformPipeline {
public:
  /// `transforms` is the array data.transforms; null or absent is the identity.
  /// The compiler has checked it; it is checked again because a program may
  /// come from elsewhere. Fails with ExitCode::Input.
  static Result<TransformPipeline>
  create(const nlohmann::json &transforms, SampleShape input,
         ElementType elementType = ElementType::U8);

  const SampleShape &inputShape() const { return input_; }
  const SampleShape &outputShape() const { return output_; }
  ElementType elementType() const { return elementType_; }

  /// Allocates all that apply() needs.
  TransformScratch makeScratch() const;

  /// Writes outputShape().elements() floats, made of a sample of the input's
  /// shape and element type. Allocates nothing.
  void apply(const uint8_t *sample, float *out,
             TransformScratch &scratch) const;

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
  struct Axis { ///< of a resize: out[i] = in[low]*(1-weight) + in[high]*weight
    std::vector<int64_t> low, high;
    std::vector<double> weight;
  };
  struct Stage {
    enum Kind { PointwiseKind, PadKind, ResizeKind } kind;
    Pointwise pointwise;
    Pad pad;
    Axis rows, columns;
    SampleShape output;
  };
  struct Builder;

  void fold();
  void applyStages(const uint8_t *sample, float *out,
                   TransformScratch &scratch) const;

  SampleShape input_;
  SampleShape output_;
  ElementType elementType_ = ElementType::U8;
  std::vector<double>
      table_; ///< bytes: channels x 256: the leading pointwise stages
  std::vector<Stage> stages_; ///< what follows them; empty when folded
  std::vector<float> lookup_; ///< channels x 256: everything, when no resize
  std::vector<float> frame_;  ///< the output around the image, when padded
  int64_t frameTop_ = 0;
  int64_t frameLeft_ = 0;
  int64_t scratchElements_ = 0;
};

} // namespace boostrt
