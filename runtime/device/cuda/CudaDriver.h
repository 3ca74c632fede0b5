// CudaDriver.h - an NVIDIA GPU, through the driver interface of CUDA. Used by
// the thread that created it.
#pragma once

#include "runtime/device/cuda/CudaApi.h"
#include "runtime/device/cuda/GpuChoice.h"
#include "runtime/device/cuda/GpuDriver.h"
#include "runtime/device/cuda/LibraryCalls.h"

#include <map>
#include <memory>
#include <vector>

namespace boostrt {

class CudaDriver : public GpuDriver, public GpuStream {
public:
  /// The oldest compute capability that programs are compiled for.
  static constexpr uint32_t kOldestArchitecture = 80;
  static constexpr const char *kLibrary = "libcuda.so.1";

  /// By default the first GPU (CUDA_VISIBLE_DEVICES chooses which that is).
  /// `library` is another one in tests, and so is where NVIDIA's other
  /// libraries are looked for. Fails with ExitCode::Usage when there is none
  /// that can be used, and says why.
  static Result<std::unique_ptr<CudaDriver>>
  create(const char *library = kLibrary,
         cuda::SearchContext libraries = cuda::SearchContext::current(),
         GpuChoice choice = {});
  ~CudaDriver() override;
  CudaDriver(const CudaDriver &) = delete;
  CudaDriver &operator=(const CudaDriver &) = delete;

  std::string name() const override { return name_; }
  uint32_t architecture() const { return architecture_; } ///< 90 for sm_90
  Status load(const BoostModule *modules, const std::string &program) override;
  Result<uint32_t> findKernel(const char *name) override;
  Result<uint64_t> allocate(uint64_t bytes, const std::string &name) override;
  Status copyIn(uint64_t to, std::span<const std::byte> from) override;
  Status finishCopies() override;
  Status copyOut(std::span<const DeviceCopy> copies) override;
  Status copy(uint64_t to, uint64_t from, uint64_t bytes) override;
  Status beginCopyOut(std::span<const DeviceCopy> copies) override;
  Status finishCopyOut() override;
  Status write(uint64_t to, std::span<const std::byte> value) override;
  Status copyBatch(uint64_t to, std::span<const std::byte> from) override;
  Status finishBatches() override;
  Status beginUse(uint64_t batch) override;
  Status endUse(uint64_t batch) override;
  Status mark(uint32_t number) override;
  Status forkToSideStream(uint32_t number) override;
  void endSideStream() override { current_ = &main_; }
  Status joinSideStream() override;
  Status stamp(uint32_t number) override;
  Result<double> secondsBetween(uint32_t first, uint32_t second) override;
  bool pin(std::span<std::byte> host) override;
  void unpin(std::span<std::byte> host) override;
  GpuStream *stream() override { return this; }
  void *handle() const override { return current_->stream; }
  std::string busAddress() const override { return busAddress_; }
  Result<bool> isIdle() override;
  Status launch(uint32_t kernel, const BoostLaunch &launch,
                std::span<const uint64_t> operands) override;
  Status prepareCalls(const BoostTarget &target,
                      std::span<const uint32_t> kernels,
                      const LibrarySettings &settings,
                      std::vector<std::string> &notes) override;
  /// Tests have less time.
  void limitMeasuring(std::chrono::nanoseconds budget) { budget_ = budget; }
  bool executes(uint32_t index) const override {
    return calls_ && calls_->executes(index);
  }
  Status call(uint32_t index, std::span<const uint64_t> operands) override {
    return calls_->call(index, operands);
  }
  Status beginCapture() override;
  Result<uint32_t> endCapture() override;
  Status launchGraph(uint32_t graph) override;

private:
  struct Batch {
    cuda::Event copied = nullptr; ///< after the last copy into it
    cuda::Event used = nullptr;   ///< after the last that read it
  };
  /// What runs in the order of the asking.
  struct Line {
    cuda::Stream stream = nullptr;
    cuda::Event copied = nullptr; ///< after the last copy to the device
    bool hasCopied = false;
  };

  CudaDriver(const cuda::CudaApi &api, cuda::SearchContext libraries)
      : api_(api), libraries_(std::move(libraries)) {}
  /// Finds the device and what it is; its failures lack "no GPU can be used".
  Status findDevice(GpuChoice choice);
  Status makeContext();
  Status check(const char *call, cuda::CallResult result) const {
    return result == 0 ? Status() : api_.failure(call, result);
  }
  Status makeEvent(cuda::Event &event,
                   unsigned flags = cuda::kEventDisableTiming);
  Status askFor(std::span<const DeviceCopy> copies);
  /// `copy(offset, bytes)` for each part of `host` whose pages are all pinned
  /// or all not: CUDA refuses a copy of both.
  template <typename Copy>
  Status copyInParts(std::span<const std::byte> host, const Copy &copy) const;
  Status enqueueCopyIn(uint64_t to, std::span<const std::byte> from,
                       cuda::Stream stream);
  Status loadCubin(const BoostModule &image, const std::string &program);
  Status loadPtx(const BoostModule &image, const std::string &program);

  cuda::CudaApi api_;
  cuda::SearchContext libraries_;
  std::string name_, busAddress_;
  uint32_t architecture_ = 0;
  int version_ = 0; ///< of CUDA, which the driver serves: 12040 for 12.4
  cuda::DeviceNumber device_ = 0;
  // What was made; null or empty otherwise.
  cuda::Context context_ = nullptr;
  Line main_, side_;
  Line *current_ = &main_;
  cuda::Stream batchStream_ = nullptr; ///< of the copies of batches
  cuda::Event read_ = nullptr;         ///< after those of beginCopyOut()
  std::vector<cuda::Event> marks_, stamps_;
  cuda::Event sideEnds_ = nullptr; ///< after the side stream's work
  std::map<uint64_t, Batch> batches_;
  std::vector<std::span<const std::byte>> pinned_; ///< by pin()
  std::vector<cuda::Module> modules_;
  size_t loaded_ = 0; ///< the first of modules_ that the last load() made
  std::vector<cuda::Function> kernels_;
  std::vector<cuda::Address> allocations_;
  std::vector<cuda::GraphExec> graphs_;
  std::chrono::nanoseconds budget_ = cuda::LibraryCalls::kBudget;
  std::unique_ptr<cuda::LibraryCalls> calls_; ///< null: kernels compute all
};

} // namespace boostrt
