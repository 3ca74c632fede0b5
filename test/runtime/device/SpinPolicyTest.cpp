#include "runtime/device/cpu/SpinPolicy.h"

#include <gtest/gtest.h>

using namespace boostrt;
using namespace std::chrono_literals;

namespace {

/// Reports loops on a clock of its own.
class Loops {
public:
  /// So many loops whose caller computes for `own` and waits for `wait`, one
  /// every `period`.
  void run(int count, std::chrono::nanoseconds own,
           std::chrono::nanoseconds wait, std::chrono::nanoseconds period) {
    for (int i = 0; i < count; ++i, now_ += period)
      policy_.report(now_, now_ + own, now_ + own + wait);
  }
  const SpinPolicy &policy() const { return policy_; }

private:
  SpinPolicy policy_;
  Clock::time_point now_{1h};
};

TEST(SpinPolicy, LoopsThatEndInTimeAreNoCrowd) {
  Loops loops;
  loops.run(1000, 20us, 300us, 1ms);
  EXPECT_FALSE(loops.policy().isCrowded());
  loops.run(1000, 20ms, 40ms, 60ms);
  EXPECT_FALSE(loops.policy().isCrowded()) << "long loops may be uneven";
}

TEST(SpinPolicy, WhatInterruptsNowAndThenIsNoCrowd) {
  Loops loops;
  loops.run(100, 20us, 4ms, 200ms);
  EXPECT_FALSE(loops.policy().isCrowded());
  loops.run(8, 20us, 4ms, 5ms);
  EXPECT_FALSE(loops.policy().isCrowded());
}

TEST(SpinPolicy, ACrowdIsFoundAndForgotten) {
  Loops loops;
  loops.run(15, 20us, 800us, 1ms);
  EXPECT_TRUE(loops.policy().isCrowded());
  EXPECT_FALSE(loops.policy().spinUntil([] { return false; }, 1h));
  EXPECT_TRUE(loops.policy().spinUntil([] { return true; }, 0ns));
  loops.run(90, 20us, 10us, 1ms);
  EXPECT_TRUE(loops.policy().isCrowded()) << "100 ms are not over";
  loops.run(20, 20us, 10us, 1ms);
  EXPECT_FALSE(loops.policy().isCrowded());
  EXPECT_FALSE(loops.policy().spinUntil([] { return false; }, 1us));
}

TEST(SpinPolicy, ACrowdThatStaysIsTriedLessAndLessOften) {
  Loops loops;
  auto findCrowd = [&] {
    for (int i = 0; !loops.policy().isCrowded(); ++i) {
      ASSERT_LT(i, 20);
      loops.run(1, 20us, 800us, 1ms);
    }
  };
  for (int rest : {100, 200, 400, 800, 1600, 2000, 2000}) {
    findCrowd();
    loops.run(rest - 10, 20us, 4ms, 1ms);
    EXPECT_TRUE(loops.policy().isCrowded()) << rest << " ms";
    loops.run(20, 20us, 10us, 1ms);
    EXPECT_FALSE(loops.policy().isCrowded()) << rest << " ms";
  }
  loops.run(3000, 20us, 10us, 1ms);
  findCrowd();
  loops.run(120, 20us, 10us, 1ms);
  EXPECT_FALSE(loops.policy().isCrowded()) << "the next one is new";
}

} // namespace
