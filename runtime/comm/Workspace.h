// Workspace.h - the scratch memory of collectives. The caller owns it, so that
// the collectives of a step allocate nothing once the first step has been made.
#pragma once

#include "runtime/comm/Transport.h"

#include <cstdlib>
#include <memory>
#include <new>
#include <vector>

namespace boostrt {

/// Serves one collective at a time; what it holds means nothing between two.
class Workspace {
public:
  /// At least `bytes`, aligned for any vector; grows when it must and never
  /// shrinks.
  std::byte *reserve(size_t bytes) {
    if (bytes > capacity_) {
      memory_.reset(); // never both the old and the new
      capacity_ = (bytes + alignment - 1) / alignment * alignment;
      memory_.reset(
          static_cast<std::byte *>(std::aligned_alloc(alignment, capacity_)));
      if (!memory_)
        throw std::bad_alloc();
    }
    return memory_.get();
  }

  size_t capacity() const { return capacity_; }

  /// Lists that a collective fills.
  std::vector<Outgoing> sends;
  std::vector<Incoming> receives;
  std::vector<size_t> numbers;
  std::vector<void *> pieces, places;

private:
  static constexpr size_t alignment = 4096;
  struct Free {
    void operator()(std::byte *memory) const { std::free(memory); }
  };
  std::unique_ptr<std::byte, Free> memory_;
  size_t capacity_ = 0;
};

} // namespace boostrt
