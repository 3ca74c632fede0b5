// Data sets for which the process has too little memory: an error of the data
// that says how much, or what to do.

#include "runtime/data/Cifar10.h"
#include "runtime/data/Digits.h"
#include "test/runtime/data/IdxFiles.h"
#include "test/runtime/data/NpyFiles.h"
#include "test/runtime/data/Sanitizers.h"
#include "test/runtime/support/LimitedMemory.h"

#include <gmock/gmock.h>
#include <lzma.h>

namespace boostrt {
namespace {

using testing::HasSubstr;

constexpr uint64_t kMebi = 1 << 20;

class LittleMemory : public testing::Test {
protected:
  void SetUp() override {
    if (kAddressSanitizer || kThreadSanitizer)
      GTEST_SKIP() << "a sanitizer takes address space of its own";
  }
  /// What is said of a data source when the process may take this much more.
  std::string errorOf(const std::string &spec, uint64_t bytes) {
    LimitedMemory limit(bytes);
    return boostrt::errorOf(openData(spec));
  }

  TemporaryDirectory directory;
};

std::string bigEndian(uint32_t value) {
  std::string bytes;
  for (int shift = 24; shift >= 0; shift -= 8)
    bytes += static_cast<char>(value >> shift);
  return bytes;
}

/// `count` images of 1x`width` pixels and their labels, for each split.
void writeMnist(const TemporaryDirectory &directory, uint32_t count,
                uint32_t width) {
  for (const char *split : {"train", "t10k"}) {
    writeFile(directory / split + "-images-idx3-ubyte",
              bigEndian(0x803) + bigEndian(count) + bigEndian(1) +
                  bigEndian(width) + std::string(count * width, '\0'));
    writeFile(directory / split + "-labels-idx1-ubyte",
              bigEndian(0x801) + bigEndian(count) + std::string(count, '\0'));
  }
}

TEST_F(LittleMemory, ImagesOfAnIdxFile) {
  writeMnist(directory, 64, 1 << 19);
  EXPECT_EQ(errorOf("mnist:" + directory.path(), 4 * kMebi),
            directory / "train-images-idx3-ubyte" +
                ": not enough memory for its 33554432 bytes");
}

TEST_F(LittleMemory, LabelsOfAnIdxFile) {
  writeMnist(directory, 8 << 20, 1);
  EXPECT_THAT(errorOf("mnist:" + directory.path(), 24 * kMebi),
              testing::EndsWith("not enough memory to hold it"));
}

/// 64 samples of 512 KiB in arrays of `type` and `shape`, for each split.
void writeArrays(const TemporaryDirectory &directory, const char *type,
                 const char *shape) {
  for (const char *split : {"train", "test"}) {
    writeFile(directory / split + "_images.npy",
              npy(type, shape, std::string(32 << 20, '\0')));
    writeFile(directory / split + "_labels.npy",
              npy("|u1", "(64,)", std::string(64, '\0')));
  }
}

TEST_F(LittleMemory, AnArrayFile) {
  writeArrays(directory, "|u1", "(64, 524288)");
  EXPECT_EQ(errorOf("npy:" + directory.path(), 4 * kMebi),
            directory / "train_images.npy" +
                ": not enough memory for its 33554432 bytes");
}

TEST_F(LittleMemory, AnArrayOfLongIntegers) {
  writeArrays(directory, "<i8", "(64, 65536)");
  EXPECT_EQ(errorOf("npy:" + directory.path(), 40 * kMebi),
            directory / "train_images.npy" +
                ": not enough memory for its 4194304 integers");
}

// Records are read in blocks, and then put together.
TEST_F(LittleMemory, RecordsOfCifar10) {
  const std::string records(10000 * kCifarRecordBytes, '\0');
  for (const char *name :
       {"data_batch_1.bin", "data_batch_2.bin", "data_batch_3.bin",
        "data_batch_4.bin", "data_batch_5.bin", "test_batch.bin"})
    writeFile(directory / name,
              name[0] == 't' ? records.substr(0, 3073) : records);
  EXPECT_THAT(errorOf("cifar10:" + directory.path(), 200 * kMebi),
              HasSubstr(": not enough memory for the 153600000 bytes of its "
                        "images"));
}

TEST_F(LittleMemory, Digits) {
  EXPECT_EQ(errorOf("digits:train=200000,test=10", 4 * kMebi),
            "data source 'digits': not enough memory for 200010 samples of 784 "
            "bytes; ask for fewer with digits:train=N,test=M");
}

/// One xz stream whose block says that its dictionary has `code`'s size.
std::string xzWithDictionary(uint8_t code) {
  std::string out(lzma_stream_buffer_bound(64), '\0');
  size_t size = 0;
  const std::string bytes(64, 'x');
  EXPECT_EQ(lzma_easy_buffer_encode(
                0, LZMA_CHECK_CRC32, nullptr,
                reinterpret_cast<const uint8_t *>(bytes.data()), bytes.size(),
                reinterpret_cast<uint8_t *>(out.data()), &size, out.size()),
            LZMA_OK);
  out.resize(size);
  // The header of the block follows the 12 bytes of the stream's; its size in
  // words comes first, the checksum last.
  size_t header = 12, bytesOfHeader = (static_cast<uint8_t>(out[12]) + 1) * 4;
  size_t filter = out.find("\x21\x01", header); // LZMA2, one byte of settings
  EXPECT_LT(filter, header + bytesOfHeader);
  out[filter + 2] = static_cast<char>(code);
  uint32_t sum = lzma_crc32(reinterpret_cast<uint8_t *>(out.data()) + header,
                            bytesOfHeader - 4, 0);
  for (int i = 0; i < 4; ++i)
    out[header + bytesOfHeader - 4 + static_cast<size_t>(i)] =
        static_cast<char>(sum >> (8 * i));
  return out;
}

TEST_F(LittleMemory, PackedWithALargeDictionary) {
  writeFile(directory / "train_images.npy.xz", xzWithDictionary(40));
  EXPECT_THAT(errorOf("npy:" + directory.path(), 4096 * kMebi),
              HasSubstr("bytes of memory, expected at most 268435456; unpack "
                        "it with xz first"));
  writeFile(directory / "train_images.npy.xz", xzWithDictionary(24));
  EXPECT_THAT(errorOf("npy:" + directory.path(), 4 * kMebi),
              HasSubstr("train_images.npy.xz: not enough memory to unpack it"));
}

} // namespace
} // namespace boostrt
