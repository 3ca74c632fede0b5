#include "runtime/comm/adasum/AdasumState.h"

namespace boostrt {

using namespace adasum;

/// The owners' numbers of all levels go to the first member, which multiplies
/// the coefficients of a rank, of its block, of that one's block, and so on.
Status Adasum::State::report(AdasumReport &report) {
  constexpr size_t kFixed = 3;
  auto countOf = [&](uint32_t member) {
    size_t count = 0;
    for (const AdasumBlock &block : blocks)
      for (const LevelState &state : block.levels)
        count += state.level.owned[member % state.level.blockSize()].size() *
                 (kFixed + state.level.radix);
    return count;
  };
  std::vector<std::vector<double>> numbers(self == 0 ? members : 1);
  std::vector<double> &own = numbers[0];
  auto append = [&](const Combination &combination) {
    own.insert(own.end(), {combination.leafNorms, combination.resultNorm,
                           static_cast<double>(combination.vectors)});
    own.insert(own.end(), combination.leaves.begin(), combination.leaves.end());
  };
  for (const AdasumBlock &block : blocks)
    for (const LevelState &state : block.levels)
      for (size_t held = 0; held < state.combinations.size(); ++held)
        if (state.level.held[held].isOwned)
          append(state.combinations[held]);
  workspace->sends.clear();
  workspace->receives.clear();
  if (self != 0 && !own.empty()) {
    workspace->sends.push_back(
        {group->rankOf(0), std::as_bytes(std::span(own))});
    stats.scalarBytes += own.size() * sizeof(double);
  }
  for (uint32_t member = 1; self == 0 && member < members; ++member) {
    numbers[member].resize(countOf(member));
    if (!numbers[member].empty())
      workspace->receives.push_back(
          {group->rankOf(member),
           std::as_writable_bytes(std::span(numbers[member]))});
  }
  BOOSTRT_RETURN_IF_ERROR(
      group->transport().exchange(workspace->sends, workspace->receives));
  if (self != 0)
    return Status();

  report.vectors.assign(vectors, {});
  for (AdasumVectorReport &vector : report.vectors)
    vector.coefficients.assign(members, 1.0 / options.ranksPerMean);
  std::vector<double> leafNorms(vectors), resultNorms(vectors);
  for (uint32_t member = 0; member < members; ++member) {
    const double *number = numbers[member].data();
    auto read = [&](const Level &level, bool isLast) {
      uint32_t inBlock = member % level.blockSize(), base = member - inBlock;
      for (uint32_t index : level.owned[inBlock]) {
        AdasumVectorReport &vector = report.vectors[index];
        if (level.stride == options.ranksPerMean)
          leafNorms[index] += number[0];
        if (isLast)
          resultNorms[index] = number[1];
        vector.vectors += static_cast<uint32_t>(number[2]);
        number += kFixed;
        for (uint32_t i = 0; i < level.blockSize(); ++i)
          vector.coefficients[base + i] *= number[i / level.stride];
        number += level.radix;
      }
    };
    for (const AdasumBlock &block : blocks)
      for (const LevelState &state : block.levels)
        read(state.level, &state == &block.levels.back());
  }
  for (uint32_t index = 0; index < vectors; ++index)
    if (leafNorms[index] != 0)
      report.vectors[index].orthogonality =
          resultNorms[index] / leafNorms[index];
  return Status();
}

} // namespace boostrt
