// A plan as text, as JSON and as the variables of a rank that is started.
#include "test/runtime/launch/Resolve.h"

#include <nlohmann/json.hpp>

using namespace boostrt;

namespace {

JobPlan launcher() {
  JobPlan plan;
  plan.serverOfRank = layOut({2, 3});
  plan.size = 5;
  plan.rank = 2;
  plan.server = 1;
  plan.localSize = 3;
  plan.masterHost = "10.0.0.1";
  plan.masterPort = 4000;
  plan.token = "secret";
  plan.tokenSource = "BOOSTC_TOKEN";
  plan.source = "a test";
  plan.startsRanks = true;
  plan.startedDeviceIds = {4, 6, 7};
  return plan;
}

TEST(JobPlan, LayoutOfServers) {
  JobPlan plan = launcher();
  EXPECT_EQ(plan.servers(), 2u);
  EXPECT_EQ(plan.firstRankOf(1), 2u);
  EXPECT_EQ(plan.ranksOf(0), 2u);
  EXPECT_EQ(plan.ranksOf(1), 3u);
  EXPECT_EQ(plan.layout(), "2,3");
}

TEST(JobPlan, TheRanksOfALauncherKnowWhoTheyAre) {
  for (uint32_t local = 0; local < 3; ++local) {
    JobPlan rank = resolved(toEnvironment(launcher().planOfRank(local)));
    EXPECT_EQ(rank.rank, 2 + local);
    EXPECT_EQ(rank.localRank, local);
    EXPECT_EQ(rank.localSize, 3u);
    EXPECT_EQ(rank.server, 1u);
    EXPECT_EQ(rank.layout(), "2,3");
    EXPECT_EQ(rank.master(), "10.0.0.1:4000");
    EXPECT_EQ(rank.token, "secret");
    EXPECT_EQ(rank.tokenSource, "BOOSTC_TOKEN");
    EXPECT_EQ(rank.source, "a test");
    EXPECT_EQ(rank.deviceId, launcher().startedDeviceIds[local]);
    EXPECT_FALSE(rank.startsRanks);
    EXPECT_TRUE(rank.isStarted);
    EXPECT_FALSE(rank.isPinned);
  }
  JobPlan pinned = launcher().planOfRank(1);
  pinned.isPinned = true;
  EXPECT_TRUE(resolved(toEnvironment(pinned)).isPinned);
}

TEST(JobPlan, FlagsWithoutEffectAreNoted) {
  LaunchOptions options;
  options.given = {"master", "token-file",     "join-deadline", "rank-deadline",
                   "comm",   "check-replicas", "grace",         "pin"};
  options.master = "127.0.0.1:4000";
  auto notes = [&](const Environment &environment) {
    return resolved(environment, options).notes;
  };
  using testing::ElementsAre;
  // Alone, every flag about ranks does nothing.
  std::vector<std::string> alone = notes({});
  EXPECT_EQ(alone.size(), options.given.size());
  EXPECT_THAT(alone, testing::Contains("--master has no effect, because there "
                                       "is one rank"));
  EXPECT_THAT(alone, testing::Contains("--pin has no effect, because there is "
                                       "one rank"));
  // A rank of another launcher starts nothing.
  const char *why = "has no effect, because Open MPI (OMPI_COMM_WORLD_RANK, "
                    "OMPI_COMM_WORLD_SIZE) has started this one";
  EXPECT_THAT(
      notes({{"OMPI_COMM_WORLD_RANK", "1"},
             {"OMPI_COMM_WORLD_SIZE", "2"},
             {"OMPI_COMM_WORLD_LOCAL_RANK", "1"},
             {"OMPI_COMM_WORLD_LOCAL_SIZE", "2"}}),
      ElementsAre(std::string("--grace ") + why, std::string("--pin ") + why));
  options.ranks = 2;
  EXPECT_THAT(notes({}), ElementsAre());
  options.comm = CommKind::Local;
  EXPECT_THAT(notes({}),
              testing::Contains("--grace has no effect, because ranks are "
                                "threads of this process (--comm=local)"));
  EXPECT_EQ(notes({}).size(), 6u) << "--comm and --check-replicas have one";
}

TEST(JobPlan, WhatTheLauncherHasSaidCountsAlone) {
  Environment variables = toEnvironment(launcher().planOfRank(0));
  variables["RANK"] = "1"; // from the launcher's own environment
  variables["WORLD_SIZE"] = "2";
  variables["RANK_TABLE_FILE"] = "table.json";
  LaunchOptions options;
  options.ranks = 3;
  options.comm = CommKind::Gloo;
  EXPECT_EQ(resolved(variables, options).rank, 2u);
  EXPECT_EQ(resolved(variables, options).comm, CommKind::Gloo);
  Result<std::string> table = rankTablePath(options, variables);
  ASSERT_TRUE(table.ok());
  EXPECT_EQ(*table, "");
}

TEST(JobPlan, WhatIsWrongWithTheVariablesOfALauncher) {
  Environment variables = toEnvironment(launcher().planOfRank(0));
  for (const char *name : {"BOOSTC_LAYOUT", "BOOSTC_MASTER", "BOOSTC_TOKEN"})
    expectRefused(with(variables, {{name, ""}}),
                  "BOOSTC_RANK is set, but " + std::string(name) +
                      " is not; boost-run sets both for the ranks that it "
                      "starts: unset BOOSTC_RANK");
  expectRefused(with(variables, {{"BOOSTC_RANK", "x"}}),
                "BOOSTC_RANK=x: expected a number from 0 to 65535; set it to "
                "one, or unset it");
  expectRefused(with(variables, {{"BOOSTC_RANK", "5"}}),
                "BOOSTC_RANK=5, but BOOSTC_LAYOUT=2,3 are 5 ranks");
  for (const char *wrong : {"2,", "2,0", "a", "2,3,-1"})
    expectRefused(with(variables, {{"BOOSTC_LAYOUT", wrong}}),
                  "BOOSTC_LAYOUT=" + std::string(wrong) +
                      ": expected the numbers of ranks of the servers, such as "
                      "8,8");
  expectRefused(with(variables, {{"BOOSTC_MASTER", "host"}}),
                "BOOSTC_MASTER=host: expected HOST:PORT");
}

TEST(JobPlan, AsText) {
  JobPlan plan = launcher();
  plan.notes = {"beware"};
  EXPECT_EQ(plan.toText(), "starts ranks 2 to 4 of 5, on server 1 of 2\n"
                           "found in  a test\n"
                           "master    10.0.0.1:4000\n"
                           "token     BOOSTC_TOKEN\n"
                           "server 0  ranks 0 to 1\n"
                           "server 1  ranks 2 to 4\n"
                           "note: beware\n");
  JobPlan rank = plan.planOfRank(1);
  EXPECT_EQ(rank.toText(), "rank 3 of 5, on server 1 of 2, local rank 1 of 3\n"
                           "found in  a test\n"
                           "master    10.0.0.1:4000\n"
                           "token     BOOSTC_TOKEN\n"
                           "device    6\n"
                           "server 0  ranks 0 to 1\n"
                           "server 1  ranks 2 to 4\n"
                           "note: beware\n");
  EXPECT_EQ(JobPlan().toText(),
            "rank 0 of 1, on server 0 of 1, local rank 0 of 1\n"
            "found in  nothing that says otherwise\n"
            "server 0  rank 0\n");
}

TEST(JobPlan, AsJson) {
  JobPlan plan = launcher().planOfRank(2);
  nlohmann::ordered_json json = plan.toJson();
  EXPECT_EQ(json["role"], "rank");
  EXPECT_EQ(json["rank"], 4);
  EXPECT_EQ(json["size"], 5);
  EXPECT_EQ(json["local_rank"], 2);
  EXPECT_EQ(json["local_size"], 3);
  EXPECT_EQ(json["server"], 1);
  EXPECT_EQ(json["servers"], 2);
  EXPECT_EQ(json["server_of_rank"], (std::vector<int>{0, 0, 1, 1, 1}));
  EXPECT_EQ(json["master"], "10.0.0.1:4000");
  EXPECT_EQ(json["device_id"], 7);
  EXPECT_EQ(json.dump().find("secret"), std::string::npos);
  EXPECT_EQ(launcher().toJson()["role"], "launcher");
  EXPECT_TRUE(JobPlan().toJson()["master"].is_null());
}

} // namespace
