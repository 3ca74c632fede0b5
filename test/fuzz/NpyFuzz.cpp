// NumPy's array files, plain, gzip and xz.

#include "runtime/data/Npy.h"
#include "test/fuzz/Fuzz.h"

using namespace boostrt;
using namespace boostrt::fuzz;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  MemoryFile input = makeFile(data, size);
  Result<NpyFile> file = NpyFile::open(input.path());
  if (!file.ok()) {
    expectRefusal(file.status(), input.path());
    return 0;
  }
  // More would only be zeros.
  constexpr int64_t kMaxBytes = int64_t{64} << 20;
  if (file->bytes() > kMaxBytes)
    return 0;
  Result<OwnedBytes> elements = file->read();
  if (!elements.ok())
    expectRefusal(elements.status(), input.path());
  return 0;
}
