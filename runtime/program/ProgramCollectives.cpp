#include "runtime/program/ProgramCollectives.h"

#include "runtime/abi/DescriptorSchema.h"
#include "runtime/support/ElementBytes.h"

#include <algorithm>

namespace boostrt {
const char *kindName(uint32_t kind) {
  return boostabi::nameOf<BoostCollectiveKind>(kind);
}

bool hasSlices(uint32_t kind) {
  return kind == BOOSTC_COLLECTIVE_REDUCE_SCATTER ||
         kind == BOOSTC_COLLECTIVE_ALL_GATHER;
}

uint32_t rootOf(const BoostCollective &collective, uint32_t members) {
  int64_t count = members;
  return static_cast<uint32_t>((collective.root % count + count) % count);
}

size_t countOf(BoostDType dtype, const BoostCollective &collective) {
  size_t count = 0;
  for (const BoostCollectiveOperand &operand : operandsOf(collective))
    if (operand.dtype == dtype)
      count += operand.elements;
  return count;
}

size_t scratchFloats(const BoostCollective &collective, uint32_t members,
                     size_t moreIntegers) {
  size_t floats = 0, integers = moreIntegers;
  for (const BoostCollectiveOperand &operand : operandsOf(collective)) {
    // As many as all would have with the longest slice.
    size_t elements = hasSlices(collective.kind)
                          ? (operand.elements + members - 1) / members * members
                          : operand.elements;
    (operand.dtype == BOOSTC_F32 ? floats : integers) += elements;
  }
  // An integer takes the room of two.
  return std::max(floats, 2 * integers);
}

namespace {

/// How much of `bytes` a member receives into scratch memory.
size_t receivedBytes(uint32_t kind, size_t bytes, uint32_t members) {
  bool isSum = kind == BOOSTC_COLLECTIVE_ALL_REDUCE ||
               kind == BOOSTC_COLLECTIVE_REDUCE_SCATTER;
  return isSum ? bytes - bytes / members : 0;
}

} // namespace

size_t writtenScratchBytes(const BoostCollective &collective, uint32_t members,
                           const VectorCuts &cuts) {
  if (members < 2)
    return 0;
  size_t most = 0;
  for (BoostDType dtype : {BOOSTC_F32, BOOSTC_I64}) {
    size_t each = elementBytes(dtype);
    size_t all = countOf(dtype, collective) * each;
    size_t block = std::min(all, cuts.elementsPerBlock(each, members) * each);
    // Slices cut operands, which leaves a short piece on either side.
    size_t copied = all == 0 ? 0 : 2 * members * cuts.minMessageBytes;
    for (const BoostCollectiveOperand &operand : operandsOf(collective))
      if (operand.dtype == dtype &&
          operand.elements * each < cuts.minMessageBytes)
        copied += 2 * operand.elements * each; // sent, and received
    most = std::max(most, receivedBytes(collective.kind, block, members) +
                              std::min(copied, block));
  }
  return most;
}

std::vector<size_t> spreadOffsets(const BoostCollective &collective) {
  constexpr size_t step = BOOSTC_ALIGNMENT / sizeof(float);
  std::vector<size_t> offsets;
  size_t next = 0;
  for (const BoostCollectiveOperand &operand : operandsOf(collective)) {
    offsets.push_back(next);
    next += (operand.elements / step + 1) * step;
  }
  return offsets;
}

std::vector<AdasumTensor> tensorsOf(const BoostCollective &collective,
                                    std::span<const size_t> offsets) {
  std::span<const BoostCollectiveOperand> table = operandsOf(collective);
  std::vector<AdasumTensor> tensors;
  std::vector<uint32_t> numbers; // of the program's vectors
  for (size_t i = 0; i < table.size(); ++i) {
    auto found = std::find(numbers.begin(), numbers.end(), table[i].group);
    auto vector = static_cast<uint32_t>(found - numbers.begin());
    if (found == numbers.end())
      numbers.push_back(table[i].group);
    tensors.push_back({offsets[i], table[i].elements, vector});
  }
  return tensors;
}

AdasumOptions adasumOptions(uint32_t ranksPerMean) {
  AdasumOptions options;
  options.ranksPerMean = ranksPerMean;
  // After their sum and the same update, the ranks of a group have the same.
  options.meansAreKnown = true;
  return options;
}

} // namespace boostrt
