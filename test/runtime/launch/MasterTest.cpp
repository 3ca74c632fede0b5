// Jobs of the command line; where ranks meet, and with which token.
#include "test/runtime/launch/Resolve.h"

using namespace boostrt;

namespace {

LaunchOptions ranks(uint32_t count) {
  LaunchOptions options;
  options.ranks = count;
  return options;
}

LaunchOptions nodes(uint32_t nodeRank, const char *master = "10.0.0.1:4000") {
  LaunchOptions options = ranks(2);
  options.nodes = 3;
  options.nodeRank = nodeRank;
  options.master = master;
  return options;
}

const Environment kMpi{{"OMPI_COMM_WORLD_RANK", "0"},
                       {"OMPI_COMM_WORLD_SIZE", "4"},
                       {"OMPI_COMM_WORLD_LOCAL_RANK", "0"},
                       {"OMPI_COMM_WORLD_LOCAL_SIZE", "2"}};

TEST(CommandLineJobs, RanksOfThisHost) {
  JobPlan plan = resolved({}, ranks(4));
  EXPECT_TRUE(plan.startsRanks);
  EXPECT_EQ(plan.rank, 0u);
  EXPECT_EQ(plan.localSize, 4u);
  EXPECT_EQ(plan.source, "the command line (--ranks)");
  // The process that starts them chooses both.
  EXPECT_EQ(plan.master(), "127.0.0.1:0");
  EXPECT_EQ(plan.token, "");
  EXPECT_EQ(plan.tokenSource, "random");
  // What a shell has left over from another job does not count.
  JobPlan same =
      resolved({{"MASTER_ADDR", "far"}, {"MASTER_PORT", "1"}}, ranks(4));
  EXPECT_EQ(same.master(), "127.0.0.1:0");
}

TEST(CommandLineJobs, OneRankIsThisProcess) {
  JobPlan plan = resolved({}, ranks(1));
  EXPECT_FALSE(plan.startsRanks);
  EXPECT_EQ(plan.masterHost, "");
  LaunchOptions logged = ranks(1);
  logged.logDir = "log";
  EXPECT_TRUE(resolved({}, logged).startsRanks) << "a launcher writes the logs";
}

TEST(CommandLineJobs, Servers) {
  JobPlan plan = resolved({}, nodes(1));
  EXPECT_TRUE(plan.startsRanks);
  EXPECT_EQ(plan.rank, 2u);
  EXPECT_EQ(plan.layout(), "2,2,2");
  EXPECT_EQ(plan.master(), "10.0.0.1:4000");
  EXPECT_EQ(plan.source, "the command line (--ranks, --nnodes, --node-rank)");
  // All servers derive the same token.
  EXPECT_EQ(plan.tokenSource, "derived");
  EXPECT_EQ(plan.token.size(), 32u);
  EXPECT_EQ(plan.token, resolved({}, nodes(2)).token);
  EXPECT_NE(plan.token, resolved({}, nodes(2, "10.0.0.1:4001")).token);
  EXPECT_THAT(plan.notes[0],
              testing::HasSubstr("who can reach 10.0.0.1:4000 can join"));
}

TEST(CommandLineJobs, ThreadsOfThisProcess) {
  LaunchOptions options = ranks(4);
  options.comm = CommKind::Local;
  JobPlan plan = resolved({}, options);
  EXPECT_FALSE(plan.startsRanks);
  EXPECT_TRUE(plan.ranksAreThreads());
  EXPECT_EQ(plan.masterHost, "");
}

TEST(CommandLineJobs, WhatIsWrong) {
  LaunchOptions options = nodes(3);
  expectRefused({}, "--node-rank=3, but --nnodes=3: expected 0 to 2", options);
  options.nodeRank.reset();
  expectRefused({},
                "--nnodes=3 needs --node-rank I, which of them this is, from 0 "
                "to 2",
                options);
  options = nodes(0);
  options.master.reset();
  expectRefused({},
                "3 servers, and nothing says where rank 0 is; give --master "
                "HOST:PORT or set MASTER_ADDR and MASTER_PORT, the same for "
                "all ranks",
                options);
  options = ranks(60000);
  options.nodes = 2;
  options.nodeRank = 0;
  expectRefused({},
                "--ranks=60000 on --nnodes=2 servers are more than 65536 ranks",
                options);
  options = {};
  options.nodeRank = 1;
  expectRefused({},
                "--node-rank says which of several servers this is; it needs "
                "--nnodes N or a rank table",
                options);
  options = {};
  options.logDir = "log";
  expectRefused({},
                "--log-dir is for ranks that boost-run starts, and this "
                "process is the only one (--ranks N starts N)",
                options);
  options = nodes(0);
  options.comm = CommKind::Local;
  expectRefused({},
                "--comm=local makes all ranks threads of one process, but "
                "--nnodes=3; take --comm=gloo",
                options);
}

TEST(CommandLineJobs, ThreadsWriteNoLogs) {
  LaunchOptions options = ranks(4);
  options.comm = CommKind::Local;
  options.logDir = "log";
  expectRefused({},
                "--log-dir is for ranks that boost-run starts, and "
                "--comm=local starts none",
                options);
}

TEST(CommandLineJobs, LaunchersOfOneProcessOnEachServerChangeNothing) {
  Environment one{{"OMPI_COMM_WORLD_RANK", "0"},
                  {"OMPI_COMM_WORLD_SIZE", "1"},
                  {"OMPI_MCA_ess_base_jobid", "1"}};
  JobPlan first = resolved(one, nodes(0));
  JobPlan second =
      resolved(with(one, {{"OMPI_MCA_ess_base_jobid", "2"}}), nodes(1));
  EXPECT_EQ(first.token, second.token);
  EXPECT_EQ(first.master(), second.master());
}

TEST(CommandLineJobs, InsideAJobOfAnotherLauncher) {
  expectRefused(kMpi,
                "--ranks starts ranks, but Open MPI says "
                "OMPI_COMM_WORLD_RANK=0 and OMPI_COMM_WORLD_SIZE=4: each of "
                "those would start them; leave --ranks out, or start one "
                "process",
                ranks(4));
  LaunchOptions options;
  options.comm = CommKind::Local;
  options.master = "10.0.0.1";
  expectRefused(kMpi,
                "--comm=local makes all ranks threads of one process, but this "
                "is one of 4 ranks, from Open MPI (OMPI_COMM_WORLD_RANK, "
                "OMPI_COMM_WORLD_SIZE); take --comm=gloo",
                options);
  options = {};
  options.logDir = "log";
  expectRefused(kMpi,
                "--log-dir is for ranks that boost-run starts, and Open MPI "
                "(OMPI_COMM_WORLD_RANK, OMPI_COMM_WORLD_SIZE) has started this "
                "one; let that write the logs",
                options);
  // One process of mpirun's may start as many as it likes.
  JobPlan plan = resolved(with(kMpi, {{"OMPI_COMM_WORLD_SIZE", "1"},
                                      {"OMPI_COMM_WORLD_LOCAL_SIZE", "1"}}),
                          ranks(4));
  EXPECT_TRUE(plan.startsRanks);
}

TEST(Master, FlagThenVariablesThenTheDefaultPort) {
  LaunchOptions options;
  options.master = "10.0.0.1:4000";
  EXPECT_EQ(resolved(kMpi, options).master(), "10.0.0.1:4000");
  Environment variables =
      with(kMpi, {{"MASTER_ADDR", "10.0.0.2"}, {"MASTER_PORT", "4001"}});
  EXPECT_EQ(resolved(variables).master(), "10.0.0.2:4001");
  options.master = "10.0.0.2";
  EXPECT_EQ(resolved(variables, options).master(), "10.0.0.2:4001");
  EXPECT_EQ(resolved(kMpi, options).master(), "10.0.0.2:29511");
  options.master = "[fe80::1]:4000";
  EXPECT_EQ(resolved(kMpi, options).masterHost, "fe80::1");
  EXPECT_EQ(resolved(kMpi, options).master(), "[fe80::1]:4000");
  options.master = "fe80::1%eth0";
  EXPECT_EQ(resolved(kMpi, options).masterHost, "fe80::1%eth0");
  options.master = "fe80::1";
  EXPECT_EQ(resolved(kMpi, options).masterHost, "fe80::1");
}

TEST(Master, WhatIsWrong) {
  Environment variables =
      with(kMpi, {{"MASTER_ADDR", "10.0.0.2"}, {"MASTER_PORT", "4001"}});
  LaunchOptions options;
  options.master = "10.0.0.1:4000";
  expectRefused(variables,
                "--master says 10.0.0.1, but MASTER_ADDR=10.0.0.2; leave one "
                "of them out",
                options);
  options.master = "10.0.0.2:4000";
  expectRefused(variables,
                "--master says port 4000, but MASTER_PORT=4001; leave one of "
                "them out",
                options);
  for (const char *wrong :
       {":4000", "host:", "host:0", "host:65536", "host:4000x", "[::1",
        "[::1]4000", "a b", "", ":::", "a:b:c", "[a:b]:4000", "1:2:3"}) {
    options.master = wrong;
    expectRefused(kMpi,
                  "--master: '" + std::string(wrong) +
                      "' is not HOST or HOST:PORT with a port from 1 to 65535",
                  options);
  }
  expectRefused(with(kMpi, {{"MASTER_ADDR", "a"}, {"MASTER_PORT", "http"}}),
                "MASTER_PORT=http: expected a number from 0 to 65535; set it "
                "to one, or unset it");
  options.master = "10.0.0.1:4000";
  expectRefused(
      {{"MS_ROLE", "MS_WORKER"}, {"MS_WORKER_NUM", "2"}, {"RANK_ID", "0"}},
      "--master says 10.0.0.1:4000, but msrun says 127.0.0.1:8118; "
      "leave --master out",
      options);
}

TEST(Token, FlagThenVariableThenDerived) {
  JobInputs inputs;
  inputs.options = nodes(0);
  inputs.options.tokenFile = "token";
  inputs.tokenFile = "s3cret\n";
  Result<JobPlan> plan = resolveJob(inputs);
  ASSERT_TRUE(plan.ok());
  EXPECT_EQ(plan->token, "s3cret");
  EXPECT_EQ(plan->tokenSource, "--token-file");
  EXPECT_TRUE(plan->notes.empty());
  inputs.environment["BOOSTC_TOKEN"] = "s3cret";
  EXPECT_TRUE(resolveJob(inputs).ok());
  inputs.environment["BOOSTC_TOKEN"] = "other";
  EXPECT_EQ(
      resolveJob(inputs).status().message(),
      "--token-file 'token' and BOOSTC_TOKEN hold different tokens; leave "
      "one of them out");
  for (const char *wrong : {"", "  \n", "two\nlines"}) {
    inputs.tokenFile = wrong;
    EXPECT_EQ(resolveJob(inputs).status().message(),
              "--token-file: 'token' holds no token, which is one line of 1 to "
              "200 letters, digits and signs");
  }
  EXPECT_EQ(resolved({{"BOOSTC_TOKEN", "x"}}, nodes(0)).tokenSource,
            "BOOSTC_TOKEN");
  expectRefused({{"BOOSTC_TOKEN", "a\nb"}},
                "BOOSTC_TOKEN is not a token, which is one line of 1 to 200 "
                "letters, digits and signs",
                nodes(0));
}

} // namespace
