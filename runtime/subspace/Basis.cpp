#include "runtime/subspace/Basis.h"

#include "runtime/data/Npy.h"
#include "runtime/program/Program.h"
#include "runtime/support/Plural.h"
#include "runtime/support/Suggest.h"

#include <bit>
#include <cmath>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace boostrt {
namespace {

constexpr const char *kFormat = "boostc-basis-1";
/// A description of as many parameters as a program may have is smaller.
constexpr uint64_t kMaxDescriptionBytes = 64 << 20;
/// Vectors are rounded to f32, and their norms are off by no more than that;
/// the rest is for bases that other programs have made.
constexpr double kNormTolerance = 1e-3;

Status fail(const std::string &path, const std::string &what) {
  return Status(ExitCode::Data, fmt::format("'{}': {}", printable(path), what));
}

std::string shapeText(const std::vector<int64_t> &shape) {
  return fmt::format("[{}]", fmt::join(shape, ", "));
}

/// A part as a description has it; a part without a name where it has none.
BasisPart parsePart(const nlohmann::json &entry) {
  BasisPart part;
  auto name = entry.find("name"), offset = entry.find("offset"),
       shape = entry.find("shape");
  if (name == entry.end() || !name->is_string() || offset == entry.end() ||
      !offset->is_number_integer() || shape == entry.end() ||
      !shape->is_array())
    return part;
  part.columns = 1;
  for (const nlohmann::json &extent : *shape) {
    if (!extent.is_number_integer())
      return {};
    part.shape.push_back(extent.get<int64_t>());
  }
  part.name = name->get<std::string>();
  part.offset = offset->get<int64_t>();
  return part;
}

bool isDescription(const nlohmann::json &all) {
  auto format = all.is_object() ? all.find("format") : all.end();
  return all.is_object() && format != all.end() && *format == kFormat;
}

/// Whether NAME.json describes a basis of `layout`.
Status checkDescription(FileSystem &files, const std::string &path,
                        const BasisLayout &layout) {
  Result<std::vector<uint8_t>> bytes =
      readWholeFile(files, path, kMaxDescriptionBytes, ExitCode::Data);
  if (!bytes.ok())
    return Status(bytes.status().code(),
                  bytes.status().message() +
                      "; it says what the columns of a basis are, and "
                      "boost-run pca writes it");
  nlohmann::json all =
      nlohmann::json::parse(bytes->begin(), bytes->end(), nullptr,
                            /*allow_exceptions=*/false);
  if (!isDescription(all))
    return fail(path, fmt::format("expected a JSON object with \"format\": "
                                  "\"{}\"; make it again with boost-run pca",
                                  kFormat));
  auto parts = all.find("parameters");
  size_t count = parts != all.end() && parts->is_array() ? parts->size() : 0;
  if (count != layout.parts.size())
    return fail(path,
                fmt::format("the basis is about {}, the program has {}; make "
                            "one of checkpoints of this program with "
                            "boost-run pca",
                            countOf(count, "parameter"), layout.parts.size()));
  for (size_t i = 0; i < count; ++i) {
    const BasisPart &expected = layout.parts[i];
    BasisPart found = parsePart((*parts)[i]);
    if (found.name != expected.name || found.shape != expected.shape ||
        found.offset != expected.offset)
      return fail(
          path,
          fmt::format("parameter {} is '{}' {} from column {}, expected '{}' "
                      "{} from column {}; make a basis of checkpoints of this "
                      "program with boost-run pca",
                      i, printable(found.name), shapeText(found.shape),
                      found.offset, expected.name, shapeText(expected.shape),
                      expected.offset));
  }
  return Status();
}

} // namespace

BasisLayout BasisLayout::of(const Program &program) {
  BasisLayout layout;
  for (const BoostParameter &parameter : program.parameters()) {
    const BoostTensor &tensor = parameter.tensor;
    BasisPart part{tensor.name, {tensor.shape, tensor.shape + tensor.rank}};
    part.offset = layout.columns;
    part.columns = static_cast<int64_t>(tensor.bytes / sizeof(float));
    layout.columns += part.columns;
    layout.parts.push_back(std::move(part));
  }
  return layout;
}

Result<std::string> descriptionPathOf(const std::string &path) {
  constexpr std::string_view kEnding = ".npy";
  if (!path.ends_with(kEnding) || path.size() == kEnding.size())
    return Status(ExitCode::Usage,
                  fmt::format("expected a basis whose name ends with '.npy', "
                              "found '{}'",
                              printable(path)));
  return path.substr(0, path.size() - kEnding.size()) + ".json";
}

Status checkDescriptionPath(FileSystem &files, const std::string &path) {
  std::unique_ptr<ReadableFile> file;
  if (files.open(path, file).number() == ENOENT)
    return Status();
  Result<std::vector<uint8_t>> bytes =
      readWholeFile(files, path, kMaxDescriptionBytes, ExitCode::Usage);
  if (bytes.ok() &&
      isDescription(nlohmann::json::parse(bytes->begin(), bytes->end(), nullptr,
                                          /*allow_exceptions=*/false)))
    return Status();
  return Status(ExitCode::Usage,
                fmt::format("'{}' is there and describes no basis; what "
                            "describes the basis would replace it: move it "
                            "away or give the basis another name",
                            printable(path)));
}

std::string describeBasis(const BasisLayout &layout,
                          std::span<const double> variance) {
  nlohmann::ordered_json all;
  all["format"] = kFormat;
  all["components"] = variance.size();
  all["columns"] = layout.columns;
  all["variance"] = std::vector<double>(variance.begin(), variance.end());
  all["parameters"] = nlohmann::ordered_json::array();
  for (const BasisPart &part : layout.parts)
    all["parameters"].push_back(
        {{"name", part.name}, {"offset", part.offset}, {"shape", part.shape}});
  return all.dump(1) + "\n";
}

std::string npyHeaderOf(int64_t components, int64_t columns) {
  std::string text = fmt::format(
      "{{'descr': '<f4', 'fortran_order': False, 'shape': ({}, {}), }}",
      components, columns);
  // Magic, version and length take 10 bytes; elements begin at a multiple
  // of 64.
  text.append(63 - (text.size() + 10) % 64, ' ');
  text += '\n';
  std::string header = "\x93NUMPY";
  header += '\x01';
  header += '\0';
  header += static_cast<char>(text.size() & 0xff);
  header += static_cast<char>(text.size() >> 8);
  return header + text;
}

Result<uint64_t> readBasis(FileSystem &files, const std::string &path,
                           const BasisLayout &layout, int64_t components,
                           const TakeBasisRow &take) {
  Result<std::string> description = descriptionPathOf(path);
  if (!description.ok())
    return description.status();
  Result<NpyFile> header = NpyFile::open(path);
  if (!header.ok())
    return header.status();
  const std::vector<int64_t> &shape = header->shape();
  if (header->type() != NpyFile::Type::F32 || header->isPacked() ||
      shape.size() != 2 || shape[1] != layout.columns)
    return fail(path, fmt::format("found {}{}, expected float32 with {} "
                                  "columns, one for each element of the "
                                  "program's parameters",
                                  header->description(),
                                  header->isPacked() ? ", compressed" : "",
                                  layout.columns));
  if (shape[0] < components)
    return fail(path, fmt::format("found {}, the program searches among {} "
                                  "(dim_reduce.n_components)",
                                  countOf(shape[0], "vector"), components));
  BOOSTRT_RETURN_IF_ERROR(checkDescription(files, *description, layout));
  std::unique_ptr<ReadableFile> file;
  if (IoError error = files.open(path, file); !error.ok())
    return ioStatus(error, ExitCode::Data, "open", path);
  uint64_t hash = 0xcbf29ce484222325; // FNV-1a, of words
  std::vector<float> columns;
  for (int64_t row = 0; row < components; ++row) {
    double square = 0.0;
    for (size_t i = 0; i < layout.parts.size(); ++i) {
      const BasisPart &part = layout.parts[i];
      columns.resize(part.columns);
      auto offset = static_cast<uint64_t>(header->headerBytes()) +
                    static_cast<uint64_t>(row * layout.columns + part.offset) *
                        sizeof(float);
      if (IoError error =
              file->read(offset, {reinterpret_cast<uint8_t *>(columns.data()),
                                  columns.size() * sizeof(float)});
          !error.ok())
        return ioStatus(error, ExitCode::Data, "read", path);
      for (float x : columns) {
        square += static_cast<double>(x) * x;
        hash = (hash ^ std::bit_cast<uint32_t>(x)) * 0x100000001b3;
      }
      BOOSTRT_RETURN_IF_ERROR(take(row, i, columns));
    }
    // Written so that a NaN fails, too.
    if (!(std::abs(std::sqrt(square) - 1.0) <= kNormTolerance))
      return fail(path,
                  fmt::format("vector {} has the norm {:.6g}, expected 1: "
                              "vectors of a basis are orthonormal",
                              row, std::sqrt(square)));
  }
  return std::max<uint64_t>(hash, 1);
}

} // namespace boostrt
