// Folders of ranks on a file system without links; test/runtime/trainer has
// those with.
#include "runtime/checkpoint/RankFolders.h"
#include "test/runtime/support/SimulatedFileSystem.h"

#include <gtest/gtest.h>

using namespace boostrt;

namespace {

TEST(RankLinks, AFileSystemWithoutLinksIsEnoughForOneRank) {
  for (RankLayout layout : {RankLayout::PerRank, RankLayout::Shared}) {
    SimulatedFileSystem files;
    ASSERT_TRUE(makeWorkdir(files, "/a/w").ok());
    EXPECT_TRUE(makeRankFolders(files, "/a/w", layout, 1).ok());
    Status status = makeRankFolders(files, "/a/w", layout, 2);
    EXPECT_EQ(status.code(), ExitCode::Checkpoint);
    EXPECT_EQ(status.message(),
              "cannot make the link '/a/w/" + rankFolder(layout, 1) +
                  "', by which rank 1 has the checkpoints in '/a/w/" +
                  rankFolder(layout, 0) +
                  "': Operation not supported; where the file system has no "
                  "links, give --checkpoint-dir in place of "
                  "--rank-checkpoints");
  }
}

TEST(RankLinks, NamesOfFolders) {
  EXPECT_EQ(rankFolder(RankLayout::PerRank, 12), "train_parallel12/ckpt_0");
  EXPECT_EQ(rankFolder(RankLayout::Shared, 12), "train_parallel/ckpt_12");
  for (const char *name :
       {"train_parallel", "train_parallel0", "train_parallel12"})
    EXPECT_TRUE(isTrainingFolder(name)) << name;
  for (const char *name :
       {"train_parallelism", "train_parallel-1", "train", "ckpt_0"})
    EXPECT_FALSE(isTrainingFolder(name)) << name;
  EXPECT_TRUE(isRankFolder("ckpt_0"));
  EXPECT_FALSE(isRankFolder("ckpt_"));
  EXPECT_FALSE(isRankFolder("ckpt_x"));
}

} // namespace
