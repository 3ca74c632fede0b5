#include "runtime/data/Resample.h"

#include <algorithm>
#include <cmath>

namespace boostrt {

void ResampleFilter::reserve(int64_t in, int64_t out) {
  // An output reads 2 s + 1 pixels at most, where s = in / out or 1.
  auto count = static_cast<size_t>(out);
  low_.reserve(count);
  begin_.reserve(count + 1);
  weights_.reserve(static_cast<size_t>(2 * std::max(in, out) + 2 * out));
}

void ResampleFilter::set(int64_t in, int64_t out) {
  low_.clear();
  begin_.assign(1, 0);
  weights_.clear();
  double ratio = static_cast<double>(in) / static_cast<double>(out);
  double support = std::max(ratio, 1.0);
  for (int64_t i = 0; i < out; ++i) {
    double centre = (static_cast<double>(i) + 0.5) * ratio;
    auto low = std::max<int64_t>(
        0, static_cast<int64_t>(std::floor(centre - support + 0.5)));
    auto high =
        std::min(in, static_cast<int64_t>(std::floor(centre + support + 0.5)));
    double sum = 0;
    for (int64_t j = low; j < high; ++j) {
      double distance = (static_cast<double>(j) + 0.5 - centre) / support;
      weights_.push_back(std::max(0.0, 1.0 - std::abs(distance)));
      sum += weights_.back();
    }
    for (size_t k = begin_.back(); k < weights_.size(); ++k)
      weights_[k] /= sum;
    low_.push_back(low);
    begin_.push_back(weights_.size());
  }
}

double ResampleFilter::apply(const double *from, int64_t stride,
                             int64_t i) const {
  double sum = 0;
  const double *pixel = from + low_[i] * stride;
  for (size_t k = begin_[i]; k < begin_[i + 1]; ++k, pixel += stride)
    sum += weights_[k] * *pixel;
  return sum;
}

void resample(const double *in, const SampleShape &shape,
              const ImageWindow &window, const ResampleFilter &rows,
              const ResampleFilter &columns, double *scratch, double *out) {
  int64_t width = columns.size();
  double *to = scratch;
  for (int64_t c = 0; c < shape.channels; ++c)
    for (int64_t y = 0; y < window.height; ++y) {
      const double *row =
          in + (c * shape.height + window.top + y) * shape.width + window.left;
      for (int64_t x = 0; x < width; ++x)
        *to++ = columns.apply(row, 1, x);
    }
  for (int64_t c = 0; c < shape.channels; ++c)
    for (int64_t y = 0; y < rows.size(); ++y)
      for (int64_t x = 0; x < width; ++x)
        *out++ = rows.apply(scratch + c * window.height * width + x, width, y);
}

} // namespace boostrt
