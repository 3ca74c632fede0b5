// CIFAR-10's binary version: intact, packed, damaged and hostile.

#include "runtime/data/Cifar10.h"
#include "runtime/support/Sha256.h"
#include "test/runtime/data/DataFiles.h"

#include <cstring>
#include <gmock/gmock.h>
#include <lzma.h>

namespace boostrt {
namespace {

using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

/// One xz stream.
std::string xz(const std::string &bytes) {
  std::string out(lzma_stream_buffer_bound(bytes.size()), '\0');
  size_t size = 0;
  lzma_ret code = lzma_easy_buffer_encode(
      6, LZMA_CHECK_CRC64, nullptr,
      reinterpret_cast<const uint8_t *>(bytes.data()), bytes.size(),
      reinterpret_cast<uint8_t *>(out.data()), &size, out.size());
  EXPECT_EQ(code, LZMA_OK);
  out.resize(size);
  return out;
}

/// A record whose pixels tell where they are.
std::string record(uint8_t label, int salt) {
  std::string text(kCifarRecordBytes, '\0');
  text[0] = static_cast<char>(label);
  for (int64_t i = 1; i < kCifarRecordBytes; ++i)
    text[i] = static_cast<char>(i * 7 + salt * 31);
  return text;
}

class Cifar10 : public testing::Test {
protected:
  void SetUp() override {
    for (int i = 0; i < 6; ++i)
      writeFile(path(i), batch(i));
  }

  static std::string name(int i) {
    return i < 5 ? "data_batch_" + std::to_string(i + 1) + ".bin"
                 : "test_batch.bin";
  }
  std::string path(int i) const { return directory / name(i); }
  /// Batch i has i + 1 records; the labels go through all ten.
  static std::string batch(int i) {
    std::string bytes;
    for (int r = 0; r <= i; ++r)
      bytes += record((i * (i + 1) / 2 + r) % 10, i * 10 + r);
    return bytes;
  }

  std::string errorOf(int i, const std::string &bytes) {
    writeFile(path(i), bytes);
    return boostrt::errorOf(openCifar10(directory.path()));
  }

  void expectIntact() {
    Result<DataSource> source = openData("cifar10:" + directory.path());
    ASSERT_TRUE(source.ok()) << source.status().message();
    const Dataset &train = *source->train, &test = *source->test;
    ASSERT_EQ(train.size(), 15);
    ASSERT_EQ(test.size(), 6);
    EXPECT_EQ(train.shape(), (SampleShape{3, 32, 32}));
    EXPECT_EQ(test.shape(), train.shape());
    int64_t index = 0;
    for (int i = 0; i < 6; ++i)
      for (int r = 0; r <= i; ++r, ++index) {
        const Dataset &split = i < 5 ? train : test;
        int64_t at = i < 5 ? index : r;
        std::string expected = record(0, i * 10 + r);
        EXPECT_EQ(split.label(at), (i * (i + 1) / 2 + r) % 10);
        EXPECT_EQ(std::string(split.sample(at),
                              split.sample(at) + split.shape().elements()),
                  expected.substr(1))
            << index;
      }
    EXPECT_EQ(
        source->description,
        "cifar10: 15 train + 6 test samples of 3x32x32, 10 classes, from " +
            directory.path());
  }

  TemporaryDirectory directory;
};

TEST_F(Cifar10, ReadsPlainFiles) { expectIntact(); }

TEST_F(Cifar10, ReadsGzipAndXz) {
  for (int i = 0; i < 6; ++i) {
    std::filesystem::remove(path(i));
    writeFile(path(i) + (i % 2 ? ".gz" : ".xz"),
              i % 2 ? gzip(batch(i)) : xz(batch(i)));
  }
  expectIntact();
}

TEST_F(Cifar10, RecognisesXzByContentAndJoinsStreams) {
  std::string bytes = batch(3);
  writeFile(path(3),
            xz(bytes.substr(0, 5000)) + xz("") + xz(bytes.substr(5000)));
  expectIntact();
}

TEST_F(Cifar10, PlainFilesGoFirst) {
  writeFile(path(0) + ".xz", "not looked at");
  expectIntact();
}

/// More records than one block of reading holds, through every way to read.
TEST_F(Cifar10, CountsRecordsFromTheSize) {
  constexpr int kCount = 1000;
  std::string many;
  for (int r = 0; r < kCount; ++r)
    many += record(r % 10, r);
  for (const std::string &bytes : {many, gzip(many), xz(many)}) {
    writeFile(path(1), bytes);
    Result<DataSource> source = openCifar10(directory.path());
    ASSERT_TRUE(source.ok()) << source.status().message();
    ASSERT_EQ(source->train->size(), 15 - 2 + kCount);
    for (int r = 0; r < kCount; ++r) {
      std::string expected = record(0, r);
      EXPECT_EQ(source->train->label(1 + r), r % 10);
      ASSERT_EQ(std::memcmp(source->train->sample(1 + r), expected.data() + 1,
                            kCifarRecordBytes - 1),
                0)
          << r;
    }
  }
}

TEST_F(Cifar10, MissingDirectoryAndFiles) {
  Result<DataSource> source = openCifar10(directory / "nowhere");
  ASSERT_FALSE(source.ok());
  EXPECT_EQ(source.status().message(),
            directory / "nowhere" +
                ": no such directory, expected a directory that holds "
                "CIFAR-10's six .bin files; give one with --data cifar10:DIR "
                "or DATA_PATH, or train without files with --data digits");
  for (int i = 0; i < 6; ++i) {
    std::filesystem::remove(path(i));
    source = openCifar10(directory.path());
    ASSERT_FALSE(source.ok());
    EXPECT_EQ(source.status().code(), ExitCode::Data);
    EXPECT_THAT(source.status().message(),
                AllOf(StartsWith(directory.path() + ": " + name(i) +
                                 " not found; it holds "),
                      EndsWith("; expected it there, plain or with .gz or .xz; "
                               "get it from the data set's source")));
    writeFile(path(i), batch(i));
  }
  std::filesystem::remove(path(5));
  source = openCifar10(directory.path(), HeldOut::Optional);
  ASSERT_TRUE(source.ok()) << source.status().message();
  EXPECT_GT(source->train->size(), 0);
  EXPECT_EQ(source->test->size(), 0);
}

TEST_F(Cifar10, WrongSizes) {
  std::string two = batch(1);
  EXPECT_EQ(errorOf(1, two.substr(0, 6000)),
            path(1) +
                ": found 6000 bytes, which is 1 records of 3073 bytes and 2927 "
                "bytes more, expected whole records; the file is truncated or "
                "not CIFAR-10's binary version: get it again");
  EXPECT_THAT(errorOf(1, two + "x"), HasSubstr("found 6147 bytes, which is 2 "
                                               "records of 3073 bytes and 1 "));
  EXPECT_EQ(errorOf(1, ""),
            path(1) + ": found 0 bytes, expected at least one record of 3073 "
                      "bytes; get the file again");
  for (const std::string &bytes : {gzip(two + "x"), xz(two + "x")})
    EXPECT_THAT(errorOf(1, bytes),
                HasSubstr("found 6147 bytes unpacked, which is 2 records"));
  for (const std::string &bytes : {gzip(""), xz("")})
    EXPECT_EQ(errorOf(1, bytes),
              path(1) +
                  ": found 0 bytes unpacked, expected at least one record "
                  "of 3073 bytes; get the file again");
}

TEST_F(Cifar10, LabelsAbove9) {
  std::string bytes = batch(4);
  bytes[2 * kCifarRecordBytes] = 10;
  EXPECT_EQ(errorOf(4, bytes),
            path(4) +
                ": found label 10 at record 2 (byte 6146), expected 0 to "
                "9; check that it is CIFAR-10's binary version (CIFAR-100 "
                "has two labels a record)");
}

TEST_F(Cifar10, EveryKindOfDamageToXz) {
  std::string bytes = xz(batch(2));
  for (size_t length = 6; length < bytes.size(); length += 3)
    EXPECT_THAT(errorOf(2, bytes.substr(0, length)),
                AllOf(StartsWith(path(2) + ": the compressed data stop early"),
                      EndsWith("expected one intact xz file; get the file "
                               "again")))
        << length;
  // Six bytes of magic make it an xz file; every later bit is checked.
  for (size_t at = 6; at < bytes.size(); ++at) {
    std::string damaged = bytes;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x10);
    EXPECT_THAT(errorOf(2, damaged), AllOf(StartsWith(path(2) + ": "),
                                           EndsWith("; get the file again")))
        << at;
  }
  EXPECT_THAT(errorOf(2, bytes + "bytes that trail"),
              HasSubstr("or other bytes after them (lzma error 9) (around "));
}

/// Zeros pack to almost nothing; streams may be joined.
TEST_F(Cifar10, BombsStopAtTheLimit) {
  std::string zeros(kCifarMaxRecords / 100 * kCifarRecordBytes, '\0');
  for (const std::string &bytes : {gzip(zeros), xz(zeros)}) {
    std::string bomb;
    for (int i = 0; i < 101; ++i)
      bomb += bytes;
    EXPECT_EQ(errorOf(0, bomb),
              path(0) + ": found more than 100000 records, expected at most "
                        "that many in a file; use a smaller data set");
  }
}

TEST_F(Cifar10, DirectoryAndPipeInsteadOfAFile) {
  std::filesystem::remove(path(5));
  std::filesystem::create_directory(path(5));
  Result<DataSource> source = openCifar10(directory.path());
  ASSERT_FALSE(source.ok());
  EXPECT_EQ(source.status().message(),
            path(5) + ": found a directory, expected a regular file");
}

/// One of the real files, where they are at hand: byte for byte.
TEST_F(Cifar10, ReadsTheRealTestBatch) {
  std::string real = BOOSTC_SHARED_CIFAR10 "/test_batch.bin.xz";
  if (!std::filesystem::exists(real))
    GTEST_SKIP() << real << " is not there";
  std::filesystem::remove(path(5));
  std::filesystem::create_symlink(real, path(5) + ".xz");
  Result<DataSource> source = openCifar10(directory.path());
  ASSERT_TRUE(source.ok()) << source.status().message();
  const Dataset &test = *source->test;
  ASSERT_EQ(test.size(), 10000);
  std::vector<int> classes(10);
  Sha256 hash;
  for (int64_t i = 0; i < test.size(); ++i) {
    ++classes[test.label(i)];
    auto label = static_cast<uint8_t>(test.label(i));
    hash.update({&label, 1});
    hash.update({test.sample(i), kCifarRecordBytes - 1});
  }
  EXPECT_THAT(classes, testing::Each(1000));
  // From cifar-10-binary.tar.gz's test_batch.bin.
  EXPECT_EQ(toHex(hash.finish()), "8e2eb146ae340b09e24670f29cabc632"
                                  "6dba54da8789dab6768acf480273f65b");
}

} // namespace
} // namespace boostrt
