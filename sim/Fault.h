// Fault.h - what a kernel did wrong, as a structure and as text.
#pragma once

#include <cstdint>
#include <string>

namespace boostrt::sim {

/// Extents and positions of grids and blocks.
struct Dim3 {
  uint32_t x = 1;
  uint32_t y = 1;
  uint32_t z = 1;
  uint64_t count() const { return uint64_t(x) * y * z; }
};

enum class FaultKind : uint8_t {
  OutOfBounds,       ///< an access outside what the kernel may touch
  ReadOnly,          ///< a write to an argument that is only read
  Misaligned,        ///< an address that is not a multiple of the access's size
  Uninitialised,     ///< a read of bytes that were never written
  BarrierDivergence, ///< threads of a block that do not meet at one barrier
  SharedRace,        ///< two threads, one shared byte, no barrier between
  GlobalRace,        ///< two blocks of one launch, one global word
  InactiveLane,      ///< a shuffle or vote that counts on absent lanes
  Trap,              ///< the kernel executed `trap`
  Budget,            ///< a warp executed more instructions than it was given
};

/// "out-of-bounds access", ...
const char *nameOf(FaultKind kind);

/// What a kernel computes, handed in with its launch; both may be empty.
struct KernelOrigin {
  std::string layers;   ///< "relu1, backward of fc2"
  std::string position; ///< "model.json:14:5"
};

struct Fault {
  FaultKind kind = FaultKind::Trap;
  std::string kernel;
  KernelOrigin origin;
  uint32_t line = 0;  ///< of the PTX
  std::string text;   ///< of that line
  std::string source; ///< "file:line:column" from `.loc`, or empty
  Dim3 block{0, 0, 0};
  Dim3 thread{0, 0, 0};
  uint64_t address = 0; ///< of the access, as the instruction's space counts
  uint32_t bytes = 0;   ///< of the access; 0 when it is not about memory
  std::string detail;   ///< what was found and what was expected

  /// Several lines for the user, the first of them "sim: KIND in kernel ...".
  std::string format() const;
};

} // namespace boostrt::sim
