// Manifests of checkpoints: what is read is written, and read again as the
// same. A checksum keeps what is made up from being read, so an object gets its
// own.

#include "runtime/checkpoint/CheckpointManifest.h"
#include "runtime/support/Sha256.h"
#include "test/fuzz/Fuzz.h"

#include <nlohmann/json.hpp>

using namespace boostrt;
using namespace boostrt::fuzz;

namespace {
std::span<const uint8_t> bytesOf(const std::string &text) {
  return {reinterpret_cast<const uint8_t *>(text.data()), text.size()};
}

std::string withChecksum(std::string text) {
  auto manifest = nlohmann::json::parse(text, nullptr, false);
  if (!manifest.is_object())
    return text;
  auto print = [&] {
    return manifest.dump(-1, ' ', /*ensure_ascii=*/true,
                         nlohmann::json::error_handler_t::replace);
  };
  manifest.erase("checksum");
  manifest["checksum"] = toHex(sha256(bytesOf(print())));
  return print();
}
} // namespace

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::string text = withChecksum(std::string(textOf(data, size)));
  Result<CheckpointManifest> manifest =
      parseManifest(bytesOf(text), "manifest.json");
  if (!manifest.ok()) {
    expectRefusal(manifest.status(), "manifest.json");
    return 0;
  }
  std::string written = writeManifest(*manifest);
  Result<CheckpointManifest> again =
      parseManifest(bytesOf(written), "manifest.json");
  expect(again.ok(), "a manifest that was written is refused");
  expect(again->position == manifest->position,
         "a position changes when it is written");
  return 0;
}
