// NoThreads.h - lets the process start no thread while it lives.
#pragma once

#include "test/runtime/support/LimitedMemory.h"

#include <gtest/gtest.h>
#include <pthread.h>

namespace boostrt {

/// Stacks are larger than those of ended threads, which the C library keeps,
/// and than the memory that is left. Not under sanitizers, which take address
/// space of their own.
class NoThreads {
public:
  NoThreads() {
    pthread_attr_t large;
    EXPECT_EQ(pthread_attr_init(&large), 0);
    EXPECT_EQ(pthread_attr_setstacksize(&large, 64 << 20), 0);
    EXPECT_EQ(pthread_setattr_default_np(&large), 0);
  }
  ~NoThreads() { EXPECT_EQ(pthread_setattr_default_np(&usual_), 0); }
  NoThreads(const NoThreads &) = delete;
  NoThreads &operator=(const NoThreads &) = delete;

private:
  static pthread_attr_t usual() {
    pthread_attr_t attributes;
    EXPECT_EQ(pthread_getattr_default_np(&attributes), 0);
    return attributes;
  }

  const pthread_attr_t usual_ = usual();
  const LimitedMemory limit_{64 << 10};
};

} // namespace boostrt
