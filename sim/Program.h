// Program.h - a kernel ready to run: what the decoder makes and the warps
// execute.
//
// The register file of a warp is one piece of bytes. Every register, constant
// and special register has a place in it with 32 values side by side, so that a
// source operand is a byte offset whatever it is, and the loop over the lanes
// is a loop over an array.
#pragma once

#include "sim/Ptx.h"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace boostrt::sim {

inline constexpr uint32_t kLanes = 32;
inline constexpr uint32_t kFullMask = 0xffffffffu;
inline constexpr uint32_t kNone = 0xffffffffu;

/// Places in the register file that every kernel has: the carry flag, the
/// inverted predicate of an operand `!p`, and a sink for `_`.
inline constexpr uint32_t kCarrySlot = 0;
inline constexpr uint32_t kInvertedSlot = 128;
inline constexpr uint32_t kSinkSlot = 256;
inline constexpr uint32_t kFirstSlot = 512;

struct Warp;
struct Op;
using Handler = void (*)(Warp &, const Op &);

enum class OpKind : uint8_t {
  Plain,   ///< run(), then the next one
  Branch,  ///< to `target` where the guard holds
  Exit,    ///< the lanes end
  Barrier, ///< of the block, number `offset`
};

/// What a memory instruction touches.
struct Access {
  Space space = Space::Generic;
  uint8_t elementBytes = 0;
  uint8_t count = 1;         ///< of elements
  bool isSigned = false;     ///< extended so into a wider register
  uint8_t registerBytes = 0; ///< of the registers that hold the elements
  uint8_t addressBytes = 8;  ///< of the register that holds the address
  int16_t parameter = -1;    ///< the pointer argument it is based on, if known
  uint32_t bytes() const { return uint32_t(elementBytes) * count; }
};

struct Op {
  Handler run = nullptr;
  uint32_t operand[8] = {}; ///< byte offsets into the register file
  int64_t offset = 0;       ///< added to an address; an immediate
  uint32_t guard = kNone;   ///< byte offset of a predicate
  uint32_t target = kNone;
  uint32_t reconverge = kNone; ///< where the two ways of a branch meet again
  uint32_t origin = 0;         ///< into Kernel::origins
  Access access;
  OpKind kind = OpKind::Plain;
  bool guardNegated = false;
  uint8_t selector =
      0; ///< of a family's member, where a handler serves several
};

/// Where an Op was written.
struct OpOrigin {
  uint32_t line = 0;
  SourcePosition source;
};

/// 32 equal values.
struct Constant {
  uint32_t slot = 0;
  uint32_t bytes = 4;
  uint64_t bits = 0;
};

/// A parameter, or a variable of shared or local memory.
struct PlacedVariable {
  std::string name;
  uint64_t offset = 0;
  uint64_t bytes = 0;
};

struct Kernel {
  std::string name;
  std::vector<PlacedVariable> parameters;
  uint32_t parameterBytes = 0;
  std::vector<Op> code;
  std::vector<OpOrigin> origins;
  /// The register file: what a program may write comes first.
  uint32_t registerBytes = 0;
  uint32_t frameBytes = 0;
  std::vector<Constant> constants;
  std::array<uint32_t, static_cast<size_t>(Special::Count)> specials{};
  uint32_t sharedBytes = 0; ///< static; dynamic memory begins here
  std::vector<PlacedVariable> shared;
  uint32_t localBytes = 0; ///< of one thread
  std::vector<PlacedVariable> local;
  uint32_t requiredThreads[3] = {0, 0, 0};
  uint32_t maximalThreads = 0;
  /// Its result depends on the order of the blocks (atomics whose old value is
  /// used, or on floats): they run one after another.
  bool ordered = false;
};

} // namespace boostrt::sim
