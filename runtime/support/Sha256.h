// Sha256.h - SHA-256 of files and of what is written to them.
#pragma once

#include <nettle/sha2.h>

#include <array>
#include <cstdint>
#include <span>
#include <string>

namespace boostrt {

using Sha256Digest = std::array<uint8_t, 32>;

/// Where a hash is after a multiple of 64 bytes.
struct Sha256Midstate {
  std::array<uint32_t, 8> words;
  uint64_t blocks;
  bool operator==(const Sha256Midstate &) const = default;
};

class Sha256 {
public:
  Sha256();
  /// Goes on from there.
  explicit Sha256(const Sha256Midstate &midstate);
  void update(std::span<const uint8_t> bytes);
  /// The digest of all updates; the object then starts afresh.
  Sha256Digest finish();
  /// After a multiple of 64 bytes.
  Sha256Midstate midstate() const;

private:
  sha256_ctx context_;
};

Sha256Digest sha256(std::span<const uint8_t> bytes);

/// 64 lower-case hexadecimal digits.
std::string toHex(const Sha256Digest &digest);

} // namespace boostrt
