// Descriptor.h - an open file, pipe or socket of the system, closed with its
// owner.
#pragma once

#include "runtime/support/IoError.h"

#include <cstddef>
#include <string_view>
#include <unistd.h>
#include <utility>

namespace boostrt {

class Descriptor {
public:
  explicit Descriptor(int number = -1) : number_(number) {}
  Descriptor(Descriptor &&other) noexcept : number_(other.release()) {}
  Descriptor &operator=(Descriptor &&other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~Descriptor() {
    if (isOpen())
      ::close(number_);
  }

  int get() const { return number_; }
  bool isOpen() const { return number_ >= 0; }
  /// The caller closes it.
  int release() { return std::exchange(number_, -1); }

private:
  int number_;
};

/// Writes all of `bytes`, also where a signal interrupts it or the descriptor
/// does not block. `written`: how many were, whatever the outcome. Allocates
/// nothing.
IoError writeAll(int descriptor, std::string_view bytes,
                 size_t *written = nullptr) noexcept;

} // namespace boostrt
