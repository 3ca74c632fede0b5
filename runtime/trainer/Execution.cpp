#include "runtime/trainer/Execution.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <utility>

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

Execution::Execution(const Program &program, Device &device,
                     const Arenas &arenas)
    : program_(program), device_(device), arenas_(arenas) {
  for (BoostArenaKind kind :
       {BOOST_ARENA_PARAMETER, BOOST_ARENA_STATE, BOOST_ARENA_CONTROL,
        BOOST_ARENA_RESULT, BOOST_ARENA_TRANSIENT})
    bases_[kind] = arenas.deviceBase(kind);
  const BoostProgram &d = program.descriptor();
  control_.reserve(d.arena_bytes[BOOST_ARENA_CONTROL]);
  results_ = {arenas.copyOf(BOOST_ARENA_RESULT), lossCopy(d.loss_sum, 0),
              lossCopy(d.loss_count, 0)};
}

DeviceCopy Execution::lossCopy(const BoostTensor &scalar, int gradients) const {
  return arenas_.copyOf(BOOST_ARENA_GRADIENT, gradients, scalar.offset,
                        scalar.offset + scalar.bytes);
}

void Execution::setCollectives(RankCollectives &collectives,
                               int64_t logAdasumEvery) {
  collectives_ = &collectives;
  early_ = std::make_unique<EarlyCollectives>(collectives,
                                              program_.collectives().size());
  logAdasumEvery_ = logAdasumEvery;
  device_.setCollectives(early_.get(), program_.collectives());
}

/// What collectives from now on belong to.
void Execution::beginStep(int64_t globalStep) {
  collectives_->setStep(globalStep, logAdasumEvery_ > 0 &&
                                        globalStep % logAdasumEvery_ == 0);
}

std::span<const AdasumEntry> Execution::adasumLog() const {
  return collectives_ ? std::span(collectives_->adasumLog())
                      : std::span<const AdasumEntry>();
}

/// The value of a schedule at a step, counted from 1.
float Execution::valueAt(const BoostSchedule &schedule,
                         int64_t globalStep) const {
  return static_cast<float>(
      boost_schedule_value(&schedule, globalStep - 1, run_));
}

Status Execution::call(BoostFunctionKind kind) {
  Status status = device_.call(kind, bases_);
  // What a rank has lost is no fault of the program's.
  if (status.ok() || status.code() == ExitCode::RankLost)
    return status;
  return Status(status.code(),
                fmt::format("'{}': {}", program_.path(), status.message()));
}

Status Execution::useControl() {
  std::span<const std::byte> now(
      arenas_.base(BOOST_ARENA_CONTROL),
      program_.descriptor().arena_bytes[BOOST_ARENA_CONTROL]);
  if (std::equal(control_.begin(), control_.end(), now.begin(), now.end()))
    return Status();
  BOOSTRT_RETURN_IF_ERROR(arenas_.push(BOOST_ARENA_CONTROL));
  control_.assign(now.begin(), now.end());
  return Status();
}

Status Execution::useBatch(const std::byte *batch) {
  const std::vector<std::byte *> &copies = arenas_.copies(BOOST_ARENA_BATCH);
  auto copy = static_cast<uint32_t>(
      std::find(copies.begin(), copies.end(), batch) - copies.begin());
  bases_[BOOST_ARENA_BATCH] = arenas_.deviceBase(BOOST_ARENA_BATCH, copy);
  return arenas_.push(BOOST_ARENA_BATCH, copy);
}

Status Execution::init(uint64_t seed) {
  write(tensor(program_.descriptor().seed_control), static_cast<int64_t>(seed));
  BOOSTRT_RETURN_IF_ERROR(useControl());
  BOOSTRT_RETURN_IF_ERROR(call(BOOST_FUNCTION_INIT));
  // The first update writes the control arena again.
  return arenas_.finishPushes();
}

Status Execution::micro(std::byte *batch, int gradients, int64_t wholeOfStep) {
  lossIsHere_ = false;
  BOOSTRT_RETURN_IF_ERROR(useBatch(batch));
  bases_[BOOST_ARENA_GRADIENT] =
      arenas_.deviceBase(BOOST_ARENA_GRADIENT, gradients);
  if (early_ && wholeOfStep != 0 && gradients == 0) {
    beginStep(wholeOfStep);
    early_->open();
  }
  return call(BOOST_FUNCTION_MICRO);
}

Status Execution::combine(int into, int from) {
  lossIsHere_ = false;
  bases_[BOOST_ARENA_GRADIENT] = arenas_.deviceBase(BOOST_ARENA_GRADIENT, into);
  bases_[BOOST_ARENA_GRADIENT_OTHER] =
      arenas_.deviceBase(BOOST_ARENA_GRADIENT, from);
  return call(BOOST_FUNCTION_COMBINE);
}

Status Execution::emptySet() {
  // One micro-batch writes the set in any case.
  if (program_.descriptor().micro_batches == 1)
    return Status();
  const BoostTensor &count = program_.descriptor().loss_count;
  write(tensor(count), int64_t{0});
  // What is read there is not used, but memory that nobody has ever written is
  // not to be read.
  if (!std::exchange(setIsWritten_, true))
    return arenas_.push(BOOST_ARENA_GRADIENT);
  return arenas_.push(BOOST_ARENA_GRADIENT, 0, count.offset,
                      count.offset + count.bytes);
}

Status Execution::contributeNothing() {
  lossIsHere_ = false;
  auto fill = [&](const BoostTensor &tensor, auto zero) {
    for (uint64_t at = 0; at < tensor.bytes; at += sizeof zero)
      write(this->tensor(tensor) + at, zero);
  };
  // See Collectives.h: x + -0.0 is x.
  for (const BoostParameter &parameter : program_.parameters())
    fill(parameter.gradient, -0.0f);
  fill(program_.descriptor().loss_sum, -0.0f);
  fill(program_.descriptor().loss_count, int64_t{0});
  return arenas_.push(BOOST_ARENA_GRADIENT);
}

Result<bool> Execution::update(int64_t globalStep) {
  if (early_ && !early_->isOpen())
    beginStep(globalStep);
  for (const BoostSchedule &schedule : program_.schedules())
    write(tensor(schedule.control), valueAt(schedule, globalStep));
  BOOSTRT_RETURN_IF_ERROR(useControl());
  bases_[BOOST_ARENA_GRADIENT] = arenas_.deviceBase(BOOST_ARENA_GRADIENT, 0);
  Status updated = call(BOOST_FUNCTION_UPDATE);
  if (early_)
    early_->close();
  BOOSTRT_RETURN_IF_ERROR(updated);
  BOOSTRT_RETURN_IF_ERROR(arenas_.pull(results_));
  lossIsHere_ = true;
  return read<int32_t>(tensor(program_.descriptor().finite)) == 1;
}

Status Execution::eval(std::byte *batch) {
  BOOSTRT_RETURN_IF_ERROR(useBatch(batch));
  BOOSTRT_RETURN_IF_ERROR(call(BOOST_FUNCTION_EVAL));
  return arenas_.pull(results_[0]);
}

Result<SumCount> Execution::loss(int gradients) const {
  const std::byte *base = arenas_.base(BOOST_ARENA_GRADIENT, gradients);
  const BoostProgram &d = program_.descriptor();
  if (gradients != 0 || !lossIsHere_)
    BOOSTRT_RETURN_IF_ERROR(arenas_.pull(std::array{
        lossCopy(d.loss_sum, gradients), lossCopy(d.loss_count, gradients)}));
  return SumCount{read<float>(base + d.loss_sum.offset),
                  read<int64_t>(base + d.loss_count.offset)};
}

Status Execution::uploadPersistent() const {
  BOOSTRT_RETURN_IF_ERROR(arenas_.push(BOOST_ARENA_PARAMETER));
  BOOSTRT_RETURN_IF_ERROR(arenas_.push(BOOST_ARENA_STATE));
  return arenas_.finishPushes();
}

Status Execution::downloadPersistent() const {
  return arenas_.pull(std::array{arenas_.copyOf(BOOST_ARENA_PARAMETER),
                                 arenas_.copyOf(BOOST_ARENA_STATE)});
}

std::array<std::span<std::byte>, 2> Execution::persistentArenas() const {
  auto arena = [&](BoostArenaKind kind) {
    std::byte *base = arenas_.base(kind);
    return std::span(base, base ? program_.descriptor().arena_bytes[kind] : 0);
  };
  return {arena(BOOST_ARENA_PARAMETER), arena(BOOST_ARENA_STATE)};
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
