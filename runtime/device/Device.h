// Device.h - what runs the functions of a program: a CPU, a GPU, the simulated
// GPU. The trainer knows no more of it than this.
#pragma once

#include "runtime/abi/boost_abi.h"
#include "runtime/support/Status.h"

#include <cstddef>
#include <span>
#include <string>

namespace boostrt {

/// Memory that the host reaches by copies only. Copies are ordered with the
/// calls of the device they belong to, and done when they return.
class DeviceMemory {
public:
  virtual ~DeviceMemory() = default;

  /// `bytes` (more than 0) with undefined content, for as long as the device
  /// lives; `name` is for messages. Fails with ExitCode::Internal.
  virtual Result<void *> allocate(uint64_t bytes, const std::string &name) = 0;
  virtual Status copyIn(void *to, std::span<const std::byte> from) = 0;
  virtual Status copyOut(std::span<std::byte> to, const void *from) = 0;
};

class Device {
public:
  virtual ~Device() = default;

  /// "cpu with 2 threads", "the simulated GPU": for the line that says where a
  /// program runs.
  virtual std::string describe() const = 0;

  /// Null: functions work on memory of the host.
  virtual DeviceMemory *memory() { return nullptr; }

  /// Runs `function` of the target the device was made for on `arenas`,
  /// addresses in its memory by BoostArenaKind. It may return before the
  /// function has ended; what is called or copied next comes after it.
  virtual Status call(BoostFunctionKind function, void *const *arenas) = 0;
};

} // namespace boostrt
