// ProgramCollectives.h - what the collectives in a program's tables are to the
// ranks of a job: which ranks average, and what Adasum combines. Ranks that
// train and the model that predicts them ask here.
#pragma once

#include "runtime/abi/boost_abi.h"
#include "runtime/comm/ShardedVector.h"
#include "runtime/comm/adasum/Adasum.h"

#include <span>
#include <type_traits>
#include <vector>

namespace boostrt {

inline std::span<const BoostCollectiveOperand>
operandsOf(const BoostCollective &collective) {
  return {collective.operands, collective.operand_count};
}

/// "reduce_scatter", as its op is called.
const char *kindName(uint32_t kind);

/// The root of a broadcast among so many: modulo their number.
uint32_t rootOf(const BoostCollective &collective, uint32_t members);

/// Whether each rank has a slice of the operands; else they are exchanged as a
/// whole.
bool hasSlices(uint32_t kind);

/// Elements of that type among the operands.
size_t countOf(BoostDType dtype, const BoostCollective &collective);

/// The type of such elements, float or int64_t.
template <typename T>
constexpr BoostDType dtypeOf =
    std::is_same_v<T, float> ? BOOSTC_F32 : BOOSTC_I64;

/// The operands of type T, float or int64_t, whose addresses are `operands`.
template <typename T>
void listOperands(const BoostCollective &collective, void *const *operands,
                  std::vector<std::span<T>> &list) {
  list.clear();
  std::span<const BoostCollectiveOperand> table = operandsOf(collective);
  for (size_t i = 0; i < table.size(); ++i)
    if (table[i].dtype == dtypeOf<T>)
      list.emplace_back(static_cast<T *>(operands[i]), table[i].elements);
}

/// The same in `slices`, with what members have of them: members divide the
/// rows of all operands, of whichever type.
template <typename T>
void listSlices(const BoostCollective &collective, void *const *operands,
                uint32_t members, ShardedVector<T> &slices) {
  std::span<const BoostCollectiveOperand> table = operandsOf(collective);
  slices.divide(
      table.size(), members, [&](size_t i) { return table[i].rows; },
      [&](size_t i) -> std::span<T> {
        if (table[i].dtype != dtypeOf<T>)
          return {};
        return {static_cast<T *>(operands[i]), table[i].elements};
      });
}

/// What the member with the longest slice has of each operand of that type, in
/// elements; nothing of some.
std::vector<size_t> partsOfLongestSlice(const BoostCollective &collective,
                                        BoostDType dtype, uint32_t members);

/// That with which the ranks agree whether a signal has come: the first sum of
/// integers over all of them, in the last function of a step that has one; null
/// where there is none. On a GPU the host waits for what comes before.
const BoostCollective *stopCarrierOf(const BoostProgram &program,
                                     const BoostVariant &variant);

/// The number of floats whose all-reduce takes as much scratch memory as
/// `collective`, which is not an Adasum, among so many members; it may add up
/// `moreIntegers` that are not operands.
size_t scratchFloats(const BoostCollective &collective, uint32_t members,
                     size_t moreIntegers = 0);

/// How many bytes of the host's scratch memory such a collective, which is not
/// Adasum, writes at most: what a member receives to add it or to put it into
/// place later, and the operands too short for messages of their own, which are
/// copied together.
size_t writtenScratchBytes(const BoostCollective &collective, uint32_t members,
                           const VectorCuts &cuts);

/// Where operands lie that follow one another with a gap between any two: no
/// other places take more scratch memory.
std::vector<size_t> spreadOffsets(const BoostCollective &collective);

/// Whether the ranks of a server average before Adasum combines; else each rank
/// is combined by itself. `across` is a BoostAdasumScope.
inline bool averagesInServers(uint32_t across, bool hasSeveralServers) {
  return across == BOOSTC_ADASUM_SCOPE_SERVERS ||
         (across == BOOSTC_ADASUM_SCOPE_AUTO && hasSeveralServers);
}

/// The operands of an Adasum as tensors of one bucket, in which they lie at
/// `offsets`, in elements. Vectors are numbered in the order in which they
/// appear.
std::vector<AdasumTensor> tensorsOf(const BoostCollective &collective,
                                    std::span<const size_t> offsets);

/// The Adasum of a program's collective after a sum over inner groups of that
/// many ranks.
AdasumOptions adasumOptions(uint32_t ranksPerMean);

} // namespace boostrt
