#include "runtime/subspace/PrincipalComponents.h"

#include "runtime/checkpoint/Checkpoint.h"
#include "runtime/checkpoint/CheckpointNames.h"
#include "runtime/support/Plural.h"
#include "runtime/support/Suggest.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <lapacke.h>
#include <numeric>

namespace boostrt {
namespace {

using Clock = std::chrono::steady_clock;

/// Columns that are read at once from each checkpoint.
constexpr int64_t kChunk = 1 << 16;

/// The checkpoints of a directory as the rows of a matrix whose columns are
/// the elements of all parameters.
class WeightMatrix {
public:
  static Result<WeightMatrix> open(FileSystem &files, const BasisLayout &layout,
                                   const PcaOptions &options) {
    WeightMatrix matrix(layout, options);
    std::vector<DirectoryEntry> entries;
    if (IoError error = files.list(options.directory, entries); !error.ok())
      return ioStatus(error, ExitCode::Checkpoint, "read", options.directory);
    std::vector<CheckpointName> checkpoints = checkpointsNewestFirst(entries);
    std::vector<std::string> names;
    for (auto name = checkpoints.rbegin(); name != checkpoints.rend(); ++name)
      names.push_back(name->text);
    for (const DirectoryEntry &entry : entries)
      if (!entry.leadsToDirectory() && entry.name.ends_with(".safetensors"))
        names.push_back(entry.name);
    for (const std::string &name : names) {
      Result<SafetensorsFile> file =
          loadWeights(files, options.directory + "/" + name);
      if (!file.ok())
        return file.status();
      BOOSTRT_RETURN_IF_ERROR(matrix.check(*file));
      matrix.rows_.push_back(std::move(file).value());
    }
    return matrix;
  }

  int64_t rows() const { return static_cast<int64_t>(rows_.size()); }
  int64_t columns() const { return layout_.columns; }
  const BasisLayout &layout() const { return layout_; }

  /// Calls act(part of the columns, as rows of differences from their mean) for
  /// all columns, in their order.
  template <typename Act> Status forEachChunk(Act &&act) {
    for (size_t i = 0; i < layout_.parts.size(); ++i) {
      const BasisPart &part = layout_.parts[i];
      for (int64_t first = 0; first < part.columns; first += kChunk) {
        int64_t count = std::min(kChunk, part.columns - first);
        BOOSTRT_RETURN_IF_ERROR(read(part, first, count));
        act(part.offset + first, count);
      }
    }
    return Status();
  }
  /// Row `row` of the part that forEachChunk() is at.
  std::span<const double> row(int64_t row, int64_t count) const {
    return {centred_.data() + row * kChunk, static_cast<size_t>(count)};
  }

private:
  WeightMatrix(BasisLayout layout, const PcaOptions &options)
      : layout_(std::move(layout)), limit_(options.limit),
        began_(Clock::now()) {}

  Status check(const SafetensorsFile &file) const {
    for (const BasisPart &part : layout_.parts) {
      const TensorEntry *found = file.find(part.name);
      if (!found || found->dtype != BOOSTC_F32 || found->shape != part.shape)
        return Status(
            ExitCode::Checkpoint,
            fmt::format("'{}' has no '{}' of f32 [{}], which the program has; "
                        "expected checkpoints of this model",
                        file.path(), part.name, fmt::join(part.shape, ", ")));
    }
    return Status();
  }

  Status read(const BasisPart &part, int64_t first, int64_t count) {
    if (limit_ && Clock::now() - began_ > *limit_)
      return Status(ExitCode::Checkpoint,
                    fmt::format("the basis was not made within {} "
                                "(dim_reduce.timeout); make it with boost-run "
                                "pca before the run",
                                countOf(limit_->count(), "second")));
    centred_.resize(rows() * kChunk);
    std::vector<float> piece(count);
    std::vector<double> mean(count);
    for (int64_t row = 0; row < rows(); ++row) {
      const SafetensorsFile &file = rows_[row];
      BOOSTRT_RETURN_IF_ERROR(file.read(
          *file.find(part.name), static_cast<uint64_t>(first) * sizeof(float),
          {reinterpret_cast<uint8_t *>(piece.data()),
           piece.size() * sizeof(float)}));
      for (int64_t i = 0; i < count; ++i) {
        if (!std::isfinite(piece[i]))
          return Status(ExitCode::Checkpoint,
                        fmt::format("'{}' has {} in '{}', expected finite "
                                    "weights; leave this checkpoint out",
                                    file.path(), piece[i], part.name));
        centred_[row * kChunk + i] = piece[i];
        mean[i] += piece[i];
      }
    }
    for (int64_t row = 0; row < rows(); ++row)
      for (int64_t i = 0; i < count; ++i)
        centred_[row * kChunk + i] -= mean[i] / static_cast<double>(rows());
    return Status();
  }

  BasisLayout layout_;
  std::optional<std::chrono::seconds> limit_;
  Clock::time_point began_;
  std::vector<SafetensorsFile> rows_;
  std::vector<double> centred_; ///< rows of kChunk
};

/// The first vectors, as sums of rows of the matrix.
struct Combinations {
  std::vector<double> variance;             ///< share of each
  std::vector<std::vector<double>> weights; ///< of the rows, for each
};

Result<Combinations> findCombinations(WeightMatrix &matrix,
                                      const PcaOptions &options) {
  const int64_t rows = matrix.rows();
  std::vector<double> gram(rows * rows);
  BOOSTRT_RETURN_IF_ERROR(
      matrix.forEachChunk([&](int64_t /*first*/, int64_t count) {
        for (int64_t i = 0; i < rows; ++i)
          for (int64_t j = 0; j <= i; ++j) {
            std::span<const double> a = matrix.row(i, count),
                                    b = matrix.row(j, count);
            gram[i * rows + j] +=
                std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
          }
      }));
  // Row-major lower is what LAPACK reads as column-major upper.
  std::vector<double> values(rows);
  auto order = static_cast<lapack_int>(rows);
  lapack_int failed = LAPACKE_dsyev(LAPACK_COL_MAJOR, 'V', 'U', order,
                                    gram.data(), order, values.data());
  if (failed != 0)
    return Status(ExitCode::Internal,
                  fmt::format("LAPACK's dsyev ended with {} for the {} "
                              "checkpoints",
                              failed, rows));
  // They rise; those of rounding alone may be below zero.
  const double largest = values.back();
  const double noise = static_cast<double>(rows) *
                       std::numeric_limits<float>::epsilon() *
                       std::numeric_limits<float>::epsilon() * largest;
  double total = 0.0;
  int64_t usable = 0;
  for (double value : values) {
    total += std::max(value, 0.0);
    usable += value > noise;
  }
  if (usable < options.components)
    return Status(
        ExitCode::Checkpoint,
        fmt::format("the {} checkpoints in '{}' differ in {}, expected {}; "
                    "save checkpoints farther apart, or take fewer components",
                    rows, options.directory, countOf(usable, "direction"),
                    options.components));
  Combinations found;
  for (int64_t i = 0; i < options.components; ++i) {
    const int64_t column = rows - 1 - i;
    found.variance.push_back(values[column] / total);
    std::vector<double> weights(gram.begin() + column * rows,
                                gram.begin() + (column + 1) * rows);
    for (double &weight : weights)
      weight /= std::sqrt(values[column]);
    found.weights.push_back(std::move(weights));
  }
  return found;
}

/// Writes vectors `begin` to `end`, and turns each so that its largest element
/// is positive.
Status writeVectors(WeightMatrix &matrix, const Combinations &found,
                    int64_t begin, int64_t end, WritableFile &file,
                    const std::string &path) {
  const int64_t columns = matrix.columns();
  std::vector<float> vectors((end - begin) * columns);
  std::vector<double> largest(end - begin), sum(kChunk);
  BOOSTRT_RETURN_IF_ERROR(
      matrix.forEachChunk([&](int64_t first, int64_t count) {
        for (int64_t v = begin; v < end; ++v) {
          std::fill_n(sum.begin(), count, 0.0);
          for (int64_t r = 0; r < matrix.rows(); ++r) {
            std::span<const double> row = matrix.row(r, count);
            const double weight = found.weights[v][r];
            for (int64_t i = 0; i < count; ++i)
              sum[i] += weight * row[i];
          }
          float *to = vectors.data() + (v - begin) * columns + first;
          for (int64_t i = 0; i < count; ++i) {
            to[i] = static_cast<float>(sum[i]);
            if (std::abs(sum[i]) > std::abs(largest[v - begin]))
              largest[v - begin] = sum[i];
          }
        }
      }));
  for (int64_t v = 0; v < end - begin; ++v)
    if (largest[v] < 0.0)
      for (int64_t i = 0; i < columns; ++i)
        vectors[v * columns + i] = -vectors[v * columns + i];
  IoError error = file.write({reinterpret_cast<uint8_t *>(vectors.data()),
                              vectors.size() * sizeof(float)});
  return error.ok() ? Status()
                    : ioStatus(error, ExitCode::Checkpoint, "write", path);
}

} // namespace

Result<PcaResult> makeBasis(FileSystem &files, const BasisLayout &layout,
                            const PcaOptions &options) {
  Result<std::string> description = descriptionPathOf(options.output);
  if (!description.ok())
    return description.status();
  BOOSTRT_RETURN_IF_ERROR(checkDescriptionPath(files, *description));
  Result<WeightMatrix> opened = WeightMatrix::open(files, layout, options);
  if (!opened.ok())
    return opened.status();
  WeightMatrix &matrix = *opened;
  if (options.components > matrix.rows() - 1)
    return Status(
        ExitCode::Checkpoint,
        fmt::format(
            "found {} in '{}', which differ in {} at most, expected {} "
            "for {}; save more of them (--keep-max) or take fewer "
            "components",
            countOf(matrix.rows(), "checkpoint"), options.directory,
            countOf(std::max<int64_t>(0, matrix.rows() - 1), "direction"),
            options.components + 1, countOf(options.components, "component")));
  Result<Combinations> found = findCombinations(matrix, options);
  if (!found.ok())
    return found.status();
  Result<OutputFile> output =
      OutputFile::create(files, options.output, ExitCode::Checkpoint);
  if (!output.ok())
    return output.status();
  std::string header = npyHeaderOf(options.components, matrix.columns());
  if (IoError error = output->file().write(
          {reinterpret_cast<const uint8_t *>(header.data()), header.size()});
      !error.ok())
    return ioStatus(error, ExitCode::Checkpoint, "write", options.output);
  const int64_t atOnce = std::max<int64_t>(
      1, options.memory /
             (matrix.columns() * static_cast<int64_t>(sizeof(float))));
  for (int64_t begin = 0; begin < options.components; begin += atOnce)
    BOOSTRT_RETURN_IF_ERROR(writeVectors(
        matrix, *found, begin, std::min(begin + atOnce, options.components),
        output->file(), options.output));
  // The description last: a basis without one is not read.
  BOOSTRT_RETURN_IF_ERROR(output->publish());
  BOOSTRT_RETURN_IF_ERROR(
      writeFileAtomically(files, *description, ExitCode::Checkpoint,
                          describeBasis(matrix.layout(), found->variance)));
  return PcaResult{matrix.rows(), std::move(found->variance)};
}

} // namespace boostrt
