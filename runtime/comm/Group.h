// Group.h - some ranks of a job that take part in a collective together.
#pragma once

#include "runtime/comm/Transport.h"

#include <vector>

namespace boostrt {

/// Members are numbered from 0 in the order of `ranks`; every member's group
/// lists the same ranks in the same order, and the transport's own is one.
class Group {
public:
  Group(Transport &transport, std::vector<uint32_t> ranks);
  /// All ranks of the job.
  explicit Group(Transport &transport);

  /// The same members over another transport of the same ranks.
  Group over(Transport &transport) const { return Group(transport, ranks_); }

  Transport &transport() const { return transport_; }
  uint32_t size() const { return static_cast<uint32_t>(ranks_.size()); }
  uint32_t self() const { return self_; } ///< which member this rank is
  uint32_t rankOf(uint32_t member) const { return ranks_[member]; }

private:
  Transport &transport_;
  std::vector<uint32_t> ranks_;
  uint32_t self_ = 0;
};

} // namespace boostrt
