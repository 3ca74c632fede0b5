#include "test/runtime/device/cuda/nccl/GpuRanks.h"

#include "runtime/device/cuda/nccl/NcclTransport.h"
#include "runtime/device/cuda/Gpus.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace boostrt::test {
namespace {

constexpr unsigned kForAllGpus = 1; // CU_MEMHOSTREGISTER_PORTABLE
constexpr size_t kPage = 4096;

const Result<cuda::CudaApi> &driverApi() {
  static const Result<cuda::CudaApi> api =
      cuda::CudaApi::open(CudaDriver::kLibrary);
  return api;
}

const Result<nccl::NcclApi> &ncclApi() {
  static const Result<nccl::NcclApi> api =
      nccl::NcclApi::open(cuda::SearchContext::current());
  return api;
}

/// Pages of the host that every GPU reaches at the same address. The GPU of the
/// calling rank is current.
void *takePages(size_t bytes) {
  bytes = (std::max<size_t>(bytes, 1) + kPage - 1) / kPage * kPage;
  void *memory = std::aligned_alloc(kPage, bytes);
  EXPECT_EQ((*driverApi()).cuMemHostRegister_v2(memory, bytes, kForAllGpus), 0);
  return memory;
}

void givePages(void *memory, size_t) {
  EXPECT_EQ((*driverApi()).cuMemHostUnregister(memory), 0);
  std::free(memory);
}

class GpuTestJob : public TestJob {
public:
  GpuTestJob(uint32_t size, std::chrono::milliseconds deadline)
      : hosts_(transportKinds()[1].start(size, deadline)) {
    carriedMemory() = {takePages, givePages};
  }
  ~GpuTestJob() override { carriedMemory() = {}; }

  Result<std::unique_ptr<Transport>> connect(uint32_t rank) override {
    auto host = hosts_->connect(rank);
    if (!host.ok())
      return host;
    auto driver = CudaDriver::create(
        CudaDriver::kLibrary, cuda::SearchContext::current(), {rank, false});
    if (!driver.ok())
      return driver.status();
    auto transport = connectNccl(**host, *ncclApi(), **driver);
    if (!transport.ok())
      return transport;
    return std::unique_ptr<Transport>(std::make_unique<GpuConnection>(
        std::move(host).value(), std::move(driver).value(),
        std::move(transport).value()));
  }

private:
  std::unique_ptr<TestJob> hosts_;
};

} // namespace

std::optional<TransportKind> ncclOnGpus() {
  Result<cuda::Gpus> gpus = cuda::listGpus();
  if (!gpus.ok() || gpus->list.size() < 2 || !ncclApi().ok())
    return std::nullopt;
  for (const cuda::Gpu &gpu : gpus->list)
    if (!gpu.isUsable)
      return std::nullopt;
  return TransportKind{"nccl",
                       [](uint32_t size, std::chrono::milliseconds deadline)
                           -> std::unique_ptr<TestJob> {
                         return std::make_unique<GpuTestJob>(size, deadline);
                       },
                       static_cast<uint32_t>(gpus->list.size()), "ncclOnGpus"};
}

} // namespace boostrt::test
