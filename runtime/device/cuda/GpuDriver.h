// GpuDriver.h - the few services of a GPU that a program needs, at the level of
// NVIDIA's driver interface, so that one device serves hardware (CudaDriver)
// and the simulated GPU (SimDriver).
//
// There is one stream: whatever is asked for runs in the order of the asking.
#pragma once

#include "runtime/abi/boost_abi.h"
#include "runtime/device/Device.h"
#include "runtime/support/Status.h"

#include <cstddef>
#include <span>
#include <string>

namespace boostrt {

class GpuDriver {
public:
  virtual ~GpuDriver() = default;

  /// "NVIDIA H200", "the simulated GPU".
  virtual std::string name() const = 0;

  /// Loads the best of `images` (a table that ends with BOOST_IMAGE_END);
  /// `program` is for messages. Called once. Fails with ExitCode::Input.
  virtual Status load(const BoostImage *images, const std::string &program) = 0;
  /// A number for launch(). Fails with ExitCode::Input.
  virtual Result<uint32_t> findKernel(const char *name) = 0;

  /// Addresses are multiples of 256 or more. Fails with ExitCode::Internal.
  virtual Result<uint64_t> allocate(uint64_t bytes,
                                    const std::string &name) = 0;
  /// As DeviceMemory has them.
  virtual Status copyIn(uint64_t to, std::span<const std::byte> from) = 0;
  virtual Status finishCopies() = 0;
  virtual Status copyOut(std::span<const DeviceCopy> copies) = 0;
  virtual bool pin(std::span<std::byte>) { return false; }
  virtual void unpin(std::span<std::byte>) {}

  /// `launch` outlives the driver's graphs; `operands` are copied.
  virtual Status launch(uint32_t kernel, const BoostLaunch &launch,
                        std::span<const uint64_t> operands) = 0;

  /// What is launched between the two becomes a graph and does not run.
  virtual Status beginCapture() = 0;
  virtual Result<uint32_t> endCapture() = 0;
  virtual Status launchGraph(uint32_t graph) = 0;
};

} // namespace boostrt
