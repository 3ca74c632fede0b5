#include "runtime/trainer/RunBasis.h"

#include "runtime/subspace/PrincipalComponents.h"
#include "runtime/support/Plural.h"
#include "runtime/support/Suggest.h"

#include <fmt/format.h>

namespace boostrt {
namespace {

/// A text of the recipe's "dim_reduce"; empty where it is null.
std::string textOf(const nlohmann::json &keys, const char *name) {
  auto found = keys.find(name);
  return found != keys.end() && found->is_string() ? found->get<std::string>()
                                                   : std::string();
}

/// The recipe's "dim_reduce".
nlohmann::json keysOf(const Recipe &recipe) {
  auto boost = recipe.all.find("boost");
  if (boost == recipe.all.end() || !boost->is_object() ||
      !boost->contains("dim_reduce"))
    return nlohmann::json::object();
  return (*boost)["dim_reduce"];
}

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
  const nlohmann::json keys = keysOf(recipe);
  std::string path = options.basis.value_or(textOf(keys, "pca_mat_path"));
  if (path.empty())
    path = textOf(keys, "weight_load_dir");
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
  pca.limit = std::chrono::seconds(keys.value("timeout", int64_t{1800}));
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

Status readBasis(const std::string &path, const Execution &execution) {
  const Program &program = execution.program();
  std::vector<BasisTarget> targets;
  int64_t components = 0;
  for (const BoostState *state : program.statesIn(BOOSTC_SAVED_IN_BASIS)) {
    components = state->tensor.shape[0];
    void *rows = execution.tensor(state->tensor);
    targets.push_back(
        {program.parameters()[state->parameter].tensor.name,
         {static_cast<float *>(rows), state->tensor.bytes / sizeof(float)}});
  }
  return readBasis(realFileSystem(), path, BasisLayout::of(program), components,
                   targets);
}

} // namespace boostrt
