#include "runtime/trainer/Session.h"

#include <fmt/format.h>
#include <sched.h>

namespace boostrt {
namespace {
/// CPUs this process may run on; 0 when that cannot be known.
int availableCpus() {
  cpu_set_t set;
  return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 0;
}
} // namespace

Status Session::loadProgram(const Options &options) {
  Result<std::unique_ptr<Program>> program = Program::load(options.program);
  if (!program.ok())
    return program.status();
  program_ = std::move(program).value();
  Result<Recipe> recipe =
      parseRecipe(program_->descriptor().recipe_json, options.program);
  if (!recipe.ok())
    return recipe.status();
  recipe_ = std::move(recipe).value();
  return Status();
}

Status Session::createDevice(const Options &options, Console &console) {
  const BoostProgram &descriptor = program_->descriptor();
  uint32_t threads = options.threads.value_or(descriptor.threads);
  DnnlContext::limitInstructionSet(descriptor.cpu_features);
  Result<std::unique_ptr<CpuDevice>> device = CpuDevice::create(
      threads, program_->libraryCalls(), descriptor.library_version);
  if (!device.ok())
    return Status(
        device.status().code(),
        fmt::format("'{}': {}", options.program, device.status().message()));
  device_ = std::move(device).value();

  console.note(fmt::format("{} on cpu, the only target of the program, with "
                           "{} thread{}",
                           descriptor.name, threads, threads == 1 ? "" : "s"));
  if (int cpus = availableCpus(); cpus > 0 && uint32_t(cpus) < threads)
    console.note(fmt::format("only {} CPU{} may be used, so {} threads will "
                             "wait for each other; recompile with boostc "
                             "--threads={}",
                             cpus, cpus == 1 ? "" : "s", threads, cpus));
  return Status();
}

Result<std::unique_ptr<Session>> Session::open(const Options &options,
                                               Console &console) {
  std::unique_ptr<Session> session(new Session);
  BOOSTRT_RETURN_IF_ERROR(session->loadProgram(options));
  Result<RunData> data =
      openRunData(session->program(), session->recipe_, options.data);
  if (!data.ok())
    return data.status();
  session->data_ = std::move(data).value();
  BOOSTRT_RETURN_IF_ERROR(session->createDevice(options, console));
  if (!session->data_.note.empty())
    console.note(session->data_.note);
  console.note(session->data_.source.description);
  return session;
}

Result<std::unique_ptr<Session>>
Session::openWithoutData(const Options &options, Console &console) {
  std::unique_ptr<Session> session(new Session);
  BOOSTRT_RETURN_IF_ERROR(session->loadProgram(options));
  BOOSTRT_RETURN_IF_ERROR(session->createDevice(options, console));
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
