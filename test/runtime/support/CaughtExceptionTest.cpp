#include "runtime/support/CaughtException.h"
#include "test/runtime/support/Child.h"
#include "test/runtime/support/LimitedMemory.h"
#include "test/runtime/support/TemporaryDirectory.h"

#include <gtest/gtest.h>

#include <fcntl.h>
#include <fstream>
#include <new>
#include <sstream>
#include <stdexcept>
#include <system_error>
#include <thread>

namespace boostrt {
namespace {

void throwIt(const std::system_error &error) { throw error; }

template <typename Exception> Status statusOf(const Exception &exception) {
  try {
    throw exception;
  } catch (...) {
    return caughtException();
  }
}

const std::system_error noThread{
    std::make_error_code(std::errc::resource_unavailable_try_again)};

TEST(CaughtException, LimitsOfTheMachineAreNoDefectOfOurs) {
  Status memory = statusOf(std::bad_alloc());
  EXPECT_EQ(memory.code(), ExitCode::Memory);
  EXPECT_EQ(memory.message(),
            "out of memory: the system gives this process no more; use a "
            "smaller batch_size, fewer ranks on this machine, or a machine or "
            "a limit (ulimit -v) with more memory");
  Status thread = statusOf(noThread);
  EXPECT_EQ(thread.code(), ExitCode::Usage);
  EXPECT_EQ(thread.message(),
            "cannot start a thread: Resource temporarily unavailable; the "
            "limit on processes and threads is reached: raise it (ulimit -u) "
            "or ask for fewer ranks or threads");
  {
    LimitedMemory little(100'000);
    Status stack = statusOf(noThread);
    EXPECT_EQ(stack.code(), ExitCode::Memory);
    EXPECT_EQ(stack.message(),
              "cannot start a thread: out of memory for a stack: raise the "
              "limit on memory (ulimit -v) or ask for fewer ranks or threads");
  }
  Status other = statusOf(std::out_of_range("index"));
  EXPECT_EQ(other.code(), ExitCode::Internal);
  EXPECT_EQ(other.message(), "unexpected: index; please report this");
  Status unknown = statusOf(42);
  EXPECT_EQ(unknown.code(), ExitCode::Internal);
  EXPECT_EQ(unknown.message(),
            "unexpected exception of an unknown type; please report this");
}

TEST(CaughtException, WhatABodyThrowsIsItsStatus) {
  EXPECT_EQ(*catching([]() -> Result<int> { return 42; }), 42);
  EXPECT_EQ(
      catching([]() -> Result<int> { throw std::bad_alloc(); }).status().code(),
      ExitCode::Memory);
}

TEST(CaughtException, MemoryThatAProcessNeedsToStartIsMemory) {
  Status status = cannotStart("rank 1", ENOMEM);
  EXPECT_EQ(status.code(), ExitCode::Memory);
  EXPECT_EQ(status.message(), "cannot start rank 1: Cannot allocate memory");
}

/// Exit code and standard error of a process in which `body` throws.
std::pair<int, std::string> endOf(const std::function<void()> &body) {
  TemporaryDirectory directory;
  std::string path = directory / "stderr";
  int code = exitCodeOf([&] {
    dup2(open(path.c_str(), O_WRONLY | O_CREAT, 0600), 2);
    reportUncaughtExceptions("program");
    body();
    return 0;
  });
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return {code, text.str()};
}

TEST(CaughtException, ThoseThatNoHandlerCatchesEndWithACode) {
  EXPECT_EQ(endOf([] { std::thread([] { throw std::bad_alloc(); }).join(); }),
            std::pair(8, std::string("program: error: out of memory\n")));
  auto [code, text] = endOf([]() noexcept { throwIt(noThread); });
  EXPECT_EQ(code, 2);
  EXPECT_NE(text.find("program: error: cannot start a thread: "),
            std::string::npos)
      << text;
  EXPECT_EQ(endOf([] { std::terminate(); }),
            std::pair(70, std::string("program: error: ended without a reason; "
                                      "please report this\n")));
}

} // namespace
} // namespace boostrt
