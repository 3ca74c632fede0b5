#include "runtime/comm/adasum/AdasumState.h"

namespace boostrt {

using namespace adasum;

namespace {
/// What is said of a vector next to its coefficients.
constexpr size_t kFixed = 3;
} // namespace

// In a level, each block of members has one owner of every vector.
size_t Adasum::State::reportBytes() const {
  size_t count = 0;
  for (const AdasumBlock &block : blocks)
    for (const LevelState &state : block.levels)
      if (!state.level.isMean)
        count += members / state.level.blockSize() * state.level.maxVectors *
                 (kFixed + state.level.radix);
  return count * sizeof(double);
}

/// The owners' numbers of all levels go to the first member, which multiplies
/// the coefficients of a rank, of its block, of that one's block, and so on.
Status Adasum::State::report(AdasumReport &report) {
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
  auto *place = reinterpret_cast<double *>(scratch_);
  auto message = [&](size_t count, bool isWritten) {
    return memory->message(place, count * sizeof(double), isWritten);
  };
  clear();
  if (self != 0 && !own.empty()) {
    size_t bytes = own.size() * sizeof(double);
    BOOSTRT_RETURN_IF_ERROR(memory->put(place, own.data(), bytes));
    workspace->sends.push_back(
        {group->rankOf(0), message(own.size(), /*isWritten=*/false)});
    stats.scalarBytes += bytes;
  }
  for (uint32_t member = 1; self == 0 && member < members; ++member) {
    size_t count = countOf(member);
    numbers[member].resize(count);
    if (!count)
      continue;
    workspace->receives.push_back(
        {group->rankOf(member), message(count, /*isWritten=*/true)});
    place += count;
  }
  BOOSTRT_RETURN_IF_ERROR(
      group->transport().exchange(workspace->sends, workspace->receives));
  place = reinterpret_cast<double *>(scratch_);
  for (uint32_t member = 1; self == 0 && member < members; ++member) {
    std::vector<double> &from = numbers[member];
    if (!from.empty())
      BOOSTRT_RETURN_IF_ERROR(
          memory->get(from.data(), place, from.size() * sizeof(double)));
    place += from.size();
  }
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
