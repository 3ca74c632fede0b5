#include "runtime/support/Terminal.h"

#include <cstdlib>
#include <cstring>
#include <sys/ioctl.h>
#include <unistd.h>

namespace boostrt {

bool isCapableTerminal(int descriptor) {
  const char *type = std::getenv("TERM");
  return isatty(descriptor) && type && *type && std::strcmp(type, "dumb") != 0;
}

size_t terminalColumns(int descriptor) {
  winsize size{};
  // Serial lines and some containers say 0: they do not know.
  if (ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
    return size.ws_col;
  constexpr long kUsual = 80, kMax = 10'000;
  const char *columns = std::getenv("COLUMNS");
  long said = columns ? std::strtol(columns, nullptr, /*base=*/10) : 0;
  return static_cast<size_t>(said > 0 && said < kMax ? said : kUsual);
}

} // namespace boostrt
