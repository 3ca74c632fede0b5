// Fixtures.h - the programs and the boost-run that the tests execute.
#pragma once

#include "runtime/trainer/Session.h"
#include "test/runtime/support/Files.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace boostrt {

/// "softmax" -> the path of that variant of SoftmaxProgram.c.
std::string fixture(const std::string &name);

/// What a process left.
struct Finished {
  int exitCode = -1; ///< -1: ended by a signal
  int signal = 0;
  std::string out, err;
  double cpuSeconds = 0; ///< of all threads, in user and kernel mode
};

/// boost-run in a process of its own; `environment` holds "NAME=value" to add
/// and "NAME" to remove.
class BoostRunProcess {
public:
  explicit BoostRunProcess(const std::vector<std::string> &arguments,
                           const std::vector<std::string> &environment = {});
  ~BoostRunProcess();

  int id() const { return process_; }
  /// Waits until standard output holds `text`; fails the test when the process
  /// ends without it.
  void waitForOutput(const std::string &text) const;
  Finished wait();

private:
  std::string directory_;
  int process_ = -1;
};

/// The processes that `process` has started and not reaped.
std::vector<int> childrenOf(int process);

Finished boostRunProcess(const std::vector<std::string> &arguments,
                         const std::vector<std::string> &environment = {});

/// A session on a fixture, with memory for training; fails the test otherwise.
std::unique_ptr<Session> openFixture(const std::string &name,
                                     const std::string &data = "");

/// A copy of an arena's bytes.
std::string bytesOf(const Session &session, BoostArenaKind kind,
                    uint32_t copy = 0);

} // namespace boostrt
