// RankProcess.h - one process that a launcher has started. Private to this
// room.
#pragma once

#include "runtime/launch/JobPlan.h"
#include "runtime/support/Descriptor.h"
#include "runtime/support/Status.h"

#include <string>
#include <sys/types.h>
#include <vector>

namespace boostrt {

/// The system refused a call: "cannot make a pipe: Too many open files".
Status refused(const std::string &what, IoError error);

/// What is to be started as a rank.
struct RankCommand {
  uint32_t rank = 0;
  std::string program;                ///< a path
  std::vector<std::string> arguments; ///< the program's name first
  Environment environment;            ///< added to this process's
  std::vector<int> cpus;              ///< to run on; empty: any
  /// Where its output goes: files, when they are named; else this process's own
  /// output, or with `isQuiet` nowhere but for lines of standard error, which
  /// get a prefix.
  std::string outFile, errFile;
  bool isQuiet = false;
  /// With `isQuiet`: these lines are kept for words(), and not passed on.
  bool keepsWords = false;
};

/// Alive from start() on; killed and reaped by the destructor. The kernel kills
/// it when this process dies, whatever that dies of.
class RankProcess {
public:
  RankProcess() = default;
  RankProcess(RankProcess &&other) noexcept { *this = std::move(other); }
  RankProcess &operator=(RankProcess &&other) noexcept;
  ~RankProcess();

  /// Fails with ExitCode::Usage or ExitCode::Memory at a limit of the system.
  /// SIGCHLD, SIGTERM,
  /// SIGINT and SIGHUP, which this process may have blocked, are not blocked
  /// there.
  Status start(const RankCommand &command);

  uint32_t rank() const { return rank_; }
  pid_t id() const { return id_; }
  bool isRunning() const { return isRunning_; }
  /// What waitpid() said, when it runs no more.
  int waitStatus() const { return waitStatus_; }
  const std::string &errFile() const { return errFile_; }
  /// The lines that were kept; all of them after finishPipe().
  const std::string &words() const { return words_; }

  /// Looks whether it has ended; true when it has just done so.
  bool reap();
  /// To be polled for its end, where the system has that; else -1.
  int end() const { return end_.get(); }
  void signal(int number) const;
  /// Whether it exists and does not run: SIGSTOP, or a terminal, holds it.
  bool isStopped() const;

  /// To be polled for lines of standard error; -1: none are to come.
  int pipe() const { return pipe_; }
  /// Passes on what has come, with a prefix, or keeps it.
  void passOn();
  /// Passes on the rest and closes the pipe.
  void finishPipe();

private:
  void take(std::string_view line);

  uint32_t rank_ = 0;
  pid_t id_ = -1;
  bool isRunning_ = false;
  int waitStatus_ = 0;
  int pipe_ = -1;
  Descriptor end_;
  std::string partialLine_, errFile_, words_;
  bool keepsWords_ = false;
};

} // namespace boostrt
