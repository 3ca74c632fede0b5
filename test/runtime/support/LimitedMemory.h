// LimitedMemory.h - lets the process take little more memory while it lives.
#pragma once

#include <cstdint>
#include <fstream>
#include <gtest/gtest.h>
#include <malloc.h>
#include <sys/resource.h>
#include <unistd.h>

namespace boostrt {

/// What tests before have freed must not serve an allocation that is to fail:
/// large blocks are mapped one by one and unmapped when they are freed, and no
/// thread leaves an arena, which has address space in reserve.
inline const bool kKeepsNoLargeBlocks =
    mallopt(M_MMAP_THRESHOLD, 1 << 17) == 1 && mallopt(M_ARENA_MAX, 1) == 1;

/// The address space cannot grow by more than `bytes`. Small free blocks are
/// still given out, so what is to fail must be much larger.
class LimitedMemory {
public:
  explicit LimitedMemory(uint64_t bytes) {
    EXPECT_TRUE(kKeepsNoLargeBlocks);
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
