#include "runtime/data/Cifar10.h"
#include "runtime/data/Directory.h"
#include "runtime/data/Inflate.h"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>

namespace boostrt {

using data::ByteReader;

namespace {

constexpr const char *kTestFile = "test_batch.bin";
std::string trainFile(int number) {
  return fmt::format("data_batch_{}.bin", number);
}
constexpr int64_t kPixelBytes = kCifarRecordBytes - 1;
constexpr int kClasses = 10;
/// Records that are read at once: about a megabyte.
constexpr int64_t kBlockRecords = 341;

/// The records of one split, file after file. Blocks, because the number of
/// records in a compressed file is known only when it has been read.
struct Records {
  std::vector<int32_t> labels;
  std::vector<std::unique_ptr<uint8_t[]>> blocks; ///< kBlockRecords images each

  Status append(const std::string &path, const uint8_t *record,
                int64_t indexInFile);
  OwnedBytes join();
};

Status Records::append(const std::string &path, const uint8_t *record,
                       int64_t indexInFile) {
  if (record[0] >= kClasses)
    return Status(
        ExitCode::Data,
        fmt::format("{}: found label {} at record {} (byte {}), expected 0 to "
                    "{}; check that it is CIFAR-10's binary version (CIFAR-100 "
                    "has two labels a record)",
                    path, record[0], indexInFile,
                    indexInFile * kCifarRecordBytes, kClasses - 1));
  size_t place = labels.size() % kBlockRecords;
  if (place == 0)
    blocks.emplace_back(new uint8_t[kBlockRecords * kPixelBytes]);
  std::memcpy(blocks.back().get() + place * kPixelBytes, record + 1,
              kPixelBytes);
  labels.push_back(record[0]);
  return {};
}

/// One piece of memory; the blocks are freed on the way. Null where there is
/// too little.
OwnedBytes Records::join() {
  auto count = static_cast<int64_t>(labels.size());
  OwnedBytes bytes = allocateBytes(count * kPixelBytes);
  if (!bytes)
    return bytes;
  for (size_t i = 0; i < blocks.size(); ++i) {
    int64_t first = static_cast<int64_t>(i) * kBlockRecords;
    std::memcpy(bytes.get() + first * kPixelBytes, blocks[i].get(),
                std::min(kBlockRecords, count - first) * kPixelBytes);
    blocks[i].reset();
  }
  return bytes;
}

Status wrongSize(const std::string &path, int64_t bytes, bool packed) {
  std::string found =
      fmt::format("found {} bytes{}", bytes, packed ? " unpacked" : "");
  if (bytes == 0)
    return Status(ExitCode::Data,
                  fmt::format("{}: {}, expected at least one record of {} "
                              "bytes; get the file again",
                              path, found, kCifarRecordBytes));
  return Status(
      ExitCode::Data,
      fmt::format("{}: {}, which is {} records of {} bytes and {} bytes more, "
                  "expected whole records; the file is truncated or not "
                  "CIFAR-10's binary version: get it again",
                  path, found, bytes / kCifarRecordBytes, kCifarRecordBytes,
                  bytes % kCifarRecordBytes));
}

Status tooMany(const std::string &path) {
  return Status(ExitCode::Data,
                fmt::format("{}: found more than {} records, expected at most "
                            "that many in a file; use a smaller data set",
                            path, kCifarMaxRecords));
}

/// What a plain file's size tells before it is read.
Status checkPlainSize(const std::string &path, int64_t bytes) {
  if (bytes == 0 || bytes % kCifarRecordBytes != 0)
    return wrongSize(path, bytes, false);
  return bytes / kCifarRecordBytes > kCifarMaxRecords ? tooMany(path)
                                                      : Status();
}

Status readFile(const std::string &path, Records &records) {
  Result<std::unique_ptr<ByteReader>> reader = ByteReader::open(path);
  if (!reader.ok())
    return reader.status();
  bool packed = (*reader)->packing() != data::Packing::None;
  if (!packed)
    BOOSTRT_RETURN_IF_ERROR(checkPlainSize(path, (*reader)->fileBytes()));

  constexpr int64_t kBlockBytes = kBlockRecords * kCifarRecordBytes;
  std::unique_ptr<uint8_t[]> block(new uint8_t[kBlockBytes]);
  int64_t total = 0;
  while (true) {
    Result<int64_t> got = (*reader)->read(block.get(), kBlockBytes);
    if (!got.ok())
      return got.status();
    int64_t first = total / kCifarRecordBytes;
    int64_t count = *got / kCifarRecordBytes;
    total += *got;
    if (first + count > kCifarMaxRecords)
      return tooMany(path);
    for (int64_t i = 0; i < count; ++i)
      BOOSTRT_RETURN_IF_ERROR(
          records.append(path, block.get() + i * kCifarRecordBytes, first + i));
    if (*got < kBlockBytes)
      break;
  }
  return total == 0 || total % kCifarRecordBytes != 0
             ? wrongSize(path, total, packed)
             : Status();
}

Result<std::unique_ptr<Dataset>>
readSplit(const std::vector<std::string> &paths, std::string source) {
  Records records;
  for (const std::string &path : paths)
    BOOSTRT_RETURN_IF_ERROR(readFile(path, records));
  int64_t size = std::ssize(records.labels);
  OwnedBytes bytes = records.join();
  if (!bytes)
    return Status(ExitCode::Data,
                  fmt::format("{}: not enough memory for the {} bytes of its "
                              "images",
                              source, size * kPixelBytes));
  return std::unique_ptr<Dataset>(
      new MemoryDataset(kCifarShape, size, std::move(bytes),
                        std::move(records.labels), source, source));
}

} // namespace

bool isCifar10(const std::string &directory) {
  Result<std::optional<std::string>> path =
      data::findOptional(directory, trainFile(1));
  return path.ok() && *path;
}

Result<DataSource> openCifar10(const std::string &directory, HeldOut heldOut) {
  BOOSTRT_RETURN_IF_ERROR(
      data::checkDirectory(directory, "CIFAR-10's six .bin files", "cifar10"));
  // All six are looked for before any is read.
  std::vector<std::string> train, test;
  for (int i = 1; i <= 5; ++i) {
    Result<std::string> path = data::findPacked(directory, trainFile(i));
    if (!path.ok())
      return path.status();
    train.push_back(*path);
  }
  Result<std::optional<std::string>> testPath =
      data::findOptional(directory, kTestFile);
  if (!testPath.ok())
    return testPath.status();
  if (!*testPath && heldOut == HeldOut::Required)
    return data::notFound(directory, kTestFile);
  if (*testPath)
    test.push_back(**testPath);

  Result<std::unique_ptr<Dataset>> trainSplit = readSplit(
      train, std::filesystem::path(directory) / "data_batch_1..5.bin");
  if (!trainSplit.ok())
    return trainSplit.status();
  Result<std::unique_ptr<Dataset>> testSplit =
      test.empty() ? data::emptySplit(**trainSplit)
                   : readSplit(test, test.front());
  if (!testSplit.ok())
    return testSplit.status();
  return data::makeSource("cifar10", std::move(*trainSplit),
                          std::move(*testSplit), directory);
}

} // namespace boostrt
