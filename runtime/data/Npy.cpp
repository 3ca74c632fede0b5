#include "runtime/data/Npy.h"
#include "runtime/data/Inflate.h"
#include "runtime/support/Suggest.h"

#include <bit>
#include <charconv>
#include <cstring>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <new>
#include <optional>

namespace boostrt {

using data::ByteReader;
using data::Packing;

static_assert(std::endian::native == std::endian::little,
              "elements are used as they lie in the file");

namespace {

constexpr size_t kMaxRank = 8;
/// NumPy writes 128 bytes; a longer header than this describes no array of
/// numbers.
constexpr uint32_t kMaxHeader = 1 << 16;
/// As in Idx.cpp: no deflated byte becomes more than this.
constexpr int64_t kDeflateMaxRatio = 1032;

struct TypeName {
  const char *code; ///< without the byte order
  const char *name;
  int64_t size;
};
constexpr TypeName kTypes[] = {{"u1", "uint8", 1},
                               {"i4", "int32", 4},
                               {"i8", "int64", 8},
                               {"f4", "float32", 4}};

const TypeName &nameOf(NpyFile::Type type) {
  return kTypes[static_cast<size_t>(type)];
}

/// The header's text: a Python dictionary with three keys, as NumPy writes it.
class HeaderText {
public:
  explicit HeaderText(std::string_view text) : rest_(text) {}

  std::optional<std::string> descr;
  std::optional<bool> fortranOrder;
  std::optional<std::vector<int64_t>> shape;

  /// Empty, or what is wrong.
  std::string parse() {
    if (!take('{'))
      return "the header is not a dictionary";
    while (!take('}')) {
      std::string key;
      if (!quoted(key) || !take(':'))
        return "the header's dictionary is damaged";
      if (std::string problem = value(key); !problem.empty())
        return problem;
      if (!take(',') && !at('}'))
        return "the header's dictionary is damaged";
    }
    if (!rest_.empty() &&
        rest_.find_first_not_of(" \n") != std::string_view::npos)
      return "something follows the header's dictionary";
    if (!descr || !fortranOrder || !shape)
      return "the header lacks 'descr', 'fortran_order' or 'shape'";
    return "";
  }

private:
  void skipSpace() {
    while (!rest_.empty() && rest_.front() == ' ')
      rest_.remove_prefix(1);
  }
  bool at(char c) {
    skipSpace();
    return !rest_.empty() && rest_.front() == c;
  }
  bool take(char c) {
    if (!at(c))
      return false;
    rest_.remove_prefix(1);
    return true;
  }
  bool takeWord(std::string_view word) {
    skipSpace();
    if (!rest_.starts_with(word))
      return false;
    rest_.remove_prefix(word.size());
    return true;
  }
  bool quoted(std::string &text) {
    char quote = at('\'') ? '\'' : '"';
    if (!take(quote))
      return false;
    size_t end = rest_.find(quote);
    if (end == std::string_view::npos)
      return false;
    text = rest_.substr(0, end);
    rest_.remove_prefix(end + 1);
    return true;
  }
  std::string value(const std::string &key) {
    if (key == "descr" && !descr) {
      if (at('['))
        return "the array has a structured type";
      return quoted(descr.emplace()) ? "" : "'descr' is not a text";
    }
    if (key == "fortran_order" && !fortranOrder) {
      fortranOrder = takeWord("True");
      return *fortranOrder || takeWord("False")
                 ? ""
                 : "'fortran_order' is neither True nor False";
    }
    if (key == "shape" && !shape)
      return tuple(shape.emplace());
    bool isKnown = key == "descr" || key == "fortran_order" || key == "shape";
    return fmt::format("the header has {} key '{}'",
                       isKnown ? "a duplicate" : "an unknown", printable(key));
  }
  std::string tuple(std::vector<int64_t> &extents) {
    if (!take('('))
      return "'shape' is not a tuple";
    while (!take(')')) {
      skipSpace();
      int64_t extent = 0;
      auto [end, error] =
          std::from_chars(rest_.data(), rest_.data() + rest_.size(), extent);
      if (error != std::errc() || extent < 0)
        return "'shape' holds something else than extents";
      rest_.remove_prefix(end - rest_.data());
      extents.push_back(extent);
      if (extents.size() > kMaxRank)
        return fmt::format("'shape' has more than {} extents", kMaxRank);
      if (!take(',') && !at(')'))
        return "'shape' is damaged";
    }
    return "";
  }

  std::string_view rest_;
};

} // namespace

NpyFile::NpyFile() = default;
NpyFile::~NpyFile() = default;
NpyFile::NpyFile(NpyFile &&) noexcept = default;

int64_t NpyFile::bytes() const { return elements_ * nameOf(type_).size; }

std::string NpyFile::description() const {
  return fmt::format("{} ({}{})", nameOf(type_).name, fmt::join(shape_, ", "),
                     shape_.size() == 1 ? "," : "");
}

Status NpyFile::error(const std::string &found,
                      const std::string &expected) const {
  return Status(ExitCode::Data,
                fmt::format("{}: {}, expected {}", path_, found, expected));
}

/// The text between the fixed part of the header and the elements.
Status NpyFile::readText(std::string &text) {
  uint8_t fixed[12] = {};
  Result<int64_t> got = reader_->read(fixed, 8);
  if (!got.ok())
    return got.status();
  if (*got >= 6 && std::memcmp(fixed, "\x93NUMPY", 6) != 0)
    return error("found no NumPy array file (its first bytes are others)",
                 "one that numpy.save wrote");
  if (*got == 8 && (fixed[6] < 1 || fixed[6] > 2 || fixed[7] != 0))
    return error(fmt::format("found NumPy format {}.{}", fixed[6], fixed[7]),
                 "1.0 or 2.0, which numpy.save writes for arrays of numbers");
  int64_t lengthBytes = fixed[6] == 1 ? 2 : 4;
  int64_t there = *got;
  uint32_t length = 0;
  if (there == 8) {
    got = reader_->read(fixed + 8, lengthBytes);
    if (!got.ok())
      return got.status();
    there += *got;
    for (int64_t i = lengthBytes; i-- > 0;)
      length = length << 8 | fixed[8 + i];
  }
  headerBytes_ = 8 + lengthBytes + length;
  if (length > kMaxHeader)
    return error(fmt::format("found a header of {} bytes", length),
                 fmt::format("at most {}; save the array again", kMaxHeader));
  if (there == 8 + lengthBytes) {
    text.resize(length);
    got = reader_->read(reinterpret_cast<uint8_t *>(text.data()), length);
    if (!got.ok())
      return got.status();
    there += *got;
    if (*got == length)
      return {};
  }
  return error(fmt::format("truncated: found {} bytes", there),
               "a whole header; get the file again");
}

Status NpyFile::readHeader() {
  std::string text;
  BOOSTRT_RETURN_IF_ERROR(readText(text));
  HeaderText header(text);
  if (std::string problem = header.parse(); !problem.empty())
    return error(problem, "what numpy.save writes for an array of numbers; "
                          "save it again");
  constexpr const char *kExpectedTypes =
      "uint8, int32, int64 or float32, little-endian";
  const std::string &descr = *header.descr;
  const TypeName *type = nullptr;
  for (const TypeName &candidate : kTypes)
    if (descr.size() == 3 && descr.substr(1) == candidate.code &&
        (descr[0] == '<' || (descr[0] == '|' && candidate.size == 1)))
      type = &candidate;
  if (!type)
    return error(
        fmt::format("found elements of type '{}'{}", printable(descr),
                    descr.starts_with('>') ? ", which is big-endian" : ""),
        fmt::format("{}; convert with numpy's astype", kExpectedTypes));
  type_ = static_cast<Type>(type - kTypes);
  if (*header.fortranOrder)
    return error("found Fortran order",
                 "C order; save numpy.ascontiguousarray of it");
  shape_ = std::move(*header.shape);
  for (int64_t extent : shape_)
    if (__builtin_mul_overflow(elements_, extent, &elements_))
      elements_ = INT64_MAX / 16;
  int64_t size = nameOf(type_).size;
  if (elements_ > kNpyMaxBytes / size)
    return error(
        fmt::format("the header announces {}", description()),
        fmt::format("at most {} bytes; use a smaller data set", kNpyMaxBytes));
  if (elements_ == 0)
    return error(fmt::format("the header announces {}", description()),
                 "at least one element; save the array again");
  return checkSize();
}

bool NpyFile::isPacked() const { return reader_->packing() != Packing::None; }

/// What the header announces against what the file can hold.
Status NpyFile::checkSize() const {
  std::string announced =
      fmt::format("the header announces {}, {} bytes", description(), bytes());
  int64_t there = reader_->fileBytes();
  if (reader_->packing() == Packing::Gzip && bytes() / kDeflateMaxRatio > there)
    return error(
        announced,
        fmt::format("what {} compressed bytes can hold; get the file again",
                    there));
  if (reader_->packing() != Packing::None || there == headerBytes_ + bytes())
    return {};
  return error(
      fmt::format("{}: {}, found a file of {} bytes",
                  there < headerBytes_ + bytes() ? "truncated" : "too long",
                  announced, there),
      fmt::format("{}; get the file again", headerBytes_ + bytes()));
}

Result<NpyFile> NpyFile::open(const std::string &path) {
  Result<std::unique_ptr<ByteReader>> reader = ByteReader::open(path);
  if (!reader.ok())
    return reader.status();
  NpyFile file;
  file.path_ = path;
  file.reader_ = std::move(*reader);
  BOOSTRT_RETURN_IF_ERROR(file.readHeader());
  return file;
}

Result<OwnedBytes> NpyFile::read() {
  // Uninitialised: a header that lies costs no memory.
  OwnedBytes out = allocateBytes(bytes());
  if (!out)
    return Status(
        ExitCode::Data,
        fmt::format("{}: not enough memory for its {} bytes", path_, bytes()));
  Result<int64_t> got = reader_->read(out.get(), bytes());
  if (!got.ok())
    return got.status();
  if (*got < bytes())
    return error(fmt::format("truncated: found {} bytes of elements", *got),
                 fmt::format("{}, which the header announces; get the file "
                             "again",
                             bytes()));
  // Asking for one byte more also verifies a packed file's checksum.
  uint8_t extra;
  got = reader_->read(&extra, 1);
  if (!got.ok())
    return got.status();
  if (*got != 0)
    return error("too long: more bytes follow the elements",
                 fmt::format("{}, which the header announces; get the file "
                             "again",
                             bytes()));
  reader_.reset();
  return out;
}

} // namespace boostrt
