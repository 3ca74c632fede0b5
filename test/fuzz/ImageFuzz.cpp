// JPEG and PNG files: all of an image, and a part of it, in another size.

#include "runtime/data/ImageDecoder.h"
#include "test/fuzz/Fuzz.h"

#include <algorithm>

using namespace boostrt;
using namespace boostrt::fuzz;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  MemoryFile input = makeFile(data, size);
  constexpr uint64_t kMaxBytes = 64 << 20;
  static ImageDecoder decoder(kMaxBytes); // good for the next after a failure
  for (int part : {1, 2, 9}) {
    Result<ImageSize> found = decoder.open(input.path());
    if (!found.ok()) {
      expectRefusal(found.status(), input.path());
      return 0;
    }
    constexpr int64_t kMaxPixels = 1 << 20; // more take time alone
    if (found->height * found->width > kMaxPixels)
      return 0;
    ImageSize to{std::clamp<int64_t>(found->height / part, 1, 64),
                 std::clamp<int64_t>(found->width * part, 1, 64)};
    ImageRequest request{
        {0, 0, found->height, found->width}, to, {0, 0, to.height, to.width}};
    std::vector<uint8_t> pixels(static_cast<size_t>(3 * to.height * to.width));
    if (Status status = decoder.read(request, pixels.data()); !status.ok())
      expectRefusal(status, input.path());
  }
  return 0;
}
