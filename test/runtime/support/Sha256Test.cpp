#include "runtime/support/Sha256.h"

#include <gtest/gtest.h>

#include <string_view>

namespace boostrt {
namespace {

std::span<const uint8_t> bytesOf(std::string_view text) {
  return {reinterpret_cast<const uint8_t *>(text.data()), text.size()};
}

// FIPS 180-4, examples of NIST.
TEST(Sha256, KnownAnswers) {
  EXPECT_EQ(toHex(sha256({})),
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(toHex(sha256(bytesOf("abc"))),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(toHex(sha256(bytesOf(std::string(1'000'000, 'a')))),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256, PiecesGiveTheSameAsTheWhole) {
  std::string text(1000, 'x');
  Sha256 hash;
  for (size_t at = 0; at < text.size(); at += 7)
    hash.update(bytesOf(std::string_view(text).substr(at, 7)));
  EXPECT_EQ(hash.finish(), sha256(bytesOf(text)));
}

TEST(Sha256, GoesOnFromTheMiddle) {
  std::string text(1000, 'x');
  Sha256 hash;
  hash.update(bytesOf(std::string_view(text).substr(0, 640)));
  Sha256Midstate middle = hash.midstate();
  for (int i = 0; i < 2; ++i) {
    Sha256 rest(middle);
    EXPECT_EQ(rest.midstate(), middle);
    rest.update(bytesOf(std::string_view(text).substr(640)));
    EXPECT_EQ(rest.finish(), sha256(bytesOf(text)));
  }
}

TEST(Sha256, StartsAfreshAfterFinish) {
  Sha256 hash;
  hash.update(bytesOf("something else"));
  (void)hash.finish();
  hash.update(bytesOf("abc"));
  EXPECT_EQ(hash.finish(), sha256(bytesOf("abc")));
}

} // namespace
} // namespace boostrt
