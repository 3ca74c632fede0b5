// boost-run from outside on programs without labels: of integers, targets and
// sample keys, and of features alone.
#include "test/runtime/trainer/TokenFiles.h"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include <sstream>

using namespace boostrt;
using testing::HasSubstr;

namespace {

std::vector<double> losses(const std::string &path, const std::string &event) {
  std::vector<double> values;
  std::istringstream file(readFile(path));
  for (std::string text; std::getline(file, text);)
    if (auto line = nlohmann::json::parse(text); line["event"] == event)
      values.push_back(line["loss"]);
  return values;
}

TEST(TableRun, TrainsEvaluatesAndSaves) {
  TokenFiles files(200, 50);
  TemporaryDirectory directory;
  Finished run =
      boostRunProcess({fixture("table"), "--data=" + files.spec(), "--epochs=9",
                       "--save=" + (directory / "w.safetensors"),
                       "--metrics=" + (directory / "m.jsonl")});
  ASSERT_EQ(run.exitCode, 0) << run.err;
  EXPECT_THAT(run.err, HasSubstr("npy: 200 train + 50 test samples of 1x1x4 "
                                 "integers, targets of 3, from "));
  EXPECT_THAT(run.out, HasSubstr("epoch: 1 step: 17, loss is "));
  EXPECT_THAT(run.out, HasSubstr("result: {'loss': "));
  std::vector<double> held = losses(directory / "m.jsonl", "eval");
  ASSERT_EQ(held.size(), 9u);
  EXPECT_LT(held.back(), files.lossOfZero() / 3) << "nothing was learnt";

  Finished again =
      boostRunProcess({"eval", fixture("table"), "--data=" + files.spec(),
                       "--ckpt=" + (directory / "w.safetensors"),
                       "--metrics=" + (directory / "e.jsonl")});
  ASSERT_EQ(again.exitCode, 0) << again.err;
  EXPECT_EQ(losses(directory / "e.jsonl", "eval").at(0), held.back());
}

TEST(TableRun, ResumesWithTheSameKeys) {
  TokenFiles files(100, 9);
  for (const char *program : {"table", "table_window"})
    for (int steps : {1, 9, 13}) { // of 9 an epoch
      SCOPED_TRACE(testing::Message() << program << " " << steps);
      TemporaryDirectory directory;
      auto run = [&](const std::string &name, std::vector<std::string> more) {
        std::vector<std::string> all{fixture(program),
                                     "--data=" + files.spec(),
                                     "--no-eval",
                                     "--epochs=3",
                                     "--checkpoint-dir=" + (directory / name),
                                     "--save=" + (directory / name) +
                                         ".safetensors"};
        all.insert(all.end(), more.begin(), more.end());
        Finished finished = boostRunProcess(all);
        EXPECT_EQ(finished.exitCode, 0) << finished.err;
        return readFile(directory / name + ".safetensors");
      };
      std::string whole = run("whole", {});
      EXPECT_NE(run("pieces", {"--steps=" + std::to_string(steps)}), whole);
      EXPECT_EQ(run("pieces", {"--resume=auto"}), whole);
    }
}

TEST(TableRun, OtherTargetsAreOtherData) {
  TokenFiles files(100, 9);
  TemporaryDirectory directory;
  std::vector<std::string> arguments{fixture("table"), "--data=" + files.spec(),
                                     "--no-eval", "--epochs=1",
                                     "--checkpoint-dir=" + (directory / "c")};
  ASSERT_EQ(boostRunProcess(arguments).exitCode, 0);
  writeFile(files.path("train_targets.npy"),
            npy("<f4", "(100, 3)", bytesOf(std::vector<float>(300, 0.5f))));
  arguments[3] = "--epochs=2";
  Finished other = boostRunProcess(arguments);
  EXPECT_EQ(other.exitCode, 6);
  EXPECT_THAT(other.err, HasSubstr("the fingerprint of the training data"));
}

TEST(TableRun, TrainsOnFeaturesAlone) {
  Finished run = boostRunProcess(
      {fixture("unlabelled"), "--data=digits:train=100,test=50", "--epochs=2"});
  ASSERT_EQ(run.exitCode, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("'top_1_accuracy': 1.0,"))
      << "every sample counts as class 0, which is soon learnt";
}

TEST(TableRun, Benches) {
  Finished run = boostRunProcess(
      {"bench", fixture("table_window"), "--steps=3", "--warmup=1", "--json"});
  ASSERT_EQ(run.exitCode, 0) << run.err;
  nlohmann::json times = nlohmann::json::parse(run.out);
  EXPECT_EQ(times["batch_size"], 3);
  EXPECT_GT(times["min_ms"], 0.0);
}

TEST(TableRun, InfoShowsTheKindsOfItsInputs) {
  Finished text = boostRunProcess({"info", fixture("table")});
  ASSERT_EQ(text.exitCode, 0) << text.err;
  EXPECT_THAT(
      text.out,
      HasSubstr("inputs (bytes, kind)\n"
                "  token                            12x4                      "
                "192  indices, i32 below 8\n"
                "  wanted                           12x3                      "
                "144  targets, f32\n"
                "  key                              12                         "
                "48  sample_keys, i32\n"));
  Finished softmax = boostRunProcess({"info", fixture("softmax")});
  EXPECT_THAT(softmax.out, HasSubstr("features, f32\n"));
  EXPECT_THAT(softmax.out, HasSubstr("labels, i32 below 10\n"));

  Finished run = boostRunProcess({"info", fixture("table"), "--json"});
  ASSERT_EQ(run.exitCode, 0) << run.err;
  nlohmann::json inputs = nlohmann::json::parse(run.out)["inputs"];
  EXPECT_EQ(inputs, nlohmann::json::parse(R"([
    {"name": "token", "location": "model.json:1:1", "shape": [12, 4],
     "dtype": "i32", "arena": "batch", "offset": 0, "bytes": 192,
     "kind": "indices", "classes": 8},
    {"name": "wanted", "location": "model.json:1:1", "shape": [12, 3],
     "dtype": "f32", "arena": "batch", "offset": 192, "bytes": 144,
     "kind": "targets"},
    {"name": "key", "location": "model.json:1:1", "shape": [12],
     "dtype": "i32", "arena": "batch", "offset": 384, "bytes": 48,
     "kind": "sample_keys"}])"));
}

} // namespace
