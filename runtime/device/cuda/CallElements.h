// CallElements.h - the elements of a call's operands as f32.
#pragma once

#include "runtime/device/FloatTypes.h"
#include "runtime/device/cuda/CallShape.h"

#include <cstddef>

namespace boostrt::cuda {

/// `type` is a BoostFloatType. Exact.
std::vector<float> extendElements(uint32_t type,
                                  std::span<const std::byte> elements);
/// To nearest even. `to` has room for them.
void roundElements(uint32_t type, std::span<const float> values,
                   std::span<std::byte> to);

} // namespace boostrt::cuda
