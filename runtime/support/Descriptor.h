// Descriptor.h - an open file, pipe or socket of the system, closed with its
// owner.
#pragma once

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
  /// Whoever gets it closes it.
  int release() { return std::exchange(number_, -1); }

private:
  int number_;
};

} // namespace boostrt
