// Tables and traces of spans whose times are given.
#include "runtime/profile/Profile.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

using namespace boostrt;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

using Json = nlohmann::json;

class ProfileTest : public testing::Test {
protected:
  ProfileTest() {
    launches[0].kernel = "micro_kernel_0";
    launches[0].layers = "relu1, pool1";
    launches[0].work = {"m.json:3:5, m.json:4:5", 1'000'000, 3'000'000,
                        1'000'000};
    launches[1].kernel = "update_kernel_0";
    launches[1].layers = "";
    launches[1].work = {"m.json:9:5", 0, 2'000'000, 2'000'000};
    call.kind = BOOSTC_LIBRARY_MATMUL;
    call.matmul.m = 32;
    call.matmul.n = 10;
    call.matmul.k = 784;
    call.layers = "fc1";
    call.work = {"m.json:5:5", 2 * 32 * 10 * 784, 100'000, 1'280};
    parameters[0].tensor.name = "fc1.weight";
    parameters[1].tensor.name = "fc1.bias";
    collective = {BOOSTC_COLLECTIVE_ALL_REDUCE,
                  BOOSTC_RANKS_ALL,
                  0,
                  3,
                  exchanged,
                  "m.json:5:5",
                  0,
                  0};
    functions[0].name = "micro";
    functions[1].name = "update";
    target.launches = launches;
    target.launch_count = 2;
    target.library_calls = &call;
    target.library_call_count = 1;
    target.functions = functions;
    target.function_count = 2;
    program.name = "net";
    program.parameters = parameters;
    program.parameter_count = 2;
    program.collectives = &collective;
    program.collective_count = 1;
    peaks.threads = 2;
    peaks.flops = 1e9;
    peaks.vectors = "AVX2";
    peaks.bytes = 4e9;
    peaks.triadBytes = 96 << 20;
    peaks.cacheBytes = 32 << 20;
  }

  /// From and to milliseconds after the first.
  void add(SpanKind kind, int64_t index, int begin, int end) {
    Clock::time_point first = {};
    spans.push_back({kind, index, first + std::chrono::milliseconds(begin),
                     first + std::chrono::milliseconds(end)});
  }

  /// A step of 20 ms: two micro-batches and an update.
  void addStep(int64_t number, int at) {
    add(SpanKind::Step, number, at, at + 20);
    for (int i = 0; i < 2; ++i, at += 6) {
      add(SpanKind::Function, 0, at, at + 6);
      add(SpanKind::Kernel, 0, at, at + 2);
      add(SpanKind::Library, 0, at + 3, at + 5);
    }
    add(SpanKind::Function, 1, at, at + 5);
    add(SpanKind::Collective, 0, at, at + 1);
    add(SpanKind::Kernel, 1, at + 2, at + 4);
  }

  ProfiledProgram source(bool hasTimes = true) const {
    return {program, target, hasTimes ? "cpu with 2 threads" : "a simulator",
            hasTimes, hasTimes ? peaks : MachinePeaks()};
  }

  BoostLaunch launches[2] = {};
  BoostLibraryCall call = {};
  BoostParameter parameters[2] = {};
  BoostCollectiveOperand exchanged[3] = {{7840, 10, BOOSTC_F32, 0, 0, 0},
                                         {10, 10, BOOSTC_F32, 1, 1, 0},
                                         {1, 1, BOOSTC_I64, UINT32_MAX, 2, 0}};
  BoostCollective collective = {};
  BoostFunction functions[2] = {};
  BoostTarget target = {};
  BoostProgram program = {};
  MachinePeaks peaks;
  std::vector<Span> spans;
};

TEST_F(ProfileTest, ARowIsAPlaceOfAFunction) {
  addStep(4, 0);
  addStep(5, 20);
  Profile profile = makeProfile(source(), spans);
  EXPECT_EQ(profile.steps, 2);
  EXPECT_DOUBLE_EQ(profile.seconds, 0.040);
  std::vector<std::string> names, used;
  std::vector<int64_t> calls;
  for (const ProfileRow &row : profile.rows) {
    names.push_back(row.call.name);
    used.push_back(row.function);
    calls.push_back(row.calls);
  }
  // As much time as the matmul, and more operations.
  EXPECT_THAT(names, ElementsAre("micro_kernel_0", "matmul 32x10x784",
                                 "update_kernel_0", "all_reduce 0"));
  EXPECT_THAT(used, ElementsAre("micro", "micro", "update", "update"));
  EXPECT_THAT(calls, ElementsAre(4, 4, 2, 2));
  EXPECT_DOUBLE_EQ(profile.rows[0].seconds, 0.008);
  EXPECT_DOUBLE_EQ(profile.secondsInCalls(), 0.008 + 0.008 + 0.004 + 0.002);
  EXPECT_LE(profile.secondsInCalls(), profile.seconds);
}

TEST_F(ProfileTest, FunctionsThatShareACallHaveRowsOfTheirOwn) {
  addStep(4, 0);
  add(SpanKind::Step, 5, 20, 30);
  add(SpanKind::Function, 1, 20, 30);
  add(SpanKind::Library, 0, 21, 26);
  Profile profile = makeProfile(source(), spans);
  std::map<std::string, int64_t> calls;
  for (const ProfileRow &row : profile.rows)
    if (row.kind == SpanKind::Library)
      calls[row.function] = row.calls;
  EXPECT_EQ(calls,
            (std::map<std::string, int64_t>{{"micro", 2}, {"update", 1}}));
}

TEST_F(ProfileTest, SharesAreOfTheSlowerOfComputingAndMoving) {
  addStep(1, 0);
  Profile profile = makeProfile(source(), spans);
  // 1 ms to move 4 MB and as long to compute, of 2 ms.
  EXPECT_DOUBLE_EQ(*profile.rows[0].share, 0.5);
  // 501760 operations are 0.50176 ms of 2 ms.
  EXPECT_DOUBLE_EQ(*profile.rows[1].share, 0.25088);
  EXPECT_DOUBLE_EQ(*profile.rows[2].share, 0.5);
  EXPECT_FALSE(profile.rows[3].share) << "a collective waits for others";
}

TEST_F(ProfileTest, TheTableHasARestAndATotal) {
  addStep(1, 0);
  Profile profile = makeProfile(source(), spans);
  EXPECT_EQ(
      toText(source(), profile),
      "profile of 1 step on cpu with 2 threads: 20.0000 ms a step\n"
      "peaks of 2 threads: 1.0 GFLOP/s (AVX2 multiply-adds), 4.00 GB/s (triad "
      "over 96.00 MiB, the largest cache has 32.00 MiB)\n"
      "        ms      %   calls      MFLOP         MB   GFLOP/s     GB/s  "
      "roof%  call  layers  positions\n"
      "    4.0000  20.00       2      2.000      8.000      0.50     2.00   "
      "50.0  micro_kernel_0        relu1, pool1  m.json:3:5, m.json:4:5\n"
      "    4.0000  20.00       2      1.004      0.203      0.25     0.05   "
      "25.1  matmul 32x10x784      fc1  m.json:5:5\n"
      "    2.0000  10.00       1      0.000      4.000      0.00     2.00   "
      "50.0  update_kernel_0       m.json:9:5\n"
      "    1.0000   5.00       1      0.000      0.063      0.00     0.06      "
      "   all_reduce 0          fc1.weight, fc1.bias  m.json:5:5\n"
      "    9.0000  45.00                                                       "
      "   outside of calls: launching, waiting\n"
      "   20.0000 100.00       6      3.004     12.265      0.15     0.61      "
      "   total\n");
  ProfiledProgram bare = source();
  bare.peaks.flops = bare.peaks.bytes = 0;
  EXPECT_THAT(toText(bare, profile),
              HasSubstr("\npeaks of 2 threads: GFLOP/s not measured, which "
                        "needs AVX2, GB/s not measured, for which too little "
                        "memory is free\n"));
  std::string cut = toText(source(), profile, /*maxRows=*/1);
  EXPECT_THAT(cut, HasSubstr("  3 calls of less time\n"));
  EXPECT_THAT(cut, testing::Not(HasSubstr("all_reduce 0")));
}

TEST_F(ProfileTest, WithoutTimesThereAreCounts) {
  addStep(1, 0);
  Profile profile = makeProfile(source(/*hasTimes=*/false), spans);
  EXPECT_EQ(
      toText(source(false), profile),
      "profile of 1 step on a simulator: calls, operations and bytes of "
      "a step; times of a simulated device say nothing\n"
      "  calls      MFLOP         MB  call  layers  positions\n"
      "      2      2.000      8.000  micro_kernel_0        relu1, pool1  "
      "m.json:3:5, m.json:4:5\n"
      "      2      1.004      0.203  matmul 32x10x784      fc1  "
      "m.json:5:5\n"
      "      1      0.000      4.000  update_kernel_0       m.json:9:5\n"
      "      1      0.000      0.063  all_reduce 0          fc1.weight, "
      "fc1.bias  m.json:5:5\n"
      "      6      3.004     12.265  total\n");
  nlohmann::ordered_json json = toJson(source(false), profile);
  EXPECT_FALSE(json.contains("ms_per_step") || json.contains("peaks"));
  EXPECT_FALSE(json["calls"][0].contains("ms_per_step"));
  EXPECT_THAT(toText(source(false), profile, 2),
              HasSubstr("  2 calls of less work\n"));
}

TEST_F(ProfileTest, JsonHasEveryCall) {
  addStep(1, 0);
  addStep(2, 20);
  nlohmann::ordered_json json = toJson(source(), makeProfile(source(), spans));
  EXPECT_EQ(json["steps"], 2);
  EXPECT_DOUBLE_EQ(json["ms_per_step"], 20);
  EXPECT_DOUBLE_EQ(json["outside_ms_per_step"], 9);
  EXPECT_EQ(json["peaks"]["vectors"], "AVX2");
  ASSERT_EQ(json["calls"].size(), 4u);
  EXPECT_EQ(json["calls"][1].dump(),
            R"({"kind":"library_call","index":0,"name":"matmul 32x10x784",)"
            R"("function":"micro","layers":"fc1","positions":"m.json:5:5",)"
            R"("calls_per_step":2.0,"ms_per_step":4.0,"flops":501760,)"
            R"("bytes_read":100000,"bytes_written":1280,)"
            R"("roofline_share":0.25088})");
}

TEST_F(ProfileTest, ParametersOfACollectiveAreNotAllNamed) {
  std::vector<BoostCollectiveOperand> many(6, {1, 1, BOOSTC_F32, 0, 0, 0});
  collective.operands = many.data();
  collective.operand_count = 6;
  DescribedCall described = source().describe(SpanKind::Collective, 0);
  EXPECT_EQ(described.layers,
            "fc1.weight, fc1.weight, fc1.weight, fc1.weight and 2 more");
  EXPECT_EQ(described.bytesRead, 24u);
}

TEST_F(ProfileTest, ACallThatNoTableHasIsStillCounted) {
  add(SpanKind::Step, 1, 0, 9);
  add(SpanKind::Function, 0, 0, 8);
  add(SpanKind::Kernel, 77, 1, 2);
  add(SpanKind::Library, 9, 3, 4);
  add(SpanKind::Collective, 5, 5, 6);
  Profile profile = makeProfile(source(), spans);
  ASSERT_EQ(profile.rows.size(), 3u);
  EXPECT_EQ(profile.rows[0].call.name, "kernel 77");
  EXPECT_EQ(profile.rows[1].call.name, "library_call 9");
  EXPECT_EQ(profile.rows[2].call.name, "collective 5");
}

TEST_F(ProfileTest, EventsOfTheTraceNest) {
  addStep(7, 0);
  Json trace = Json::parse(toTrace(source(), spans));
  EXPECT_EQ(trace["displayTimeUnit"], "ms");
  std::vector<Json> events;
  std::vector<std::string> names;
  for (const Json &event : trace["traceEvents"])
    if (event["ph"] == "X") {
      events.push_back(event);
      names.push_back(event["name"]);
    }
  EXPECT_THAT(names, ElementsAre("step 7", "micro", "micro_kernel_0",
                                 "matmul 32x10x784", "micro", "micro_kernel_0",
                                 "matmul 32x10x784", "update", "all_reduce 0",
                                 "update_kernel_0"));
  std::vector<double> ends;
  for (const Json &event : events) {
    double begin = event["ts"], end = begin + event["dur"].get<double>();
    while (!ends.empty() && ends.back() <= begin)
      ends.pop_back();
    EXPECT_TRUE(ends.empty() || end <= ends.back()) << event;
    ends.push_back(end);
  }
  EXPECT_EQ(events[0]["dur"], 20000);
  EXPECT_EQ(events[3]["ts"], 3000);
  EXPECT_EQ(events[2]["args"]["flops"], 1'000'000);
  EXPECT_EQ(events[2]["args"]["bytes_read"], 3'000'000);
  EXPECT_EQ(events[2]["args"]["positions"], "m.json:3:5, m.json:4:5");
  EXPECT_EQ(trace["traceEvents"][0]["args"]["name"], "net");
}

} // namespace
