// GpuRanks.h - jobs whose ranks are threads with a GPU each, where there are
// GPUs and NCCL.
#pragma once

#include "runtime/device/cuda/CudaDriver.h"
#include "test/runtime/comm/Ranks.h"
#include "test/runtime/device/cuda/nccl/Connection.h"

#include <optional>

namespace boostrt::test {

using GpuConnection = ConnectionWith<CudaDriver>;

/// NCCL of NVIDIA's, for as many ranks as there are GPUs; nothing where that is
/// less than two.
std::optional<TransportKind> ncclOnGpus();

} // namespace boostrt::test
