// Resample.h - images in another size, without aliasing.
//
// Bilinear with the filter as wide as a step: what PIL's BILINEAR and PyTorch's
// interpolate(mode="bilinear", antialias=True, align_corners=False) compute.
// Pixel i of `out` from `in` pixels, with r = in / out and s = max(r, 1), is
// the mean of the pixels j with the weights max(0, 1 - |j + 0.5 - (i + 0.5) r|
// / s). In doubles; along rows first.
#pragma once

#include "runtime/data/Dataset.h"

#include <cstdint>
#include <vector>

namespace boostrt {

/// A part of an image.
struct ImageWindow {
  int64_t top = 0, left = 0, height = 0, width = 0;
};

/// The weights along one axis.
class ResampleFilter {
public:
  /// For `in` pixels at most; set() allocates nothing then.
  void reserve(int64_t in, int64_t out);
  void set(int64_t in, int64_t out);

  int64_t size() const { return static_cast<int64_t>(low_.size()); }
  /// The mean for pixel `i` of the pixels that begin at `from`, `stride` apart.
  double apply(const double *from, int64_t stride, int64_t i) const;

private:
  std::vector<int64_t> low_;    ///< first pixel, by output
  std::vector<size_t> begin_;   ///< first weight; one more than outputs
  std::vector<double> weights_; ///< of each output they add up to 1
};

/// Writes rows.size() x columns.size() pixels for each channel to `out`, made
/// of `window` of the image `in`. `scratch` has room for channels x
/// window.height x columns.size() numbers.
void resample(const double *in, const SampleShape &shape,
              const ImageWindow &window, const ResampleFilter &rows,
              const ResampleFilter &columns, double *scratch, double *out);

} // namespace boostrt
