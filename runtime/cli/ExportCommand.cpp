// `boost-run export`.
#include "runtime/checkpoint/FindCheckpoint.h"
#include "runtime/cli/Commands.h"
#include "runtime/cli/OutputChecks.h"
#include "runtime/support/Plural.h"
#include "runtime/support/Streams.h"
#include "runtime/trainer/RunState.h"
#include "runtime/trainer/TensorNames.h"

#include <fmt/format.h>

namespace boostrt {
namespace {

/// What an evaluation reads, as the program calls it.
class Weights {
public:
  explicit Weights(const Program &program)
      : memory_(program.descriptor().arena_bytes[BOOSTC_ARENA_PARAMETER]) {
    std::vector<const BoostState *> states =
        program.statesIn(BOOSTC_SAVED_WITH_WEIGHTS);
    for (const BoostParameter &parameter : program.parameters())
      add(parameter.tensor, parameter.tensor.name);
    for (const BoostState *state : states)
      add(state->tensor, state->tensor.name, state->averaged);
    for (const BoostState *state : states)
      if (state->is_evaluated)
        averages_[state->averaged] = &state->tensor;
  }

  const std::vector<TensorTarget> &targets() const { return targets_; }

  std::vector<TensorView> views() const {
    std::vector<TensorView> views;
    for (const TensorTarget &target : targets_) {
      if (!target.otherName.empty())
        continue;
      views.push_back({target.name, target.dtype, target.shape, target.bytes});
      if (auto average = averages_.find(target.name);
          average != averages_.end())
        views.back().bytes =
            viewOf(*average->second, memory_.data() + average->second->offset)
                .bytes;
    }
    return views;
  }

private:
  void add(const BoostTensor &tensor, const char *name,
           const char *averaged = "") {
    targets_.push_back(targetOf(tensor, memory_.data() + tensor.offset));
    targets_.back().name = name;
    targets_.back().otherName = averaged;
  }

  std::vector<std::byte> memory_;
  std::vector<TensorTarget> targets_;
  std::map<std::string, const BoostTensor *>
      averages_; ///< by what they average
};

} // namespace

Status exportCommand(const Options &options) {
  Result<std::unique_ptr<Program>> loaded = Program::load(options.program);
  if (!loaded.ok())
    return loaded.status();
  const Program &program = **loaded;
  TensorNames names;
  if (options.names) {
    Result<TensorNames> read = TensorNames::read(*options.names, program);
    if (!read.ok())
      return read.status();
    names = std::move(read).value();
  }
  Result<FoundCheckpoint> checkpoint =
      findCheckpoint(realFileSystem(), *options.checkpoint);
  if (!checkpoint.ok())
    return checkpoint.status();
  for (const std::string &note : checkpoint->notes)
    printNote("boost-run: {}\n", note);
  Result<SafetensorsFile> file = loadWeights(realFileSystem(), checkpoint->path,
                                             maxWeightBytes(program, {}));
  if (!file.ok())
    return file.status();
  BOOSTRT_RETURN_IF_ERROR(checkResult("-o", *options.output,
                                      ExitCode::Checkpoint, inputsOf(options)));
  Weights weights(program);
  BOOSTRT_RETURN_IF_ERROR(readTensors(*file, weights.targets()));
  const int64_t steps = savedPosition(file->metadata()).globalStep;
  std::vector<TensorView> views = names.forFile(weights.views(), steps);
  BOOSTRT_RETURN_IF_ERROR(saveSafetensors(realFileSystem(), *options.output,
                                          views, file->metadata()));
  writeResult(fmt::format("{}: {}\n", *options.output,
                          countOf(views.size(), "tensor")));
  return Status();
}

} // namespace boostrt
