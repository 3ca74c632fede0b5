// Reading safetensors files that are not trusted.
#include "runtime/checkpoint/Safetensors.h"

#include "runtime/support/Suggest.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cassert>
#include <cstring>

namespace boostrt {
namespace {

constexpr uint64_t kLengthBytes = 8;
constexpr uint64_t kMaxHeaderBytes = 100'000'000; // as the reference reader
constexpr size_t kMaxRank = 32;
// The reference reader has no such limit; without one, ten bytes of header make
// a hundred of map.
constexpr size_t kMaxMetadata = 65'536;

struct Entry {
  std::string name;
  BoostDType dtype = BOOSTC_F32;
  std::vector<int64_t> shape;
  uint64_t begin = 0, end = 0;
};

struct Header {
  std::vector<Entry> entries;
  SafetensorsMetadata metadata;
};

/// Accepts the header's grammar and nothing else. A method that returns false
/// ends the parse and leaves the reason in `error`.
class HeaderHandler final : public nlohmann::json_sax<nlohmann::json> {
public:
  explicit HeaderHandler(Header &header) : header_(header) {}
  std::string error;

  bool key(std::string &name) override {
    if (at_ == At::Top) {
      name_ = name;
      return true;
    }
    if (at_ == At::Metadata) {
      name_ = name;
      return header_.metadata.size() < kMaxMetadata
                 ? true
                 : fail("there are too many metadata entries");
    }
    field_ = name == "dtype"          ? Field::DType
             : name == "shape"        ? Field::Shape
             : name == "data_offsets" ? Field::Offsets
                                      : Field::None;
    if (field_ == Field::None)
      return failTensor(
          fmt::format("has an unknown key '{}'", printable(name)));
    if (seen_[size_t(field_)])
      return failTensor(fmt::format("has a duplicate key '{}'", name));
    return seen_[size_t(field_)] = true;
  }

  bool start_object(size_t) override {
    if (at_ == At::Start) {
      at_ = At::Top;
      return true;
    }
    if (at_ == At::Top && name_ == "__metadata__") {
      if (seenMetadata_)
        return fail("duplicate key '__metadata__'");
      seenMetadata_ = true;
      at_ = At::Metadata;
      return true;
    }
    if (at_ != At::Top)
      return unexpected();
    at_ = At::Tensor;
    entry_ = Entry{};
    entry_.name = name_;
    std::ranges::fill(seen_, false);
    offsets_ = 0;
    return true;
  }

  bool end_object() override {
    if (at_ == At::Tensor) {
      if (!seen_[1] || !seen_[2] || !seen_[3] || offsets_ != 2)
        return failTensor("needs dtype, shape and two data_offsets");
      header_.entries.push_back(std::move(entry_));
    }
    at_ = at_ == At::Top ? At::End : At::Top;
    return true;
  }

  bool start_array(size_t) override {
    if (at_ != At::Tensor ||
        (field_ != Field::Shape && field_ != Field::Offsets))
      return unexpected();
    at_ = At::Array;
    return true;
  }
  bool end_array() override {
    at_ = At::Tensor;
    return true;
  }

  bool number_unsigned(uint64_t value) override {
    if (at_ != At::Array)
      return unexpected();
    if (field_ == Field::Offsets) {
      if (offsets_ == 2)
        return failTensor("needs two data_offsets");
      (offsets_++ == 0 ? entry_.begin : entry_.end) = value;
      return true;
    }
    if (entry_.shape.size() == kMaxRank || value > uint64_t(INT64_MAX))
      return failTensor("has an impossible shape");
    entry_.shape.push_back(int64_t(value));
    return true;
  }

  bool string(std::string &value) override {
    if (at_ == At::Metadata) {
      if (!header_.metadata.emplace(name_, value).second)
        return fail(
            fmt::format("duplicate metadata key '{}'", printable(name_)));
      return true;
    }
    if (at_ != At::Tensor || field_ != Field::DType)
      return unexpected();
    for (BoostDType dtype : {BOOSTC_F32, BOOSTC_I32, BOOSTC_I64, BOOSTC_U8})
      if (value == nameOf(dtype)) {
        entry_.dtype = dtype;
        return true;
      }
    return failTensor(fmt::format(
        "has dtype '{}', expected F32, I32, I64 or U8", printable(value)));
  }

  bool null() override { return unexpected(); }
  bool boolean(bool) override { return unexpected(); }
  bool number_integer(int64_t) override { return unexpected(); }
  bool number_float(double, const std::string &) override {
    return unexpected();
  }
  bool binary(nlohmann::json::binary_t &) override { return unexpected(); }
  bool parse_error(size_t position, const std::string &,
                   const nlohmann::json::exception &) override {
    return fail(fmt::format("byte {} of the header is not JSON", position));
  }

private:
  enum class At { Start, Top, Metadata, Tensor, Array, End };
  enum class Field : size_t { None, DType, Shape, Offsets };

  bool fail(std::string reason) {
    error = std::move(reason);
    return false;
  }
  bool failTensor(std::string reason) {
    return fail(fmt::format("tensor '{}' {}", printable(name_), reason));
  }
  bool unexpected() {
    if (at_ == At::Start)
      return fail("the header is not an object");
    return fail(
        fmt::format("the header's entry '{}' has a value of the wrong kind",
                    printable(name_)));
  }

  Header &header_;
  Entry entry_;
  At at_ = At::Start;
  Field field_ = Field::None;
  std::string name_;
  bool seen_[4] = {};
  bool seenMetadata_ = false;
  int offsets_ = 0;
};

Status unusable(const std::string &path, const std::string &reason) {
  return {
      ExitCode::Checkpoint,
      fmt::format("'{}' is not a usable safetensors file: {}; it is damaged, "
                  "incomplete or something else",
                  path, reason)};
}

/// The entries must be distinct and cover all of the data, each byte once.
std::string layoutError(std::vector<Entry> &entries, uint64_t dataBytes) {
  auto byName = [](const Entry *entry) {
    return std::string_view(entry->name);
  };
  std::vector<const Entry *> names;
  for (const Entry &entry : entries)
    names.push_back(&entry);
  std::ranges::sort(names, {}, byName);
  if (auto same = std::ranges::adjacent_find(names, {}, byName);
      same != names.end())
    return fmt::format("duplicate tensor '{}'", printable((*same)->name));
  names.clear();

  std::ranges::sort(entries, {},
                    [](const Entry &e) { return std::pair(e.begin, e.end); });
  uint64_t expected = 0;
  for (const Entry &entry : entries) {
    auto complain = [&](std::string what) {
      return fmt::format("tensor '{}' {}", printable(entry.name), what);
    };
    if (entry.begin != expected || entry.end < entry.begin)
      return complain(
          fmt::format("lies at bytes {} to {} of the data, expected "
                      "from byte {}",
                      entry.begin, entry.end, expected));
    uint64_t bytes = elementBytes(entry.dtype);
    for (int64_t extent : entry.shape)
      if (__builtin_mul_overflow(bytes, uint64_t(extent), &bytes))
        return complain("has an impossible shape");
    if (bytes != entry.end - entry.begin)
      return complain(fmt::format("has {} bytes, its shape needs {}",
                                  entry.end - entry.begin, bytes));
    expected = entry.end;
  }
  if (expected != dataBytes)
    return fmt::format("it has {} bytes of data, its header says {}", dataBytes,
                       expected);
  return {};
}

/// The header's length, checked against the file's.
Result<uint64_t> headerBytes(std::span<const uint8_t> prefix,
                             uint64_t fileBytes, const std::string &path) {
  if (prefix.size() < kLengthBytes)
    return unusable(path, fmt::format("it has {} bytes", prefix.size()));
  uint64_t bytes;
  std::memcpy(&bytes, prefix.data(), sizeof(bytes));
  if (bytes > kMaxHeaderBytes || bytes > fileBytes - kLengthBytes)
    return unusable(
        path, fmt::format("it says its header has {} bytes, at most {} "
                          "are possible",
                          bytes,
                          std::min(kMaxHeaderBytes, fileBytes - kLengthBytes)));
  return bytes;
}

Result<Header> parseHeader(std::span<const uint8_t> text, uint64_t dataBytes,
                           const std::string &path) {
  // The format forbids anything before the brace; spaces may follow the object.
  if (text.empty() || text.front() != '{')
    return unusable(path, "the header is not an object");
  Header header;
  HeaderHandler handler(header);
  if (!nlohmann::json::sax_parse(text.begin(), text.end(), &handler))
    return unusable(path, handler.error);
  if (std::string error = layoutError(header.entries, dataBytes);
      !error.empty())
    return unusable(path, error);
  return header;
}

/// A file as it is, without a hash.
class OpenFile final : public FilePieces {
public:
  OpenFile(std::unique_ptr<ReadableFile> file, std::string path)
      : file_(std::move(file)), path_(std::move(path)) {}
  uint64_t size() const override { return file_->size(); }
  Status read(uint64_t offset, std::span<uint8_t> bytes) const override {
    IoError error = file_->read(offset, bytes);
    return error.ok() ? Status()
                      : ioStatus(error, ExitCode::Checkpoint, "read", path_);
  }

private:
  std::unique_ptr<ReadableFile> file_;
  std::string path_;
};

} // namespace

Result<SafetensorsFile>
SafetensorsFile::open(std::unique_ptr<FilePieces> pieces,
                      const std::string &path, uint64_t maxDataBytes) {
  uint64_t fileBytes = pieces->size();
  std::vector<uint8_t> prefix(std::min(fileBytes, kLengthBytes));
  BOOSTRT_RETURN_IF_ERROR(pieces->read(0, prefix));
  Result<uint64_t> length = headerBytes(prefix, fileBytes, path);
  BOOSTRT_RETURN_IF_ERROR(length.status());
  uint64_t dataStart = kLengthBytes + *length;
  uint64_t dataBytes = fileBytes - dataStart;
  if (dataBytes > maxDataBytes)
    return unusable(path,
                    fmt::format("it has {} bytes of data, the program has "
                                "use for {}",
                                dataBytes, maxDataBytes));
  std::vector<uint8_t> text(*length);
  BOOSTRT_RETURN_IF_ERROR(pieces->read(kLengthBytes, text));
  Result<Header> header = parseHeader(text, dataBytes, path);
  BOOSTRT_RETURN_IF_ERROR(header.status());

  SafetensorsFile file;
  file.pieces_ = std::move(pieces);
  file.path_ = path;
  file.metadata_ = std::move(header->metadata);
  file.tensors_.reserve(header->entries.size());
  for (Entry &entry : header->entries)
    file.tensors_.push_back({std::move(entry.name), entry.dtype,
                             std::move(entry.shape), dataStart + entry.begin,
                             entry.end - entry.begin});
  return file;
}

const TensorEntry *SafetensorsFile::find(std::string_view name) const {
  auto found = std::ranges::find(tensors_, name, &TensorEntry::name);
  return found == tensors_.end() ? nullptr : &*found;
}

Status SafetensorsFile::read(const TensorEntry &tensor, uint64_t begin,
                             std::span<uint8_t> to) const {
  assert(begin <= tensor.bytes && to.size() <= tensor.bytes - begin);
  return pieces_->read(tensor.offset + begin, to);
}

Result<SafetensorsFile> openSafetensors(FileSystem &files,
                                        const std::string &path,
                                        uint64_t maxDataBytes) {
  std::unique_ptr<ReadableFile> file;
  if (IoError error = files.open(path, file); !error.ok())
    return ioStatus(error, ExitCode::Checkpoint, "open", path);
  return SafetensorsFile::open(
      std::make_unique<OpenFile>(std::move(file), path), path, maxDataBytes);
}

} // namespace boostrt
