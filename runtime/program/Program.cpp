#include "runtime/program/Program.h"

#include "runtime/program/ProgramFile.h"
#include "runtime/program/ProgramTargets.h"
#include "runtime/support/EvalInput.h"
#include "runtime/support/Suggest.h"

#include <algorithm>
#include <dlfcn.h>
#include <fmt/format.h>

namespace boostrt {

Program::~Program() {
  if (handle_)
    dlclose(handle_);
}

Result<std::unique_ptr<Program>> Program::load(const std::string &path) {
  std::unique_ptr<Program> program(new Program);
  program->path_ = path;
  Result<CheckedProgramFile> file = checkProgramFile(path);
  if (!file.ok())
    return file.status();
  program->sha256_ = std::move(file->sha256);

  program->absolutePath_ = std::move(file->absolute);
  program->handle_ =
      dlopen(program->absolutePath_.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!program->handle_)
    return Status(ExitCode::Input, fmt::format("'{}' cannot be linked: {}",
                                               path, printable(dlerror())));
  auto query = reinterpret_cast<BoostQuery>(
      dlsym(program->handle_, BOOSTC_QUERY_SYMBOL));
  if (!query)
    return Status(ExitCode::Input,
                  fmt::format("'{}' is not a compiled program: it does not "
                              "export {}",
                              path, BOOSTC_QUERY_SYMBOL));
  program->descriptor_ = query(BOOSTC_ABI_VERSION);
  if (!program->descriptor_)
    return Status(ExitCode::Input,
                  fmt::format("'{}' needs a newer boost-run: this one has "
                              "version {} of the program interface",
                              path, BOOSTC_ABI_VERSION));
  BOOSTRT_RETURN_IF_ERROR(validateProgram(*program->descriptor_, path));
  return program;
}

const BoostTarget *Program::target(BoostTargetKind kind) const {
  return findTarget(*descriptor_, kind);
}

bool Program::usesAdasum() const {
  return std::ranges::any_of(collectives(), [](const BoostCollective &each) {
    return each.kind == BOOSTC_COLLECTIVE_ADASUM;
  });
}

std::vector<const BoostState *> Program::statesIn(BoostSaved file) const {
  std::vector<const BoostState *> found;
  for (const BoostState &state : states())
    if (state.saved == static_cast<uint32_t>(file))
      found.push_back(&state);
  return found;
}

const BoostInput *Program::input(BoostInputKind kind) const {
  for (const BoostInput &input : inputs())
    if (input.kind == static_cast<uint32_t>(kind) &&
        evaluatedInput(input.tensor.name).empty())
      return &input;
  return nullptr;
}

const BoostInput &Program::samples() const {
  for (BoostInputKind kind : {BOOSTC_INPUT_FEATURES, BOOSTC_INPUT_PIXELS})
    if (const BoostInput *samples = input(kind))
      return *samples;
  return *input(BOOSTC_INPUT_INDICES);
}

const BoostInput &Program::evalSamples() const {
  const BoostInput &training = samples();
  for (const BoostInput &input : inputs())
    if (evaluatedInput(input.tensor.name) == training.tensor.name)
      return input;
  return training;
}

} // namespace boostrt
