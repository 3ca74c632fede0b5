#include "runtime/trainer/StopSignals.h"

#include <atomic>
#include <csignal>

namespace boostrt {
namespace {
std::atomic<int> receivedSignal{0};
static_assert(std::atomic<int>::is_always_lock_free,
              "only lock-free atomics may be touched in a signal handler");

extern "C" void noteSignal(int signal) {
  receivedSignal.store(signal, std::memory_order_relaxed);
  // The next one, of either kind, is not for us.
  std::signal(SIGTERM, SIG_DFL);
  std::signal(SIGINT, SIG_DFL);
}

void setHandlers(void (*handler)(int)) {
  struct sigaction action{};
  action.sa_handler = handler;
  // Reads and writes of files go on as if nothing had happened.
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  sigaction(SIGTERM, &action, nullptr);
  sigaction(SIGINT, &action, nullptr);
}
} // namespace

StopSignals::StopSignals() {
  receivedSignal = 0;
  setHandlers(noteSignal);
}

StopSignals::~StopSignals() {
  setHandlers(SIG_DFL);
  receivedSignal = 0;
}

int StopSignals::received() {
  return receivedSignal.load(std::memory_order_relaxed);
}

const char *StopSignals::cause() {
  switch (received()) {
  case 0:
    return "a signal to another rank";
  case SIGTERM:
    return "SIGTERM";
  default:
    return "SIGINT";
  }
}

} // namespace boostrt
