#include "runtime/data/ByteFilter.h"

#include <algorithm>
#include <cmath>

namespace boostrt {

void ByteFilter::set(int64_t pixels, double begin, double extent, int64_t out,
                     int64_t first, int64_t count) {
  outputs_.clear();
  weights_.clear();
  double ratio = extent / static_cast<double>(out);
  double support = std::max(ratio, 1.0);
  for (int64_t i = first; i < first + count; ++i) {
    double centre = begin + (static_cast<double>(i) + 0.5) * ratio;
    auto low =
        std::max<int64_t>(0, static_cast<int64_t>(centre - support + 0.5));
    auto high = std::min(pixels, static_cast<int64_t>(centre + support + 0.5));
    exact_.clear();
    double sum = 0;
    for (int64_t j = low; j < high; ++j) {
      double distance =
          (static_cast<double>(j) - centre + 0.5) * (1.0 / support);
      exact_.push_back(std::max(0.0, 1.0 - std::abs(distance)));
      sum += exact_.back();
    }
    size_t start = weights_.size();
    for (double weight : exact_)
      weights_.push_back(static_cast<int32_t>(
          (sum > 0 ? weight / sum : weight) * (1 << kBits) + 0.5));
    outputs_.push_back({low, start, weights_.size()});
  }
}

} // namespace boostrt
