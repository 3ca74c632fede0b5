// NcclTransport.h - messages between the memories of GPUs, through NCCL.
//
// NCCL moves the bytes on the stream of the GPU. It finds no lost rank in time
// and does not let itself be interrupted by itself, so the control plane of the
// ranks' other transport watches: communicators do not block, every wait looks
// for news of both, and a communicator whose job has failed is aborted.
//
// Both ends of a message must agree on its size, which NCCL does not compare:
// a receiver that waits for more than comes is found by the control plane, one
// that expects less gets less. Ranks that run the same program, which is
// compared before the first step, never differ.
#pragma once

#include "runtime/comm/Transport.h"
#include "runtime/device/cuda/nccl/NcclApi.h"
#include "runtime/device/cuda/GpuStream.h"

#include <chrono>
#include <functional>
#include <memory>

namespace boostrt {

struct NcclOptions {
  std::chrono::milliseconds connectDeadline = std::chrono::seconds(60);
  /// Within this time an orderly end must come, and after a failure NCCL must
  /// give the GPU back.
  std::chrono::milliseconds abortDeadline = std::chrono::seconds(5);
  /// A failure of NCCL's that is the death of a rank is explained by the
  /// control plane within this time, as at Gloo's broken connections.
  std::chrono::milliseconds verdictTime = std::chrono::seconds(3);
  /// Called with the failure of the job when NCCL has not: it and the GPU hang,
  /// and who waits for either hangs too. The default says so and ends the
  /// process as a process of a lost job ends.
  std::function<void(const Status &failure)> onStuck;
};

/// Connects the GPUs of all ranks of `host`, which has a control plane; every
/// rank calls it at the same place, with the GPU current on its thread. All
/// arguments outlive the transport. Spans of messages are memory of the GPU.
Result<std::unique_ptr<Transport>> connectNccl(Transport &host,
                                               const nccl::NcclApi &api,
                                               GpuStream &gpu,
                                               const NcclOptions &options = {});

} // namespace boostrt
