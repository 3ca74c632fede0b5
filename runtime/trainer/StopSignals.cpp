#include "runtime/trainer/StopSignals.h"

#include "runtime/support/Signals.h"
#include "runtime/support/Status.h"

#include <atomic>
#include <csignal>
#include <cstddef>
#include <string_view>
#include <unistd.h>

namespace boostrt {
namespace {
std::atomic<int> receivedSignal{0};
static_assert(std::atomic<int>::is_always_lock_free,
              "only lock-free atomics may be touched in a signal handler");

extern "C" void noteSignal(int signal) {
  int none = 0;
  receivedSignal.compare_exchange_strong(none, signal);
  // The next one of these is not for us.
  std::signal(SIGTERM, SIG_DFL);
  std::signal(SIGINT, SIG_DFL);
}

std::atomic<bool> speaksBeforeTraining{false};

/// Calls only what a signal handler may call.
extern "C" void endBeforeTraining(int signal) {
  constexpr std::string_view kBegin = "boost-run: error: stopped by ",
                             kEnd = " before the first step; nothing was "
                                    "begun\n";
  std::string_view name = signal == SIGTERM  ? "SIGTERM"
                          : signal == SIGHUP ? "SIGHUP"
                                             : "SIGINT";
  if (speaksBeforeTraining)
    for (std::string_view text : {kBegin, name, kEnd}) [[maybe_unused]]
      ssize_t written = write(STDERR_FILENO, text.data(), text.size());
  _exit(static_cast<int>(ExitCode::Signal));
}

/// Gives handlers a stack of their own in this thread, and the thread that the
/// process began with is the one that Linux interrupts. Matmuls that oneDNN
/// generates for AVX2 point the stack pointer into a buffer on the heap: the
/// frame of a handler would be written over what lies before it.
void setSignalStack() {
  alignas(64) static thread_local std::byte stack[size_t{64} << 10];
  stack_t chosen{};
  chosen.ss_sp = stack;
  chosen.ss_size = sizeof stack;
  sigaltstack(&chosen, nullptr);
}

void handle(int number, void (*handler)(int)) {
  struct sigaction action{};
  action.sa_handler = handler;
  // Reads and writes of files go on as if nothing had happened.
  action.sa_flags = SA_RESTART | SA_ONSTACK;
  sigemptyset(&action.sa_mask);
  sigaction(number, &action, nullptr);
}

void setHandlers(void (*handler)(int)) {
  setSignalStack();
  handle(SIGTERM, handler);
  handle(SIGINT, handler);
  if (!isIgnored(SIGHUP))
    handle(SIGHUP, handler);
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

SignalsBeforeTraining::SignalsBeforeTraining(bool speaks) {
  speaksBeforeTraining = speaks;
  setHandlers(endBeforeTraining);
}

SignalsBeforeTraining::~SignalsBeforeTraining() { setHandlers(SIG_DFL); }

int StopSignals::received() {
  return receivedSignal.load(std::memory_order_relaxed);
}

const char *StopSignals::cause() {
  switch (received()) {
  case 0:
    return "a signal to another rank";
  case SIGTERM:
    return "SIGTERM";
  case SIGHUP:
    return "SIGHUP";
  default:
    return "SIGINT";
  }
}

} // namespace boostrt
