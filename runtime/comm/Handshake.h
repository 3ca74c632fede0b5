// Handshake.h - do all ranks do the same thing? Asked before the first step:
// later, a difference would be a wrong number or a wait without end.
#pragma once

#include "runtime/comm/Transport.h"

#include <string>
#include <vector>

namespace boostrt {

/// Something that all ranks must have the same.
struct Fact {
  std::string name;  ///< "program"; for the message
  std::string value; ///< printable, and short: a hash of what is long
};

/// Compares all ranks' facts with rank 0's. All ranks fail alike, and the
/// message names the first rank that differs, what in, and both values.
Status agree(Transport &transport, const std::vector<Fact> &facts);

} // namespace boostrt
