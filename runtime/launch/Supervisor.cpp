#include "runtime/launch/Supervisor.h"

#include "runtime/support/Signals.h"
#include "runtime/support/Streams.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <poll.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

namespace boostrt {
namespace {

/// From SIGTERM to SIGKILL.
constexpr std::chrono::duration<double> kLastWords{5};

/// SIGHUP is left alone where nohup has it ignored: one that is blocked would
/// be seen all the same.
sigset_t watchedSignals() {
  sigset_t set;
  sigemptyset(&set);
  for (int number : {SIGCHLD, SIGTERM, SIGINT})
    sigaddset(&set, number);
  if (!isIgnored(SIGHUP))
    sigaddset(&set, SIGHUP);
  return set;
}

std::string signalName(int number) {
  const char *name = sigabbrev_np(number);
  return name ? fmt::format("SIG{}", name) : fmt::format("signal {}", number);
}

bool endedWith(const RankProcess &rank, ExitCode code) {
  return WIFEXITED(rank.waitStatus()) &&
         WEXITSTATUS(rank.waitStatus()) == static_cast<int>(code);
}

std::string nameOf(const RankProcess &rank) {
  return fmt::format("rank {} (pid {})", rank.rank(), rank.id());
}

/// Where more is written about what `rank` did; empty when that is nowhere.
std::string lastWords(const RankProcess &rank) {
  std::string text;
  if (!rank.errFile().empty())
    text += fmt::format("; its last words are in {}", rank.errFile());
  if (!rank.words().empty())
    text += fmt::format(": {}", rank.words());
  return text;
}

/// "rank 2 (pid 4711) was killed by SIGKILL; see log/1/rank.2/stderr".
std::string describe(const RankProcess &rank) {
  int status = rank.waitStatus();
  std::string text = nameOf(rank) + " ";
  if (WIFSIGNALED(status))
    text +=
        fmt::format("was killed by {}{}", signalName(WTERMSIG(status)),
                    WTERMSIG(status) == SIGKILL
                        ? " (from outside, or by the system for want of memory)"
                        : "");
  else
    text += fmt::format("ended with exit code {}{}", WEXITSTATUS(status),
                        endedWith(rank, ExitCode::RankLost)
                            ? ", because it lost another rank, which it named"
                            : "");
  return text + lastWords(rank);
}

} // namespace

Supervisor::Supervisor(std::chrono::duration<double> grace, bool reports)
    : grace_(grace), reports_(reports) {
  sigset_t set = watchedSignals();
  sigprocmask(SIG_BLOCK, &set, nullptr);
  // Ignored, as some parents leave it, it would be reaped before we look.
  std::signal(SIGCHLD, SIG_DFL);
  signals_ = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

Supervisor::~Supervisor() {
  ranks_.clear(); // kills and reaps
  if (signals_ >= 0)
    close(signals_);
  sigset_t set = watchedSignals();
  sigprocmask(SIG_UNBLOCK, &set, nullptr);
}

Status Supervisor::start(const std::vector<RankCommand> &commands) {
  if (signals_ < 0)
    return Status(ExitCode::Internal, fmt::format("cannot watch signals: {}",
                                                  std::strerror(errno)));
  for (const RankCommand &command : commands) {
    Status status = ranks_.emplace_back().start(command);
    if (!status.ok()) {
      ranks_.clear();
      return status;
    }
  }
  wasForced_.assign(ranks_.size(), false);
  wasStopped_.assign(ranks_.size(), false);
  return Status();
}

bool Supervisor::anyRunning() const {
  return std::any_of(ranks_.begin(), ranks_.end(),
                     [](const RankProcess &rank) { return rank.isRunning(); });
}

JobEnd Supervisor::wait() {
  while (anyRunning()) {
    std::vector<pollfd> polled{{signals_, POLLIN, 0}};
    for (const RankProcess &rank : ranks_)
      for (int descriptor : {rank.pipe(), rank.end()})
        if (descriptor >= 0)
          polled.push_back({descriptor, POLLIN, 0});
    int timeout = -1;
    if (phase_ == Phase::Grace || phase_ == Phase::Asked) {
      auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline_ -
                                                               Clock::now());
      timeout = static_cast<int>(std::clamp<int64_t>(left.count(), 0, 1 << 20));
    }
    poll(polled.data(), polled.size(), timeout);
    for (RankProcess &rank : ranks_)
      rank.passOn();
    readSignals();
    reapAll();
    killStopped();
    escalate();
  }
  for (RankProcess &rank : ranks_)
    rank.finishPipe();
  return judge();
}

void Supervisor::readSignals() {
  signalfd_siginfo info;
  while (read(signals_, &info, sizeof info) == sizeof info)
    if (info.ssi_signo != SIGCHLD)
      forward(static_cast<int>(info.ssi_signo));
}

void Supervisor::forward(int number) {
  // A terminal that is lost sends several, by the kernel and by its shell.
  if (number == SIGHUP && forwardedCount_ > 0)
    return;
  forwarded_ = number;
  constexpr int kPatience = 3; // the first saves, the second ends at once
  int sent = ++forwardedCount_ < kPatience ? number : SIGKILL;
  for (const RankProcess &rank : ranks_)
    rank.signal(sent);
}

bool Supervisor::isLost(const RankProcess &rank) const {
  int status = rank.waitStatus();
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
    return false;
  // A rank that stops because its user said so is not lost.
  if (forwardedCount_ > 0)
    return !endedWith(rank, ExitCode::Signal) &&
           !(WIFSIGNALED(status) &&
             (WTERMSIG(status) == forwarded_ || WTERMSIG(status) == SIGKILL));
  return true;
}

void Supervisor::reapAll() {
  for (size_t i = 0; i < ranks_.size(); ++i) {
    if (!ranks_[i].reap())
      continue;
    ranks_[i].passOn();
    ended_.push_back(i);
    wasForced_[i] = phase_ == Phase::Asked || phase_ == Phase::Killed;
    if (phase_ == Phase::Running && isLost(ranks_[i])) {
      phase_ = Phase::Grace;
      deadline_ =
          Clock::now() + std::chrono::duration_cast<Clock::duration>(grace_);
    }
  }
}

void Supervisor::killStopped() {
  // It may be continued, but not by a rank that has ended as the user asked.
  if (phase_ == Phase::Running && (forwardedCount_ == 0 || ended_.empty()))
    return;
  for (size_t i = 0; i < ranks_.size(); ++i) {
    if (wasStopped_[i] || !ranks_[i].isStopped())
      continue;
    wasStopped_[i] = true;
    ranks_[i].signal(SIGKILL);
    if (reports_)
      printNote("boost-run: {} is stopped and can answer nothing; sent "
                "SIGKILL\n",
                nameOf(ranks_[i]));
  }
}

void Supervisor::escalate() {
  bool isDue = (phase_ == Phase::Grace || phase_ == Phase::Asked) &&
               Clock::now() >= deadline_ && anyRunning();
  if (!isDue)
    return;
  int number = phase_ == Phase::Grace ? SIGTERM : SIGKILL;
  std::string names;
  for (const RankProcess &rank : ranks_)
    if (rank.isRunning()) {
      names += fmt::format("{}{}", names.empty() ? "" : ", ", rank.rank());
      rank.signal(number);
    }
  if (reports_)
    printNote("boost-run: still running after a rank was lost: {}; sent {}\n",
              names, signalName(number));
  phase_ = phase_ == Phase::Grace ? Phase::Asked : Phase::Killed;
  deadline_ = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                 std::min(grace_, kLastWords));
}

/// The most telling end: of a rank that was killed, then of the first that
/// failed for a reason of its own, then of one that the others lost because it
/// was stopped or did not answer, then of one that lost another, then of one
/// that was asked to stop.
JobEnd Supervisor::judge() const {
  const RankProcess *killed = nullptr, *failed = nullptr, *halted = nullptr,
                    *mute = nullptr, *bereft = nullptr, *asked = nullptr;
  bool hasDiedAsTold = false;
  auto note = [](const RankProcess *&slot, const RankProcess &rank) {
    if (!slot)
      slot = &rank;
  };
  for (size_t i : ended_) {
    const RankProcess &rank = ranks_[i];
    int status = rank.waitStatus();
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
      continue;
    if (wasStopped_[i]) {
      note(halted, rank);
    } else if (WIFSIGNALED(status)) {
      if (forwardedCount_ > 0 && !isLost(rank))
        hasDiedAsTold = true;
      else
        note(wasForced_[i] ? mute : killed, rank);
    } else if (endedWith(rank, ExitCode::Signal)) {
      note(asked, rank);
    } else if (endedWith(rank, ExitCode::RankLost)) {
      note(bereft, rank);
    } else if (!wasForced_[i]) {
      note(failed, rank);
    }
  }
  auto lost = [](std::string message) {
    return JobEnd{Status(ExitCode::RankLost, std::move(message)), 0};
  };
  if (killed)
    return lost(describe(*killed));
  if (failed)
    return {Status(static_cast<ExitCode>(WEXITSTATUS(failed->waitStatus())),
                   describe(*failed)),
            0};
  // Others that ended as they were told did not lose it.
  if (halted && (bereft || (!hasDiedAsTold && !asked)))
    return lost(fmt::format("{} was stopped, by SIGSTOP or a terminal, and the "
                            "others lost it{}",
                            nameOf(*halted), lastWords(*halted)));
  if (hasDiedAsTold)
    return {Status(ExitCode::Signal,
                   fmt::format("{} ended the ranks{}", signalName(forwarded_),
                               forwardedCount_ > 1
                                   ? ", which had no time to save, because it "
                                     "came more than once"
                                   : "")),
            forwarded_};
  if (mute)
    return lost(fmt::format("{} did not end after the others had lost it{}",
                            nameOf(*mute), lastWords(*mute)));
  if (bereft)
    return lost(describe(*bereft));
  if (asked)
    return {Status(ExitCode::Signal,
                   forwarded_ != 0 ? fmt::format("the ranks were stopped by {}",
                                                 signalName(forwarded_))
                                   : describe(*asked)),
            0};
  return {};
}

} // namespace boostrt
