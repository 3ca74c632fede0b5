// ShardedVector.h - several spans, each of which members divide into slices, as
// one vector in which what a member has of all of them is one range.
#pragma once

#include "runtime/comm/Division.h"
#include "runtime/comm/SegmentedVector.h"

#include <vector>

namespace boostrt {

template <typename T> class ShardedVector {
public:
  /// Divides `count` spans, each spanOf(i) of rowsOf(i) rows, as RowDivision
  /// does. For the same sizes it allocates nothing the second time.
  template <typename Rows, typename Span>
  void divide(size_t count, uint32_t members, Rows &&rowsOf, Span &&spanOf) {
    parts_.clear();
    ends_.clear();
    longest_ = 0;
    size_t end = 0;
    for (uint32_t member = 0; member < members; ++member) {
      size_t begin = end;
      RowDivision division(members);
      for (size_t i = 0; i < count; ++i) {
        size_t rows = rowsOf(i);
        std::span<T> span = spanOf(i);
        division.divide(rows);
        size_t row = rows ? span.size() / rows : 0;
        size_t first = division.begin(member);
        parts_.push_back(span.subspan(
            first * row, (division.begin(member + 1) - first) * row));
        end += parts_.back().size();
      }
      ends_.push_back(end);
      longest_ = std::max(longest_, end - begin);
    }
  }

  /// Member 0's slice of each span, then member 1's.
  std::span<const std::span<T>> parts() const { return parts_; }
  size_t size() const { return ends_.empty() ? 0 : ends_.back(); }

  Range slice(uint32_t member) const {
    return {member ? ends_[member - 1] : 0, ends_[member]};
  }
  size_t longestSlice() const { return longest_; }

private:
  std::vector<std::span<T>> parts_;
  std::vector<size_t> ends_; ///< of the members' ranges
  size_t longest_ = 0;
};

} // namespace boostrt
