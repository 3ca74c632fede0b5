// Sealing.h - the trailer of a program file, for tests that make programs.
#pragma once

#include "runtime/abi/boost_abi.h"
#include "runtime/support/Sha256.h"

#include <cstring>
#include <vector>

namespace boostrt {

inline void appendTrailer(std::vector<uint8_t> &bytes) {
  BoostTrailer trailer{};
  Sha256Digest digest = sha256(bytes);
  std::memcpy(trailer.sha256, digest.data(), digest.size());
  trailer.payload_bytes = bytes.size();
  trailer.abi_version = BOOSTC_ABI_VERSION;
  trailer.abi_layout = BOOSTC_ABI_LAYOUT;
  std::memcpy(trailer.magic, BOOSTC_TRAILER_MAGIC, sizeof trailer.magic);
  const auto *raw = reinterpret_cast<const uint8_t *>(&trailer);
  bytes.insert(bytes.end(), raw, raw + sizeof trailer);
}

} // namespace boostrt
