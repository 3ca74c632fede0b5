#include "runtime/predict/StepExchanges.h"

#include "runtime/comm/Collectives.h"
#include "runtime/program/ProgramCollectives.h"
#include "runtime/program/StepVariants.h"
#include "runtime/support/Clock.h"

#include <algorithm>

namespace boostrt {
namespace {

/// The collectives of the last function of a step that has any.
std::span<const BoostCollective> lastExchange(const BoostProgram &program) {
  std::span<const BoostCollective> last;
  for (uint32_t ending : endingsOf(usualVariant(program)))
    if (auto collectives = collectivesOf(program, ending); !collectives.empty())
      last = collectives;
  return last;
}

} // namespace

StepExchanges::StepExchanges(const BoostProgram &program, Transport &transport)
    : group_(transport), collectives_(lastExchange(program)),
      first_(collectives_.empty() ? 0 : collectives_.front().index),
      pattern_(*this), early_(pattern_, collectives_.size()) {
  shape_.ranks = group_.size();
  auto floats = [](const BoostCollective &collective) {
    return countOf(BOOSTC_F32, collective);
  };
  auto longest = std::ranges::max_element(collectives_, {}, floats);
  if (longest == collectives_.end())
    return;
  longest_ = longest->index;
  for (const BoostCollectiveOperand &operand : operandsOf(*longest))
    if (operand.dtype == BOOSTC_F32)
      shape_.partBytes.push_back(operand.elements * sizeof(float));
  workspace_.reserve(allReduceScratchBytes(group_.size(), floats(*longest)));
}

Status StepExchanges::run(uint32_t index, void *const *operands) {
  Clock::time_point begin = Clock::now();
  Status status = early_.run(index, operands);
  waited_ += secondsSince(begin);
  begin = Clock::now();
  if (isLast(index) && pattern_.pattern == Pattern::Sum)
    divideSum();
  overlapped_ += secondsSince(begin);
  return status;
}

Status StepExchanges::Patterns::run(uint32_t index, void *const *operands) {
  StepExchanges &all = exchanges_;
  if (index == all.longest_)
    listOperands(all.collectives_[index - all.first_], operands, all.floats_);
  return all.isLast(index) ? all.exchangePattern() : Status();
}

Status StepExchanges::exchangePattern() {
  switch (pattern_.pattern) {
  case Pattern::Short:
    return exchangeShort(1);
  case Pattern::Rounds:
    for (uint32_t round = 0; round < shape_.rounds; ++round)
      BOOSTRT_RETURN_IF_ERROR(exchangeShort(1));
    return Status();
  case Pattern::Messages:
    return exchangeShort(shape_.messages());
  case Pattern::Sum:
  case Pattern::Count:
    break;
  }
  return allReduceSum(group_, floats_, workspace_);
}

/// As many messages from each member to those after it.
Status StepExchanges::exchangeShort(uint32_t messages) {
  uint32_t size = group_.size(), self = group_.self();
  workspace_.sends.clear();
  workspace_.receives.clear();
  shorts_.resize(messages + 1);
  for (uint32_t i = 0; i < messages; ++i) {
    uint32_t distance = 1 + i % (size - 1);
    workspace_.sends.push_back(
        {group_.rankOf((self + distance) % size),
         std::as_bytes(std::span(&shorts_[messages], 1))});
    workspace_.receives.push_back(
        {group_.rankOf((self + size - distance) % size),
         std::as_writable_bytes(std::span(&shorts_[i], 1))});
  }
  return group_.transport().exchange(workspace_.sends, workspace_.receives);
}

/// So that the program trains as one rank does, and no value grows.
void StepExchanges::divideSum() {
  float part = 1.0f / static_cast<float>(group_.size());
  for (std::span<float> floats : floats_)
    for (float &value : floats)
      value *= part;
}

} // namespace boostrt
