// LoopbackMessages.h - what a rank sends to itself in a call of exchange().
#pragma once

#include "runtime/comm/Transport.h"

#include <fmt/format.h>

namespace boostrt {

/// copy(to, from) for each message of `rank` to itself, in their order. Returns
/// what does not fit, for Transport::abort(); empty where all do.
template <typename Copy>
std::string
matchLoopbackMessages(uint32_t rank, std::span<const Outgoing> sends,
                      std::span<const Incoming> receives, Copy &&copy) {
  size_t next = 0;
  for (const Incoming &receive : receives) {
    if (receive.from != rank)
      continue;
    while (next < sends.size() && sends[next].to != rank)
      ++next;
    size_t found = next < sends.size() ? sends[next].data.size() : 0;
    if (next == sends.size() || found != receive.data.size())
      return fmt::format("it expected {} bytes of itself and sent {}",
                         receive.data.size(), found);
    copy(receive.data, sends[next].data);
    ++next;
  }
  return {};
}

} // namespace boostrt
