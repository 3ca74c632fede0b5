// Child.h - a piece of a test in a process of its own, which may change its
// streams, signals and limits, or die.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <sys/wait.h>
#include <unistd.h>

namespace boostrt {

/// What waitpid() says of a child that ends with the value of `body`.
inline int runChild(const std::function<int()> &body) {
  pid_t child = fork();
  if (child == 0)
    _exit(body());
  int status = -1;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  return status;
}

/// The same of one that ends by itself.
inline int exitCodeOf(const std::function<int()> &body) {
  int status = runChild(body);
  EXPECT_TRUE(WIFEXITED(status)) << "signal " << WTERMSIG(status);
  return WEXITSTATUS(status);
}

} // namespace boostrt
