// CpuDevice.h - what a program calls while it runs on a CPU: the BoostEnv over
// a pool of threads and the calls of libraries.
//
// Everything a step needs exists when create() returns: threads, primitives,
// generated code. A device is used by the thread that created it.
#pragma once

#include "runtime/device/Device.h"
#include "runtime/device/SpanRecorder.h"
#include "runtime/device/cpu/CpuOperation.h"
#include "runtime/device/cpu/ThreadPool.h"

#include <memory>
#include <span>
#include <string>
#include <vector>

namespace boostrt {

class CpuDevice : public Device {
public:
  /// For the CPU target `target` of a program, which outlives the device.
  /// Fails with ExitCode::Input when this CPU lacks what the target requires,
  /// or the library wants another scratch size than was planned (the arenas
  /// would not fit), ExitCode::Usage when `threads` cannot be had or their
  /// stacks are too small for kernels. What a strictly reproducible program
  /// computes does not depend on `threads`.
  static Result<std::unique_ptr<CpuDevice>>
  create(uint32_t threads, const BoostTarget &target,
         uint32_t reproducible = BOOSTC_REPRODUCIBLE_ON);

  CpuDevice(const CpuDevice &) = delete;
  CpuDevice &operator=(const CpuDevice &) = delete;

  std::string describe() const override;
  ThreadTeam *team() override { return pool_.get(); }
  Status call(uint32_t index, void *const *arenas) override;
  void setCollectives(CollectiveRunner *runner,
                      std::span<const BoostCollective> schedule) override {
    runner_ = runner;
    schedule_ = schedule;
  }
  void setRecorder(SpanRecorder *recorder) override;
  uint32_t threads() const override { return env_.threads; }

  /// Valid as long as the device.
  const BoostEnv &env() const { return env_; }

  /// What the library chose for call `index`, for `boost-run info`.
  const char *implementation(size_t index) const {
    return operations_[index]->implementation();
  }

private:
  CpuDevice(const BoostTarget &target, std::unique_ptr<ThreadPool> pool,
            uint32_t shares)
      : target_(target), pool_(std::move(pool)), shares_(shares) {}
  Status prepare(const BoostLibraryCall &call);
  Status warmUp(std::span<const BoostLibraryCall> calls);
  static void parallelFor(const BoostEnv *env, uint32_t index,
                          BoostKernel kernel, void *const *operands,
                          int64_t extent, int64_t grain);
  static void fill(const BoostEnv *env, void *destination, int64_t elements,
                   uint32_t initializer, double a, double b, const char *name,
                   const void *seed);
  static int32_t libraryCall(const BoostEnv *env, uint32_t index,
                             void *const *operands);
  static int32_t collective(const BoostEnv *env, uint32_t index,
                            void *const *operands);
  static void ready(const BoostEnv *env, uint32_t index, void *const *operands);
  static void timedParallelFor(const BoostEnv *env, uint32_t index,
                               BoostKernel kernel, void *const *operands,
                               int64_t extent, int64_t grain);
  static int32_t timedLibraryCall(const BoostEnv *env, uint32_t index,
                                  void *const *operands);
  static int32_t timedCollective(const BoostEnv *env, uint32_t index,
                                 void *const *operands);

  const BoostTarget &target_;
  std::unique_ptr<ThreadPool> pool_;
  const uint32_t shares_; ///< for how many threads loops and calls are split
  BoostEnv env_{};        ///< what functions get
  BoostEnv plain_{};      ///< the same when nothing is timed
  SpanRecorder *recorder_ = nullptr;
  std::unique_ptr<CpuLibraries> libraries_;
  std::vector<std::unique_ptr<CpuOperation>> operations_; ///< by library call
  CollectiveRunner *runner_ = nullptr;
  std::span<const BoostCollective> schedule_;
  Status failure_; ///< of what a function called; the ABI carries only a code
};

} // namespace boostrt
