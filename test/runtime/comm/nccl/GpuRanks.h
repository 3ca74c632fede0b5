// GpuRanks.h - jobs whose ranks are threads with a GPU each, where there are
// GPUs and NCCL.
#pragma once

#include "runtime/device/cuda/CudaDriver.h"
#include "test/runtime/comm/Ranks.h"
#include "test/runtime/comm/WrappedTransport.h"

#include <optional>

namespace boostrt::test {

/// A rank's transport and its GPU.
class GpuConnection : public WrappedTransport {
public:
  GpuConnection(std::unique_ptr<Transport> host,
                std::unique_ptr<CudaDriver> driver,
                std::unique_ptr<Transport> transport)
      : WrappedTransport(*transport), host_(std::move(host)),
        driver_(std::move(driver)), transport_(std::move(transport)) {}
  CudaDriver &driver() { return *driver_; }

private:
  std::unique_ptr<Transport> host_;
  std::unique_ptr<CudaDriver> driver_;
  std::unique_ptr<Transport> transport_; // ends first
};

/// NCCL of NVIDIA's, for as many ranks as there are GPUs; nothing where that is
/// less than two.
std::optional<TransportKind> ncclOnGpus();

} // namespace boostrt::test
