#include "runtime/comm/control/RankWatch.h"

#include <gtest/gtest.h>

using namespace boostrt;
using namespace boostrt::control;

namespace {

using std::chrono::seconds;

class Ranks : public ::testing::Test {
protected:
  Ranks() {
    for (uint32_t rank = 0; rank < 4; ++rank)
      watch.come(rank, start);
  }
  /// All ranks live at this time.
  void hear(seconds time) {
    for (uint32_t rank = 0; rank < 4; ++rank)
      watch.heard(rank, start + time);
  }
  void wait(uint32_t rank, std::vector<PendingMessage> pending,
            uint64_t call = 1) {
    watch.beat(rank, call, ActivityRecord({7, "bucket 2", ""}), start);
    EXPECT_EQ(watch.waits(rank, {call, std::move(pending)}), "");
  }

  Clock::time_point start = Clock::now();
  RankWatch watch{4, seconds(8), seconds(100)};
};

TEST_F(Ranks, OneIsSilent) {
  for (uint32_t rank : {0, 1, 3})
    watch.heard(rank, start + seconds(9));
  watch.beat(2, 0, ActivityRecord({7, "bucket 2", "model.json:14:5"}), start);
  EXPECT_EQ(watch.overdue(start + seconds(8)), "");
  EXPECT_EQ(watch.overdue(start + seconds(9)),
            "rank 2 has been silent for 9.0 s; it was last heard of in step 7, "
            "bucket 2 (model.json:14:5); its process is stopped, or its "
            "machine or network is gone");
  watch.leave(2);
  EXPECT_EQ(watch.overdue(start + seconds(9)), "");
}

// Nothing that it had to say is under way after so long.
TEST_F(Ranks, OneHasLeftAndAnotherWaitsForIt) {
  watch.leave(2);
  watch.beat(0, 1, ActivityRecord({7, "bucket 2", ""}), start);
  EXPECT_EQ(watch.waits(0, {1, {{false, 2, 0, 8}}}),
            "rank 2 has left the job before the first step, but rank 0 waits "
            "for it in step 7, bucket 2; all ranks must run the same program");
}

TEST_F(Ranks, OneHasLeftWhoseMessageMayBeThere) {
  watch.leave(2);
  wait(0, {{false, 1, 0, 8}, {false, 2, 0, 8}});
}

// 0 waits for 1, which waits for 3, which waits for none.
TEST_F(Ranks, TheLastOfAChainIsToBlame) {
  wait(0, {{false, 1, 0, 8}});
  wait(1, {{true, 3, 0, 8}, {false, 2, 0, 8}});
  hear(seconds(99));
  EXPECT_EQ(watch.overdue(start + seconds(99)), "");
  hear(seconds(101));
  EXPECT_EQ(watch.overdue(start + seconds(101)),
            "rank 3 has not answered for 100.0 s, though its process lives; it "
            "was last heard of before the first step; rank 0 waits for it in "
            "step 7, bucket 2");
}

TEST_F(Ranks, WaitForEachOther) {
  wait(1, {{false, 2, 0, 8}});
  wait(2, {{false, 1, 0, 8}});
  hear(seconds(101));
  EXPECT_EQ(watch.overdue(start + seconds(101)),
            "ranks wait for each other, rank 1 in step 7, bucket 2; all ranks "
            "must run the same program");
}

TEST_F(Ranks, AnotherCallIsProgress) {
  wait(0, {{false, 1, 0, 8}});
  hear(seconds(101));
  watch.beat(0, 2, {}, start + seconds(50));
  EXPECT_EQ(watch.overdue(start + seconds(101)), "");
  // A report of a call that has ended meanwhile says nothing.
  EXPECT_EQ(watch.waits(0, {1, {{false, 1, 0, 8}}}), "");
  hear(seconds(149));
  EXPECT_EQ(watch.overdue(start + seconds(149)), "");
}

TEST_F(Ranks, SizesThatDiffer) {
  wait(0, {{false, 1, 5, 8}, {true, 1, 5, 8}});
  // The same number, but the other direction, another peer, another number.
  wait(1, {{true, 2, 5, 16}, {false, 0, 5, 8}, {true, 0, 6, 16}});
  watch.beat(1, 2, ActivityRecord({7, "bucket 2", ""}), start);
  EXPECT_EQ(watch.waits(1, {2, {{true, 0, 5, 16}}}),
            "rank 0 expected 8 bytes of rank 1 in step 7, bucket 2, which sent "
            "16; all ranks must run the same program");
  // A peer that does not exist does no harm.
  EXPECT_EQ(watch.waits(1, {2, {{true, 4000, 5, 16}}}), "");
}

TEST_F(Ranks, HaveAnEnd) {
  watch.beat(1, 0, ActivityRecord({7, "bucket 2", ""}), start);
  EXPECT_EQ(watch.lost(1),
            "rank 1 was lost in step 7, bucket 2: its connection closed "
            "without a goodbye, so its process was killed, crashed or exited "
            "early; see its own output");
  EXPECT_EQ(watch.suspected(1, 2, "reset\n"),
            "rank 1 lost its connection to rank 2 in step 7, bucket 2: "
            "reset\\x0a; both processes live, so look at the network between "
            "them");
  watch.leave(2);
  EXPECT_EQ(watch.suspected(1, 2, "reset"),
            "rank 2 has left the job before the first step, but rank 1 waits "
            "for it in step 7, bucket 2; all ranks must run the same program");
}

TEST(RankWatch, NamesAFewOfThoseThatAreMissing) {
  RankWatch watch(20, seconds(8), seconds(100));
  EXPECT_EQ(watch.missing(), "ranks 0, 1, 2, 3, 4, 5, 6, 7 and 12 more");
  for (uint32_t rank = 0; rank < 20; ++rank)
    if (rank != 11)
      watch.come(rank, Clock::now());
  EXPECT_EQ(watch.missing(), "rank 11");
  EXPECT_FALSE(watch.isComplete());
  watch.come(11, Clock::now());
  EXPECT_TRUE(watch.isComplete());
}

} // namespace
