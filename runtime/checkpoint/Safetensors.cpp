// What a tensor is called and how it is written; SafetensorsReader.cpp reads.
#include "runtime/checkpoint/Safetensors.h"

#include "runtime/support/Suggest.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <set>

static_assert(std::endian::native == std::endian::little,
              "the format is little-endian and tensors are copied as they are");

namespace boostrt {

std::string_view nameOf(BoostDType dtype) {
  switch (dtype) {
  case BOOSTC_F32:
    return "F32";
  case BOOSTC_I32:
    return "I32";
  case BOOSTC_I64:
    return "I64";
  case BOOSTC_U8:
    return "U8";
  }
  return "?";
}

static std::vector<int64_t> shapeOf(const BoostTensor &tensor) {
  return {tensor.shape, tensor.shape + tensor.rank};
}

TensorView viewOf(const BoostTensor &tensor, const void *data) {
  return {tensor.name,
          static_cast<BoostDType>(tensor.dtype),
          shapeOf(tensor),
          {static_cast<const uint8_t *>(data), tensor.bytes}};
}

TensorTarget targetOf(const BoostTensor &tensor, void *data) {
  return {tensor.name,
          static_cast<BoostDType>(tensor.dtype),
          shapeOf(tensor),
          {static_cast<uint8_t *>(data), tensor.bytes}};
}

Status checkWritable(std::span<const TensorView> tensors) {
  std::set<std::string_view> names;
  for (const TensorView &tensor : tensors) {
    if (!names.insert(tensor.name).second || tensor.name == "__metadata__")
      return {ExitCode::Internal,
              fmt::format("cannot save tensor '{}': the name is taken",
                          printable(tensor.name))};
    uint64_t bytes = elementBytes(tensor.dtype);
    bool fits = true;
    for (int64_t extent : tensor.shape)
      fits &= extent >= 0 &&
              !__builtin_mul_overflow(bytes, uint64_t(extent), &bytes);
    if (!fits || bytes != tensor.bytes.size())
      return {ExitCode::Internal,
              fmt::format("cannot save tensor '{}': it has {} bytes, its shape "
                          "[{}] needs another number",
                          printable(tensor.name), tensor.bytes.size(),
                          fmt::join(tensor.shape, ", "))};
  }
  return {};
}

/// The header, padded with spaces so that the data starts at a multiple of 8.
static std::string headerOf(std::span<const TensorView *const> ordered,
                            const SafetensorsMetadata &metadata) {
  using nlohmann::ordered_json;
  ordered_json header = ordered_json::object();
  if (!metadata.empty())
    header["__metadata__"] = metadata;
  uint64_t offset = 0;
  for (const TensorView *tensor : ordered) {
    uint64_t end = offset + tensor->bytes.size();
    header.push_back({tensor->name,
                      {{"dtype", nameOf(tensor->dtype)},
                       {"shape", tensor->shape},
                       {"data_offsets", {offset, end}}}});
    offset = end;
  }
  // Escaping everything beyond ASCII keeps the header legal whatever a name is.
  std::string text =
      header.dump(-1, ' ', true, ordered_json::error_handler_t::replace);
  text.resize((text.size() + 7) / 8 * 8, ' ');
  return text;
}

IoError writeSafetensors(WritableFile &file,
                         std::span<const TensorView> tensors,
                         const SafetensorsMetadata &metadata) {
  if (!checkWritable(tensors).ok())
    return IoError(EINVAL);
  std::vector<const TensorView *> ordered;
  for (uint64_t size : {8, 4, 1})
    for (const TensorView &tensor : tensors)
      if (elementBytes(tensor.dtype) == size)
        ordered.push_back(&tensor);

  std::string header = headerOf(ordered, metadata);
  uint8_t length[8];
  uint64_t size = header.size();
  std::memcpy(length, &size, sizeof(length));
  if (IoError error = file.write(length); !error.ok())
    return error;
  if (IoError error = file.write(
          {reinterpret_cast<const uint8_t *>(header.data()), header.size()});
      !error.ok())
    return error;
  for (const TensorView *tensor : ordered)
    if (IoError error = file.write(tensor->bytes); !error.ok())
      return error;
  return {};
}

Status saveSafetensors(FileSystem &files, const std::string &path,
                       std::span<const TensorView> tensors,
                       const SafetensorsMetadata &metadata) {
  BOOSTRT_RETURN_IF_ERROR(checkWritable(tensors));
  return writeFileAtomically(files, path, ExitCode::Checkpoint,
                             [&](WritableFile &file) {
                               return writeSafetensors(file, tensors, metadata);
                             });
}

static std::string describe(BoostDType dtype,
                            const std::vector<int64_t> &shape) {
  return fmt::format("{} [{}]", nameOf(dtype), fmt::join(shape, ", "));
}

/// Null where `file` has it under neither name.
static const TensorEntry *findFor(const TensorTarget &target,
                                  const SafetensorsFile &file) {
  const TensorEntry *found = file.find(target.name);
  return found || target.otherName.empty() ? found
                                           : file.find(target.otherName);
}

bool fits(const TensorEntry &tensor, const TensorTarget &target) {
  return tensor.dtype == target.dtype && tensor.shape == target.shape &&
         tensor.bytes == target.bytes.size();
}

Status checkTensors(const SafetensorsFile &file,
                    std::span<const TensorTarget> targets,
                    const NameFilter &isIgnored) {
  auto misfit = [&](std::string what) {
    return Status(
        ExitCode::Checkpoint,
        fmt::format("'{}' does not fit the program: {}; use a file that "
                    "was saved by the same model",
                    file.path(), what));
  };
  std::vector<std::string_view> names;
  for (const TensorEntry &tensor : file.tensors())
    names.push_back(tensor.name);
  // A hostile file may hold millions of names; comparing them all takes
  // seconds.
  auto likely = std::span(names).first(std::min<size_t>(names.size(), 1000));
  std::set<std::string_view> wanted;
  for (const TensorTarget &target : targets) {
    wanted.insert(target.name);
    const TensorEntry *found = findFor(target, file);
    if (!found)
      return misfit(fmt::format("tensor '{}' is missing{}",
                                printable(target.name),
                                didYouMean(target.name, likely)));
    if (!fits(*found, target))
      return misfit(fmt::format("tensor '{}' is {}, expected {}",
                                printable(target.name),
                                describe(found->dtype, found->shape),
                                describe(target.dtype, target.shape)));
  }
  for (std::string_view name : names)
    if (!wanted.contains(name) && !(isIgnored && isIgnored(name)))
      return misfit(fmt::format("tensor '{}' is unknown", printable(name)));
  return {};
}

Status readTensors(const SafetensorsFile &file,
                   std::span<const TensorTarget> targets,
                   const NameFilter &isIgnored) {
  BOOSTRT_RETURN_IF_ERROR(checkTensors(file, targets, isIgnored));
  for (const TensorTarget &target : targets)
    BOOSTRT_RETURN_IF_ERROR(file.read(*findFor(target, file), 0, target.bytes));
  return {};
}

} // namespace boostrt
