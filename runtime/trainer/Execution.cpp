#include "runtime/trainer/Execution.h"

#include <cstring>
#include <fmt/format.h>

namespace boostrt {
namespace {

template <typename T> T read(const std::byte *address) {
  T value;
  std::memcpy(&value, address, sizeof value);
  return value;
}

template <typename T> void write(std::byte *address, T value) {
  std::memcpy(address, &value, sizeof value);
}

} // namespace

Execution::Execution(const Program &program, const BoostEnv &env,
                     const Arenas &arenas)
    : program_(program), env_(env), arenas_(arenas) {
  for (BoostArenaKind kind :
       {BOOST_ARENA_PARAMETER, BOOST_ARENA_STATE, BOOST_ARENA_CONTROL,
        BOOST_ARENA_RESULT, BOOST_ARENA_TRANSIENT})
    bases_[kind] = arenas.base(kind);
}

/// The value of a schedule at a step, counted from 1.
float Execution::valueAt(const BoostSchedule &schedule,
                         int64_t globalStep) const {
  return static_cast<float>(
      boost_schedule_value(&schedule, globalStep - 1, run_));
}

Status Execution::call(BoostFunctionKind kind) {
  const BoostFunction &function = program_.descriptor().functions[kind];
  int32_t status = function.entry(&env_, bases_);
  if (status == BOOST_CALL_OK)
    return Status();
  return Status(ExitCode::Internal,
                fmt::format("function {} of '{}' failed{}; please report this",
                            function.name ? function.name : "?",
                            program_.path(),
                            status == BOOST_CALL_LIBRARY_FAILED
                                ? ": oneDNN refused a prepared call"
                                : fmt::format(" with status {}", status)));
}

Status Execution::init(uint64_t seed) {
  write(tensor(program_.descriptor().seed_control), static_cast<int64_t>(seed));
  return call(BOOST_FUNCTION_INIT);
}

Status Execution::micro(std::byte *batch, int gradients) {
  bases_[BOOST_ARENA_BATCH] = batch;
  bases_[BOOST_ARENA_GRADIENT] = arenas_.base(BOOST_ARENA_GRADIENT, gradients);
  return call(BOOST_FUNCTION_MICRO);
}

Status Execution::combine(int into, int from) {
  bases_[BOOST_ARENA_GRADIENT] = arenas_.base(BOOST_ARENA_GRADIENT, into);
  bases_[BOOST_ARENA_GRADIENT_OTHER] = arenas_.base(BOOST_ARENA_GRADIENT, from);
  return call(BOOST_FUNCTION_COMBINE);
}

Result<bool> Execution::update(int64_t globalStep) {
  for (const BoostSchedule &schedule : program_.schedules())
    write(tensor(schedule.control), valueAt(schedule, globalStep));
  bases_[BOOST_ARENA_GRADIENT] = arenas_.base(BOOST_ARENA_GRADIENT, 0);
  BOOSTRT_RETURN_IF_ERROR(call(BOOST_FUNCTION_UPDATE));
  return read<int32_t>(tensor(program_.descriptor().finite)) == 1;
}

Status Execution::eval(std::byte *batch) {
  bases_[BOOST_ARENA_BATCH] = batch;
  return call(BOOST_FUNCTION_EVAL);
}

SumCount Execution::loss(int gradients) const {
  const std::byte *base = arenas_.base(BOOST_ARENA_GRADIENT, gradients);
  const BoostProgram &d = program_.descriptor();
  return {read<float>(base + d.loss_sum.offset),
          read<int64_t>(base + d.loss_count.offset)};
}

SumCount Execution::metric(size_t index) const {
  const BoostMetric &metric = program_.metrics()[index];
  return {read<float>(tensor(metric.sum)), read<int64_t>(tensor(metric.count))};
}

std::optional<float> Execution::gradientNorm() const {
  const BoostTensor &norm = program_.descriptor().gradient_norm;
  if (norm.bytes == 0)
    return std::nullopt;
  return read<float>(tensor(norm));
}

float Execution::learningRate(int64_t globalStep) const {
  for (const BoostSchedule &schedule : program_.schedules())
    if (std::strcmp(schedule.name, "learning_rate") == 0)
      return valueAt(schedule, globalStep);
  return program_.schedules().empty()
             ? 0
             : valueAt(program_.schedules().front(), globalStep);
}

} // namespace boostrt
