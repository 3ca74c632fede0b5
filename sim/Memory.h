// Memory.h - the simulated device's memory: named allocations at addresses that
// are not host pointers, with a shadow that knows which bytes were ever written
// and, inside a launch, which blocks touched which word.
//
// Between launches a Memory belongs to one thread. During a launch the
// machine's workers use the parts marked so, and nothing else may be called.
#pragma once

#include "runtime/support/Status.h"

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace boostrt::sim {

/// Allocations begin here and lie 64 KiB or more apart, so that a small overrun
/// hits nothing. No host pointer of a Linux process has such a value.
inline constexpr uint64_t kDeviceBase = 0x0000'0d00'0000'0000;
/// Windows of generic addresses to a thread's shared, local and parameter
/// memory.
inline constexpr uint64_t kSharedWindow = 0x0000'0a00'0000'0000;
inline constexpr uint64_t kLocalWindow = 0x0000'0b00'0000'0000;
inline constexpr uint64_t kParamWindow = 0x0000'0c00'0000'0000;
inline constexpr uint64_t kWindowBytes = 1ull << 32;

/// A buffer inside an allocation, for reports.
struct NamedRange {
  uint64_t address = 0;
  uint64_t bytes = 0;
  std::string name;
};

struct FreeDeleter {
  void operator()(void *pointer) const;
};

struct Allocation {
  uint64_t address = 0;
  uint64_t bytes = 0;
  std::string name;
  std::unique_ptr<std::byte[], FreeDeleter> data;
  /// One bit a byte: written. Padded to whole words of 64 bits, and one more.
  std::unique_ptr<uint64_t[], FreeDeleter> written;
  /// One tag a word of 4 bytes: who touched it in which launch; made on demand.
  std::unique_ptr<uint64_t[], FreeDeleter> tags;
  std::vector<NamedRange> ranges;
  bool moduleVariable = false; ///< not an argument of any kernel
  bool moduleConstant = false; ///< never written

  bool contains(uint64_t at, uint64_t size) const {
    return at >= address && size <= bytes && at - address <= bytes - size;
  }

  // Used by the workers of a launch, concurrently.
  bool isWritten(uint64_t offset, uint64_t size) const;
  void markWritten(uint64_t offset, uint64_t size);
};

class Memory {
public:
  Memory() = default;
  Memory(const Memory &) = delete;
  Memory &operator=(const Memory &) = delete;

  /// `bytes` of undefined content; the address is a multiple of 512. Fails with
  /// ExitCode::Usage when the host has not that much.
  Result<uint64_t> allocate(uint64_t bytes, std::string name);
  /// `address` must be what allocate() returned.
  Status free(uint64_t address);

  Status copyIn(uint64_t address, std::span<const std::byte> from);
  Status copyOut(std::span<std::byte> to, uint64_t address) const;
  /// Sets every byte to `value`.
  Status fill(uint64_t address, uint64_t bytes, std::byte value);
  /// Declares the content undefined again, as at a buffer's first use.
  Status forget(uint64_t address, uint64_t bytes);
  /// True when all of it was written.
  bool isWritten(uint64_t address, uint64_t bytes) const;
  /// Names a part of an allocation; later names win where they overlap.
  Status nameRange(uint64_t address, uint64_t bytes, std::string name);

  // Used by the workers of a launch, concurrently.
  /// The allocation that holds all of [address, address + bytes), or null.
  Allocation *find(uint64_t address, uint64_t bytes) const;
  /// "4 bytes past the end of 'x' (4096 bytes at 0xd0000000000)"
  std::string describe(uint64_t address, uint64_t bytes) const;

  /// Tags for every allocation, as the race check between blocks needs them.
  Status prepareTags();
  /// A number for the tags of one launch, in the bits from 40 on; never 0.
  uint64_t nextLaunch();

private:
  Status checked(uint64_t address, uint64_t bytes, const char *action) const;

  std::map<uint64_t, std::unique_ptr<Allocation>> allocations_; ///< by address
  uint64_t next_ = kDeviceBase;
  uint64_t launches_ = 0;
};

} // namespace boostrt::sim
