// `boost-run pca`.
#include "runtime/cli/Commands.h"
#include "runtime/program/Program.h"
#include "runtime/subspace/PrincipalComponents.h"
#include "runtime/support/Plural.h"
#include "runtime/support/Streams.h"

#include <fmt/format.h>
#include <numeric>

namespace boostrt {

/// Those that `program` searches among, or the default of
/// dim_reduce.n_components.
static int64_t countComponents(const Program &program) {
  constexpr int64_t kDefault = 32;
  std::vector<const BoostState *> parts =
      program.statesIn(BOOSTC_SAVED_IN_BASIS);
  return parts.empty() ? kDefault : parts.front()->tensor.shape[0];
}

Status pcaCommand(const Options &options) {
  Result<std::unique_ptr<Program>> program = Program::load(options.program);
  if (!program.ok())
    return program.status();
  const NamedFile taken[] = {{"the program", options.program}};
  BOOSTRT_RETURN_IF_ERROR(checkOutput(realFileSystem(), "-o", *options.output,
                                      ExitCode::Checkpoint, taken));
  int64_t components = options.components.value_or(countComponents(**program));
  Result<PcaResult> made =
      makeBasis(realFileSystem(), BasisLayout::of(**program),
                {*options.weightsDirectory, components, *options.output});
  if (!made.ok())
    return made.status();
  double share =
      std::accumulate(made->variance.begin(), made->variance.end(), 0.0);
  writeResult(fmt::format("{}: {} of {}, with {:.1f} % of their variance\n",
                          *options.output, countOf(components, "vector"),
                          countOf(made->checkpoints, "checkpoint"),
                          100.0 * share));
  return Status();
}

} // namespace boostrt
