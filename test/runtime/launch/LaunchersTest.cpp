// Who a process is by the variables of each launcher, and what is wrong with
// them.
#include "test/runtime/launch/Resolve.h"

using namespace boostrt;
using testing::ElementsAre;

namespace {

const Environment kTorchrun{{"RANK", "5"},
                            {"WORLD_SIZE", "8"},
                            {"LOCAL_RANK", "1"},
                            {"LOCAL_WORLD_SIZE", "4"},
                            {"GROUP_RANK", "1"},
                            {"GROUP_WORLD_SIZE", "2"},
                            {"MASTER_ADDR", "10.0.0.1"},
                            {"MASTER_PORT", "29500"}};
const Environment kMsrun{{"MS_ROLE", "MS_WORKER"},
                         {"MS_WORKER_NUM", "4"},
                         {"MS_SCHED_HOST", "127.0.0.1"},
                         {"MS_SCHED_PORT", "8118"},
                         {"RANK_ID", "3"},
                         {"RANK_SIZE", "4"}};
const Environment kSlurm{{"SLURM_PROCID", "9"},
                         {"SLURM_NTASKS", "20"},
                         {"SLURM_STEP_NUM_TASKS", "20"},
                         {"SLURM_STEP_TASKS_PER_NODE", "8(x2),4"},
                         {"SLURM_STEP_NODELIST", "gpu[07-08,12]"},
                         {"SLURM_LOCALID", "1"},
                         {"SLURM_NODEID", "1"},
                         {"SLURM_JOB_ID", "4711"},
                         {"SLURM_STEP_ID", "0"}};
const Environment kOpenMpi{{"OMPI_COMM_WORLD_RANK", "1"},
                           {"OMPI_COMM_WORLD_SIZE", "2"},
                           {"OMPI_COMM_WORLD_LOCAL_RANK", "1"},
                           {"OMPI_COMM_WORLD_LOCAL_SIZE", "2"},
                           {"OMPI_MCA_ess_base_jobid", "1637089281"}};
const Environment kPmi{{"PMI_RANK", "2"},
                       {"PMI_SIZE", "4"},
                       {"MPI_LOCALRANKID", "2"},
                       {"MPI_LOCALNRANKS", "4"},
                       {"PMI_PORT", "host:4242"}};

TEST(Launchers, NothingSaysThatThereIsMoreThanOneRank) {
  JobPlan plan = resolved({{"PATH", "/bin"}, {"SLURM_NTASKS", "8"}});
  EXPECT_EQ(plan.size, 1u);
  EXPECT_EQ(plan.source, "");
  EXPECT_EQ(plan.masterHost, "");
  EXPECT_EQ(plan.token, "");
  EXPECT_FALSE(plan.startsRanks);
}

TEST(Launchers, Torchrun) {
  JobPlan plan = resolved(kTorchrun);
  EXPECT_EQ(plan.rank, 5u);
  EXPECT_EQ(plan.size, 8u);
  EXPECT_EQ(plan.localRank, 1u);
  EXPECT_EQ(plan.localSize, 4u);
  EXPECT_EQ(plan.server, 1u);
  EXPECT_THAT(plan.serverOfRank, ElementsAre(0, 0, 0, 0, 1, 1, 1, 1));
  EXPECT_EQ(plan.masterHost, "10.0.0.1");
  EXPECT_EQ(plan.masterPort, 29500);
  EXPECT_EQ(plan.source, "torchrun (RANK, WORLD_SIZE)");
  EXPECT_FALSE(plan.startsRanks);
}

TEST(Launchers, TorchrunThatListensAtThePortItself) {
  JobPlan plan =
      resolved(with(kTorchrun, {{"TORCHELASTIC_USE_AGENT_STORE", "True"}}));
  EXPECT_EQ(plan.masterPort, 29501);
  EXPECT_THAT(plan.notes[0],
              "ranks meet at port 29501, because torchrun itself listens at "
              "MASTER_PORT=29500 (TORCHELASTIC_USE_AGENT_STORE=True)");
  expectRefused(with(kTorchrun, {{"TORCHELASTIC_USE_AGENT_STORE", "True"},
                                 {"MASTER_PORT", "65535"}}),
                "MASTER_PORT=65535 is taken by torchrun itself "
                "(TORCHELASTIC_USE_AGENT_STORE=True), and ranks meet at the "
                "port after it; give torchrun a smaller one");
}

TEST(Launchers, TorchrunsVariablesWithoutTheLocalOnes) {
  Environment alone = with(kTorchrun, {{"LOCAL_RANK", ""},
                                       {"LOCAL_WORLD_SIZE", ""},
                                       {"GROUP_RANK", ""},
                                       {"GROUP_WORLD_SIZE", ""}});
  EXPECT_EQ(resolved(alone).servers(), 8u);
  EXPECT_EQ(resolved(alone).server, 5u);
  JobPlan here = resolved(with(alone, {{"MASTER_ADDR", "localhost"}}));
  EXPECT_EQ(here.servers(), 1u);
  EXPECT_EQ(here.localRank, 5u);
}

TEST(Launchers, WhatIsWrongWithTorchrunsVariables) {
  expectRefused(
      with(kTorchrun, {{"WORLD_SIZE", ""}}),
      "RANK=5 is set, but WORLD_SIZE is not; set both, or unset RANK");
  expectRefused(with(kTorchrun, {{"RANK", ""}}),
                "WORLD_SIZE=8 is set, but RANK is not; set both, or unset "
                "WORLD_SIZE");
  expectRefused(with(kTorchrun, {{"RANK", "five"}}),
                "RANK=five: expected a number from 0 to 1048576; set it to "
                "one, or unset it");
  expectRefused(with(kTorchrun, {{"RANK", "-1"}}),
                "RANK=-1: expected a number from 0 to 1048576; set it to "
                "one, or unset it");
  expectRefused(with(kTorchrun, {{"RANK", "8"}}),
                "RANK=8, but WORLD_SIZE=8: ranks are 0 to 7");
  expectRefused(with(kTorchrun, {{"WORLD_SIZE", "1000000"}}),
                "WORLD_SIZE=1000000: a job has 1 to 65536 ranks");
  expectRefused(with(kTorchrun, {{"RANK", "0"}, {"WORLD_SIZE", "0"}}),
                "WORLD_SIZE=0: a job has 1 to 65536 ranks");
  expectRefused(with(kTorchrun, {{"MASTER_ADDR", ""}}),
                "RANK=5 and WORLD_SIZE=8 are set, but MASTER_ADDR, the host of "
                "rank 0, is not");
  expectRefused(with(kTorchrun, {{"MASTER_PORT", ""}}),
                "RANK=5 is set, but MASTER_PORT is not; set both, or unset "
                "RANK");
  expectRefused(with(kTorchrun, {{"MASTER_PORT", "0"}}),
                "MASTER_PORT=0: expected a port, 1 to 65535");
  expectRefused(with(kTorchrun, {{"LOCAL_WORLD_SIZE", ""}}),
                "LOCAL_RANK=1 is set, but LOCAL_WORLD_SIZE is not; set both, "
                "or unset LOCAL_RANK");
  expectRefused(with(kTorchrun, {{"LOCAL_WORLD_SIZE", "9"}}),
                "LOCAL_WORLD_SIZE=9, but WORLD_SIZE=8: a server has 1 to 8 of "
                "the ranks");
  expectRefused(with(kTorchrun, {{"LOCAL_WORLD_SIZE", "3"}}),
                "WORLD_SIZE=8, but LOCAL_WORLD_SIZE=3: servers with different "
                "numbers of ranks need a rank table (RANK_TABLE_FILE)");
  expectRefused(with(kTorchrun, {{"LOCAL_RANK", "4"}}),
                "LOCAL_RANK=4, but LOCAL_WORLD_SIZE=4: local ranks are 0 to 3");
  expectRefused(with(kTorchrun, {{"LOCAL_RANK", "2"}}),
                "LOCAL_RANK=2, but RANK=5 is local rank 1 where servers have 4 "
                "ranks: the ranks of a server must be neighbours; start one "
                "torchrun on each server");
  expectRefused(with(kTorchrun, {{"GROUP_RANK", "0"}}),
                "GROUP_RANK=0, but RANK=5 and LOCAL_WORLD_SIZE=4 are on server "
                "1; start one torchrun on each server");
  expectRefused(with(kTorchrun, {{"GROUP_WORLD_SIZE", "3"}}),
                "GROUP_WORLD_SIZE=3, but WORLD_SIZE=8 and LOCAL_WORLD_SIZE=4 "
                "make 2 servers");
}

TEST(Launchers, Msrun) {
  JobPlan plan = resolved(kMsrun);
  EXPECT_EQ(plan.rank, 3u);
  EXPECT_EQ(plan.size, 4u);
  EXPECT_EQ(plan.localRank, 3u);
  EXPECT_EQ(plan.servers(), 1u);
  EXPECT_EQ(plan.masterPort, 8118);
  EXPECT_EQ(plan.source, "msrun (RANK_ID, MS_WORKER_NUM)");
  JobPlan node = resolved(with(kMsrun, {{"RANK_ID", ""}, {"MS_NODE_ID", "2"}}));
  EXPECT_EQ(node.rank, 2u);
  EXPECT_EQ(node.source, "msrun (MS_NODE_ID, MS_WORKER_NUM)");
  JobPlan far = resolved(
      with(kMsrun, {{"MS_SCHED_HOST", "10.0.0.1"}, {"DEVICE_NUM", "2"}}));
  EXPECT_EQ(far.server, 1u);
  EXPECT_EQ(far.localRank, 1u);
}

TEST(Launchers, TheSchedulerOfMsrunHasNothingToDo) {
  JobPlan plan = resolved(with(kMsrun, {{"MS_ROLE", "MS_SCHED"}}));
  EXPECT_TRUE(plan.isIdle);
  EXPECT_EQ(plan.notes[0], "MS_ROLE=MS_SCHED: ranks meet at rank 0, so there "
                           "is nothing to schedule");
}

TEST(Launchers, WhatIsWrongWithMsrunsVariables) {
  expectRefused(with(kMsrun, {{"MS_ROLE", "MS_BOSS"}}),
                "MS_ROLE=MS_BOSS: expected MS_WORKER or MS_SCHED");
  expectRefused(with(kMsrun, {{"MS_WORKER_NUM", ""}}),
                "MS_ROLE=MS_WORKER is set, but MS_WORKER_NUM is not; set both, "
                "or unset MS_ROLE");
  expectRefused(with(kMsrun, {{"RANK_ID", ""}}),
                "MS_ROLE=MS_WORKER is set, but the rank of this worker is not: "
                "RANK_ID and MS_NODE_ID are absent; give msrun --node_rank, or "
                "set RANK_ID");
  expectRefused(with(kMsrun, {{"RANK_ID", ""}, {"MS_NODE_ID", "blue"}}),
                "MS_ROLE=MS_WORKER is set, but the rank of this worker is not: "
                "RANK_ID is absent and MS_NODE_ID=blue is not a number; give "
                "msrun --node_rank, or set RANK_ID");
  expectRefused(with(kMsrun, {{"MS_NODE_ID", "2"}}),
                "RANK_ID=3 and MS_NODE_ID=2 contradict each other; unset one "
                "of them");
  expectRefused(with(kMsrun, {{"RANK_ID", "4"}}),
                "RANK_ID=4, but MS_WORKER_NUM=4: ranks are 0 to 3");
  expectRefused(with(kMsrun, {{"RANK_SIZE", "8"}}),
                "RANK_SIZE=8, but there are 4 ranks by msrun (RANK_ID, "
                "MS_WORKER_NUM); unset it, or correct it");
  expectRefused(with(kMsrun, {{"MS_SCHED_PORT", "0"}}),
                "MS_SCHED_PORT=0: expected a port, 1 to 65535");
  expectRefused(with(kMsrun, {{"MS_SCHED_HOST", "10.0.0.1"}}),
                "MS_WORKER_NUM=4 workers meet at MS_SCHED_HOST=10.0.0.1, and "
                "nothing says how many of them a server has; set DEVICE_NUM to "
                "that number, or give a rank table (RANK_TABLE_FILE)");
}

TEST(Launchers, Slurm) {
  JobPlan plan = resolved(kSlurm);
  EXPECT_EQ(plan.rank, 9u);
  EXPECT_EQ(plan.size, 20u);
  EXPECT_EQ(plan.layout(), "8,8,4");
  EXPECT_EQ(plan.server, 1u);
  EXPECT_EQ(plan.localRank, 1u);
  EXPECT_EQ(plan.localSize, 8u);
  EXPECT_EQ(plan.masterHost, "gpu07");
  EXPECT_GE(plan.masterPort, 20000);
  EXPECT_EQ(plan.source, "Slurm (SLURM_PROCID, SLURM_STEP_NUM_TASKS)");
  // Another step meets at another port, with another token.
  JobPlan other = resolved(with(kSlurm, {{"SLURM_STEP_ID", "1"}}));
  EXPECT_NE(other.masterPort, plan.masterPort);
  EXPECT_NE(other.token, plan.token);
  // Without the tasks of each node, all have the same number.
  JobPlan equal = resolved(with(kSlurm, {{"SLURM_STEP_TASKS_PER_NODE", ""},
                                         {"SLURM_STEP_NUM_NODES", "4"},
                                         {"SLURM_LOCALID", "4"}}));
  EXPECT_EQ(equal.layout(), "5,5,5,5");
  EXPECT_EQ(equal.server, 1u);
}

TEST(Launchers, ABatchScriptOfSlurmIsNoStep) {
  JobPlan plan = resolved({{"SLURM_PROCID", "0"},
                           {"SLURM_NTASKS", "8"},
                           {"SLURM_LOCALID", "0"},
                           {"SLURM_JOB_ID", "4711"}});
  EXPECT_EQ(plan.size, 1u);
  EXPECT_EQ(plan.source, "");
}

TEST(Launchers, OneSlurmTaskOnEachNodeMayHoldAnotherLauncher) {
  Environment step{{"SLURM_PROCID", "1"},
                   {"SLURM_STEP_NUM_TASKS", "2"},
                   {"SLURM_STEP_TASKS_PER_NODE", "1(x2)"},
                   {"SLURM_STEP_NODELIST", "a,b"},
                   {"SLURM_NODEID", "1"},
                   {"SLURM_LOCALID", "0"}};
  EXPECT_EQ(resolved(step).size, 2u);
  Environment both = step;
  both.insert(kTorchrun.begin(), kTorchrun.end());
  EXPECT_EQ(resolved(both).source, "torchrun (RANK, WORLD_SIZE)");
  LaunchOptions options;
  options.ranks = 4;
  options.nodes = 2;
  options.nodeRank = 1;
  options.master = "a:4000";
  JobPlan started = resolved(step, options);
  EXPECT_EQ(started.size, 8u);
  EXPECT_EQ(started.rank, 4u);
}

TEST(Launchers, WhatIsWrongWithSlurmsVariables) {
  expectRefused(
      with(kSlurm, {{"SLURM_STEP_NUM_TASKS", ""}, {"SLURM_NTASKS", ""}}),
      "SLURM_PROCID=9 is set, but SLURM_NTASKS is not; set both, or "
      "unset SLURM_PROCID");
  expectRefused(with(kSlurm, {{"SLURM_PROCID", "20"}}),
                "SLURM_PROCID=20, but SLURM_STEP_NUM_TASKS=20: ranks are 0 to "
                "19");
  expectRefused(with(kSlurm, {{"SLURM_STEP_TASKS_PER_NODE", "8(x2"}}),
                "SLURM_STEP_TASKS_PER_NODE=8(x2: expected a list such as "
                "8(x2),4");
  expectRefused(with(kSlurm, {{"SLURM_STEP_TASKS_PER_NODE", "8(x2)"}}),
                "SLURM_STEP_TASKS_PER_NODE=8(x2) are 16 tasks, but "
                "SLURM_STEP_NUM_TASKS=20");
  expectRefused(with(kSlurm, {{"SLURM_LOCALID", "3"}}),
                "SLURM_LOCALID=3, but SLURM_PROCID=9 and "
                "SLURM_STEP_TASKS_PER_NODE=8(x2),4 make it 1: the ranks of a "
                "server must be neighbours; start with srun "
                "--distribution=block");
  expectRefused(with(kSlurm, {{"SLURM_NODEID", "0"}}),
                "SLURM_NODEID=0, but SLURM_PROCID=9 and "
                "SLURM_STEP_TASKS_PER_NODE=8(x2),4 make it 1: the ranks of a "
                "server must be neighbours; start with srun "
                "--distribution=block");
  expectRefused(with(kSlurm, {{"SLURM_STEP_NODELIST", "gpu[x]"}}),
                "SLURM_STEP_NODELIST=gpu[x]: expected a list such as "
                "node[01-04]; say where rank 0 is with --master HOST:PORT");
  expectRefused(with(kSlurm, {{"SLURM_STEP_NODELIST", ""}}),
                "3 servers, and nothing says where rank 0 is; give --master "
                "HOST:PORT or set MASTER_ADDR and MASTER_PORT, the same for "
                "all ranks");
  EXPECT_EQ(resolved(with(kSlurm, {{"SLURM_STEP_NODELIST", ""},
                                   {"SLURM_LAUNCH_NODE_IPADDR", "10.0.0.9"}}))
                .masterHost,
            "10.0.0.9");
}

TEST(Launchers, OpenMpi) {
  JobPlan plan = resolved(kOpenMpi);
  EXPECT_EQ(plan.rank, 1u);
  EXPECT_EQ(plan.size, 2u);
  EXPECT_EQ(plan.localRank, 1u);
  EXPECT_EQ(plan.servers(), 1u);
  EXPECT_EQ(plan.masterHost, "127.0.0.1");
  EXPECT_EQ(plan.source,
            "Open MPI (OMPI_COMM_WORLD_RANK, OMPI_COMM_WORLD_SIZE)");
  JobPlan other = resolved(with(kOpenMpi, {{"OMPI_MCA_ess_base_jobid", "7"}}));
  EXPECT_NE(other.masterPort, plan.masterPort);
}

TEST(Launchers, WhatIsWrongWithOpenMpisVariables) {
  expectRefused(with(kOpenMpi, {{"OMPI_COMM_WORLD_SIZE", ""}}),
                "OMPI_COMM_WORLD_RANK=1 is set, but OMPI_COMM_WORLD_SIZE is "
                "not; set both, or unset OMPI_COMM_WORLD_RANK");
  expectRefused(with(kOpenMpi, {{"OMPI_COMM_WORLD_LOCAL_SIZE", ""}}),
                "OMPI_COMM_WORLD_RANK=1 is set, but OMPI_COMM_WORLD_LOCAL_SIZE "
                "is not; set both, or unset OMPI_COMM_WORLD_RANK");
  // Round robin over two hosts.
  expectRefused(with(kOpenMpi, {{"OMPI_COMM_WORLD_SIZE", "4"},
                                {"OMPI_COMM_WORLD_LOCAL_RANK", "0"}}),
                "OMPI_COMM_WORLD_LOCAL_RANK=0, but OMPI_COMM_WORLD_RANK=1 is "
                "local rank 1 where servers have 2 ranks: the ranks of a "
                "server must be neighbours; start with mpirun --map-by slot");
  expectRefused(with(kOpenMpi, {{"OMPI_COMM_WORLD_SIZE", "4"}}),
                "2 servers, and nothing says where rank 0 is; give --master "
                "HOST:PORT or set MASTER_ADDR and MASTER_PORT, the same for "
                "all ranks");
}

TEST(Launchers, Pmi) {
  JobPlan plan = resolved(kPmi);
  EXPECT_EQ(plan.rank, 2u);
  EXPECT_EQ(plan.size, 4u);
  EXPECT_EQ(plan.servers(), 1u);
  EXPECT_EQ(plan.source, "PMI (PMI_RANK, PMI_SIZE)");
  expectRefused(with(kPmi, {{"PMI_SIZE", ""}}),
                "PMI_RANK=2 is set, but PMI_SIZE is not; set both, or unset "
                "PMI_RANK");
  expectRefused(with(kPmi, {{"MPI_LOCALNRANKS", ""}}),
                "PMI_RANK=2 and PMI_SIZE=4 are set, but MPI_LOCALNRANKS, the "
                "ranks of this server, is not; set it, or give a rank table "
                "(RANK_TABLE_FILE)");
}

TEST(Launchers, TheFirstOfTwoThatAgreeWins) {
  Environment both = with(kSlurm, {{"PMI_RANK", "9"}, {"PMI_SIZE", "20"}});
  EXPECT_EQ(resolved(both).source,
            "Slurm (SLURM_PROCID, SLURM_STEP_NUM_TASKS)");
}

TEST(Launchers, TwoThatDisagree) {
  Environment both = kTorchrun;
  both.insert(kOpenMpi.begin(), kOpenMpi.end());
  expectRefused(both,
                "torchrun says RANK=5 and WORLD_SIZE=8, but Open MPI says "
                "OMPI_COMM_WORLD_RANK=1 and OMPI_COMM_WORLD_SIZE=2; unset the "
                "variables of the one that has not started this process");
  expectRefused(with(kOpenMpi, {{"PMI_RANK", "1"},
                                {"PMI_SIZE", "2"},
                                {"MPI_LOCALRANKID", "0"},
                                {"MPI_LOCALNRANKS", "1"}}),
                "OMPI_COMM_WORLD_LOCAL_RANK=1, but MPI_LOCALRANKID=0; unset "
                "the variables of the one that has not started this process");
}

TEST(Launchers, RanksOfNoLauncher) {
  expectRefused({{"RANK_SIZE", "8"}},
                "RANK_SIZE=8 is set, but nothing says where the ranks are: set "
                "RANK_TABLE_FILE too, or start them with --ranks 8, or unset "
                "it");
  EXPECT_EQ(resolved({{"RANK_SIZE", "1"}, {"RANK_ID", "0"}}).size, 1u);
}

} // namespace
