// Which rank of a table a process is, and which ranks it starts.
#include "test/runtime/launch/Resolve.h"

using namespace boostrt;

namespace {

JobInputs inputsOf(const Environment &environment,
                   const LaunchOptions &options = {}) {
  JobInputs inputs;
  inputs.options = options;
  inputs.environment = environment;
  inputs.hostNames = {"me", "10.0.0.2"};
  Result<RankTable> table = createRankTable({"10.0.0.1", "10.0.0.2"}, 4);
  EXPECT_TRUE(table.ok());
  inputs.rankTable = *table;
  inputs.rankTable->path = "t.json";
  for (RankTable::Device &device : inputs.rankTable->servers[1].devices)
    device.id = 7 - device.id;
  return inputs;
}

JobPlan planOf(const JobInputs &inputs) {
  Result<JobPlan> plan = resolveJob(inputs);
  if (plan.ok())
    return *plan;
  ADD_FAILURE() << plan.status().message();
  return {};
}

JobPlan planOf(const Environment &environment,
               const LaunchOptions &options = {}) {
  return planOf(inputsOf(environment, options));
}

/// The message; prefixed with the exit code.
std::string errorOf(const JobInputs &inputs) {
  Result<JobPlan> plan = resolveJob(inputs);
  if (plan.ok())
    return plan->toText();
  return std::to_string(static_cast<int>(plan.status().code())) + " " +
         plan.status().message();
}

std::string errorOf(const Environment &environment,
                    const LaunchOptions &options = {}) {
  return errorOf(inputsOf(environment, options));
}

TEST(RankTablePlan, StartsTheRanksOfTheServerWithAnAddressOfThisHost) {
  JobPlan plan = planOf(Environment{});
  EXPECT_TRUE(plan.startsRanks);
  EXPECT_EQ(plan.rank, 4u);
  EXPECT_EQ(plan.size, 8u);
  EXPECT_EQ(plan.localSize, 4u);
  EXPECT_EQ(plan.server, 1u);
  EXPECT_EQ(plan.master(), "10.0.0.1:29511");
  EXPECT_EQ(plan.source, "the rank table 't.json' (server_id 10.0.0.2 is this "
                         "host)");
  EXPECT_EQ(plan.planOfRank(1).rank, 5u);
  EXPECT_EQ(plan.planOfRank(1).deviceId, 6u);
}

TEST(RankTablePlan, ServerIdOrFlagSaysWhichServer) {
  JobPlan plan = planOf({{"SERVER_ID", "0"}});
  EXPECT_EQ(plan.rank, 0u);
  EXPECT_EQ(plan.source, "the rank table 't.json' (SERVER_ID=0)");
  LaunchOptions options;
  options.nodeRank = 0;
  plan = planOf({}, options);
  EXPECT_EQ(plan.rank, 0u);
  EXPECT_EQ(plan.source, "the rank table 't.json' (--node-rank=0)");
  EXPECT_EQ(errorOf({{"SERVER_ID", "1"}}, options),
            "2 --node-rank=0, but SERVER_ID=1; leave one of them out");
  EXPECT_EQ(errorOf({{"SERVER_ID", "2"}}),
            "2 SERVER_ID=2, but the rank table 't.json' has 2 servers; correct "
            "the variable or the table");
}

TEST(RankTablePlan, TheVariablesOfAScriptAgree) {
  JobPlan plan = planOf({{"RANK_SIZE", "8"},
                         {"DEVICE_NUM", "4"},
                         {"SERVER_ID", "1"},
                         {"RANK_ID", "6"},
                         {"DEVICE_ID", "5"}});
  EXPECT_FALSE(plan.startsRanks);
  EXPECT_EQ(plan.rank, 6u);
  EXPECT_EQ(plan.localRank, 2u);
  EXPECT_EQ(plan.server, 1u);
  EXPECT_EQ(plan.deviceId, 5u);
  EXPECT_EQ(plan.source, "the rank table 't.json' and RANK_ID");
}

TEST(RankTablePlan, TheVariablesOfAScriptDisagree) {
  const std::string end = "; correct the variable or the table";
  EXPECT_EQ(errorOf({{"RANK_SIZE", "16"}}),
            "2 RANK_SIZE=16, but the rank table 't.json' has 8 ranks" + end);
  EXPECT_EQ(errorOf({{"DEVICE_NUM", "8"}}),
            "2 DEVICE_NUM=8, but the rank table 't.json' gives server "
            "'10.0.0.2' 4 devices" +
                end);
  EXPECT_EQ(errorOf({{"RANK_ID", "8"}}),
            "2 RANK_ID=8, but the rank table 't.json' has ranks 0 to 7" + end);
  EXPECT_EQ(errorOf({{"RANK_ID", "3"}, {"DEVICE_NUM", "2"}}),
            "2 DEVICE_NUM=2, but the rank table 't.json' gives server "
            "'10.0.0.1' 4 devices" +
                end);
  EXPECT_EQ(errorOf({{"RANK_ID", "3"}, {"DEVICE_ID", "0"}}),
            "2 DEVICE_ID=0, but the rank table 't.json' gives rank 3 device "
            "3" +
                end);
  EXPECT_EQ(errorOf({{"RANK_ID", "3"}, {"SERVER_ID", "1"}}),
            "2 SERVER_ID=1, but the rank table 't.json' puts rank 3 on server "
            "0" +
                end);
  EXPECT_EQ(errorOf({{"DEVICE_ID", "3"}}),
            "2 DEVICE_ID=3 is set, but RANK_ID is not; set both for a process "
            "that is one rank, or none and boost-run starts those of its "
            "server");
  EXPECT_EQ(errorOf({{"RANK_ID", "three"}}),
            "2 RANK_ID=three: expected a number from 0 to 1048576; set it to "
            "one, or unset it");
}

TEST(RankTablePlan, WhichServerIsThisHost) {
  JobInputs inputs = inputsOf({});
  inputs.hostNames = {"me", "10.0.0.9"};
  EXPECT_EQ(errorOf(inputs),
            "1 none of the servers of the rank table 't.json' (10.0.0.1, "
            "10.0.0.2) is this host (me, 10.0.0.9); correct the table, or set "
            "SERVER_ID");
  inputs.hostNames = {"10.0.0.1", "10.0.0.2"};
  EXPECT_EQ(errorOf(inputs),
            "2 servers 0 (10.0.0.1) and 1 (10.0.0.2) of the rank table "
            "'t.json' are both this host; say which one to start with "
            "SERVER_ID or --node-rank");
  // All of 127/8 is this host, whatever its interfaces list.
  inputs.hostNames = {"127.0.0.1"};
  inputs.rankTable->servers[0].id = "127.0.0.1";
  inputs.rankTable->servers[1].id = "127.0.0.2";
  EXPECT_THAT(errorOf(inputs), testing::HasSubstr("are both this host"));
  inputs.rankTable->servers[0].id = "10.0.0.1";
  EXPECT_EQ(planOf(inputs).server, 1u);
}

TEST(RankTablePlan, ALauncherSaysWhichRank) {
  Environment torchrun{{"RANK", "5"},
                       {"WORLD_SIZE", "8"},
                       {"LOCAL_RANK", "1"},
                       {"LOCAL_WORLD_SIZE", "4"},
                       {"MASTER_ADDR", "10.0.0.1"},
                       {"MASTER_PORT", "4000"}};
  JobPlan plan = planOf(torchrun);
  EXPECT_EQ(plan.rank, 5u);
  EXPECT_EQ(plan.deviceId, 6u);
  EXPECT_EQ(plan.master(), "10.0.0.1:4000");
  EXPECT_EQ(plan.source, "the rank table 't.json' and torchrun (RANK)");
  EXPECT_EQ(errorOf(with(torchrun, {{"RANK_ID", "4"}})),
            "2 RANK_ID=4, but torchrun says RANK=5; unset one of them");
  const std::string end = "; correct the variable or the table";
  EXPECT_EQ(errorOf(with(torchrun, {{"WORLD_SIZE", "16"}})),
            "2 WORLD_SIZE=16, but the rank table 't.json' has 8 ranks" + end);
  EXPECT_EQ(errorOf(with(torchrun, {{"LOCAL_WORLD_SIZE", "2"}})),
            "2 LOCAL_WORLD_SIZE=2, but the rank table 't.json' gives server "
            "'10.0.0.2' 4 devices" +
                end);
  EXPECT_EQ(errorOf(with(torchrun, {{"RANK", "4"},
                                    {"LOCAL_RANK", "0"},
                                    {"LOCAL_WORLD_SIZE", "1"},
                                    {"DEVICE_NUM", "4"}})),
            "2 LOCAL_WORLD_SIZE=1, but the rank table 't.json' gives server "
            "'10.0.0.2' 4 devices" +
                end);
}

TEST(RankTablePlan, ALauncherOfOneProcessStartsTheRanksOfItsServer) {
  JobPlan plan = planOf({{"RANK", "0"},
                         {"WORLD_SIZE", "1"},
                         {"MASTER_PORT", "4000"},
                         {"TORCHELASTIC_RUN_ID", "x"}});
  EXPECT_TRUE(plan.startsRanks);
  EXPECT_EQ(plan.master(), "10.0.0.1:4000") << "MASTER_PORT alone";
  EXPECT_EQ(plan.token, planOf({{"MASTER_PORT", "4000"}}).token);
}

TEST(RankTablePlan, OneSourceAtATime) {
  LaunchOptions options;
  options.ranks = 4;
  EXPECT_EQ(errorOf({}, options),
            "2 --ranks and the rank table 't.json' both say which ranks there "
            "are; leave one of them out");
  options = {};
  options.rankTable = "a.json";
  EXPECT_EQ(*rankTablePath(options, {}), "a.json");
  EXPECT_EQ(*rankTablePath({}, {{"RANK_TABLE_FILE", "b.json"}}), "b.json");
  EXPECT_EQ(*rankTablePath(options, {{"RANK_TABLE_FILE", "a.json"}}), "a.json");
  EXPECT_EQ(rankTablePath(options, {{"RANK_TABLE_FILE", "b.json"}})
                .status()
                .message(),
            "--rank-table says 'a.json', but RANK_TABLE_FILE=b.json; leave one "
            "of them out");
}

TEST(RankTablePlan, AScriptMayStartOneBoostRunOnEachNodeOfSlurm) {
  JobPlan plan = planOf({{"SLURM_PROCID", "1"},
                         {"SLURM_STEP_NUM_TASKS", "2"},
                         {"SLURM_STEP_TASKS_PER_NODE", "1(x2)"},
                         {"SLURM_STEP_NODELIST", "a,b"}});
  EXPECT_TRUE(plan.startsRanks);
  EXPECT_EQ(plan.rank, 4u);
}

} // namespace
