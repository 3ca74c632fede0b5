#include "sim/CallMemory.h"

#include "runtime/abi/boost_call.h"
#include "runtime/device/cuda/CallElements.h"

#include <algorithm>
#include <fmt/format.h>

namespace boostrt::sim {

std::string describeOrigin(const char *kind, const BoostLibraryCall &call) {
  std::string_view layers = call.layers;
  return fmt::format("{}{}{}, {}", kind, layers.empty() ? "" : " of ", layers,
                     call.location);
}

std::string describePrecision(const BoostLibraryCall &call) {
  if (!cuda::allowsTensorCores(call))
    return "";
  std::string text = fmt::format(", in {}", cuda::nameOfPrecision(call));
  return call.factor_type == call.result_type ? text : text + ", to f32";
}

CallMemory::CallMemory(Memory &memory, const BoostLibraryCall &call,
                       std::span<const uint64_t> addresses,
                       Description description)
    : memory_(memory), call_(call), d_(std::move(description)) {
  std::copy_n(addresses.begin(), Count, addresses_.begin());
}

const char *CallMemory::nameOf(Number number) const {
  return number == Scratch ? "scratch" : d_.operands[number].name;
}

uint64_t CallMemory::bytesOfElement(Number number) const {
  return boostrt::bytesOfElement(cuda::typeOfOperand(call_, number));
}

uint64_t CallMemory::bytesOf(Number number) const {
  return number == Scratch
             ? call_.scratch_bytes
             : d_.operands[number].elements * bytesOfElement(number);
}

uint64_t CallMemory::plannedBytes(Number number) const {
  return number == Scratch ? call_.scratch_bytes : call_.operand_bytes[number];
}

Status CallMemory::check() const {
  BOOSTRT_RETURN_IF_ERROR(checkPresence(Bias, cuda::hasBias(call_)));
  BOOSTRT_RETURN_IF_ERROR(checkPresence(Scratch, call_.scratch_bytes != 0));
  for (Number number : {A, B, Bias, C, Scratch})
    if (isUsed(number))
      BOOSTRT_RETURN_IF_ERROR(checkBounds(number));
  for (Number written : {C, Scratch})
    for (Number other : {A, B, Bias, C})
      if (written != other && isUsed(written) && isUsed(other))
        BOOSTRT_RETURN_IF_ERROR(checkOverlap(written, other));
  return Status();
}

Status CallMemory::checkPresence(Number number, bool isExpected) const {
  if (isUsed(number) == isExpected)
    return Status();
  return fault(isExpected ? "missing operand" : "unexpected operand",
               fmt::format("{} {}", nameOf(number),
                           isExpected ? "is needed and its address is 0"
                                      : "is given and the call has none"));
}

Status CallMemory::checkBounds(Number number) const {
  const char *name = nameOf(number);
  uint64_t bytes = bytesOf(number), address = addresses_[number];
  uint32_t alignment =
      number == Number::Scratch ? BOOSTC_SCRATCH_ALIGNMENT : BOOSTC_ALIGNMENT;
  if (address % alignment != 0)
    return fault("misaligned address",
                 fmt::format("{} lies at {:#x}; the library is promised "
                             "multiples of {}",
                             name, address, alignment));
  if (bytes > plannedBytes(number))
    return fault("out-of-bounds access",
                 fmt::format("{} reaches over {} bytes, and {} were planned "
                             "for it",
                             name, bytes, plannedBytes(number)));
  if (!memory_.find(address, bytes))
    return fault("out-of-bounds access",
                 fmt::format("{}: {} bytes at {:#x}, {}", name, bytes, address,
                             memory_.describe(address, bytes)));
  return Status();
}

Status CallMemory::checkOverlap(Number written, Number other) const {
  uint64_t bytes = bytesOf(written), otherBytes = bytesOf(other);
  uint64_t address = addresses_[written], otherAddress = addresses_[other];
  if (address >= otherAddress + otherBytes || otherAddress >= address + bytes)
    return Status();
  return fault("overlapping operands",
               fmt::format("{} is written and shares memory with {}: {:#x} and "
                           "{} bytes, {:#x} and {} bytes",
                           nameOf(written), nameOf(other), address, bytes,
                           otherAddress, otherBytes));
}

Status CallMemory::requireWritten(Number number, uint64_t first,
                                  uint64_t count) const {
  uint64_t address = addresses_[number] + first * bytesOfElement(number);
  uint64_t bytes = count * bytesOfElement(number);
  if (!isUsed(number) || memory_.isWritten(address, bytes))
    return Status();
  return fault(
      "uninitialised read",
      fmt::format("{}: no operation wrote all of the {} bytes at {:#x}, {}",
                  nameOf(number), bytes, address,
                  memory_.describe(address, bytes)));
}

std::span<std::byte> CallMemory::data(Number number) const {
  if (!isUsed(number))
    return {};
  uint64_t bytes = bytesOf(number);
  Allocation *allocation = memory_.find(addresses_[number], bytes);
  return {reinterpret_cast<std::byte *>(allocation->data.get()) +
              (addresses_[number] - allocation->address),
          bytes};
}

std::vector<float> CallMemory::read(Number number) const {
  return cuda::extendElements(cuda::typeOfOperand(call_, number), data(number));
}

Status CallMemory::finish(std::span<const float> values) {
  cuda::roundElements(cuda::typeOfOperand(call_, C), values, data(C));
  uint64_t address = addresses_[C], bytes = bytesOf(C);
  Allocation *allocation = memory_.find(address, bytes);
  allocation->markWritten(address - allocation->address, bytes);
  return isUsed(Scratch)
             ? memory_.forget(addresses_[Scratch], call_.scratch_bytes)
             : Status();
}

Status CallMemory::fault(const char *kind, const std::string &detail) const {
  return Status(ExitCode::Internal,
                fmt::format("sim: {} in a library call ({})\n  {}\n  {}", kind,
                            describeOrigin(d_.kind, call_), d_.text, detail));
}

} // namespace boostrt::sim
