#include "runtime/support/Streams.h"

#include "runtime/support/Descriptor.h"
#include "runtime/support/Signals.h"

#include <atomic>
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <iterator>
#include <new>
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
  if (isIgnored(number))
    return true;
  struct sigaction action{};
  action.sa_handler = ignoreSignal;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  sigaction(number, &action, nullptr);
  return false;
}

void remember(std::atomic<int> &first, IoError error) {
  int none = 0;
  if (!error.ok())
    first.compare_exchange_strong(none, error.number());
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
  if (notesError.load() != 0 && writeAll(STDERR_FILENO, kGap).ok())
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
    remember(notesError, IoError(ENOMEM));
  }
}

void writeFormattedResult(fmt::string_view format,
                          fmt::format_args args) noexcept {
  try {
    fmt::memory_buffer text;
    fmt::vformat_to(std::back_inserter(text), format, args);
    writeResult({text.data(), text.size()});
  } catch (const std::bad_alloc &) {
    remember(resultsError, IoError(ENOMEM));
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
