#include "runtime/trainer/RunBasis.h"

#include "runtime/subspace/PrincipalComponents.h"
#include "runtime/support/Plural.h"

#include <algorithm>
#include <fmt/format.h>

namespace boostrt {
namespace {

/// A directory by whether it can be listed, so that what is neither is
/// reported as the file that it is not.
bool isDirectory(const std::string &path) {
  std::vector<DirectoryEntry> entries;
  return realFileSystem().list(path, entries).ok();
}

} // namespace

Result<std::optional<RunBasis>>
findBasis(const Options &options, const Program &program, const Recipe &recipe,
          const Ranks &ranks, std::vector<std::string> &notes) {
  std::vector<const BoostState *> parts =
      program.statesIn(BOOSTC_SAVED_IN_BASIS);
  if (parts.empty()) {
    if (!options.basis)
      return std::optional<RunBasis>();
    return Status(ExitCode::Usage,
                  fmt::format("--basis: '{}' searches for no step in a "
                              "subspace; compile it with --boost "
                              "dim_reduce=true",
                              options.program));
  }
  if (recipe.basisShards != 1 && recipe.basisShards != ranks.size())
    return Status(
        ExitCode::Usage,
        fmt::format("'{}' was compiled to divide its basis over {} "
                    "(dim_reduce.shards), but {} found; start {}, or compile "
                    "it with --boost shards={}",
                    options.program, countOf(recipe.basisShards, "rank"),
                    countOf(ranks.size(), "rank") +
                        (ranks.isAlone() ? " was" : " were"),
                    recipe.basisShards, ranks.size()));
  std::string path = options.basis.value_or(recipe.basisFile);
  if (path.empty())
    path = recipe.basisCheckpoints;
  if (path.empty())
    return Status(
        ExitCode::Usage,
        fmt::format("'{}' searches for steps in a subspace and names no basis "
                    "of it; give --basis FILE.npy, which boost-run pca makes, "
                    "or --basis DIR with checkpoints to make it of",
                    options.program));
  if (!isDirectory(path))
    return std::optional(RunBasis{path, recipe.basisShards});
  PcaOptions pca{path, parts.front()->tensor.shape[0] * recipe.basisShards,
                 path + "/basis.npy"};
  if (recipe.basisSeconds > 0)
    pca.limit = std::chrono::seconds(recipe.basisSeconds);
  RunBasis basis{pca.output, recipe.basisShards};
  if (!ranks.isFirst())
    return std::optional(basis);
  Result<PcaResult> made =
      makeBasis(realFileSystem(), BasisLayout::of(program), pca);
  if (!made.ok())
    return made.status();
  notes.push_back(fmt::format("made {} of {}", pca.output,
                              countOf(made->checkpoints, "checkpoint")));
  return std::optional(basis);
}

Result<uint64_t> readBasis(const RunBasis &basis, const Execution &execution,
                           Ranks &ranks) {
  const Program &program = execution.program();
  const BasisLayout layout = BasisLayout::of(program);
  std::vector<float *> parts;
  int64_t rows = 0;
  for (const BoostState *state : program.statesIn(BOOSTC_SAVED_IN_BASIS)) {
    rows = state->tensor.shape[0];
    parts.push_back(reinterpret_cast<float *>(execution.tensor(state->tensor)));
  }
  const int64_t first = ranks.rank() % basis.shards * rows;
  auto take = [&](int64_t row, size_t part, std::span<float> columns) {
    BOOSTRT_RETURN_IF_ERROR(ranks.broadcast(std::as_writable_bytes(columns)));
    if (row >= first && row < first + rows)
      std::ranges::copy(columns, parts[part] + (row - first) *
                                                   layout.parts[part].columns);
    return Status();
  };
  const int64_t components = rows * basis.shards;
  if (ranks.isFirst())
    return readBasis(realFileSystem(), basis.path, layout, components, take);
  std::vector<float> columns;
  for (int64_t row = 0; row < components; ++row)
    for (size_t part = 0; part < parts.size(); ++part) {
      columns.resize(layout.parts[part].columns);
      BOOSTRT_RETURN_IF_ERROR(take(row, part, columns));
    }
  return uint64_t{0};
}

} // namespace boostrt
