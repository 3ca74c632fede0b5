#include "runtime/checkpoint/VerifiedFile.h"

#include "runtime/support/Suggest.h"

#include <algorithm>
#include <fmt/format.h>

namespace boostrt {

/// What is hashed again as a whole when a byte of it is read.
static constexpr uint64_t kBlockBytes = 1 << 16;
/// What is read at once where whole blocks are.
static constexpr uint64_t kReadBytes = 1 << 20;

Result<std::unique_ptr<VerifiedFile>>
VerifiedFile::open(FileSystem &files, const std::string &path,
                   const ManifestFile &expected, uint64_t maxBytes) {
  std::unique_ptr<ReadableFile> file;
  if (IoError error = files.open(path, file); !error.ok())
    return ioStatus(error, ExitCode::Checkpoint, "open", path);
  // The size first: a file that has grown by a terabyte is not worth reading.
  if (file->size() != expected.bytes)
    return Status(
        ExitCode::Checkpoint,
        fmt::format("'{}' has {} bytes, its manifest says {}; the checkpoint "
                    "is damaged, use another one",
                    path, file->size(), expected.bytes));
  if (file->size() > maxBytes)
    return Status(ExitCode::Checkpoint,
                  fmt::format("'{}' has {} bytes, at most {} are expected "
                              "here; is it the right file?",
                              path, file->size(), maxBytes));
  std::unique_ptr<VerifiedFile> verified(
      new VerifiedFile(files, path, file->size()));
  BOOSTRT_RETURN_IF_ERROR(verified->verify(*file, expected.sha256));
  return verified;
}

Status VerifiedFile::verify(ReadableFile &file, const std::string &sha256) {
  Sha256 hash;
  std::vector<uint8_t> bytes(std::min(size_, kReadBytes));
  before_.reserve((size_ + kBlockBytes - 1) / kBlockBytes);
  for (uint64_t offset = 0; offset < size_; offset += bytes.size()) {
    bytes.resize(std::min(size_ - offset, kReadBytes));
    if (IoError error = file.read(offset, bytes); !error.ok())
      return ioStatus(error, ExitCode::Checkpoint, "read", path_);
    for (std::span<const uint8_t> rest = bytes; !rest.empty();) {
      before_.push_back(hash.midstate());
      std::span<const uint8_t> block =
          rest.first(std::min<size_t>(rest.size(), kBlockBytes));
      hash.update(block);
      rest = rest.subspan(block.size());
    }
  }
  digest_ = hash.finish();
  if (toHex(digest_) == sha256)
    return {};
  return {ExitCode::Checkpoint,
          fmt::format("'{}' has the SHA-256 {}, its manifest says {}; the "
                      "checkpoint is damaged, use another one",
                      path_, toHex(digest_), printable(sha256))};
}

uint64_t VerifiedFile::blockSize(uint64_t block) const {
  return std::min(size_ - block * kBlockBytes, kBlockBytes);
}

Status VerifiedFile::changed() const {
  return {ExitCode::Checkpoint,
          fmt::format("'{}' has changed since it was verified; nothing may "
                      "write to a checkpoint that is being read: use another "
                      "one",
                      path_)};
}

Status VerifiedFile::checkBlock(uint64_t block,
                                std::span<const uint8_t> bytes) const {
  Sha256 hash(before_[block]);
  hash.update(bytes);
  bool isSame = block + 1 < before_.size()
                    ? hash.midstate() == before_[block + 1]
                    : hash.finish() == digest_;
  return isSame ? Status() : changed();
}

Status VerifiedFile::read(uint64_t offset, std::span<uint8_t> bytes) const {
  if (bytes.empty())
    return {};
  std::unique_ptr<ReadableFile> file;
  if (IoError error = files_.open(path_, file); !error.ok())
    return ioStatus(error, ExitCode::Checkpoint, "open", path_);
  if (file->size() != size_)
    return changed();
  std::vector<uint8_t> partial;
  while (!bytes.empty()) {
    uint64_t block = offset / kBlockBytes, begin = offset % kBlockBytes;
    std::span<uint8_t> read = bytes.first(
        std::min<size_t>(bytes.size(), kReadBytes) / kBlockBytes * kBlockBytes);
    bool isLast = bytes.size() == size_ - offset;
    if (isLast && bytes.size() <= kReadBytes)
      read = bytes;
    if (begin != 0 || read.empty()) { // a block is read for a part of it
      partial.resize(blockSize(block));
      read = partial;
    }
    if (IoError error = file->read(block * kBlockBytes, read); !error.ok())
      return ioStatus(error, ExitCode::Checkpoint, "read", path_);
    for (std::span<const uint8_t> rest = read; !rest.empty(); ++block) {
      BOOSTRT_RETURN_IF_ERROR(checkBlock(block, rest.first(blockSize(block))));
      rest = rest.subspan(blockSize(block));
    }
    size_t taken = read.size();
    if (read.data() == partial.data()) {
      taken = std::min<size_t>(partial.size() - begin, bytes.size());
      std::copy_n(partial.begin() + static_cast<ptrdiff_t>(begin), taken,
                  bytes.begin());
    }
    bytes = bytes.subspan(taken);
    offset += taken;
  }
  return {};
}

} // namespace boostrt
