// `boost-run pca`.
#include "runtime/cli/Commands.h"
#include "runtime/cli/OutputChecks.h"
#include "runtime/program/Program.h"
#include "runtime/program/Recipe.h"
#include "runtime/subspace/Basis.h"
#include "runtime/subspace/PrincipalComponents.h"
#include "runtime/support/Plural.h"
#include "runtime/support/Streams.h"

#include <fmt/format.h>
#include <numeric>

namespace boostrt {

Status pcaCommand(const Options &options) {
  Result<std::unique_ptr<Program>> program = Program::load(options.program);
  if (!program.ok())
    return program.status();
  Result<std::string> description = descriptionPathOf(*options.output);
  if (!description.ok())
    return description.status();
  for (const std::string &path : {*options.output, *description})
    BOOSTRT_RETURN_IF_ERROR(
        checkResult("-o", path, ExitCode::Checkpoint, inputsOf(options)));
  std::optional<int64_t> components = options.components;
  if (std::vector parts = (*program)->statesIn(BOOSTC_SAVED_IN_BASIS);
      !components && !parts.empty()) {
    Result<Recipe> recipe =
        parseRecipe((*program)->descriptor().recipe_json, options.program);
    if (!recipe.ok())
      return recipe.status();
    components = parts.front()->tensor.shape[0] * recipe->basisShards;
  }
  if (!components)
    return Status(ExitCode::Usage,
                  fmt::format("--components K is missing: '{}' searches for no "
                              "step in a subspace, which would say how many",
                              options.program));
  Result<PcaResult> made =
      makeBasis(realFileSystem(), BasisLayout::of(**program),
                {*options.weightsDirectory, *components, *options.output});
  if (!made.ok())
    return made.status();
  double share =
      std::accumulate(made->variance.begin(), made->variance.end(), 0.0);
  writeResult(fmt::format("{}: {} of {}, with {:.1f} % of their variance\n",
                          *options.output, countOf(*components, "vector"),
                          countOf(made->checkpoints, "checkpoint"),
                          100.0 * share));
  return Status();
}

} // namespace boostrt
