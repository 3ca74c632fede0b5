#include "runtime/comm/control/Token.h"

#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <sys/random.h>

namespace boostrt::control {

Result<std::string> drawToken() {
  uint8_t bytes[16];
  if (getrandom(bytes, sizeof bytes, 0) != sizeof bytes)
    return Status(
        ExitCode::Internal,
        fmt::format("cannot draw a random token: {}", std::strerror(errno)));
  std::string token;
  for (uint8_t byte : bytes)
    token += fmt::format("{:02x}", byte);
  return token;
}

} // namespace boostrt::control
