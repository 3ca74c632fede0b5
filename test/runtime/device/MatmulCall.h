// MatmulCall.h - a library call that multiplies matrices, of layer fc1.
#pragma once

#include "runtime/abi/boost_abi.h"

namespace boostrt {

/// The matrices are f32, and the memory is what they reach over.
constexpr BoostLibraryCall matmulCall(const BoostMatmul &matmul,
                                      uint64_t scratchBytes,
                                      const char *location) {
  BoostLibraryCall call{};
  call.kind = BOOSTC_LIBRARY_MATMUL;
  call.scratch_bytes = scratchBytes;
  call.location = location;
  call.layers = "fc1";
  call.matmul = matmul;
  const int64_t elements[] = {matmul.m * matmul.k, matmul.k * matmul.n,
                              matmul.has_bias ? matmul.n : 0,
                              matmul.m * matmul.n};
  for (size_t i = 0; i < 4; ++i)
    call.operand_bytes[i] = static_cast<uint64_t>(elements[i]) * sizeof(float);
  return call;
}

} // namespace boostrt
