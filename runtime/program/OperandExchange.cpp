#include "runtime/program/OperandExchange.h"

#include "runtime/program/ProgramCollectives.h"

#include <algorithm>

namespace boostrt {

OperandExchange::OperandExchange(const BoostCollective &collective,
                                 uint32_t members)
    : collective_(collective) {
  size_t floats = 0, integers = 0;
  for (const BoostCollectiveOperand &operand : operandsOf(collective)) {
    // As many as all would have with the longest slice.
    size_t elements = slicesOf(collective.kind)
                          ? (operand.elements + members - 1) / members * members
                          : operand.elements;
    (operand.dtype == BOOST_F32 ? floats : integers) += elements;
  }
  // An integer takes the room of two.
  scratchElements_ = std::max(floats, 2 * integers);
}

Status OperandExchange::run(Group &group, void *const *operands,
                            Workspace &workspace, VectorMemory &memory) {
  std::span<const BoostCollectiveOperand> table = operandsOf(collective_);
  floats_.spans.clear();
  integers_.spans.clear();
  for (size_t i = 0; i < table.size(); ++i)
    if (table[i].dtype == BOOST_F32)
      floats_.spans.emplace_back(static_cast<float *>(operands[i]),
                                 table[i].elements);
    else
      integers_.spans.emplace_back(static_cast<int64_t *>(operands[i]),
                                   table[i].elements);
  BOOSTRT_RETURN_IF_ERROR(run(floats_, group, workspace, memory));
  return run(integers_, group, workspace, memory);
}

template <typename T>
Status OperandExchange::run(Typed<T> &typed, Group &group, Workspace &workspace,
                            VectorMemory &memory) {
  uint32_t peer = wrapMember(collective_.peer, group.size());
  if (std::optional<Slices> slices = slicesOf(collective_.kind))
    typed.sliced.divide(typed.spans, group.size(), *slices);
  std::span<const std::span<T>> spans = typed.spans;
  switch (static_cast<BoostCollectiveKind>(collective_.kind)) {
  case BOOST_COLLECTIVE_REDUCE_SCATTER:
    return reduceScatterSum(group, typed.sliced, workspace, memory);
  case BOOST_COLLECTIVE_ALL_GATHER:
    return allGather(group, typed.sliced, workspace, memory);
  case BOOST_COLLECTIVE_ALL_TO_ALL:
    return allToAll(group, typed.sliced, workspace, memory);
  case BOOST_COLLECTIVE_BROADCAST:
    return broadcast(group, peer, spans, workspace, memory);
  case BOOST_COLLECTIVE_SEND_RECV:
    return shift(group, peer, spans, workspace, memory);
  case BOOST_COLLECTIVE_ALL_REDUCE:
  case BOOST_COLLECTIVE_ADASUM:
  case BOOST_COLLECTIVE_COUNT:
    break;
  }
  return Status(ExitCode::Internal,
                "a collective that has a way of its own; please report this");
}

} // namespace boostrt
