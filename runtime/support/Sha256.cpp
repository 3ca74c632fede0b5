#include "runtime/support/Sha256.h"

#include <algorithm>
#include <cassert>

namespace boostrt {

Sha256::Sha256() { sha256_init(&context_); }

Sha256::Sha256(const Sha256Midstate &midstate) : Sha256() {
  std::ranges::copy(midstate.words, context_.state);
  context_.count = midstate.blocks;
}

Sha256Midstate Sha256::midstate() const {
  assert(context_.index == 0 && "a block is not complete");
  Sha256Midstate midstate;
  std::ranges::copy(context_.state, midstate.words.begin());
  midstate.blocks = context_.count;
  return midstate;
}

void Sha256::update(std::span<const uint8_t> bytes) {
  sha256_update(&context_, bytes.size(), bytes.data());
}

Sha256Digest Sha256::finish() {
  Sha256Digest digest;
  sha256_digest(&context_, digest.size(), digest.data());
  return digest;
}

Sha256Digest sha256(std::span<const uint8_t> bytes) {
  Sha256 hash;
  hash.update(bytes);
  return hash.finish();
}

std::string toHex(const Sha256Digest &digest) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (uint8_t byte : digest) {
    text += kDigits[byte >> 4];
    text += kDigits[byte & 15];
  }
  return text;
}

} // namespace boostrt
