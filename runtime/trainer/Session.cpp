#include "runtime/trainer/Session.h"

#include <fmt/format.h>

namespace boostrt {

Result<std::unique_ptr<Session>> Session::open(const Options &options,
                                               Console &console) {
  std::unique_ptr<Session> session(new Session);
  Result<std::unique_ptr<Program>> program = Program::load(options.program);
  if (!program.ok())
    return program.status();
  session->program_ = std::move(program).value();
  const BoostProgram &descriptor = session->program().descriptor();

  Result<Recipe> recipe = parseRecipe(descriptor.recipe_json, options.program);
  if (!recipe.ok())
    return recipe.status();
  session->recipe_ = std::move(recipe).value();

  Result<RunData> data =
      openRunData(session->program(), session->recipe_, options.data);
  if (!data.ok())
    return data.status();
  session->data_ = std::move(data).value();

  uint32_t threads = options.threads.value_or(descriptor.threads);
  Result<std::unique_ptr<CpuDevice>> device = CpuDevice::create(
      threads, session->program().libraryCalls(), descriptor.library_version);
  if (!device.ok())
    return Status(
        device.status().code(),
        fmt::format("'{}': {}", options.program, device.status().message()));
  session->device_ = std::move(device).value();

  console.note(fmt::format("{} on cpu, the only target of the program, with "
                           "{} thread{}",
                           descriptor.name, threads, threads == 1 ? "" : "s"));
  if (!session->data_.note.empty())
    console.note(session->data_.note);
  console.note(session->data_.source.description);
  return session;
}

Status Session::reserve(const MemoryPlan &plan) {
  planned_ = plan.total();
  peak_.begin();
  Result<std::unique_ptr<Arenas>> arenas = Arenas::reserve(plan);
  if (!arenas.ok())
    return arenas.status();
  arenas_ = std::move(arenas).value();
  execution_.emplace(*program_, device_->env(), *arenas_);
  return Status();
}

} // namespace boostrt
