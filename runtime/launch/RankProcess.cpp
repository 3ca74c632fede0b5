#include "runtime/launch/RankProcess.h"

#include "runtime/launch/Variables.h"
#include "runtime/support/CaughtException.h"
#include "runtime/support/Descriptor.h"
#include "runtime/support/File.h"
#include "runtime/support/Streams.h"
#include "runtime/support/Terminal.h"

#include <fmt/format.h>

#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <fstream>
#include <iterator>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

namespace boostrt {

Status refused(const std::string &what, IoError error) {
  return Status(error.limitCode(),
                fmt::format("cannot {}: {}", what,
                            error.isLimit() ? error.advice() : error.text()));
}

namespace {

constexpr size_t kLongestLine = 64 << 10;

std::vector<std::string> environmentWith(const Environment &added) {
  Environment both = added;
  both.merge(currentEnvironment()); // what is there already stays
  std::vector<std::string> all;
  for (const auto &[name, value] : both)
    all.push_back(name + "=" + value);
  return all;
}

std::vector<char *> pointers(std::vector<std::string> &texts) {
  std::vector<char *> result;
  for (std::string &text : texts)
    result.push_back(text.data());
  result.push_back(nullptr);
  return result;
}

/// All that the child needs; between fork() and exec() nothing may allocate.
struct Prepared {
  const char *program;
  char *const *arguments;
  char *const *environment;
  int in, out, err; ///< -1: this process's own
  const cpu_set_t *cpus;
  pid_t parent;
  int failure; ///< errno goes here when exec fails
};

[[noreturn]] void becomeRank(const Prepared &prepared) {
  // Without the launcher no process would watch: the kernel ends what it
  // leaves.
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != prepared.parent)
    _exit(127); // it has died in between
  // Signals of a terminal come once, by way of the launcher; in return writing
  // to the terminal must not stop a process of another group.
  setpgid(0, 0);
  std::signal(SIGTTOU, SIG_IGN);
  // What is forwarded must act, also where a shell that runs jobs in the
  // background has left the launcher deaf to SIGINT.
  // SIGHUP stays ignored under nohup.
  std::signal(SIGTERM, SIG_DFL);
  std::signal(SIGINT, SIG_DFL);
  for (auto [from, to] :
       {std::pair{prepared.in, 0}, {prepared.out, 1}, {prepared.err, 2}})
    if (from >= 0)
      dup2(from, to);
  if (prepared.cpus)
    sched_setaffinity(0, sizeof *prepared.cpus, prepared.cpus);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  execve(prepared.program, prepared.arguments, prepared.environment);
  int error = errno;
  [[maybe_unused]] ssize_t written =
      write(prepared.failure, &error, sizeof error);
  _exit(127);
}

} // namespace

RankProcess &RankProcess::operator=(RankProcess &&other) noexcept {
  std::swap(rank_, other.rank_);
  std::swap(id_, other.id_);
  std::swap(isRunning_, other.isRunning_);
  std::swap(waitStatus_, other.waitStatus_);
  std::swap(pipe_, other.pipe_);
  partialLine_.swap(other.partialLine_);
  errFile_.swap(other.errFile_);
  words_.swap(other.words_);
  std::swap(keepsWords_, other.keepsWords_);
  std::swap(end_, other.end_);
  return *this;
}

RankProcess::~RankProcess() {
  if (isRunning_) {
    signal(SIGKILL);
    waitpid(id_, &waitStatus_, 0);
  }
  if (pipe_ >= 0)
    close(pipe_);
}

Status RankProcess::start(const RankCommand &command) {
  rank_ = command.rank;
  errFile_ = command.errFile;
  keepsWords_ = command.keepsWords;
  Descriptor in(open("/dev/null", O_RDONLY | O_CLOEXEC)), out, err, lines;
  if (in.get() < 0)
    return refused("open /dev/null", IoError(errno));
  for (auto [path, descriptor] :
       {std::pair{&command.outFile, &out}, {&command.errFile, &err}}) {
    if (path->empty())
      continue;
    // A named pipe without a reader is an error, not something to wait for.
    *descriptor = Descriptor(
        open(path->c_str(),
             O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NONBLOCK, 0666));
    if (!descriptor->isOpen())
      return ioStatus(IoError(errno), ExitCode::Usage, "write", *path);
    fcntl(descriptor->get(), F_SETFL, 0);
  }
  if (command.isQuiet && command.errFile.empty()) {
    if (!out.isOpen())
      out = Descriptor(open("/dev/null", O_WRONLY | O_CLOEXEC));
    int ends[2];
    if (out.get() < 0 || pipe2(ends, O_CLOEXEC) != 0)
      return refused("make a pipe", IoError(errno));
    lines = Descriptor(ends[0]);
    err = Descriptor(ends[1]);
    fcntl(lines.get(), F_SETFL, O_NONBLOCK);
  }
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0)
    return refused("make a pipe", IoError(errno));
  Descriptor failureIn(ends[0]), failureOut(ends[1]);

  std::vector<std::string> arguments = command.arguments,
                           environment = environmentWith(command.environment);
  std::vector<char *> argv = pointers(arguments), envp = pointers(environment);
  cpu_set_t cpus;
  CPU_ZERO(&cpus);
  for (int cpu : command.cpus)
    CPU_SET(cpu, &cpus);
  Prepared prepared{command.program.c_str(),
                    argv.data(),
                    envp.data(),
                    in.get(),
                    out.get(),
                    err.get(),
                    command.cpus.empty() ? nullptr : &cpus,
                    getpid(),
                    failureOut.get()};
  id_ = fork();
  if (id_ < 0)
    return cannotStart(fmt::format("rank {}", rank_), errno);
  if (id_ == 0)
    becomeRank(prepared);
  isRunning_ = true;
  // SIGCHLD may go to another thread of this process.
  end_ = Descriptor(static_cast<int>(syscall(SYS_pidfd_open, id_, 0)));
  pipe_ = lines.release();
  failureOut = Descriptor();
  int error = 0;
  ssize_t count;
  while ((count = read(failureIn.get(), &error, sizeof error)) < 0 &&
         errno == EINTR)
    ;
  if (count != sizeof error)
    return Status(); // exec has closed the pipe
  return refused(fmt::format("start '{}' as rank {}", command.program, rank_),
                 IoError(error));
}

bool RankProcess::reap() {
  if (!isRunning_ || waitpid(id_, &waitStatus_, WNOHANG) != id_)
    return false;
  isRunning_ = false;
  end_ = Descriptor();
  return true;
}

void RankProcess::signal(int number) const {
  // A process that has ended keeps its number until it is reaped.
  if (isRunning_)
    kill(id_, number);
}

bool RankProcess::isStopped() const {
  if (!isRunning_)
    return false;
  // "4711 (name) T ...", where the name may hold anything.
  std::ifstream file(fmt::format("/proc/{}/stat", id_));
  std::string text((std::istreambuf_iterator<char>(file)), {});
  size_t end = text.rfind(") ");
  return end != std::string::npos && text[end + 2] == 'T';
}

void RankProcess::take(std::string_view line) {
  if (keepsWords_) {
    if (words_.size() < kLongestLine)
      words_.append(words_.empty() ? "" : "; ").append(line);
    return;
  }
  // In one piece, so that lines of ranks do not mix. Rank 0 may have drawn a
  // bar on the same terminal, which the line replaces.
  printNote("{}[rank {}] {}\n",
            isCapableTerminal(STDERR_FILENO) ? kEraseLine : "", rank_, line);
}

void RankProcess::passOn() {
  char buffer[4096];
  while (pipe_ >= 0) {
    ssize_t count = read(pipe_, buffer, sizeof buffer);
    if (count < 0 && errno == EINTR)
      continue;
    if (count < 0 && errno == EAGAIN)
      return;
    if (count <= 0) {
      close(pipe_);
      pipe_ = -1;
      break;
    }
    partialLine_.append(buffer, static_cast<size_t>(count));
    size_t begin = 0;
    for (size_t end;
         (end = partialLine_.find('\n', begin)) != std::string::npos;
         begin = end + 1)
      take(std::string_view(partialLine_).substr(begin, end - begin));
    partialLine_.erase(0, begin);
    if (partialLine_.size() > kLongestLine) {
      take(partialLine_);
      partialLine_.clear();
    }
  }
  if (!partialLine_.empty())
    take(partialLine_);
  partialLine_.clear();
}

void RankProcess::finishPipe() {
  passOn();
  if (pipe_ < 0)
    return;
  // Another process still holds the other end; the rank itself has ended.
  close(pipe_);
  pipe_ = -1;
  if (!partialLine_.empty())
    take(partialLine_);
  partialLine_.clear();
}

} // namespace boostrt
