// DeviceLink.h - how what ranks sum gets from device to device.
//
// What a program computes on a GPU lies there. Where a transport carries memory
// of GPUs, or the GPU is simulated and its memory is the host's, sums take the
// direct way; else the host copies, sends and adds. The bits are the same.
#pragma once

#include "runtime/comm/VectorMemory.h"
#include "runtime/device/cuda/nccl/NcclApi.h"
#include "runtime/device/Device.h"
#include "runtime/launch/LaunchOptions.h"
#include "runtime/trainer/Ranks.h"

#include <memory>
#include <string>
#include <vector>

namespace boostrt {

struct DeviceLink {
  /// Null: sums take the way through the host.
  VectorMemory *vectors = nullptr;
  Transport *transport = nullptr; ///< of the messages of `vectors`
  DeviceMemory *memory = nullptr;
  std::string note; ///< which way and why; empty where there is no choice

  // What is made for it.
  std::unique_ptr<nccl::NcclApi> nccl;
  std::unique_ptr<Transport> ncclTransport; // ends first
};

/// What a rank brings to the choice, as all see it.
struct PeerCapability {
  enum Kind : uint32_t {
    Cpu,
    SimulatedGpu, ///< its memory is the host's
    Gpu,
  };
  Kind kind = Cpu;
  int32_t ncclVersion = 0; ///< 22809 for 2.28.9
  char bus[32] = {};       ///< where on its server the GPU is
  char why[220] = {};      ///< it cannot or may not; empty: it can
};

/// What the offers, by rank, come to: empty when all ranks take the direct way,
/// else why not. `servers` is Ranks::servers().
std::string directTransferBlocker(std::span<const PeerCapability> offers,
                                  std::span<const uint32_t> servers);

/// All ranks call it with their own `device`, which outlives the result as
/// `ranks` do, and the same `comm`; `libraries` is where NCCL is looked for.
/// Fails with ExitCode::Usage when `comm` asks for NCCL, which cannot be, and
/// as exchange() does.
Result<std::unique_ptr<DeviceLink>> linkDevices(
    Device &device, Ranks &ranks, CommKind comm,
    const cuda::SearchContext &libraries = cuda::SearchContext::current());

} // namespace boostrt
