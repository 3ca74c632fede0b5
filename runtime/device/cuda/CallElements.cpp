#include "runtime/device/cuda/CallElements.h"
#include "runtime/support/LowFloats.h"

#include <algorithm>
#include <cstring>

namespace boostrt::cuda {

std::vector<float> extendElements(uint32_t type,
                                  std::span<const std::byte> elements) {
  std::vector<float> values(elements.size() / bytesOfElement(type));
  if (type == BOOSTC_FLOAT_F32) {
    std::memcpy(values.data(), elements.data(), values.size() * sizeof(float));
    return values;
  }
  std::vector<uint16_t> bits(values.size());
  std::memcpy(bits.data(), elements.data(), bits.size() * sizeof(uint16_t));
  std::ranges::transform(bits, values.begin(),
                         type == BOOSTC_FLOAT_F16 ? halfToFloat
                                                  : bfloatToFloat);
  return values;
}

void roundElements(uint32_t type, std::span<const float> values,
                   std::span<std::byte> to) {
  if (type == BOOSTC_FLOAT_F32) {
    std::memcpy(to.data(), values.data(), values.size_bytes());
    return;
  }
  std::vector<uint16_t> bits(values.size());
  std::ranges::transform(values, bits.begin(),
                         type == BOOSTC_FLOAT_F16 ? floatToHalf
                                                  : floatToBfloat);
  std::memcpy(to.data(), bits.data(), bits.size() * sizeof(uint16_t));
}

} // namespace boostrt::cuda
