// ProgramCollectives.h - what the collectives in a program's tables are to the
// ranks of a job: who averages, and what Adasum combines. Ranks that train and
// the model that predicts them ask here.
#pragma once

#include "runtime/abi/boost_abi.h"
#include "runtime/comm/adasum/Adasum.h"

#include <span>
#include <vector>

namespace boostrt {

inline std::span<const BoostCollectiveOperand>
operandsOf(const BoostCollective &collective) {
  return {collective.operands, collective.operand_count};
}

/// Elements of that type among the operands.
size_t countOf(BoostDType dtype, const BoostCollective &collective);

/// Whether the ranks of a server average before Adasum combines; else each rank
/// is combined by itself. `across` is a BoostAcross.
bool averagesInServers(uint32_t across, bool hasSeveralServers);

/// The operands of an Adasum as tensors of one bucket, in which they lie at
/// `offsets`, in elements. Vectors are numbered in the order in which they
/// appear.
std::vector<AdasumTensor> tensorsOf(const BoostCollective &collective,
                                    std::span<const size_t> offsets);

/// The Adasum of a program's collective behind a sum over inner groups of that
/// many ranks.
AdasumOptions adasumOptions(uint32_t ranksPerMean);

} // namespace boostrt
