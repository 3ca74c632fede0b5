#include "runtime/program/ProgramCollectives.h"

#include <algorithm>

namespace boostrt {

size_t countOf(BoostDType dtype, const BoostCollective &collective) {
  size_t count = 0;
  for (const BoostCollectiveOperand &operand : operandsOf(collective))
    if (operand.dtype == dtype)
      count += operand.elements;
  return count;
}

bool averagesInServers(uint32_t across, bool hasSeveralServers) {
  return across == BOOST_ACROSS_SERVERS ||
         (across == BOOST_ACROSS_AUTO && hasSeveralServers);
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
  // Behind their sum and the same update, the ranks of a group have the same.
  options.meansAreKnown = true;
  return options;
}

} // namespace boostrt
