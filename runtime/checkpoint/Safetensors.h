// Safetensors.h - the tensor file format of checkpoints.
//
// 8 bytes little-endian header length, a JSON header, then the data without
// holes (https://huggingface.co/docs/safetensors). A file is data, never code.
// The reader takes nothing on trust: every number is checked before it is used,
// and no allocation is larger than the header.
#pragma once

#include "runtime/abi/boost_abi.h"
#include "runtime/support/ElementBytes.h"
#include "runtime/support/File.h"
#include "runtime/support/Status.h"

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace boostrt {

/// A tensor to be written: dense and row-major, in memory of the caller's.
struct TensorView {
  std::string name;
  BoostDType dtype = BOOSTC_F32;
  std::vector<int64_t> shape; ///< empty: a scalar
  std::span<const uint8_t> bytes;
};

/// A tensor as a file has it.
struct TensorEntry {
  std::string name;
  BoostDType dtype = BOOSTC_F32;
  std::vector<int64_t> shape;
  uint64_t offset = 0, bytes = 0; ///< in the file
};

/// Memory to be filled with the tensor of this name.
struct TensorTarget {
  std::string name;
  BoostDType dtype = BOOSTC_F32;
  std::vector<int64_t> shape;
  std::span<uint8_t> bytes;
  /// Where the file has no such tensor, one of this name is read; if any.
  std::string otherName = {};
};

/// What the ABI calls a tensor, at address `data` (of the tensor, not the
/// arena).
TensorView viewOf(const BoostTensor &tensor, const void *data);
TensorTarget targetOf(const BoostTensor &tensor, void *data);

/// "F32".
std::string_view nameOf(BoostDType dtype);

using SafetensorsMetadata = std::map<std::string, std::string>;

/// Writes the file's content to `file`. Tensors of 8-byte elements come first,
/// else the order is the caller's; the data starts at a multiple of 8, so every
/// tensor is aligned to its element. Names must be unique and shapes must fit
/// `bytes` (checkWritable() says whether they do; else EINVAL). Streams: no
/// copy of the data is made.
IoError writeSafetensors(WritableFile &file,
                         std::span<const TensorView> tensors,
                         const SafetensorsMetadata &metadata);

/// ExitCode::Internal when two tensors share a name or a shape does not fit.
Status checkWritable(std::span<const TensorView> tensors);

/// Where the bytes of a file come from, a piece at a time.
class FilePieces {
public:
  virtual ~FilePieces() = default;
  virtual uint64_t size() const = 0;
  /// Fills all of `bytes` from `offset`, or fails with ExitCode::Checkpoint.
  virtual Status read(uint64_t offset, std::span<uint8_t> bytes) const = 0;
};

/// A file whose header has been checked. Its data stay in the file until they
/// are asked for, so that no file takes memory of its size.
class SafetensorsFile {
public:
  /// Refuses data of more than `maxDataBytes`. ExitCode::Checkpoint.
  static Result<SafetensorsFile> open(std::unique_ptr<FilePieces> pieces,
                                      const std::string &path,
                                      uint64_t maxDataBytes = UINT64_MAX);

  const std::string &path() const { return path_; }
  /// By offset; they cover the data, each byte once.
  const std::vector<TensorEntry> &tensors() const { return tensors_; }
  const TensorEntry *find(std::string_view name) const; ///< null: absent
  const SafetensorsMetadata &metadata() const { return metadata_; }

  /// Fills `to` from byte `begin` of the tensor on.
  Status read(const TensorEntry &tensor, uint64_t begin,
              std::span<uint8_t> to) const;

private:
  SafetensorsFile() = default;
  std::unique_ptr<FilePieces> pieces_;
  std::string path_;
  std::vector<TensorEntry> tensors_;
  SafetensorsMetadata metadata_;
};

inline constexpr uint64_t kNoLimit = UINT64_MAX;
/// A file is never larger than its data by more than this.
inline constexpr uint64_t kMaxSafetensorsOverhead = 8 + 100'000'000;

/// Opens one file (`--init FILE`, `eval --ckpt FILE`).
Result<SafetensorsFile> openSafetensors(FileSystem &files,
                                        const std::string &path,
                                        uint64_t maxDataBytes = kNoLimit);

/// Writes one file atomically (`--save FILE`). ExitCode::Checkpoint on failure;
/// the old file is then as it was.
Status saveSafetensors(FileSystem &files, const std::string &path,
                       std::span<const TensorView> tensors,
                       const SafetensorsMetadata &metadata = {
                           {"format", "pt"}});

/// Names of tensors that a file may have besides.
using NameFilter = std::function<bool(std::string_view)>;

/// Whether `tensor` has the type and the shape of `target`.
bool fits(const TensorEntry &tensor, const TensorTarget &target);

/// Fails unless `file` holds exactly the tensors of `targets`, in any order,
/// with the same types and shapes; some under the names of others, if their
/// targets say so. The message names what is missing, unknown
/// or misfitting.
Status checkTensors(const SafetensorsFile &file,
                    std::span<const TensorTarget> targets,
                    const NameFilter &isIgnored = {});

/// Fills all targets or, when checkTensors() fails, none. When a piece cannot
/// be read they hold nothing that may be used, and the run ends.
Status readTensors(const SafetensorsFile &file,
                   std::span<const TensorTarget> targets,
                   const NameFilter &isIgnored = {});

} // namespace boostrt
