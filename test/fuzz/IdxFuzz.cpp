// IDX files, of images and of labels, plain and gzip.

#include "runtime/data/Idx.h"
#include "test/fuzz/Fuzz.h"

using namespace boostrt;
using namespace boostrt::fuzz;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  MemoryFile input = makeFile(data, size);
  for (int rank : {1, 3}) {
    Result<IdxFile> file = IdxFile::open(input.path(), rank);
    if (!file.ok()) {
      expectRefusal(file.status(), input.path());
      continue;
    }
    constexpr int64_t kMaxBytes = int64_t{64} << 20;
    if (file->size() > kMaxBytes)
      continue;
    Result<OwnedBytes> elements = file->read();
    if (!elements.ok())
      expectRefusal(elements.status(), input.path());
  }
  return 0;
}
