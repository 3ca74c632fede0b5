#include "runtime/program/CollectiveExecutor.h"

#include "runtime/program/ProgramCollectives.h"

namespace boostrt {

Status CollectiveExecutor::run(Group &group, void *const *operands,
                               Workspace &workspace, VectorMemory &memory) {
  BOOSTRT_RETURN_IF_ERROR(run(floats_, group, operands, workspace, memory));
  return run(integers_, group, operands, workspace, memory);
}

template <typename T>
Status CollectiveExecutor::run(Typed<T> &typed, Group &group,
                               void *const *operands, Workspace &workspace,
                               VectorMemory &memory) {
  if (hasSlices(collective_.kind))
    listSlices(collective_, operands, group.size(), typed.sliced);
  else
    listOperands(collective_, operands, typed.spans);
  std::span<const std::span<T>> spans = typed.spans;
  switch (static_cast<BoostCollectiveKind>(collective_.kind)) {
  case BOOSTC_COLLECTIVE_REDUCE_SCATTER:
    return reduceScatterSum(group, typed.sliced, workspace, memory);
  case BOOSTC_COLLECTIVE_ALL_GATHER:
    return allGather(group, typed.sliced, workspace, memory);
  case BOOSTC_COLLECTIVE_OWN_SLICE:
    return keepOwnSlice(group, typed.sliced, memory);
  case BOOSTC_COLLECTIVE_BROADCAST:
    return broadcast(group, rootOf(collective_, group.size()), spans, workspace,
                     memory);
  case BOOSTC_COLLECTIVE_ALL_REDUCE:
  case BOOSTC_COLLECTIVE_ADASUM:
  case BOOSTC_COLLECTIVE_COUNT:
    break;
  }
  return Status(ExitCode::Internal,
                "a collective that has a way of its own; please report this");
}

} // namespace boostrt
