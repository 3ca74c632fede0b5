// Safetensors.h - the tensor file format of checkpoints.
//
// 8 bytes little-endian header length, a JSON header, then the data without
// holes (https://huggingface.co/docs/safetensors). A file is data, never code.
// The reader takes nothing on trust: every number is checked before it is used,
// and no allocation is larger than the file.
#pragma once

#include "runtime/abi/boost_abi.h"
#include "runtime/support/ElementBytes.h"
#include "runtime/support/File.h"
#include "runtime/support/Status.h"

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace boostrt {

/// A tensor somebody else owns, dense and row-major. To be written, or as found
/// in a file that is held in memory.
struct TensorView {
  std::string name;
  BoostDType dtype = BOOST_F32;
  std::vector<int64_t> shape; ///< empty: a scalar
  std::span<const uint8_t> bytes;
};

/// Memory to be filled with the tensor of this name.
struct TensorTarget {
  std::string name;
  BoostDType dtype = BOOST_F32;
  std::vector<int64_t> shape;
  std::span<uint8_t> bytes;
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

/// A file in memory and the tensors in it. Moving keeps the views valid.
class SafetensorsContent {
public:
  /// Checks all of `bytes`; `path` is for messages. ExitCode::Checkpoint.
  static Result<SafetensorsContent> parse(std::vector<uint8_t> bytes,
                                          const std::string &path);

  const std::vector<TensorView> &tensors() const {
    return tensors_;
  } ///< by offset
  const TensorView *find(std::string_view name) const; ///< null: not there
  const SafetensorsMetadata &metadata() const { return metadata_; }

  SafetensorsContent(SafetensorsContent &&) = default;
  SafetensorsContent &operator=(SafetensorsContent &&) = default;
  SafetensorsContent(const SafetensorsContent &) = delete;
  SafetensorsContent &operator=(const SafetensorsContent &) = delete;

private:
  SafetensorsContent() = default;
  std::vector<uint8_t> bytes_;
  std::vector<TensorView> tensors_;
  SafetensorsMetadata metadata_;
};

inline constexpr uint64_t kNoLimit = UINT64_MAX;
/// A file is never larger than its data by more than this.
inline constexpr uint64_t kMaxSafetensorsOverhead = 8 + 100'000'000;

/// Reads one file (`--init FILE`, `eval --ckpt FILE`). The header is checked
/// before memory is taken for the data, and data of more than `maxDataBytes` is
/// refused unread.
Result<SafetensorsContent> readSafetensors(FileSystem &files,
                                           const std::string &path,
                                           uint64_t maxDataBytes = kNoLimit);

/// Writes one file atomically (`--save FILE`). ExitCode::Checkpoint on failure;
/// the old file is then as it was.
Status saveSafetensors(FileSystem &files, const std::string &path,
                       std::span<const TensorView> tensors,
                       const SafetensorsMetadata &metadata = {
                           {"format", "pt"}});

/// Fails unless `content` (read from `path`) holds exactly the tensors of
/// `targets`, in any order, with the same types and shapes. The message names
/// what is missing, unknown or misfitting.
Status checkTensors(const SafetensorsContent &content,
                    std::span<const TensorTarget> targets,
                    const std::string &path);

/// Fills all targets or, when checkTensors() fails, none.
Status copyTensors(const SafetensorsContent &content,
                   std::span<const TensorTarget> targets,
                   const std::string &path);

} // namespace boostrt
