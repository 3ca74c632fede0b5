// Signals.h - what the parent of this process has decided about signals.
#pragma once

#include <csignal>

namespace boostrt {

/// SIGHUP is ignored under nohup, for one; that stays so.
inline bool isIgnored(int signal) {
  struct sigaction action{};
  return sigaction(signal, nullptr, &action) == 0 &&
         action.sa_handler == SIG_IGN;
}

} // namespace boostrt
