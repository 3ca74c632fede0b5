// The flags that are about ranks, and those of rank-table.
#include "test/runtime/cli/ParseCommandLine.h"

#include <gmock/gmock.h>

using namespace boostrt;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

TEST(LaunchFlags, Defaults) {
  auto line = parse({"train.so"});
  ASSERT_TRUE(line.ok());
  const LaunchOptions &o = line->options.launch;
  EXPECT_FALSE(o.ranks || o.nodes || o.nodeRank || o.master || o.rankTable ||
               o.tokenFile || o.logDir || o.threads);
  EXPECT_EQ(o.comm, CommKind::Auto);
  EXPECT_FALSE(o.pin.has_value());
  EXPECT_EQ(o.grace, 15);
  EXPECT_EQ(o.joinDeadline, 60);
  EXPECT_EQ(o.rankDeadline, 8);
}

TEST(LaunchFlags, All) {
  std::vector<const char *> flags{
      "--ranks=8",    "--nnodes=2",         "--node-rank=1",
      "--master=a:1", "--rank-table=r",     "--token-file=t",
      "--log-dir=l",  "--comm=gloo",        "--grace=0.5",
      "--no-pin",     "--join-deadline=90", "--rank-deadline=2"};
  for (std::vector<const char *> command :
       {std::vector<const char *>{"train.so", "--threads=3"},
        {"eval", "train.so", "--ckpt=c", "--threads=3"},
        {"ranks"}}) {
    command.insert(command.end(), flags.begin(), flags.end());
    auto line = parse(command);
    ASSERT_TRUE(line.ok()) << line.status().message();
    const LaunchOptions &o = line->options.launch;
    EXPECT_EQ(o.ranks, 8u);
    EXPECT_EQ(o.nodes, 2u);
    EXPECT_EQ(o.nodeRank, 1u);
    EXPECT_EQ(o.master, "a:1");
    EXPECT_EQ(o.rankTable, "r");
    EXPECT_EQ(o.tokenFile, "t");
    EXPECT_EQ(o.logDir, "l");
    EXPECT_EQ(o.comm, CommKind::Gloo);
    EXPECT_EQ(o.grace, 0.5);
    EXPECT_EQ(o.joinDeadline, 90);
    EXPECT_EQ(o.rankDeadline, 2);
    EXPECT_EQ(o.pin, false);
    EXPECT_EQ(o.threads.has_value(), command[0] != std::string("ranks"));
  }
  EXPECT_EQ(parse({"ranks", "--comm=nccl"})->options.launch.comm,
            CommKind::Nccl);
  EXPECT_EQ(parse({"ranks", "--comm=local"})->options.launch.comm,
            CommKind::Local);
  EXPECT_TRUE(parse({"ranks", "--json"})->options.json);
}

TEST(LaunchFlags, Wrong) {
  expectUsage({"train.so", "--ranks=0"}, "--ranks");
  expectUsage({"train.so", "--ranks=65537"}, "--ranks");
  expectUsage({"train.so", "--nnodes=0"}, "--nnodes");
  expectUsage({"train.so", "--node-rank=-1"}, "--node-rank");
  expectUsage({"train.so", "--comm=mpi"}, "--comm");
  expectUsage({"train.so", "--grace=-1"}, "--grace");
  expectUsage({"train.so", "--join-deadline=0"}, "--join-deadline");
  expectUsage({"train.so", "--rank=2"},
              "unknown flag '--rank'; did you mean '--ranks'?");
  expectUsage({"doctor", "--ranks=2"}, "unknown flag '--ranks'");
  expectUsage({"info", "train.so", "--nnodes=2"}, "unknown flag '--nnodes'");
  expectUsage({"info", "train.so", "--ranks=4097"},
              "--ranks: expected a whole number from 1 to 4096, found '4097'");
  expectUsage({"info", "train.so", "--network=1us,1GB/s"},
              "--network needs --ranks");
  expectUsage({"info", "train.so", "--ranks=2", "--network=1us"},
              "--network: '1us' has no comma");
}

TEST(LaunchFlags, RankTable) {
  auto created = parse(
      {"rank-table", "create", "--hosts", "a,b", "--devices", "8", "-o", "f"});
  ASSERT_TRUE(created.ok()) << created.status().message();
  EXPECT_EQ(created->options.command, Command::RankTable);
  EXPECT_EQ(created->options.tableAction, "create");
  EXPECT_THAT(created->options.hosts, ElementsAre("a", "b"));
  EXPECT_EQ(created->options.devices, 8u);
  EXPECT_EQ(created->options.output, "f");
  auto merged = parse({"rank-table", "merge", "a", "b", "c", "--output=o"});
  ASSERT_TRUE(merged.ok()) << merged.status().message();
  EXPECT_THAT(merged->options.tables, ElementsAre("a", "b", "c"));
  EXPECT_EQ(merged->options.output, "o");
}

TEST(LaunchFlags, RankTableWrong) {
  expectUsage({"rank-table"}, "which action? create or merge");
  expectUsage(
      {"rank-table", "merg"},
      "'merg' is not an action; did you mean 'merge'?; create or merge");
  expectUsage({"rank-table", "create"}, "create needs --hosts A,B,...");
  expectUsage({"rank-table", "create", "--hosts=a"},
              "create needs --devices N, the ranks of each host");
  expectUsage({"rank-table", "create", "a", "--hosts=a", "--devices=1"},
              "create takes no files, but --hosts; unexpected 'a'");
  expectUsage({"rank-table", "create", "--hosts=a", "--devices=0"},
              "--devices");
  expectUsage({"rank-table", "merge", "a"}, "merge needs at least two tables");
  expectUsage({"rank-table", "merge", "a", "b", "--devices=1"},
              "merge takes tables; --hosts and --devices are for create");
}

} // namespace
