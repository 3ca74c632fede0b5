#include "runtime/trainer/Report.h"

#include "runtime/cli/ProgressText.h"
#include "runtime/program/Recipe.h"
#include "runtime/trainer/StopSignals.h"
#include "test/runtime/support/TemporaryDirectory.h"
#include "test/runtime/trainer/Fixtures.h"

#include <gmock/gmock.h>

#include <cmath>
#include <csignal>

using namespace boostrt;
using testing::HasSubstr;

namespace {

TEST(Report, FloatsAreShortestAndLookLikeFloats) {
  EXPECT_EQ(shortest(0.3660637f), "0.3660637");
  EXPECT_EQ(shortest(1.0f), "1.0");
  EXPECT_EQ(shortest(100.0f), "100.0");
  EXPECT_EQ(shortest(0.1f), "0.1");
  EXPECT_EQ(shortest(1e-8f), "1e-08");
  EXPECT_EQ(shortest(INFINITY), "inf");
  EXPECT_EQ(shortest(2.3025851f), "2.3025851");
}

TEST(Report, LinesAreTheGoldenOnes) {
  testing::internal::CaptureStdout();
  Console console(ProgressKind::Plain);
  console.startTraining();
  console.stepLine({1, 27, 27, 0.3660637f, 0.01f, 1000});
  console.epochTime(1234.5678, 1875);
  console.epochTime(1.5, 0);
  console.evaluationLine(1, 27,
                         {{{"loss", 0.5}, {"top_1", 0.75}, {"top_5", 1.0}}});
  console.evaluationLine(2, 27, {{{"loss", 0.5}}});
  console.startTesting();
  console.result({{{"loss", 0.25}, {"top_1", 0.76}, {"top_5", 0.93}}},
                 "mlp-1_27.ckpt");
  console.result({{{"loss", 0.25}}}, "");
  console.memory(1 << 20, 3 << 19);
  console.memory(1 << 20, std::nullopt);
  EXPECT_EQ(testing::internal::GetCapturedStdout(),
            "============== Starting Training ==============\n"
            "epoch: 1 step: 27, loss is 0.3660637\n"
            "Train epoch time: 1234.568 ms, per step time: 0.658 ms\n"
            "epoch: 1 step: 27, top_1_accuracy is 0.75, top_5_accuracy is "
            "1.0\n"
            "epoch: 2 step: 27, loss is 0.5\n"
            "============== Starting Testing ==============\n"
            "result: {'top_1_accuracy': 0.76, 'top_5_accuracy': 0.93} "
            "ckpt=mlp-1_27.ckpt\n"
            "result: {'loss': 0.25} ckpt=none\n"
            "memory: planned 1.00 MiB, measured peak 1.50 MiB\n"
            "memory: planned 1.00 MiB, measured peak unknown\n");
}

TEST(Report, WithoutProgressOnlyResultsAreShown) {
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  {
    Console console(ProgressKind::None);
    console.stepLine({1, 27, 27, 0.5f, 0.01f, 1000});
    console.epochTime(1, 1);
    console.evaluationLine(1, 27, {{{"top_1", 0.25}}});
    console.progress({1, 27, 27, 0.5f, 0.01f, 1000}, 10, 100, 5);
    console.result({{{"loss", 0.25}}}, "a");
  }
  EXPECT_EQ(testing::internal::GetCapturedStdout(),
            "result: {'loss': 0.25} ckpt=a\n");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

TEST(Report, TheBarIsOneLineAndLeavesNothing) {
  testing::internal::CaptureStderr();
  {
    Console console(ProgressKind::Bar);
    console.progress({2, 50, 150, 0.5f, 0.01f, 1234.4}, 10, 100, 3723);
    console.progress({2, 51, 151, 0.5f, 0.01f, 1234.4}, 10, 100, 3722);
    console.note("hello");
  }
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "\r\x1b[Jepoch 2/10 [========>        ] 50/100  loss 0.5000"
            "  1234 samples/s  eta 1:02:03\r"
            "\r\x1b[Jboost-run: hello\n")
      << "the second drawing comes too soon after the first";
}

TEST(Report, ALineIsNoReasonToDrawTheBarMoreOften) {
  testing::internal::CaptureStderr();
  testing::internal::CaptureStdout();
  {
    Console console(ProgressKind::Bar);
    for (int i = 0; i < 10; ++i) {
      console.progress({2, 50, 150, 0.5f, 0.01f, 1234.4}, 10, 100, 3723);
      console.line("a line");
    }
  }
  testing::internal::GetCapturedStdout();
  std::string drawn = testing::internal::GetCapturedStderr();
  size_t bars = 0;
  for (size_t at = 0; (at = drawn.find("epoch", at)) != std::string::npos; ++at)
    ++bars;
  EXPECT_EQ(bars, 1u) << drawn;
}

/// Epoch 2 of 10, step 1000 of 2000.
constexpr Progress kHalf{2, 10, 1000, 2000, 0.5f, 12345, 62};

TEST(ProgressText, WhatDoesNotFitGoesInOrder) {
  auto text = [](size_t columns) {
    return progressText(kHalf, columns, /*hasColour=*/false);
  };
  EXPECT_EQ(text(200), "epoch 2/10 [============>           ] 1000/2000  loss "
                       "0.5000  12345 samples/s  eta 1:02");
  EXPECT_EQ(text(80), "epoch 2/10 [========>       ] 1000/2000  loss 0.5000  "
                      "12345 samples/s  eta 1:02");
  EXPECT_EQ(text(72), "epoch 2/10 [====>   ] 1000/2000  loss 0.5000  12345 "
                      "samples/s  eta 1:02");
  EXPECT_EQ(text(71), "epoch 2/10 [============>           ] 1000/2000  loss "
                      "0.5000  eta 1:02")
      << "the rate goes first";
  EXPECT_EQ(text(54), "epoch 2/10 [========>        ] 1000/2000  loss 0.5000");
  EXPECT_EQ(text(45), "epoch 2/10 [====>   ] 1000/2000  loss 0.5000");
  EXPECT_EQ(text(44), "epoch 2/10 1000/2000  loss 0.5000");
  EXPECT_EQ(text(30), "epoch 2/10 1000/2000");
  EXPECT_EQ(text(5), "epoc");
  EXPECT_EQ(text(0), "");
}

TEST(ProgressText, IsNarrowerThanEveryTerminal) {
  const Progress cases[] = {
      kHalf,
      {},
      {1, 1, 0, 0, INFINITY, NAN, -1},
      {1, 1, 7, 3, -1e30f, 1e12, 1e8},
      {INT64_MAX, INT64_MAX, INT64_MAX, INT64_MAX, NAN, 1e300, 1e300}};
  for (const Progress &progress : cases)
    for (size_t columns = 1; columns < 300; ++columns) {
      std::string text = progressText(progress, columns, false);
      EXPECT_LT(text.size(), columns) << text;
      for (char character : text)
        EXPECT_TRUE(character >= ' ' && character < 0x7f);
      std::string coloured = progressText(progress, columns, true);
      EXPECT_EQ(coloured.size(), text.size() + 9) << "no column is colour";
    }
}

TEST(Report, NotATerminalMeansNoBar) {
  testing::internal::CaptureStderr();
  Console(ProgressKind::Auto).progress({1, 1, 1, 0.5f, 0.01f, 1}, 1, 1, 1);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

TEST(Metrics, LinesAreTheGoldenOnes) {
  TemporaryDirectory directory;
  std::string path = directory / "m.jsonl";
  auto file = MetricsFile::open(path, false);
  ASSERT_TRUE(file.ok());
  (*file)->step({1, 27, 27, 0.3660637f, 0.01f, 1234.5});
  (*file)->step({1, 28, 28, INFINITY, 0.01f, 6.7004});
  (*file)->step({1, 29, 29, 0.5f, 0.01f, 1000, 2.5f});
  const float one[] = {1024}, scales[] = {8, 0.5f};
  const int64_t overflows[] = {1, 0};
  (*file)->step({1, 30, 30, 0.5f, 0.01f, 1000, {}, one});
  const std::pair<std::string_view, int32_t> numbers[] = {{"plain_layers", 3}};
  (*file)->step(
      {1, 31, 31, 0.5f, 0.01f, 1000, {}, scales, overflows, 2, {}, numbers});
  (*file)->evaluation(1, 1875, 1875, {{{"loss", 0.5}, {"top_1", 0.98}}});
  (*file)->evaluation(1, 1875, 1875, {{{"loss", NAN}}});
  (*file)->end(2.5, 1024, 1000);
  (*file)->end(2.5, std::nullopt, 1000);
  EXPECT_TRUE((*file)->close().ok());
  EXPECT_EQ(
      readFile(path),
      R"({"event":"step","epoch":1,"step":27,"global_step":27,"loss":0.3660637,"lr":0.01,"samples_per_s":1235.0})"
      "\n"
      R"({"event":"step","epoch":1,"step":28,"global_step":28,"loss":null,"lr":0.01,"samples_per_s":6.7})"
      "\n"
      R"({"event":"step","epoch":1,"step":29,"global_step":29,"loss":0.5,"lr":0.01,"samples_per_s":1000.0,"grad_norm":2.5})"
      "\n"
      R"({"event":"step","epoch":1,"step":30,"global_step":30,"loss":0.5,"lr":0.01,"samples_per_s":1000.0,"loss_scale":1024.0})"
      "\n"
      R"({"event":"step","epoch":1,"step":31,"global_step":31,"loss":0.5,"lr":0.01,"samples_per_s":1000.0,"loss_scale":[8.0,0.5],"overflows":[1,0],"plain_layers":3,"skipped":2})"
      "\n"
      R"({"event":"eval","epoch":1,"step":1875,"global_step":1875,"loss":0.5,"top_1":0.98})"
      "\n"
      R"({"event":"eval","epoch":1,"step":1875,"global_step":1875,"loss":null})"
      "\n"
      R"({"event":"end","wall_s":2.5,"peak_bytes":1024,"planned_bytes":1000})"
      "\n"
      R"({"event":"end","wall_s":2.5,"peak_bytes":null,"planned_bytes":1000})"
      "\n");
}

TEST(Metrics, AResumedRunContinuesTheFile) {
  TemporaryDirectory directory;
  std::string path = directory / "m.jsonl";
  writeFile(path, "before\n");
  {
    auto file = MetricsFile::open(path, /*resumed=*/true);
    ASSERT_TRUE(file.ok());
    (*file)->end(1, 2, 3);
    ASSERT_TRUE((*file)->close().ok());
  }
  EXPECT_THAT(readFile(path), testing::StartsWith("before\n{\"event\":"));
}

TEST(Metrics, HalfALineOfAKilledRunIsNotContinued) {
  TemporaryDirectory directory;
  std::string path = directory / "m.jsonl";
  writeFile(path, "before\n{\"event\":\"st");
  auto file = MetricsFile::open(path, /*resumed=*/true);
  ASSERT_TRUE(file.ok());
  (*file)->end(1, 2, 3);
  ASSERT_TRUE((*file)->close().ok());
  EXPECT_EQ(readFile(path),
            "before\n{\"event\":\"end\",\"wall_s\":1.0,\"peak_bytes\":2,"
            "\"planned_bytes\":3}\n");
}

TEST(Metrics, TheOldFileIsWholeUntilTheNewOneHasLines) {
  TemporaryDirectory directory;
  std::string path = directory / "m.jsonl";
  writeFile(path, "old\n");
  auto file = MetricsFile::open(path, /*resumed=*/false);
  ASSERT_TRUE(file.ok());
  EXPECT_EQ(readFile(path), "old\n");
  (*file)->end(1, 2, 3);
  ASSERT_TRUE((*file)->close().ok());
  EXPECT_THAT(readFile(path), testing::StartsWith("{\"event\":\"end\""));
}

TEST(Metrics, AFileThatCannotBeWrittenIsAMessage) {
  auto file = MetricsFile::open("/no/such/directory/m.jsonl", false);
  ASSERT_FALSE(file.ok());
  EXPECT_EQ(file.status().code(), ExitCode::Usage);
  EXPECT_THAT(
      file.status().message(),
      HasSubstr("cannot write '/no/such/directory/m.jsonl': No such file"));
}

TEST(Metrics, AFullDiskIsRememberedAndDoesNotStopTheRun) {
  auto file = MetricsFile::open("/dev/full", false);
  ASSERT_TRUE(file.ok());
  for (int i = 0; i < 1000; ++i)
    (*file)->step({1, 27, 27, 0.5f, 0.01f, 1000});
  Status closed = (*file)->close();
  EXPECT_EQ(closed.code(), ExitCode::Usage);
  EXPECT_THAT(closed.message(),
              HasSubstr("the metrics file is incomplete: cannot write "
                        "'/dev/full': No space left on device; free some "
                        "space"));
}

TEST(StopSignals, TheFirstIsNotedAndTheSecondIsNotOurs) {
  for (int signal : {SIGTERM, SIGINT}) {
    StopSignals signals;
    EXPECT_EQ(StopSignals::received(), 0);
    EXPECT_STREQ(StopSignals::cause(), "a signal to another rank");
    raise(signal);
    EXPECT_EQ(StopSignals::received(), signal);
    EXPECT_STREQ(StopSignals::cause(),
                 signal == SIGTERM ? "SIGTERM" : "SIGINT");
    for (int next : {SIGTERM, SIGINT}) {
      struct sigaction action{};
      sigaction(next, nullptr, &action);
      EXPECT_EQ(action.sa_handler, SIG_DFL);
    }
  }
  EXPECT_EQ(StopSignals::received(), 0) << "nobody listens any more";
}

TEST(StopSignals, ALostTerminalMaySaySoSeveralTimes) {
  auto handlerOf = [](int number) {
    struct sigaction action{};
    sigaction(number, nullptr, &action);
    return action.sa_handler;
  };
  std::signal(SIGHUP, SIG_DFL); // whatever runs this test
  {
    StopSignals signals;
    raise(SIGHUP);
    raise(SIGHUP);
    EXPECT_EQ(StopSignals::received(), SIGHUP);
    EXPECT_STREQ(StopSignals::cause(), "SIGHUP");
  }
  EXPECT_EQ(handlerOf(SIGHUP), SIG_DFL);
  std::signal(SIGHUP, SIG_IGN); // as nohup does
  {
    StopSignals signals;
    raise(SIGHUP);
    EXPECT_EQ(StopSignals::received(), 0);
  }
  EXPECT_EQ(handlerOf(SIGHUP), SIG_IGN);
  std::signal(SIGHUP, SIG_DFL);
}

// A generated kernel may have the stack pointer in a buffer on the heap.
TEST(StopSignals, HandlersRunOnAStackOfTheirOwn) {
  auto runsOnOwnStack = [](int number) {
    struct sigaction action{};
    sigaction(number, nullptr, &action);
    stack_t stack{};
    sigaltstack(nullptr, &stack);
    return (action.sa_flags & SA_ONSTACK) && !(stack.ss_flags & SS_DISABLE);
  };
  {
    SignalsBeforeTraining signals(/*speaks=*/false);
    EXPECT_TRUE(runsOnOwnStack(SIGTERM));
    EXPECT_TRUE(runsOnOwnStack(SIGINT));
  }
  StopSignals signals;
  EXPECT_TRUE(runsOnOwnStack(SIGTERM));
  EXPECT_TRUE(runsOnOwnStack(SIGINT));
}

TEST(Recipe, WhatIsThereIsRead) {
  auto recipe = parseRecipe(R"({"epochs":7,"data":{"source":"mnist:D",
      "transforms":[{"op":"rescale","scale":2}]}})",
                            "p.so");
  ASSERT_TRUE(recipe.ok());
  EXPECT_EQ(recipe->epochs, 7);
  EXPECT_EQ(recipe->dataSource, "mnist:D");
  EXPECT_EQ(recipe->transforms.size(), 1u);
  EXPECT_EQ(parseRecipe(R"({"train":{"eval_every":3}})", "p")->evalEvery, 3);
  auto empty = parseRecipe("{}", "p.so");
  ASSERT_TRUE(empty.ok());
  EXPECT_EQ(empty->epochs, 1);
  EXPECT_EQ(empty->evalEvery, 1);
  EXPECT_FALSE(empty->ranks || empty->ranksPerServer);
  auto ranks = parseRecipe(R"({"train":{"device_num":16},
      "boost":{"common":{"device_number":8}}})",
                           "p.so");
  ASSERT_TRUE(ranks.ok());
  EXPECT_EQ(ranks->ranks, 16);
  EXPECT_EQ(ranks->ranksPerServer, 8);
  auto any = parseRecipe(R"({"train":{"device_num":null},
      "boost":{"common":{"device_number":null}}})",
                         "p.so");
  ASSERT_TRUE(any.ok());
  EXPECT_FALSE(any->ranks || any->ranksPerServer);
}

TEST(Recipe, NamesABasis) {
  auto recipe = parseRecipe(R"({"boost":{"dim_reduce":{"pca_mat_path":null,
      "weight_load_dir":"kept","timeout":60}}})",
                            "p.so");
  ASSERT_TRUE(recipe.ok());
  EXPECT_EQ(recipe->basisFile, "");
  EXPECT_EQ(recipe->basisCheckpoints, "kept");
  EXPECT_EQ(recipe->basisSeconds, 60);
}

TEST(Recipe, NumbersOfRanksAreThoseThatTrain) {
  Recipe any, all, server;
  all.ranks = 4;
  server.ranksPerServer = 2;
  for (const std::vector<uint32_t> &servers :
       {std::vector<uint32_t>{0}, {0, 0, 0, 0}, {0, 0, 1, 1}, {0, 1, 1}})
    EXPECT_TRUE(checkRankCounts(any, servers, "p.so").ok());
  EXPECT_TRUE(checkRankCounts(all, {0, 0, 0, 0}, "p.so").ok());
  EXPECT_TRUE(checkRankCounts(all, {0, 0, 1, 1}, "p.so").ok());
  EXPECT_TRUE(checkRankCounts(server, {0, 0}, "p.so").ok());
  EXPECT_TRUE(checkRankCounts(server, {0, 0, 1, 1}, "p.so").ok());
  Status status = checkRankCounts(all, {0, 0, 1}, "p.so");
  EXPECT_EQ(status.code(), ExitCode::Usage);
  EXPECT_EQ(status.message(),
            "'p.so' was compiled to train on 4 ranks (train.device_num), but 3 "
            "ranks were found; start 4, or compile it with --set "
            "train.device_num=3");
  // The second server is the one that differs.
  status = checkRankCounts(server, {0, 0, 1}, "p.so");
  EXPECT_EQ(status.code(), ExitCode::Usage);
  EXPECT_EQ(status.message(),
            "'p.so' was compiled for 2 ranks on each server "
            "(boost.common.device_number), but server 1 has 1; start 2 there, "
            "or compile it with --boost common.device_number=1");
}

TEST(Recipe, DefectsAreMessages) {
  const std::pair<const char *, const char *> cases[] = {
      {"", "not a JSON object"},
      {"[1]", "not a JSON object"},
      {"{", "not a JSON object"},
      {R"({"epochs":-1})", "'epochs' is not a number of epochs"},
      {R"({"epochs":"7"})", "'epochs' is not a number of epochs"},
      {R"({"train":3})", "'train' is not an object"},
      {R"({"train":{"eval_every":-1}})",
       "'train.eval_every' is not a number of epochs"},
      {R"({"train":{"device_num":0}})",
       "'train.device_num' is not a number of ranks"},
      {R"({"boost":{"common":{"device_number":"8"}}})",
       "'boost.common.device_number' is not a number of ranks"},
      {R"({"boost":{"common":8}})",
       "'boost.common.device_number' is not a number of ranks"},
      {R"({"boost":8})",
       "'boost.common.device_number' is not a number of ranks"},
      {R"({"boost":{"dim_reduce":8}})", "'boost.dim_reduce' is not an object"},
      {R"({"boost":{"dim_reduce":{"pca_mat_path":8}}})",
       "'boost.dim_reduce.pca_mat_path' is not a text"},
      {R"({"boost":{"dim_reduce":{"weight_load_dir":8}}})",
       "'boost.dim_reduce.weight_load_dir' is not a text"},
      {R"({"boost":{"dim_reduce":{"timeout":0}}})",
       "'boost.dim_reduce.timeout' is not a number of seconds"},
      {R"({"boost": {"dim_reduce": {"shards": 4097}}})",
       "'boost.dim_reduce.shards' is not a number of shards from 1 to 4096"},
      {R"({"data":3})", "'data' is not an object"},
      {R"({"data":{"source":3}})", "'data.source' is not a text"},
      {R"({"data":{"workers":0}})",
       "'data.workers' is not a number of threads"},
      {R"({"data":{"workers":257}})",
       "'data.workers' is not a number of threads"},
      {R"({"data":{"repeat":0}})", "'data.repeat' is not a number of passes"},
      {R"({"data":{"repeat":1001}})",
       "'data.repeat' is not a number of passes"},
      {R"({"data":{"decode_memory":15}})",
       "'data.decode_memory' is not a number of MiB"},
      {R"({"data":{"drop_remainder":1}})",
       "'data.drop_remainder' is neither true nor false"},
      {R"({"data":{"cache":"train"}})",
       "'data.cache' is none of 'auto', 'none' and 'eval'"},
      {R"({"data":{"bad_sample":"drop"}})",
       "'data.bad_sample' is neither 'error' nor 'skip'"}};
  for (auto [json, text] : cases) {
    auto recipe = parseRecipe(json, "p.so");
    ASSERT_FALSE(recipe.ok()) << json;
    EXPECT_EQ(recipe.status().code(), ExitCode::Input);
    EXPECT_THAT(
        recipe.status().message(),
        HasSubstr(std::string("'p.so' has a defective recipe: ") + text));
  }
}

} // namespace
