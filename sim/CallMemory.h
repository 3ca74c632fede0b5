// CallMemory.h - the operands of a library call on the simulated GPU.
#pragma once

#include "sim/Memory.h"

#include "runtime/device/cuda/CallShape.h"

#include <array>

namespace boostrt::sim {

/// What a call reads or writes.
struct CallOperand {
  const char *name;
  uint64_t elements; ///< from the first that is touched to after the last
};

/// "matmul of fc1, model.json:14:5".
std::string describeOrigin(const char *kind, const BoostLibraryCall &call);

/// ", in tf32", ", in bf16, to f32"; empty where all is f32.
std::string describePrecision(const BoostLibraryCall &call);

class CallMemory {
public:
  using enum cuda::CallOperands::Number;
  using Number = cuda::CallOperands::Number;

  struct Description {
    const char *kind;                          ///< "matmul"
    std::string text;                          ///< what reports say of the call
    std::array<CallOperand, Scratch> operands; ///< all but the scratch memory
  };

  CallMemory(Memory &memory, const BoostLibraryCall &call,
             std::span<const uint64_t> addresses, Description description);

  /// What keeps the host's memory safe, and the compiler's promises.
  Status check() const;
  /// That elements [first, first + count) of an operand were written; true of
  /// one that is absent.
  Status requireWritten(Number number, uint64_t first, uint64_t count) const;

  /// Its elements; none of what is absent.
  std::vector<float> read(Number number) const;
  /// Rounds `values` to the elements of C: it is written, and scratch memory
  /// holds what the library likes.
  Status finish(std::span<const float> values);

  Status fault(const char *kind, const std::string &detail) const;

private:
  bool isUsed(Number number) const { return addresses_[number] != 0; }
  /// Where an operand reaches, in bytes.
  uint64_t bytesOf(Number number) const;
  uint64_t bytesOfElement(Number number) const;
  const char *nameOf(Number number) const;
  std::span<std::byte> data(Number number) const;
  uint64_t plannedBytes(Number number) const;
  Status checkPresence(Number number, bool isExpected) const;
  Status checkBounds(Number number) const;
  Status checkOverlap(Number written, Number other) const;

  Memory &memory_;
  const BoostLibraryCall &call_;
  std::array<uint64_t, Count> addresses_;
  Description d_;
};

} // namespace boostrt::sim
