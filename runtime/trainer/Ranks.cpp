#include "runtime/trainer/Ranks.h"

#include "runtime/trainer/StopSignals.h"

#include <cstring>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace boostrt {

Ranks::Ranks(std::unique_ptr<Transport> transport,
             std::vector<uint32_t> serverOfRank, LogPolicy logPolicy)
    : transport_(std::move(transport)), all_(*transport_),
      serverOfRank_(std::move(serverOfRank)), logPolicy_(logPolicy) {}

std::string Ranks::layout() const {
  return fmt::format("{}", fmt::join(serverOfRank_, ","));
}

Status Ranks::sum(std::span<PreciseSum> values) {
  if (isAlone())
    return Status();
  size_t bytes = values.size_bytes();
  std::vector<std::byte> all(bytes * size());
  std::vector<size_t> ends(size());
  for (uint32_t rank = 0; rank < size(); ++rank)
    ends[rank] = (rank + 1) * bytes;
  std::memcpy(all.data() + rank() * bytes, values.data(), bytes);
  BOOSTRT_RETURN_IF_ERROR(allGather(*all_, all, ends, workspace_));
  for (PreciseSum &value : values)
    value = {};
  for (uint32_t rank = 0; rank < size(); ++rank)
    for (size_t i = 0; i < values.size(); ++i) {
      PreciseSum part;
      std::memcpy(&part, all.data() + rank * bytes + i * sizeof part,
                  sizeof part);
      values[i].sum += part.sum;
      values[i].count += part.count;
    }
  return Status();
}

Status Ranks::broadcast(std::span<std::byte> data) {
  return isAlone() || data.empty()
             ? Status()
             : boostrt::broadcast(*all_, 0, data, workspace_);
}

Status Ranks::broadcast(std::string &text) {
  uint64_t length = text.size();
  BOOSTRT_RETURN_IF_ERROR(
      broadcast(std::as_writable_bytes(std::span(&length, 1))));
  text.resize(length);
  return broadcast(std::as_writable_bytes(std::span(text)));
}

Status Ranks::barrier() {
  return isAlone() ? Status() : boostrt::barrier(*all_);
}

int64_t Ranks::stopRequest() { return StopSignals::received() != 0; }

bool Ranks::isStopped() const { return isAlone() ? stopRequest() : isStopped_; }

} // namespace boostrt
