#include "sim/Fault.h"

#include <fmt/format.h>

namespace boostrt::sim {

const char *nameOf(FaultKind kind) {
  switch (kind) {
  case FaultKind::OutOfBounds:
    return "out-of-bounds access";
  case FaultKind::ReadOnly:
    return "write to a read-only argument";
  case FaultKind::Misaligned:
    return "misaligned access";
  case FaultKind::Uninitialised:
    return "uninitialised read";
  case FaultKind::BarrierDivergence:
    return "barrier divergence";
  case FaultKind::SharedRace:
    return "shared-memory race";
  case FaultKind::GlobalRace:
    return "global-memory race";
  case FaultKind::InactiveLane:
    return "inactive lane";
  case FaultKind::Trap:
    return "trap";
  case FaultKind::Budget:
    return "instruction budget spent";
  }
  return "fault";
}

std::string Fault::format() const {
  std::string out = fmt::format("sim: {} in kernel '{}'", nameOf(kind), kernel);
  if (!origin.layers.empty() || !origin.position.empty())
    out += fmt::format(" ({}{}{})", origin.layers,
                       origin.layers.empty() || origin.position.empty() ? ""
                                                                        : ", ",
                       origin.position);
  out += fmt::format("\n  PTX line {}: {}", line, text);
  if (!source.empty())
    out += fmt::format("\n  from {}", source);
  out += fmt::format("\n  block ({},{},{}), thread ({},{},{})", block.x,
                     block.y, block.z, thread.x, thread.y, thread.z);
  if (bytes)
    out += fmt::format(", {} bytes at 0x{:x}", bytes, address);
  out += "\n  " + detail;
  return out;
}

} // namespace boostrt::sim
