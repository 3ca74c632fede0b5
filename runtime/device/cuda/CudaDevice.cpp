#include "runtime/device/cuda/CudaDevice.h"

#include "runtime/abi/boost_random.h"
#include "runtime/device/cuda/CallShape.h"
#include "runtime/support/ElementBytes.h"

#include <algorithm>
#include <fmt/format.h>
#include <string_view>
#include <utility>

namespace boostrt {
namespace {

uint64_t addressOf(const void *pointer) {
  return reinterpret_cast<uint64_t>(pointer);
}

/// What has no place in a target for GPUs; a program that calls it was
/// not made by boostc.
void noParallelFor(const BoostEnv *, uint32_t, BoostKernel, void *const *,
                   int64_t, int64_t) {}

uint64_t bytesOf(const BoostCollectiveOperand &operand) {
  return operand.elements * elementBytes(operand.dtype);
}

/// The same with what keeps the next operand aligned.
uint64_t roomOf(const BoostCollectiveOperand &operand) {
  return (bytesOf(operand) + BOOSTC_ALIGNMENT - 1) / BOOSTC_ALIGNMENT *
         BOOSTC_ALIGNMENT;
}

} // namespace

CudaDevice::CudaDevice(std::unique_ptr<GpuDriver> driver,
                       const BoostTarget &target)
    : driver_(std::move(driver)), target_(target), env_{BOOSTC_ABI_VERSION,
                                                        0,
                                                        this,
                                                        noParallelFor,
                                                        libraryCall,
                                                        fill,
                                                        launch,
                                                        collective,
                                                        ready} {}

Result<std::unique_ptr<CudaDevice>>
CudaDevice::create(std::unique_ptr<GpuDriver> driver, const BoostTarget &target,
                   const std::string &program, const LibrarySettings &library) {
  BOOSTRT_RETURN_IF_ERROR(driver->load(target.modules, program));
  std::unique_ptr<CudaDevice> device(new CudaDevice(std::move(driver), target));
  std::map<std::string_view, uint32_t> known;
  for (uint32_t i = 0; i < target.launch_count; ++i) {
    const char *name = target.launches[i].kernel;
    auto found = known.find(name);
    if (found == known.end()) {
      Result<uint32_t> kernel = device->driver_->findKernel(name);
      if (!kernel.ok())
        return kernel.status();
      found = known.emplace(name, *kernel).first;
    }
    device->kernels_.push_back(found->second);
  }
  if (target.library_call_count > 0)
    BOOSTRT_RETURN_IF_ERROR(device->driver_->prepareCalls(
        target, device->kernels_, library, device->notes_));
  return device;
}

Result<VectorMemory *> CudaDevice::vectors() {
  if (!vectors_) {
    Result<std::unique_ptr<GpuVectors>> made = GpuVectors::create(*driver_);
    if (!made.ok())
      return made.status();
    vectors_ = std::move(made).value();
  }
  return vectors_.get();
}

Result<void *> CudaDevice::allocate(uint64_t bytes, const std::string &name) {
  Result<uint64_t> address = driver_->allocate(bytes, name);
  if (!address.ok())
    return address.status();
  return reinterpret_cast<void *>(*address);
}

Status CudaDevice::copyIn(void *to, std::span<const std::byte> from) {
  return driver_->copyIn(addressOf(to), from);
}

Status CudaDevice::write(void *to, std::span<const std::byte> value) {
  return driver_->write(addressOf(to), value);
}

Status CudaDevice::copyBatch(void *to, std::span<const std::byte> from) {
  return driver_->copyBatch(addressOf(to), from);
}

Status CudaDevice::enter(const BoostFunction &function, void *const *arenas) {
  failure_ = Status();
  int32_t status = function.entry(&env_, arenas);
  if (!failure_.ok())
    return failure_;
  if (status != BOOSTC_CALL_OK)
    return Status(ExitCode::Internal,
                  fmt::format("function {} failed with status {}; please "
                              "report this",
                              function.name, status));
  return Status();
}

Status CudaDevice::call(uint32_t index, void *const *arenas) {
  const BoostFunction &function = target_.functions[index];
  // It runs once, and fills from the host, which no graph can hold.
  if (function.role == BOOSTC_FUNCTION_INIT)
    return enter(function, arenas);
  if (recorder_)
    return callTimed(function, arenas);
  // Between its launches the host talks to other ranks.
  bool isEnding = function.role == BOOSTC_FUNCTION_UPDATE ||
                  function.role == BOOSTC_FUNCTION_PROBE;
  if (isEnding && runner_ && !schedule_.empty()) {
    Status status = enter(function, arenas);
    Status joined = joinCollectives();
    announced_.assign(schedule_.size(), nullptr);
    return status.ok() ? joined : status;
  }
  // What was announced may be written again.
  announced_.assign(schedule_.size(), nullptr);
  Bases bases;
  std::copy_n(arenas, bases.size(), bases.begin());
  auto [entry, isNew] = graphs_.try_emplace({index, bases});
  if (isNew)
    if (Status status = record(function, arenas, entry->second); !status.ok()) {
      graphs_.erase(entry);
      return status;
    }
  bool isMicro = function.role == BOOSTC_FUNCTION_MICRO;
  bool isEarly = isMicro && runner_ && runner_->isEarly();
  if (!isMicro && function.role != BOOSTC_FUNCTION_EVAL)
    return replay(entry->second, isEarly);
  uint64_t batch = addressOf(arenas[BOOSTC_ARENA_BATCH]);
  BOOSTRT_RETURN_IF_ERROR(driver_->beginUse(batch));
  BOOSTRT_RETURN_IF_ERROR(replay(entry->second, isEarly));
  return driver_->endUse(batch);
}

Status CudaDevice::callTimed(const BoostFunction &function,
                             void *const *arenas) {
  bool hasBatch = function.role == BOOSTC_FUNCTION_MICRO ||
                  function.role == BOOSTC_FUNCTION_EVAL;
  uint64_t batch = hasBatch ? addressOf(arenas[BOOSTC_ARENA_BATCH]) : 0;
  announced_.assign(schedule_.size(), nullptr);
  // The host's time of stamp 0 is not after the device's, so that what is timed
  // is inside of the call.
  Clock::time_point begin = Clock::now();
  timed_.clear();
  BOOSTRT_RETURN_IF_ERROR(driver_->stamp(0));
  if (hasBatch)
    BOOSTRT_RETURN_IF_ERROR(driver_->beginUse(batch));
  isTimed_ = true;
  Status status = enter(function, arenas);
  isTimed_ = false;
  Status joined = joinCollectives();
  BOOSTRT_RETURN_IF_ERROR(status);
  BOOSTRT_RETURN_IF_ERROR(joined);
  if (hasBatch)
    BOOSTRT_RETURN_IF_ERROR(driver_->endUse(batch));
  return addSpans(begin);
}

Status CudaDevice::addSpans(Clock::time_point begin) {
  auto after = [&](double seconds) {
    return begin + std::chrono::duration_cast<Clock::duration>(
                       std::chrono::duration<double>(seconds));
  };
  uint32_t stamp = 0;
  for (Span span : timed_) {
    for (Clock::time_point *time : {&span.begin, &span.end}) {
      Result<double> seconds = driver_->secondsBetween(0, ++stamp);
      if (!seconds.ok())
        return seconds.status();
      *time = after(*seconds);
    }
    recorder_->add(span);
  }
  return Status();
}

template <typename Work>
Status CudaDevice::timed(SpanKind kind, uint32_t index, const Work &work) {
  if (!isTimed_)
    return work();
  auto first = static_cast<uint32_t>(2 * timed_.size() + 1);
  timed_.push_back({kind, index});
  BOOSTRT_RETURN_IF_ERROR(driver_->stamp(first));
  BOOSTRT_RETURN_IF_ERROR(work());
  // What overlaps others is timed alone.
  BOOSTRT_RETURN_IF_ERROR(joinCollectives());
  return driver_->stamp(first + 1);
}

Status CudaDevice::record(const BoostFunction &function, void *const *arenas,
                          std::vector<Segment> &segments) {
  recorded_ = &segments;
  hasLaunched_ = false;
  Status status = driver_->beginCapture();
  if (status.ok())
    status = enter(function, arenas);
  recorded_ = nullptr;
  Result<uint32_t> last = driver_->endCapture();
  BOOSTRT_RETURN_IF_ERROR(std::exchange(cutStatus_, Status()));
  BOOSTRT_RETURN_IF_ERROR(status);
  if (!last.ok())
    return last.status();
  segments.push_back({*last, {}});
  return Status();
}

void CudaDevice::ready(const BoostEnv *env, uint32_t index,
                       void *const *operands) {
  auto *device = static_cast<CudaDevice *>(env->context);
  // One rank has no other to exchange with.
  if (device->runner_ && device->recorded_ && device->cutStatus_.ok() &&
      index < device->schedule_.size())
    device->cut(index, operands);
}

void CudaDevice::cut(uint32_t index, void *const *operands) {
  if (hasLaunched_ || recorded_->empty()) {
    Result<uint32_t> graph = driver_->endCapture();
    cutStatus_ = graph.ok() ? driver_->beginCapture() : graph.status();
    if (!cutStatus_.ok())
      return;
    recorded_->push_back({*graph, {}});
    hasLaunched_ = false;
  }
  recorded_->back().announced.push_back(
      {index, {operands, operands + schedule_[index].operand_count}});
}

Status CudaDevice::replay(const std::vector<Segment> &segments, bool isEarly) {
  for (const Segment &segment : segments) {
    BOOSTRT_RETURN_IF_ERROR(driver_->launchGraph(segment.graph));
    for (const Announced &announced : segment.announced)
      if (isEarly) {
        BOOSTRT_RETURN_IF_ERROR(driver_->mark(announced.collective));
        announced_[announced.collective] = &announced;
      }
  }
  return Status();
}

Status CudaDevice::launchKernel(uint32_t index,
                                std::span<const uint64_t> operands) {
  BOOSTRT_RETURN_IF_ERROR(beforeLaunch());
  return driver_->launch(kernels_[index], target_.launches[index], operands);
}

int32_t CudaDevice::launch(const BoostEnv *env, uint32_t index,
                           void *const *operands) {
  auto *device = static_cast<CudaDevice *>(env->context);
  if (index >= device->target_.launch_count)
    return BOOSTC_CALL_LAUNCH_FAILED;
  std::vector<uint64_t> addresses(
      device->target_.launches[index].operand_count);
  std::transform(operands, operands + addresses.size(), addresses.begin(),
                 addressOf);
  device->failure_ = device->timed(SpanKind::Kernel, index, [&] {
    return device->launchKernel(index, addresses);
  });
  return device->failure_.ok() ? BOOSTC_CALL_OK : BOOSTC_CALL_LAUNCH_FAILED;
}

Status CudaDevice::callLibrary(uint32_t index,
                               std::span<const uint64_t> operands) {
  if (!driver_->executes(index))
    return launchKernel(target_.library_calls[index].fallback_launch,
                        cuda::fallbackOperands(operands));
  BOOSTRT_RETURN_IF_ERROR(beforeLaunch());
  return driver_->call(index, operands);
}

int32_t CudaDevice::libraryCall(const BoostEnv *env, uint32_t index,
                                void *const *operands) {
  auto *device = static_cast<CudaDevice *>(env->context);
  if (index >= device->target_.library_call_count)
    return BOOSTC_CALL_LIBRARY_FAILED;
  std::array<uint64_t, cuda::CallOperands::Count> addresses;
  std::transform(operands, operands + addresses.size(), addresses.begin(),
                 addressOf);
  device->failure_ = device->timed(SpanKind::Library, index, [&] {
    return device->callLibrary(index, addresses);
  });
  return device->failure_.ok() ? BOOSTC_CALL_OK : BOOSTC_CALL_LIBRARY_FAILED;
}

int32_t CudaDevice::collective(const BoostEnv *env, uint32_t index,
                               void *const *operands) {
  auto *device = static_cast<CudaDevice *>(env->context);
  if (!device->runner_)
    return BOOSTC_CALL_OK;
  if (index >= device->schedule_.size())
    return BOOSTC_CALL_COLLECTIVE_FAILED;
  device->failure_ = device->timed(SpanKind::Collective, index, [&] {
    return device->runOverlapped(index, operands);
  });
  return device->failure_.ok() ? BOOSTC_CALL_OK : BOOSTC_CALL_COLLECTIVE_FAILED;
}

Status CudaDevice::runOverlapped(uint32_t index, void *const *operands) {
  const Announced *announced = announced_[index];
  auto mark = index;
  if (!announced || !std::equal(announced->operands.begin(),
                                announced->operands.end(), operands)) {
    // They have their value after all that was asked for.
    mark = static_cast<uint32_t>(schedule_.size());
    BOOSTRT_RETURN_IF_ERROR(driver_->mark(mark));
  }
  isJoined_ = false;
  Status status = driver_->forkToSideStream(mark);
  if (status.ok())
    status = runner_->worksOnDevice() ? runner_->run(index, operands)
                                      : runOnHost(index, operands);
  driver_->endSideStream();
  return status;
}

Status CudaDevice::beforeLaunch() {
  hasLaunched_ = true;
  return cutStatus_.ok() ? joinCollectives() : cutStatus_;
}

Status CudaDevice::joinCollectives() {
  return std::exchange(isJoined_, true) ? Status() : driver_->joinSideStream();
}

Status CudaDevice::runOnHost(uint32_t index, void *const *operands) {
  const BoostCollective &collective = schedule_[index];
  std::span described(collective.operands, collective.operand_count);
  uint64_t room = 0;
  for (const BoostCollectiveOperand &operand : described)
    room += roomOf(operand);
  exchanged_.resize(room);
  std::vector<DeviceCopy> copies;
  std::vector<void *> onHost;
  std::byte *next = exchanged_.data();
  for (size_t i = 0; i < described.size(); ++i) {
    copies.push_back({{next, bytesOf(described[i])}, operands[i]});
    onHost.push_back(next);
    next += roomOf(described[i]);
  }
  BOOSTRT_RETURN_IF_ERROR(copyOut(copies));
  BOOSTRT_RETURN_IF_ERROR(runner_->run(index, onHost.data()));
  for (size_t i = 0; i < described.size(); ++i)
    BOOSTRT_RETURN_IF_ERROR(copyIn(operands[i], copies[i].to));
  // The next collective writes over them.
  return finishCopies();
}

void CudaDevice::fill(const BoostEnv *env, void *destination, int64_t elements,
                      uint32_t initializer, double a, double b,
                      const char *name, const void *seed) {
  auto *device = static_cast<CudaDevice *>(env->context);
  if (!device->failure_.ok())
    return;
  uint64_t number = 0;
  DeviceCopy read{std::as_writable_bytes(std::span(&number, 1)), seed};
  device->failure_ = device->copyOut({&read, 1});
  if (!device->failure_.ok())
    return;
  std::vector<float> values(static_cast<size_t>(elements));
  uint64_t stream = boost_random_stream(name);
  for (int64_t i = 0; i < elements; ++i)
    values[static_cast<size_t>(i)] = static_cast<float>(
        boost_initial_value(initializer, a, b, number, stream, i));
  device->failure_ =
      device->copyIn(destination, std::as_bytes(std::span(values)));
  // Whether it began or not, `values` goes.
  Status finished = device->finishCopies();
  if (device->failure_.ok())
    device->failure_ = finished;
}

} // namespace boostrt
