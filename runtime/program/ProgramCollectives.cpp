#include "runtime/program/ProgramCollectives.h"

#include "runtime/abi/DescriptorSchema.h"
#include "runtime/comm/Division.h"
#include "runtime/program/StepVariants.h"
#include "runtime/support/ElementBytes.h"

#include <algorithm>
#include <numeric>

namespace boostrt {
const char *kindName(uint32_t kind) {
  return boostabi::nameOf<BoostCollectiveKind>(kind);
}

bool hasSlices(uint32_t kind) {
  return kind == BOOSTC_COLLECTIVE_REDUCE_SCATTER ||
         kind == BOOSTC_COLLECTIVE_ALL_GATHER ||
         kind == BOOSTC_COLLECTIVE_OWN_SLICE;
}

uint32_t rootOf(const BoostCollective &collective, uint32_t members) {
  int64_t count = members;
  return static_cast<uint32_t>((collective.root % count + count) % count);
}

static size_t sumOf(const std::vector<size_t> &sizes) {
  return std::accumulate(sizes.begin(), sizes.end(), size_t(0));
}

size_t countOf(BoostDType dtype, const BoostCollective &collective) {
  size_t count = 0;
  for (const BoostCollectiveOperand &operand : operandsOf(collective))
    if (operand.dtype == dtype)
      count += operand.elements;
  return count;
}

const BoostCollective *stopCarrierOf(const BoostProgram &program,
                                     const BoostVariant &variant) {
  const BoostCollective *carrier = nullptr;
  for (uint32_t ending : endingsOf(variant)) {
    std::span collectives = collectivesOf(program, ending);
    auto found = std::ranges::find_if(
        collectives, [](const BoostCollective &collective) {
          return collective.kind == BOOSTC_COLLECTIVE_ALL_REDUCE &&
                 collective.ranks == BOOSTC_RANKS_ALL &&
                 countOf(BOOSTC_I64, collective) > 0;
        });
    if (found != collectives.end())
      carrier = &*found;
  }
  return carrier;
}

std::vector<size_t> partsOfLongestSlice(const BoostCollective &collective,
                                        BoostDType dtype, uint32_t members) {
  std::vector<std::vector<size_t>> slices(members);
  RowDivision division(members);
  for (const BoostCollectiveOperand &operand : operandsOf(collective)) {
    division.divide(operand.rows);
    for (uint32_t member = 0; member < members; ++member) {
      size_t rows = division.begin(member + 1) - division.begin(member);
      if (operand.dtype == dtype && rows != 0)
        slices[member].push_back(rows * (operand.elements / operand.rows));
    }
  }
  return std::ranges::max(slices, {}, sumOf);
}

/// The elements that are exchanged: as many as all members would have with the
/// longest slice.
static size_t countExchanged(const BoostCollective &collective,
                             BoostDType dtype, uint32_t members) {
  if (collective.kind == BOOSTC_COLLECTIVE_OWN_SLICE)
    return 0;
  return hasSlices(collective.kind)
             ? sumOf(partsOfLongestSlice(collective, dtype, members)) * members
             : countOf(dtype, collective);
}

size_t scratchFloats(const BoostCollective &collective, uint32_t members,
                     size_t moreIntegers) {
  auto count = [&](BoostDType dtype) {
    return countExchanged(collective, dtype, members);
  };
  // An integer takes the room of two.
  return std::max(count(BOOSTC_F32), 2 * (count(BOOSTC_I64) + moreIntegers));
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
    size_t all = countExchanged(collective, dtype, members) * each;
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
