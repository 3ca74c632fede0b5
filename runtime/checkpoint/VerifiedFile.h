// VerifiedFile.h - a file of a checkpoint, read in pieces of which every byte
// is one that was verified.
//
// All of it is hashed before anything is read from it, and what the hash was on
// the way is remembered; a piece that is read later is hashed again and must
// lead from one of these values to the next. So a file that changes in between
// is noticed before a byte of it is used.
#pragma once

#include "runtime/support/Sha256.h"
#include "runtime/checkpoint/CheckpointManifest.h"

#include <memory>
#include <string>
#include <vector>

namespace boostrt {

class VerifiedFile final : public FilePieces {
public:
  /// Fails with ExitCode::Checkpoint when size or hash are not those of
  /// `expected`, or the file has more than `maxBytes`. `files` outlives the
  /// object, which opens the file anew for every piece: a checkpoint may have
  /// thousands.
  static Result<std::unique_ptr<VerifiedFile>>
  open(FileSystem &files, const std::string &path, const ManifestFile &expected,
       uint64_t maxBytes = kNoLimit);

  uint64_t size() const override { return size_; }
  Status read(uint64_t offset, std::span<uint8_t> bytes) const override;

private:
  VerifiedFile(FileSystem &files, std::string path, uint64_t size)
      : files_(files), path_(std::move(path)), size_(size) {}
  Status verify(ReadableFile &file, const std::string &sha256);
  uint64_t blockSize(uint64_t block) const;
  Status checkBlock(uint64_t block, std::span<const uint8_t> bytes) const;
  Status changed() const;

  FileSystem &files_;
  std::string path_;
  uint64_t size_;
  std::vector<Sha256Midstate> before_; ///< by block
  Sha256Digest digest_ = {};           ///< of all
};

} // namespace boostrt
