// CallElements.h - the elements of a call's operands as f32.
#pragma once

#include "runtime/device/cuda/CallShape.h"

#include <cstddef>

namespace boostrt::cuda {

/// `type` is a BoostFloatType.
uint64_t bytesOfElement(uint32_t type);

/// Exact.
std::vector<float> extendElements(uint32_t type,
                                  std::span<const std::byte> elements);
/// To nearest even. `to` has room for them.
void roundElements(uint32_t type, std::span<const float> values,
                   std::span<std::byte> to);

} // namespace boostrt::cuda
