#include "runtime/device/cpu/CpuDevice.h"

#include "runtime/abi/boost_random.h"
#include "runtime/device/cpu/CpuFeatures.h"
#include "runtime/device/cpu/Matmul.h"
#include "runtime/support/Plural.h"
#include "runtime/support/StackLimit.h"

#include <cstddef>
#include <cstring>
#include <fmt/format.h>
#include <map>
#include <memory>
#include <numeric>
#include <string_view>

namespace boostrt {
namespace {

struct FillArguments {
  float *destination;
  uint32_t initializer;
  double a, b;
  uint64_t seed, stream;
};

/// Without GPUs in the target there is nothing to launch.
int32_t envLaunch(const BoostEnv *, uint32_t, void *const *) {
  return BOOSTC_CALL_LAUNCH_FAILED;
}

/// The call asks for `found` bytes of scratch memory with `threads` threads,
/// more than was planned.
Status scratchMismatch(const BoostLibraryCall &call, uint64_t found,
                       uint32_t threads, const BoostTarget &target) {
  if (threads > target.threads)
    return Status(
        ExitCode::Usage,
        fmt::format("the program was compiled for {}, and with {} threads {} "
                    "asks for {} bytes of scratch memory in place of {} ({}); "
                    "use --threads {}, or compile the program with boostc "
                    "--threads={}",
                    countOf(target.threads, "thread"), threads,
                    DnnlContext::libraryVersion(), found, call.scratch_bytes,
                    call.location, target.threads, threads));
  return Status(
      ExitCode::Input,
      fmt::format("{}: the library call was compiled with {} and {} bytes of "
                  "scratch memory, but {} on this CPU with {} threads asks for "
                  "{}; rebuild the program with boostc on this machine for "
                  "this number of threads",
                  call.location, target.library_version, call.scratch_bytes,
                  DnnlContext::libraryVersion(), threads, found));
}

} // namespace

Result<std::unique_ptr<CpuDevice>> CpuDevice::create(uint32_t threads,
                                                     const BoostTarget &target,
                                                     uint32_t reproducible) {
  bool isStrict = reproducible == BOOSTC_REPRODUCIBLE_STRICT;
  std::span calls(target.library_calls, target.library_call_count);
  BOOSTRT_RETURN_IF_ERROR(checkCpuFeatures(target.requirements));
  BOOSTRT_RETURN_IF_ERROR(checkStackLimit());
  DnnlContext::limitInstructionSet(target.requirements);
  Result<std::unique_ptr<ThreadPool>> pool = ThreadPool::create(threads);
  if (!pool.ok())
    return pool.status();
  std::unique_ptr<CpuDevice> device(new CpuDevice(
      target, std::move(pool).value(), countShares(threads, isStrict)));
  Result<std::unique_ptr<CpuLibraries>> libraries = CpuLibraries::create();
  if (!libraries.ok())
    return libraries.status();
  device->libraries_ = std::move(libraries).value();
  device->plain_ = BoostEnv{BOOSTC_ABI_VERSION, threads,     device.get(),
                            parallelFor,        libraryCall, fill,
                            envLaunch,          collective,  ready};
  device->env_ = device->plain_;
  for (const BoostLibraryCall &call : calls)
    BOOSTRT_RETURN_IF_ERROR(device->prepare(call));
  BOOSTRT_RETURN_IF_ERROR(device->warmUp(calls));
  return device;
}

/// Makes the next library call ready.
Status CpuDevice::prepare(const BoostLibraryCall &call) {
  Result<std::unique_ptr<CpuOperation>> operation =
      libraries_->prepare(call, shares_);
  if (!operation.ok())
    return Status(
        operation.status().code(),
        fmt::format("{}: {}", call.location, operation.status().message()));
  // Fewer threads want less.
  if ((*operation)->scratchBytes() > call.scratch_bytes)
    return scratchMismatch(call, (*operation)->scratchBytes(), env_.threads,
                           target_);
  operations_.push_back(std::move(operation).value());
  return Status();
}

std::string CpuDevice::describe() const {
  return "cpu with " + countOf(env_.threads, "thread");
}

Status CpuDevice::call(uint32_t index, void *const *arenas) {
  const BoostFunction &function = target_.functions[index];
  failure_ = Status();
  int32_t status = function.entry(&env_, arenas);
  if (status == BOOSTC_CALL_OK)
    return Status();
  if (!failure_.ok())
    return failure_;
  return Status(ExitCode::Internal,
                fmt::format("function {} failed{}; please report this",
                            function.name,
                            status == BOOSTC_CALL_LIBRARY_FAILED
                                ? ": a library refused a prepared call"
                                : fmt::format(" with status {}", status)));
}

/// Some implementations generate code or reserve memory at their first call and
/// keep it, so each is called once, on the least memory there is for it.
/// (oneDNN's older kernels, gemm:jit on CPUs without AVX-512, also take and
/// free memory within every call; that cannot be had in advance.)
Status CpuDevice::warmUp(std::span<const BoostLibraryCall> calls) {
  auto bytesOf = [&](size_t i) {
    return std::reduce(std::begin(calls[i].operand_bytes),
                       std::end(calls[i].operand_bytes),
                       calls[i].scratch_bytes);
  };
  std::map<std::string_view, size_t> least;
  for (size_t i = 0; i < calls.size(); ++i) {
    auto [entry, added] = least.try_emplace(implementation(i), i);
    if (!added && bytesOf(i) < bytesOf(entry->second))
      entry->second = i;
  }
  for (const auto &[name, i] : least) {
    std::vector<uint64_t> bytes(std::begin(calls[i].operand_bytes),
                                std::end(calls[i].operand_bytes));
    bytes.resize(operations_[i]->scratchIndex());
    bytes.push_back(calls[i].scratch_bytes);
    std::vector<std::vector<std::byte>> memory;
    std::vector<void *> operands;
    for (uint64_t count : bytes) {
      size_t space = count + BOOSTC_ALIGNMENT;
      void *aligned = memory.emplace_back(space).data(); // zeros
      std::align(BOOSTC_ALIGNMENT, count, aligned, space);
      operands.push_back(count ? aligned : nullptr);
    }
    if (operations_[i]->execute(*pool_, operands.data()) != BOOSTC_CALL_OK)
      return Status(ExitCode::Internal,
                    fmt::format("{}: this CPU cannot run the kernel {} of its "
                                "library",
                                calls[i].location, name));
  }
  return Status();
}

void CpuDevice::parallelFor(const BoostEnv *env, uint32_t, BoostKernel kernel,
                            void *const *operands, int64_t extent,
                            int64_t grain) {
  CpuDevice *device = static_cast<CpuDevice *>(env->context);
  device->pool_->parallelFor(device->shares_, kernel, operands, extent, grain);
}

void CpuDevice::fill(const BoostEnv *env, void *destination, int64_t elements,
                     uint32_t initializer, double a, double b, const char *name,
                     const void *seed) {
  // Below this a thread's share costs less than waking it.
  constexpr int64_t kGrain = 4096;
  uint64_t number;
  std::memcpy(&number, seed, sizeof number);
  FillArguments fill{
      static_cast<float *>(destination), initializer, a, b, number,
      boost_random_stream(name)};
  void *operands[] = {&fill};
  parallelFor(
      env, 0,
      [](void *const *operands, int64_t begin, int64_t end) {
        const FillArguments &f = *static_cast<FillArguments *>(operands[0]);
        for (int64_t i = begin; i < end; ++i)
          f.destination[i] = static_cast<float>(boost_initial_value(
              f.initializer, f.a, f.b, f.seed, f.stream, i));
      },
      operands, elements, kGrain);
}

int32_t CpuDevice::libraryCall(const BoostEnv *env, uint32_t index,
                               void *const *operands) {
  CpuDevice *device = static_cast<CpuDevice *>(env->context);
  if (index >= device->target_.library_call_count)
    return BOOSTC_CALL_LIBRARY_FAILED;
  return device->operations_[index]->execute(*device->pool_, operands);
}

int32_t CpuDevice::collective(const BoostEnv *env, uint32_t index,
                              void *const *operands) {
  CpuDevice *device = static_cast<CpuDevice *>(env->context);
  if (!device->runner_)
    return BOOSTC_CALL_OK;
  device->failure_ = device->runner_->run(index, operands);
  return device->failure_.ok() ? BOOSTC_CALL_OK : BOOSTC_CALL_COLLECTIVE_FAILED;
}

void CpuDevice::setRecorder(SpanRecorder *recorder) {
  recorder_ = recorder;
  env_ = plain_;
  if (!recorder)
    return;
  env_.parallel_for = timedParallelFor;
  env_.library_call = timedLibraryCall;
  env_.collective = timedCollective;
}

void CpuDevice::timedParallelFor(const BoostEnv *env, uint32_t index,
                                 BoostKernel kernel, void *const *operands,
                                 int64_t extent, int64_t grain) {
  CpuDevice *device = static_cast<CpuDevice *>(env->context);
  SpanScope span(device->recorder_, SpanKind::Kernel, index);
  device->plain_.parallel_for(env, index, kernel, operands, extent, grain);
}

int32_t CpuDevice::timedLibraryCall(const BoostEnv *env, uint32_t index,
                                    void *const *operands) {
  CpuDevice *device = static_cast<CpuDevice *>(env->context);
  SpanScope span(device->recorder_, SpanKind::Library, index);
  return device->plain_.library_call(env, index, operands);
}

int32_t CpuDevice::timedCollective(const BoostEnv *env, uint32_t index,
                                   void *const *operands) {
  CpuDevice *device = static_cast<CpuDevice *>(env->context);
  // One rank alone exchanges nothing.
  SpanScope span(device->runner_ ? device->recorder_ : nullptr,
                 SpanKind::Collective, index);
  return device->plain_.collective(env, index, operands);
}

void CpuDevice::ready(const BoostEnv *env, uint32_t index,
                      void *const *operands) {
  CpuDevice *device = static_cast<CpuDevice *>(env->context);
  if (device->runner_ && index < device->schedule_.size())
    device->runner_->ready(index,
                           {operands, device->schedule_[index].operand_count});
}

} // namespace boostrt
