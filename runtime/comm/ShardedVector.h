// ShardedVector.h - several spans, each of which members divide into slices, as
// one vector in which what a member has of all of them is one range.
#pragma once

#include "runtime/comm/Division.h"
#include "runtime/comm/SegmentedVector.h"

#include <vector>

namespace boostrt {

template <typename T> class ShardedVector {
public:
  /// The first slices may be one element longer (sliceBegin()). For the same
  /// sizes it allocates nothing the second time.
  void divide(std::span<const std::span<T>> spans, uint32_t members) {
    parts_.clear();
    ends_.clear();
    size_t end = 0;
    for (uint32_t member = 0; member < members; ++member) {
      for (std::span<T> span : spans) {
        size_t begin = sliceBegin(span.size(), member, members);
        parts_.push_back(span.subspan(
            begin, sliceBegin(span.size(), member + 1, members) - begin));
        end += parts_.back().size();
      }
      ends_.push_back(end);
    }
  }

  /// Member 0's slice of each span, then member 1's.
  std::span<const std::span<T>> parts() const { return parts_; }
  size_t size() const { return ends_.empty() ? 0 : ends_.back(); }

  Range slice(uint32_t member) const {
    return {member ? ends_[member - 1] : 0, ends_[member]};
  }
  size_t longestSlice() const {
    return ends_.empty() ? 0 : slice(0).size(); // see sliceBegin()
  }

private:
  std::vector<std::span<T>> parts_;
  std::vector<size_t> ends_; ///< of the members' ranges
};

} // namespace boostrt
