// CudaDevice.h - runs the CUDA target of a program on a GPU or on the simulated
// one: its functions are recorded as graphs, one for each set of arenas they
// are called with, and replayed from then on. Where there are other ranks,
// update is not: its collectives begin on the host, between its launches.
//
// These overlap the other work of the device. A micro-batch is then several
// graphs, cut where it announces what a collective exchanges, and that waits
// for this place alone: so the exchange of the last layers' gradients runs
// overlapping the backward of the first.
#pragma once

#include "runtime/device/Device.h"
#include "runtime/device/SpanRecorder.h"
#include "runtime/device/cuda/GpuDriver.h"
#include "runtime/device/cuda/GpuVectors.h"

#include <array>
#include <map>
#include <memory>
#include <vector>

namespace boostrt {

class CudaDevice : public Device, public DeviceMemory {
public:
  /// Loads the modules of `target`, which outlives the device, finds every
  /// kernel that it launches and makes its library calls ready. `program` is
  /// for messages. Fails with ExitCode::Input.
  static Result<std::unique_ptr<CudaDevice>>
  create(std::unique_ptr<GpuDriver> driver, const BoostTarget &target,
         const std::string &program, const LibrarySettings &library = {});

  /// What the user should know of the library calls.
  const std::vector<std::string> &notes() const { return notes_; }

  std::string describe() const override { return driver_->name(); }
  DeviceMemory *memory() override { return this; }
  Result<VectorMemory *> vectors() override;
  GpuStream *stream() override { return driver_->stream(); }
  Status call(uint32_t index, void *const *arenas) override;
  void setCollectives(CollectiveRunner *runner,
                      std::span<const BoostCollective> schedule) override {
    runner_ = runner;
    schedule_ = schedule;
    announced_.assign(schedule.size(), nullptr);
  }
  void setRecorder(SpanRecorder *recorder) override { recorder_ = recorder; }
  bool hasTimes() const override { return driver_->hasTimes(); }

  Result<void *> allocate(uint64_t bytes, const std::string &name) override;
  Status copyIn(void *to, std::span<const std::byte> from) override;
  Status finishCopies() override { return driver_->finishCopies(); }
  Status copyOut(std::span<const DeviceCopy> copies) override {
    return driver_->copyOut(copies);
  }
  Status beginCopyOut(std::span<const DeviceCopy> copies) override {
    return driver_->beginCopyOut(copies);
  }
  Status finishCopyOut() override { return driver_->finishCopyOut(); }
  Status write(void *to, std::span<const std::byte> value) override;
  Status copyBatch(void *to, std::span<const std::byte> from) override;
  Status finishBatches() override { return driver_->finishBatches(); }
  bool pin(std::span<std::byte> host) override { return driver_->pin(host); }
  void unpin(std::span<std::byte> host) override { driver_->unpin(host); }

private:
  using Bases = std::array<void *, BOOSTC_ARENA_COUNT>;

  CudaDevice(std::unique_ptr<GpuDriver> driver, const BoostTarget &target);
  /// Operands of a collective that have their value.
  struct Announced {
    uint32_t collective;
    std::vector<void *> operands;
  };
  /// A piece of a function: a graph, and what has its value after it.
  struct Segment {
    uint32_t graph;
    std::vector<Announced> announced;
  };

  /// Runs the host code of the function, which launches.
  Status enter(const BoostFunction &function, void *const *arenas);
  Status record(const BoostFunction &function, void *const *arenas,
                std::vector<Segment> &segments);
  /// The function without graphs, each of its calls by itself and timed.
  Status callTimed(const BoostFunction &function, void *const *arenas);
  /// Waits for what was timed; `begin` is the host's time of stamp 0.
  Status addSpans(Clock::time_point begin);
  template <typename Work>
  Status timed(SpanKind kind, uint32_t index, const Work &work);
  /// Ends a segment, and begins the next, where collectives are announced.
  void cut(uint32_t index, void *const *operands);
  /// With `isEarly` each collective that is announced gets a mark.
  Status replay(const std::vector<Segment> &segments, bool isEarly);
  /// A collective of update, overlapping what does not touch its operands.
  Status runOverlapped(uint32_t index, void *const *operands);
  /// For every kernel and library call.
  Status beforeLaunch();
  Status launchKernel(uint32_t index, std::span<const uint64_t> operands);
  /// By the library or by the kernel that computes the same.
  Status callLibrary(uint32_t index, std::span<const uint64_t> operands);
  /// Has what comes now wait for those.
  Status joinCollectives();
  static void ready(const BoostEnv *env, uint32_t index, void *const *operands);
  static int32_t launch(const BoostEnv *env, uint32_t index,
                        void *const *operands);
  static int32_t libraryCall(const BoostEnv *env, uint32_t index,
                             void *const *operands);
  static void fill(const BoostEnv *env, void *destination, int64_t elements,
                   uint32_t initializer, double a, double b, const char *name,
                   const void *seed);
  static int32_t collective(const BoostEnv *env, uint32_t index,
                            void *const *operands);
  /// Runs collective `index` on copies in the host's memory.
  Status runOnHost(uint32_t index, void *const *operands);

  std::vector<std::byte> exchanged_; ///< what a collective has on the host; the
                                     ///< driver may still copy it
  std::unique_ptr<GpuDriver> driver_;
  const BoostTarget &target_;
  BoostEnv env_{};
  std::vector<uint32_t> kernels_; ///< by launch
  std::vector<std::string> notes_;
  /// By the index of a function and what it works on.
  std::map<std::pair<uint32_t, Bases>, std::vector<Segment>> graphs_;
  std::vector<Segment> *recorded_ =
      nullptr;               ///< of the function that is entered
  bool hasLaunched_ = false; ///< in this segment
  /// By collective: what the last micro-batch of a step has left for it.
  std::vector<const Announced *> announced_;
  bool isJoined_ = true;
  CollectiveRunner *runner_ = nullptr;
  std::span<const BoostCollective> schedule_;
  SpanRecorder *recorder_ = nullptr;
  bool isTimed_ = false;                ///< the function that is entered
  std::vector<Span> timed_;             ///< its calls so far, without times
  std::unique_ptr<GpuVectors> vectors_; ///< once they were asked for
  Status failure_;   ///< of what a function called; the ABI carries only a code
  Status cutStatus_; ///< of ready(), which has no code to return
};

} // namespace boostrt
