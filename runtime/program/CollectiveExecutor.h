// CollectiveExecutor.h - carries out a collective of a program that is neither
// a sum for all nor Adasum: reduce_scatter and what moves values alone.
#pragma once

#include "runtime/abi/boost_abi.h"
#include "runtime/comm/Collectives.h"

#include <vector>

namespace boostrt {

class CollectiveExecutor {
public:
  /// `collective` outlives the object.
  explicit CollectiveExecutor(const BoostCollective &collective)
      : collective_(collective) {}

  /// `operands` are addresses in `memory`, which `group` can exchange. Fails as
  /// exchange() does.
  Status run(Group &group, void *const *operands, Workspace &workspace,
             VectorMemory &memory);

private:
  /// The operands of one type.
  template <typename T> struct Typed {
    std::vector<std::span<T>> spans;
    ShardedVector<T> sliced;
  };
  template <typename T>
  Status run(Typed<T> &typed, Group &group, void *const *operands,
             Workspace &workspace, VectorMemory &memory);

  const BoostCollective &collective_;
  Typed<float> floats_;
  Typed<int64_t> integers_;
};

} // namespace boostrt
