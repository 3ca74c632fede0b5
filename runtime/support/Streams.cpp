#include "runtime/support/Streams.h"

#include "runtime/support/IoError.h"

#include <atomic>
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <iterator>
#include <new>
#include <poll.h>
#include <unistd.h>

namespace boostrt {
namespace {

/// The first errno of each stream; 0: all went well.
std::atomic<int> resultsError{0}, notesError{0};
bool isPipeIgnored = false;

extern "C" void ignoreSignal(int) {}

/// By a handler and not by SIG_IGN, which programs that we start would inherit.
/// True when the parent has ignored it, which stays so.
bool makeErrorOf(int number) {
  struct sigaction action {};
  if (sigaction(number, nullptr, &action) == 0 && action.sa_handler == SIG_IGN)
    return true;
  action = {};
  action.sa_handler = ignoreSignal;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  sigaction(number, &action, nullptr);
  return false;
}

/// An errno; 0: all was written.
int writeAll(int descriptor, std::string_view text) {
  while (!text.empty()) {
    ssize_t count = write(descriptor, text.data(), text.size());
    if (count >= 0) {
      text.remove_prefix(static_cast<size_t>(count));
      continue;
    }
    if (errno == EAGAIN) { // another process has made it non-blocking
      pollfd wait{descriptor, POLLOUT, 0};
      poll(&wait, 1, -1);
    } else if (errno != EINTR) {
      return errno;
    }
  }
  return 0;
}

void remember(std::atomic<int> &first, int error) {
  int none = 0;
  if (error != 0)
    first.compare_exchange_strong(none, error);
}

} // namespace

void prepareStreams() {
  for (int number : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (fcntl(number, F_GETFD) < 0 && errno == EBADF)
      // The lowest free number is taken. The wrong way round, so that a write
      // is still an error.
      (void)open("/dev/null", number == STDIN_FILENO ? O_WRONLY : O_RDONLY);
  isPipeIgnored = makeErrorOf(SIGPIPE);
  makeErrorOf(SIGXFSZ);
}

void writeNote(std::string_view text) noexcept {
  constexpr std::string_view kGap = "\n(lines were lost here)\n";
  // The gap is said where the stream takes text again: a disk has room again.
  if (notesError.load() != 0 && writeAll(STDERR_FILENO, kGap) == 0)
    notesError = 0;
  if (notesError.load() == 0)
    remember(notesError, writeAll(STDERR_FILENO, text));
}

void writeResult(std::string_view text) noexcept {
  remember(resultsError, writeAll(STDOUT_FILENO, text));
}

void writeFormattedNote(fmt::string_view format,
                        fmt::format_args args) noexcept {
  try {
    fmt::memory_buffer text;
    fmt::vformat_to(std::back_inserter(text), format, args);
    writeNote({text.data(), text.size()});
  } catch (const std::bad_alloc &) {
    remember(notesError, ENOMEM);
  }
}

void writeFormattedResult(fmt::string_view format,
                          fmt::format_args args) noexcept {
  try {
    fmt::memory_buffer text;
    fmt::vformat_to(std::back_inserter(text), format, args);
    writeResult({text.data(), text.size()});
  } catch (const std::bad_alloc &) {
    remember(resultsError, ENOMEM);
  }
}

Status resultsStatus() {
  int error = resultsError.load();
  if (error == 0)
    return Status();
  return Status(ExitCode::Usage,
                "cannot write to standard output: " +
                    (error == EBADF ? "it is closed; to do without results, "
                                      "send them to /dev/null"
                                    : IoError(error).advice()));
}

void endWithReader() {
  if (resultsError.load() != EPIPE || isPipeIgnored)
    return;
  std::signal(SIGPIPE, SIG_DFL);
  std::raise(SIGPIPE);
}

} // namespace boostrt
