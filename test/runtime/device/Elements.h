// Elements.h - an array of f32, bf16 or f16, for the libraries that tests make
// and for what libraries are compared with.
#pragma once

#include "runtime/abi/boost_abi.h"

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace boostrt {

class Elements {
public:
  /// `type` is a BoostFloatType.
  Elements(const void *data, uint32_t type)
      : data_(static_cast<std::byte *>(const_cast<void *>(data))), type_(type) {
  }

  float operator[](size_t i) const {
    if (type_ == BOOSTC_FLOAT_F32)
      return read<float>(i);
    if (type_ == BOOSTC_FLOAT_F16)
      return static_cast<float>(read<_Float16>(i));
    return std::bit_cast<float>(uint32_t{read<uint16_t>(i)} << 16);
  }
  /// Rounds to nearest even; numbers alone.
  void set(size_t i, float value) const {
    if (type_ == BOOSTC_FLOAT_F32)
      return write(i, value);
    if (type_ == BOOSTC_FLOAT_F16)
      return write(i, static_cast<_Float16>(value));
    auto bits = std::bit_cast<uint32_t>(value);
    write(i, static_cast<uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16));
  }

private:
  template <class T> T read(size_t i) const {
    T value;
    std::memcpy(&value, data_ + i * sizeof value, sizeof value);
    return value;
  }
  template <class T> void write(size_t i, T value) const {
    std::memcpy(data_ + i * sizeof value, &value, sizeof value);
  }

  std::byte *data_;
  uint32_t type_;
};

} // namespace boostrt
