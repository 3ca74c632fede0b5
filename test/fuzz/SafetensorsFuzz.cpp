// Safetensors files: tensors lie in the file, one after the other, and their
// bytes can be read.

#include "runtime/checkpoint/Safetensors.h"
#include "test/fuzz/Fuzz.h"

#include <cstring>

using namespace boostrt;
using namespace boostrt::fuzz;

namespace {
class Bytes final : public FilePieces {
public:
  explicit Bytes(std::span<const uint8_t> bytes) : bytes_(bytes) {}
  uint64_t size() const override { return bytes_.size(); }
  Status read(uint64_t offset, std::span<uint8_t> to) const override {
    expect(offset <= bytes_.size() && to.size() <= bytes_.size() - offset,
           "reads past the end of the file");
    if (!to.empty())
      std::memcpy(to.data(), bytes_.data() + offset, to.size());
    return Status();
  }

private:
  std::span<const uint8_t> bytes_;
};
} // namespace

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  Result<SafetensorsFile> file = SafetensorsFile::open(
      std::make_unique<Bytes>(std::span(data, size)), "weights.safetensors");
  if (!file.ok()) {
    expectRefusal(file.status(), "weights.safetensors");
    return 0;
  }
  uint64_t end = 0;
  for (const TensorEntry &tensor : file->tensors()) {
    expect(end == 0 || tensor.offset == end, "there are holes between tensors");
    end = tensor.offset + tensor.bytes;
    expect(end <= size, "a tensor ends after the file");
    std::vector<uint8_t> bytes(tensor.bytes);
    expect(file->read(tensor, 0, bytes).ok(), "a tensor cannot be read");
  }
  expect(end == 0 || end == size, "something follows the last tensor");
  return 0;
}
