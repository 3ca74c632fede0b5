// PortHolder.h - which process listens at a port of this machine.
#pragma once

#include <cstdint>
#include <string>

namespace boostrt::control {

/// "process 4711 (python3)", or empty where the system does not tell: only root
/// is told about the processes of other users.
std::string portHolder(uint16_t port);

} // namespace boostrt::control
