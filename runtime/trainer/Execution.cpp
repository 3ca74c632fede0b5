#include "runtime/trainer/Execution.h"

#include "runtime/program/ProgramAccumulators.h"

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

template <typename T>
std::vector<T> readAll(const std::byte *address, const BoostTensor &vector) {
  std::vector<T> values(vector.bytes / sizeof(T));
  std::memcpy(values.data(), address, vector.bytes);
  return values;
}

template <typename T> std::span<const std::byte> bytesOf(const T &value) {
  return std::as_bytes(std::span(&value, 1));
}

template <typename T> void write(std::byte *address, T value) {
  std::memcpy(address, &value, sizeof value);
}

} // namespace

Execution::Execution(const Program &program, Device &device,
                     const Arenas &arenas)
    : program_(program), device_(device), arenas_(arenas),
      variant_(&usualVariant(program.descriptor())),
      choices_(program.descriptor()) {
  // Indices are the same on all targets.
  const BoostTarget &target = program.targets().front();
  init_ = functionOf(target, BOOSTC_FUNCTION_INIT);
  eval_ = functionOf(target, BOOSTC_FUNCTION_EVAL);
  for (BoostArenaKind kind :
       {BOOSTC_ARENA_PARAMETER, BOOSTC_ARENA_STATE, BOOSTC_ARENA_CONTROL,
        BOOSTC_ARENA_RESULT, BOOSTC_ARENA_TRANSIENT})
    bases_[kind] = arenas.deviceBase(kind);
  results_ = lossCopies(0);
  results_.insert(results_.begin(), arenas.copyOf(BOOSTC_ARENA_RESULT));
}

std::vector<DeviceCopy> Execution::lossCopies(int gradients) const {
  std::vector<DeviceCopy> copies;
  for (const BoostAccumulator &accumulator :
       accumulatorsOf(program_.descriptor()))
    if (isOfLoss(accumulator)) {
      const BoostTensor &scalar = accumulator.tensor;
      copies.push_back(arenas_.copyOf(BOOSTC_ARENA_GRADIENT, gradients,
                                      scalar.offset,
                                      scalar.offset + scalar.bytes));
    }
  return copies;
}

void Execution::setCollectives(RankCollectives &collectives,
                               int64_t logAdasumEvery) {
  collectives_ = &collectives;
  early_ = std::make_unique<OverlappedCollectives>(
      collectives, program_.collectives().size());
  logAdasumEvery_ = logAdasumEvery;
  device_.setCollectives(early_.get(), program_.collectives());
}

/// What collectives from now on belong to.
void Execution::beginStep(int64_t globalStep) {
  collectives_->setStep(globalStep, logsAdasum(globalStep));
}

std::span<const AdasumEntry> Execution::adasumLog(int64_t globalStep) const {
  return collectives_ && collectives_->step() == globalStep
             ? std::span(collectives_->adasumLog())
             : std::span<const AdasumEntry>();
}

/// The value of a schedule at a step, counted from 1.
float Execution::valueAt(const BoostSchedule &schedule,
                         int64_t globalStep) const {
  return static_cast<float>(boost_schedule_value_at(
      &schedule, run_.before(globalStep), run_.length()));
}

Status Execution::call(uint32_t function) {
  SpanScope span(recorder_, SpanKind::Function, function);
  Status status = device_.call(function, bases_);
  // A lost rank is not a fault of the program.
  if (status.ok() || status.code() == ExitCode::RankLost)
    return status;
  return Status(status.code(),
                fmt::format("'{}': {}", program_.path(), status.message()));
}

template <typename T>
Status Execution::control(const BoostTensor &scalar, T value) {
  write(tensor(scalar), value);
  return arenas_.write(BOOSTC_ARENA_CONTROL, scalar.offset, bytesOf(value));
}

Status Execution::useBatch(const std::byte *batch) {
  const std::vector<std::byte *> &copies = arenas_.copies(BOOSTC_ARENA_BATCH);
  auto copy = static_cast<uint32_t>(
      std::find(copies.begin(), copies.end(), batch) - copies.begin());
  bases_[BOOSTC_ARENA_BATCH] = arenas_.deviceBase(BOOSTC_ARENA_BATCH, copy);
  return arenas_.pushBatch(copy);
}

Status Execution::init(uint64_t seed) {
  BOOSTRT_RETURN_IF_ERROR(
      control(program_.descriptor().seed_control, static_cast<int64_t>(seed)));
  return call(init_);
}

Status Execution::select(int64_t globalStep) {
  const BoostSelector &selector = *selectorOf(program_.descriptor());
  BOOSTRT_RETURN_IF_ERROR(control(selector.step, globalStep));
  BOOSTRT_RETURN_IF_ERROR(control(selector.length, run_.last()));
  return call(selector.function);
}

/// What the last select() whose results are on the host has left.
int32_t Execution::chosen() const {
  return read<int32_t>(tensor(selectorOf(program_.descriptor())->choice));
}

Status Execution::choose(int64_t globalStep, std::span<const uint32_t> known) {
  for (int64_t i = 0; i < choices_.lag(); ++i) {
    int64_t step = globalStep + 1 + i;
    if (static_cast<size_t>(i) < known.size()) {
      choices_.set(step, static_cast<int32_t>(known[i]));
      continue;
    }
    BOOSTRT_RETURN_IF_ERROR(select(step));
    BOOSTRT_RETURN_IF_ERROR(arenas_.pull(results_[0]));
    choices_.set(step, chosen());
  }
  return Status();
}

Status Execution::micro(std::byte *batch, int gradients,
                        int64_t completesStep) {
  BOOSTRT_RETURN_IF_ERROR(useBatch(batch));
  bases_[BOOSTC_ARENA_GRADIENT] =
      arenas_.deviceBase(BOOSTC_ARENA_GRADIENT, gradients);
  if (early_ && completesStep != 0 && gradients == 0) {
    beginStep(completesStep);
    std::span collectives = collectivesOf(
        program_.descriptor(), phase_ ? phase_->probe : variant_->update);
    if (!collectives.empty())
      early_->open(collectives.front().index);
  }
  return call(microFunction());
}

Status Execution::combine(int into, int from) {
  bases_[BOOSTC_ARENA_GRADIENT] =
      arenas_.deviceBase(BOOSTC_ARENA_GRADIENT, into);
  bases_[BOOSTC_ARENA_GRADIENT_OTHER] =
      arenas_.deviceBase(BOOSTC_ARENA_GRADIENT, from);
  return call(phase_ ? phase_->combine : variant_->combine);
}

Status Execution::resetAccumulators() {
  // One micro-batch writes the set in any case.
  if (program_.descriptor().micro_batches == 1)
    return Status();
  // The value read there is not used, but memory that was never written must
  // not be read.
  if (!std::exchange(setIsWritten_, true))
    BOOSTRT_RETURN_IF_ERROR(arenas_.push(BOOSTC_ARENA_GRADIENT));
  return arenas_.write(BOOSTC_ARENA_GRADIENT,
                       lossCountOf(program_.descriptor()).offset,
                       bytesOf(int64_t{0}));
}

Status Execution::contributeIdentity() {
  auto fill = [&](const BoostTensor &tensor, auto zero) {
    for (uint64_t at = 0; at < tensor.bytes; at += sizeof zero)
      write(this->tensor(tensor) + at, zero);
  };
  // See Collectives.h: x + -0.0 is x.
  auto fillOne = [&](const BoostTensor &sum) {
    if (sum.dtype == BOOSTC_F32)
      fill(sum, -0.0f);
    else
      fill(sum, int64_t{0});
  };
  std::span accumulators = accumulatorsOf(program_.descriptor());
  std::span<const BoostSum> sums =
      sumsOf(program_.targets().front().functions[microFunction()]);
  if (sums.empty()) {
    for (const BoostAccumulator &accumulator : accumulators)
      fillOne(accumulator.tensor);
    return arenas_.push(BOOSTC_ARENA_GRADIENT);
  }
  // What the phase before has pushed may not have been read yet.
  BOOSTRT_RETURN_IF_ERROR(arenas_.finishPushes());
  for (const BoostSum &sum : sums) {
    const BoostTensor &tensor = accumulators[sum.accumulator].tensor;
    fillOne(tensor);
    BOOSTRT_RETURN_IF_ERROR(
        arenas_.push(BOOSTC_ARENA_GRADIENT, tensor.offset, tensor.bytes));
  }
  return Status();
}

Status Execution::end(uint32_t function, int64_t globalStep) {
  if (early_ && !early_->isEarly())
    beginStep(globalStep);
  for (const BoostSchedule &schedule : program_.schedules()) {
    float value = valueAt(schedule, globalStep);
    // The host has what the device has.
    if (!hasSchedules_ || read<float>(tensor(schedule.control)) != value)
      BOOSTRT_RETURN_IF_ERROR(control(schedule.control, value));
  }
  hasSchedules_ = true;
  bases_[BOOSTC_ARENA_GRADIENT] = arenas_.deviceBase(BOOSTC_ARENA_GRADIENT, 0);
  Status ended = call(function);
  if (early_)
    early_->close();
  return ended;
}

Result<bool> Execution::probe(int64_t globalStep) {
  BOOSTRT_RETURN_IF_ERROR(end(phase_->probe, globalStep));
  if (!phase_->repeats)
    return false;
  const BoostTensor &flag = program_.descriptor().repeat;
  BOOSTRT_RETURN_IF_ERROR(arenas_.pull(arenas_.copyOf(
      BOOSTC_ARENA_RESULT, 0, flag.offset, flag.offset + flag.bytes)));
  return read<int32_t>(tensor(flag)) != 0;
}

Result<std::optional<StepResults>> Execution::update(int64_t globalStep) {
  BOOSTRT_RETURN_IF_ERROR(end(variant_->update, globalStep));
  if (choices_.lag() != 0)
    BOOSTRT_RETURN_IF_ERROR(select(globalStep + choices_.lag()));
  // What the host has of the step before is read before it is copied over.
  std::optional<StepResults> before;
  if (!isSettled_) {
    Result<StepResults> settled = settle();
    if (!settled.ok())
      return settled.status();
    before = *settled;
  }
  BOOSTRT_RETURN_IF_ERROR(arenas_.beginPull(results_));
  isSettled_ = false;
  updatedStep_ = globalStep;
  return before;
}

Result<StepResults> Execution::settle() {
  isSettled_ = true;
  BOOSTRT_RETURN_IF_ERROR(arenas_.finishPull());
  const BoostProgram &d = program_.descriptor();
  StepResults results{
      .isApplied = read<int32_t>(tensor(d.applied)) == 1,
      .hasFailed = read<int32_t>(tensor(d.failed)) != 0,
      .loss = lossOf(0),
      .gradientNorm = {},
      .lossScales = readAll<float>(tensor(d.loss_scale), d.loss_scale),
      .overflows = readAll<int64_t>(tensor(d.overflows), d.overflows),
      .numbers = {}};
  for (const BoostStepNumber &number : program_.stepNumbers())
    results.numbers.push_back(read<int32_t>(tensor(number.tensor)));
  if (d.gradient_norm.bytes != 0)
    results.gradientNorm = read<float>(tensor(d.gradient_norm));
  if (choices_.lag() != 0)
    choices_.set(updatedStep_ + choices_.lag(), chosen());
  return results;
}

Status Execution::eval(std::byte *batch) {
  BOOSTRT_RETURN_IF_ERROR(useBatch(batch));
  BOOSTRT_RETURN_IF_ERROR(call(eval_));
  return arenas_.pull(results_[0]);
}

SumCount Execution::lossOf(int gradients) const {
  const std::byte *base = arenas_.base(BOOSTC_ARENA_GRADIENT, gradients);
  const BoostProgram &d = program_.descriptor();
  SumCount loss = {read<float>(base + lossSumOf(d).offset),
                   read<int64_t>(base + lossCountOf(d).offset),
                   {}};
  if (const BoostTensor *weight = lossWeightOf(d))
    loss.weight = read<float>(base + weight->offset);
  return loss;
}

Result<SumCount> Execution::loss(int gradients) const {
  BOOSTRT_RETURN_IF_ERROR(arenas_.pull(lossCopies(gradients)));
  return lossOf(gradients);
}

Status Execution::uploadPersistent() const {
  BOOSTRT_RETURN_IF_ERROR(arenas_.push(BOOSTC_ARENA_PARAMETER));
  BOOSTRT_RETURN_IF_ERROR(arenas_.push(BOOSTC_ARENA_STATE));
  return arenas_.finishPushes();
}

Status Execution::downloadPersistent() const {
  return arenas_.pull(std::array{arenas_.copyOf(BOOSTC_ARENA_PARAMETER),
                                 arenas_.copyOf(BOOSTC_ARENA_STATE)});
}

std::array<std::span<std::byte>, 2> Execution::persistentArenas() const {
  auto arena = [&](BoostArenaKind kind) {
    std::byte *base = arenas_.base(kind);
    return std::span(base, base ? program_.descriptor().arena_bytes[kind] : 0);
  };
  return {arena(BOOSTC_ARENA_PARAMETER), arena(BOOSTC_ARENA_STATE)};
}

SumCount Execution::metric(size_t index) const {
  const BoostMetric &metric = program_.metrics()[index];
  SumCount value = {read<float>(tensor(metric.sum)), 0, {}};
  if (metric.count.dtype == BOOSTC_F32)
    value.weight = read<float>(tensor(metric.count));
  else
    value.count = read<int64_t>(tensor(metric.count));
  return value;
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
