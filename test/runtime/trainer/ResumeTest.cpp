// A run that was stopped and resumed equals one that never stopped, bit by bit.
#include "test/runtime/trainer/PiecewiseRun.h"

#include <gmock/gmock.h>

#include <csignal>
#include <filesystem>
#include <thread>

using namespace boostrt;
using testing::HasSubstr;

namespace {

class ResumeAfter : public testing::TestWithParam<int> {};

TEST_P(ResumeAfter, EqualsARunNeverStopped) {
  // softmax: 8 steps an epoch, the last of 6 samples. window: 4 steps, the last
  // of 2 micro-batches and 6 samples.
  for (const char *program : {"softmax", "window"}) {
    SCOPED_TRACE(program);
    PiecewiseRun whole(program), pieces(program);
    ASSERT_EQ(whole.piece({"--epochs=3"}).exitCode, 0);
    Finished first =
        pieces.piece({"--epochs=3", "--steps=" + std::to_string(GetParam())});
    ASSERT_EQ(first.exitCode, 0) << first.err;
    Finished second = pieces.piece({"--epochs=3", "--resume=auto"});
    ASSERT_EQ(second.exitCode, 0) << second.err;
    EXPECT_THAT(second.err, HasSubstr("resuming after epoch "));
    EXPECT_FALSE(whole.weights().empty());
    EXPECT_TRUE(whole.weights() == pieces.weights());
  }
}

INSTANTIATE_TEST_SUITE_P(Steps, ResumeAfter,
                         testing::Values(1, 3, 4, 5, 7, 8, 9, 11));

TEST(Resume, AfterASignalAtAnyMoment) {
  // Enough epochs that the signals arrive in the middle.
  const std::string data = "digits:train=3200,test=9"; // 100 steps an epoch
  const std::vector<std::string> flags{"--epochs=60",
                                       "--checkpoint-every=2000"};
  PiecewiseRun whole("softmax", data), pieces("softmax", data);
  ASSERT_EQ(whole.piece(flags).exitCode, 0);
  int stops = 0;
  for (int signal : {SIGTERM, SIGINT, SIGTERM}) {
    BoostRunProcess process(pieces.arguments(flags));
    process.waitForOutput("Starting Training");
    std::this_thread::sleep_for(std::chrono::milliseconds(40));
    kill(process.id(), signal);
    Finished run = process.wait();
    if (run.exitCode == 0)
      break;
    ++stops;
    ASSERT_EQ(run.exitCode, 7) << run.err;
    EXPECT_THAT(run.err, HasSubstr(signal == SIGTERM ? "stopped by SIGTERM"
                                                     : "stopped by SIGINT"));
    EXPECT_THAT(run.err, HasSubstr("saved as " + pieces.directory()));
  }
  EXPECT_GT(stops, 0) << "no run lasted long enough to be stopped";
  Finished last = pieces.piece(flags);
  ASSERT_EQ(last.exitCode, 0) << last.err;
  EXPECT_TRUE(whole.weights() == pieces.weights());
}

TEST(Resume, ASignalWithoutACheckpointDirectorySavesNothingAndSaysSo) {
  BoostRunProcess process({fixture("softmax"), "--epochs=1000000"});
  process.waitForOutput("epoch: 1");
  kill(process.id(), SIGINT);
  Finished run = process.wait();
  EXPECT_EQ(run.exitCode, 7);
  EXPECT_THAT(run.err, HasSubstr("nothing was saved, because --checkpoint-dir "
                                 "is not given"));
}

TEST(Resume, FromAPathWithoutADirectory) {
  PiecewiseRun whole("softmax"), pieces("softmax");
  ASSERT_EQ(whole.piece({"--epochs=2"}).exitCode, 0);
  ASSERT_EQ(pieces.piece({"--epochs=1"}).exitCode, 0);
  TemporaryDirectory directory;
  std::string weights = directory / "w.safetensors";
  Finished run =
      boostRunProcess({fixture("softmax"), "--data=digits:train=230,test=9",
                       "--no-eval", "--epochs=2", "--save=" + weights,
                       "--resume=" + pieces.directory() + "/softmax-1_8.ckpt"});
  ASSERT_EQ(run.exitCode, 0) << run.err;
  EXPECT_TRUE(readFile(weights) == whole.weights());
}

TEST(Resume, ContradictionsAreErrors) {
  PiecewiseRun run("softmax");
  ASSERT_EQ(run.piece({"--epochs=1", "--seed=3"}).exitCode, 0);
  auto expect = [&](std::vector<std::string> more, int code,
                    const std::string &text) {
    Finished finished = run.piece(std::move(more));
    EXPECT_EQ(finished.exitCode, code) << finished.err;
    EXPECT_THAT(finished.err, HasSubstr(text));
  };
  expect({"--seed=4"}, 6, "seed");
  expect({"--shuffle=off"}, 6, "shuffl");
  expect({"--resume=never"}, 2,
         "' comes from an earlier run; give another --checkpoint-dir or "
         "--checkpoint-prefix, or remove it");
  // Other data: the run could not be continued, only another begun.
  Finished other =
      boostRunProcess({fixture("softmax"), "--data=digits:train=900,test=9",
                       "--epochs=2", "--checkpoint-dir=" + run.directory()});
  EXPECT_EQ(other.exitCode, 6) << other.err;
  EXPECT_THAT(other.err, HasSubstr("the fingerprint of the training data"));
  // What agrees does not contradict.
  expect({"--epochs=2", "--seed=3", "--shuffle=on"}, 0, "resuming after");
}

TEST(Resume, TheSeedComesFromTheCheckpoint) {
  PiecewiseRun whole("softmax"), pieces("softmax");
  ASSERT_EQ(whole.piece({"--epochs=2", "--seed=99"}).exitCode, 0);
  ASSERT_EQ(pieces.piece({"--epochs=1", "--seed=99"}).exitCode, 0);
  ASSERT_EQ(pieces.piece({"--epochs=2"}).exitCode, 0);
  EXPECT_TRUE(whole.weights() == pieces.weights());
}

TEST(Resume, AFinishedRunHasNothingLeftToDo) {
  PiecewiseRun run("softmax");
  ASSERT_EQ(run.piece({"--epochs=2"}).exitCode, 0);
  std::string weights = run.weights();
  for (const char *epochs : {"--epochs=2", "--epochs=1"}) {
    Finished again = run.piece({epochs});
    EXPECT_EQ(again.exitCode, 0) << again.err;
    EXPECT_TRUE(run.weights() == weights);
    EXPECT_THAT(again.out, testing::StartsWith("memory: ")) << "it trained";
    EXPECT_THAT(again.err,
                HasSubstr("already at epoch 2 step 8, global step 16: no step "
                          "is left; give more --epochs or --steps to train "
                          "on"));
  }
}

TEST(Resume, InitIsOnlyForTheFirstStart) {
  PiecewiseRun run("softmax");
  std::string weights = run.directory() + "-init.safetensors";
  ASSERT_EQ(boostRunProcess({fixture("softmax"), "--data=digits:train=9,test=9",
                             "--steps=0", "--no-eval", "--save=" + weights})
                .exitCode,
            0);
  ASSERT_EQ(run.piece({"--epochs=1", "--init=" + weights}).exitCode, 0);
  Finished again = run.piece({"--epochs=2", "--init=" + weights});
  EXPECT_EQ(again.exitCode, 0) << again.err;
  EXPECT_THAT(again.err, HasSubstr("is not read: the run is resumed"));
}

TEST(Resume, CheckpointsAreKeptAsAsked) {
  PiecewiseRun run("softmax");
  ASSERT_EQ(run.piece({"--epochs=2", "--checkpoint-every=3", "--keep-max=3",
                       "--checkpoint-prefix=run"})
                .exitCode,
            0);
  std::vector<std::string> names;
  for (const auto &entry : std::filesystem::directory_iterator(run.directory()))
    if (entry.is_directory())
      names.push_back(entry.path().filename());
  // After steps 3, 6, 9, 12, 15 and the end, 16; the newest three.
  EXPECT_THAT(names, testing::UnorderedElementsAre(
                         "run-2_4.ckpt", "run-2_7.ckpt", "run-2_8.ckpt"));
}

} // namespace
