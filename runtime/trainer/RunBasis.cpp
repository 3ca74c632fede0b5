#include "runtime/trainer/RunBasis.h"

#include "runtime/subspace/PrincipalComponents.h"
#include "runtime/support/Plural.h"

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

Result<std::optional<std::string>>
findBasis(const Options &options, const Program &program, const Recipe &recipe,
          const Ranks &ranks, std::vector<std::string> &notes) {
  std::vector<const BoostState *> parts =
      program.statesIn(BOOSTC_SAVED_IN_BASIS);
  if (parts.empty()) {
    if (!options.basis)
      return std::optional<std::string>();
    return Status(ExitCode::Usage,
                  fmt::format("--basis: '{}' searches for no step in a "
                              "subspace; compile it with --boost "
                              "dim_reduce=true",
                              options.program));
  }
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
    return std::optional(path);
  PcaOptions pca{path, parts.front()->tensor.shape[0], path + "/basis.npy"};
  if (recipe.basisSeconds > 0)
    pca.limit = std::chrono::seconds(recipe.basisSeconds);
  if (!ranks.isFirst())
    return std::optional(pca.output);
  Result<PcaResult> made =
      makeBasis(realFileSystem(), BasisLayout::of(program), pca);
  if (!made.ok())
    return made.status();
  notes.push_back(fmt::format("made {} of {}", pca.output,
                              countOf(made->checkpoints, "checkpoint")));
  return std::optional(pca.output);
}

Result<uint64_t> readBasis(const std::string &path, const Execution &execution) {
  const Program &program = execution.program();
  std::vector<std::span<float>> parts;
  int64_t components = 0;
  for (const BoostState *state : program.statesIn(BOOSTC_SAVED_IN_BASIS)) {
    components = state->tensor.shape[0];
    void *rows = execution.tensor(state->tensor);
    parts.emplace_back(static_cast<float *>(rows),
                       state->tensor.bytes / sizeof(float));
  }
  return readBasis(realFileSystem(), path, BasisLayout::of(program), components,
                   parts);
}

} // namespace boostrt
