// GpuStream.h - the stream of a GPU for a library that works on it next to the
// program: whatever is asked for runs in the order of the asking.
#pragma once

#include "runtime/support/Status.h"

#include <cstdint>
#include <string>

namespace boostrt {

class GpuStream {
public:
  virtual ~GpuStream() = default;

  /// CUstream, which is cudaStream_t, for what is asked for now: it changes
  /// with GpuDriver::forkToSideStream().
  virtual void *handle() const = 0;

  /// What tells this GPU from others of the machine: its address on the PCI
  /// bus.
  virtual std::string busAddress() const = 0;

  /// Whether all that was asked for on it has ended; does not wait. Fails when
  /// the GPU has.
  virtual Result<bool> isIdle() = 0;

  /// As GpuDriver has it.
  virtual Result<uint64_t> allocate(uint64_t bytes,
                                    const std::string &name) = 0;
};

} // namespace boostrt
