// Pieces of a file whose hash is known: all that are read are what was hashed.
#include "runtime/checkpoint/VerifiedFile.h"

#include "test/runtime/checkpoint/Tensors.h"

#include <algorithm>
#include <random>

namespace boostrt {
namespace {

constexpr const char *kPath = "/f";

class VerifiedFileOf : public testing::TestWithParam<size_t> {
protected:
  void SetUp() override {
    std::mt19937_64 random(GetParam());
    bytes_.resize(GetParam());
    for (uint8_t &byte : bytes_)
      byte = static_cast<uint8_t>(random());
    ASSERT_TRUE(writeFileAtomically(
                    files_, kPath, ExitCode::Data,
                    [&](WritableFile &file) { return file.write(bytes_); })
                    .ok());
  }

  Result<std::unique_ptr<VerifiedFile>> open(uint64_t maxBytes = kNoLimit) {
    return VerifiedFile::open(files_, kPath,
                              {bytes_.size(), toHex(sha256(bytes_))}, maxBytes);
  }

  SimulatedFileSystem files_;
  std::vector<uint8_t> bytes_;
};

// Around blocks of 64 KiB and reads of 1 MiB.
INSTANTIATE_TEST_SUITE_P(Bytes, VerifiedFileOf,
                         testing::Values(0, 1, 63, 64, 65535, 65536, 65537,
                                         (1 << 20) - 1, 1 << 20, (1 << 20) + 1,
                                         (2 << 20) + 70'000));

TEST_P(VerifiedFileOf, EveryPieceIsWhatWasHashed) {
  auto file = open();
  ASSERT_TRUE(file.ok()) << file.status().message();
  EXPECT_EQ((*file)->size(), bytes_.size());
  std::vector<uint8_t> whole(bytes_.size());
  ASSERT_TRUE((*file)->read(0, whole).ok());
  EXPECT_TRUE(whole == bytes_);
  std::mt19937_64 random(1);
  for (int i = 0; i < 200 && !bytes_.empty(); ++i) {
    size_t begin = random() % bytes_.size();
    // Long ones, short ones, and from a block's begin.
    if (i % 3 == 0)
      begin = begin / 65536 * 65536;
    size_t length = random() % (bytes_.size() - begin + 1);
    if (i % 2 == 0)
      length = std::min<size_t>(length, 1000);
    std::vector<uint8_t> piece(length);
    ASSERT_TRUE((*file)->read(begin, piece).ok()) << begin << " " << length;
    EXPECT_TRUE(std::ranges::equal(
        piece, std::span(bytes_).subspan(begin, piece.size())))
        << begin << " " << length;
  }
}

TEST_P(VerifiedFileOf, AByteThatChangesAfterwardsIsSeen) {
  auto file = open();
  ASSERT_TRUE(file.ok());
  if (bytes_.empty())
    return;
  std::vector<uint8_t> &content = *files_.content(kPath);
  std::vector<uint8_t> whole(bytes_.size()), one(1);
  for (size_t at : {size_t{0}, bytes_.size() / 2, bytes_.size() - 1}) {
    content[at] ^= 0x10;
    std::string changed = "'/f' has changed since it was verified";
    expectError((*file)->read(0, whole), ExitCode::Checkpoint, changed);
    expectError((*file)->read(at, one), ExitCode::Checkpoint, changed);
    content[at] ^= 0x10;
    EXPECT_TRUE((*file)->read(0, whole).ok());
  }
  content.push_back(0);
  expectError((*file)->read(0, one), ExitCode::Checkpoint, "has changed");
}

TEST_P(VerifiedFileOf, AnotherFileIsRefused) {
  std::string hash = toHex(sha256(bytes_));
  expectError(
      VerifiedFile::open(files_, kPath, {bytes_.size() + 1, hash}).status(),
      ExitCode::Checkpoint, "bytes, its manifest says");
  expectError(
      VerifiedFile::open(files_, kPath, {bytes_.size(), std::string(64, '0')})
          .status(),
      ExitCode::Checkpoint, "has the SHA-256 " + hash);
  if (!bytes_.empty())
    expectError(open(bytes_.size() - 1).status(), ExitCode::Checkpoint,
                "are expected here; is it the right file?");
}

TEST(VerifiedFile, ReportsWhatTheFileSystemSays) {
  SimulatedFileSystem files;
  std::vector<uint8_t> bytes(100);
  ASSERT_TRUE(
      writeFileAtomically(files, kPath, ExitCode::Data,
                          [&](WritableFile &file) { return file.write(bytes); })
          .ok());
  auto read = [&] {
    Result<std::unique_ptr<VerifiedFile>> file =
        VerifiedFile::open(files, kPath, {100, toHex(sha256(bytes))});
    return file.ok() ? (*file)->read(0, bytes) : file.status();
  };
  int failures = 0;
  for (int call = 1;; ++call) {
    files.failAt(call, EIO, false);
    Status status = read();
    if (status.ok())
      break;
    ++failures;
    expectError(status, ExitCode::Checkpoint, "Input/output error");
  }
  EXPECT_EQ(failures, 4) << "open and read, twice";
}

} // namespace
} // namespace boostrt
