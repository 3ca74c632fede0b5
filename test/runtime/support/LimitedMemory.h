// LimitedMemory.h - lets the process take little more memory while it lives.
#pragma once

#include <cstdint>
#include <fstream>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

namespace boostrt {

/// The address space cannot grow by more than `bytes`. What the allocator has
/// kept is still given out, so what is to fail must be much larger.
class LimitedMemory {
public:
  explicit LimitedMemory(uint64_t bytes) {
    EXPECT_EQ(getrlimit(RLIMIT_AS, &old_), 0);
    uint64_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    rlimit limit = old_;
    limit.rlim_cur = pages * static_cast<uint64_t>(getpagesize()) + bytes;
    EXPECT_EQ(setrlimit(RLIMIT_AS, &limit), 0);
  }
  ~LimitedMemory() { EXPECT_EQ(setrlimit(RLIMIT_AS, &old_), 0); }
  LimitedMemory(const LimitedMemory &) = delete;
  LimitedMemory &operator=(const LimitedMemory &) = delete;

private:
  rlimit old_{};
};

} // namespace boostrt
