// boost-run from outside: lines, files, exit codes.
#include "runtime/checkpoint/Safetensors.h"
#include "test/runtime/data/Sanitizers.h"
#include "test/runtime/support/TemporaryDirectory.h"
#include "test/runtime/trainer/Fixtures.h"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include <array>
#include <csignal>
#include <filesystem>
#include <regex>
#include <set>
#include <sstream>
#include <sys/resource.h>

using namespace boostrt;
using testing::HasSubstr;

namespace {

constexpr const char *kSmall = "--data=digits:train=100,test=50";

std::vector<nlohmann::json> jsonLines(const std::string &path) {
  std::vector<nlohmann::json> lines;
  std::istringstream file(readFile(path));
  for (std::string line; std::getline(file, line);)
    lines.push_back(nlohmann::json::parse(line));
  return lines;
}

void expectFailure(const std::vector<std::string> &arguments, int exitCode,
                   const std::string &text,
                   const std::vector<std::string> &environment = {}) {
  Finished run = boostRunProcess(arguments, environment);
  EXPECT_EQ(run.exitCode, exitCode) << run.err;
  EXPECT_THAT(run.err, HasSubstr("boost-run: error: "));
  EXPECT_THAT(run.err, HasSubstr(text));
}

TEST(BoostRun, SaysBothErrorsWhereNeitherCheckpointNorWeightsAreWritten) {
  TemporaryDirectory directory;
  rlimit usual;
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &usual), 0);
  rlimit little = usual;
  little.rlim_cur = 8192; // less than the weights
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &little), 0);
  Finished run = boostRunProcess({fixture("softmax"), kSmall, "--steps=2",
                                  "--checkpoint-dir=" + (directory / "c"),
                                  "--save=" + (directory / "w.safetensors")});
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &usual), 0);
  EXPECT_EQ(run.exitCode, 6) << run.err;
  EXPECT_THAT(run.err, HasSubstr("boost-run: error: cannot write '" +
                                 (directory / "c/")));
  EXPECT_THAT(run.err,
              HasSubstr("boost-run: cannot write '" +
                        (directory / "w.safetensors") + "': File too large"));
}

TEST(BoostRun, TrainsWithTheGoldenLines) {
  TemporaryDirectory directory;
  Finished run = boostRunProcess({fixture("softmax"), kSmall, "--epochs=2",
                                  "--save=" + (directory / "w.safetensors")});
  ASSERT_EQ(run.exitCode, 0) << run.err;
  std::string number = R"([0-9]+(\.[0-9]+)?(e-[0-9]+)?)";
  std::string epoch = "epoch: E step: 4, loss is " + number +
                      "\nTrain epoch time: " + number +
                      " ms, per step time: " + number + " ms\n";
  auto numbered = [&](const char *e) {
    return std::regex_replace(epoch, std::regex("E "), e);
  };
  std::string golden = "============== Starting Training ==============\n" +
                       numbered("1 ") + "epoch: 1 step: 4, top_1_accuracy is " +
                       number + ", top_5_accuracy is " + number + "\n" +
                       numbered("2 ") +
                       "============== Starting Testing ==============\n" +
                       R"(result: \{'top_1_accuracy': )" + number +
                       ", 'top_5_accuracy': " + number +
                       R"(\} ckpt=.*/w\.safetensors)" + "\nmemory: planned " +
                       number + " MiB, measured peak " + number + " MiB\n";
  EXPECT_TRUE(std::regex_match(run.out, std::regex(golden))) << run.out;
  EXPECT_THAT(run.err,
              HasSubstr("boost-run: softmax on cpu with 2 threads (the "
                        "only target of the program)\n"));
  EXPECT_EQ(run.err.find('\r'), std::string::npos) << "a bar in a file";
}

TEST(BoostRun, LearnsTheDigits) {
  TemporaryDirectory directory;
  Finished run = boostRunProcess({fixture("softmax"), "--epochs=6",
                                  "--data=digits:train=4000,test=1000",
                                  "--metrics=" + (directory / "m.jsonl")});
  ASSERT_EQ(run.exitCode, 0) << run.err;
  for (const nlohmann::json &line : jsonLines(directory / "m.jsonl"))
    if (line["event"] == "eval") {
      EXPECT_GT(line["top_1"], 0.7);
      EXPECT_GT(line["top_5"], line["top_1"]);
    }
}

TEST(BoostRun, MetricsHoldEveryStepTheEvaluationAndTheEnd) {
  TemporaryDirectory directory;
  Finished run = boostRunProcess({fixture("window"), kSmall, "--epochs=2",
                                  "--metrics=" + (directory / "m.jsonl"),
                                  "--log-every=3", "--eval-every=0"});
  ASSERT_EQ(run.exitCode, 0) << run.err;
  auto lines = jsonLines(directory / "m.jsonl");
  ASSERT_EQ(lines.size(), 6u); // 2 epochs of 2 windows, eval, end
  EXPECT_EQ(lines[2]["event"], "step");
  EXPECT_EQ(lines[2]["epoch"], 2);
  EXPECT_EQ(lines[2]["step"], 1);
  EXPECT_EQ(lines[2]["global_step"], 3);
  EXPECT_EQ(lines[2]["lr"], 0.05);
  EXPECT_GT(lines[2]["samples_per_s"], 0);
  EXPECT_EQ(lines[4]["event"], "eval");
  EXPECT_EQ(lines[4]["global_step"], 4);
  for (const char *metric : {"loss", "top_1", "top_5"})
    EXPECT_TRUE(lines[4][metric].is_number()) << metric;
  EXPECT_EQ(lines[5]["event"], "end");
  EXPECT_GT(lines[5]["wall_s"], 0);
  EXPECT_GT(lines[5]["peak_bytes"], 0);
  // The line on the screen is the number in the file.
  std::smatch shown;
  std::regex line("epoch: 2 step: 1, loss is (.*)\n");
  ASSERT_TRUE(std::regex_search(run.out, shown, line)) << run.out;
  EXPECT_EQ(std::stod(shown[1]), lines[2]["loss"].get<double>());
  EXPECT_EQ(run.out.find("epoch: 1"), std::string::npos) << run.out;
}

TEST(BoostRun, MeasuredMemoryIsThePlanned) {
  if (kAddressSanitizer || kThreadSanitizer)
    GTEST_SKIP() << "the sanitizer's own memory would be measured";
  for (const char *name : {"softmax", "window", "wide", "sse2"}) {
    TemporaryDirectory directory;
    // The first step, many steps and the evaluation, all below one peak.
    Finished run = boostRunProcess(
        {fixture(name), "--epochs=2", "--metrics=" + (directory / "m.jsonl")});
    ASSERT_EQ(run.exitCode, 0) << run.err;
    nlohmann::json end = jsonLines(directory / "m.jsonl").back();
    double planned = end["planned_bytes"], peak = end["peak_bytes"];
    EXPECT_LE(std::abs(peak - planned), 0.01 * planned + (4 << 20))
        << name << ": planned " << planned << ", measured " << peak;
  }
}

TEST(BoostRun, TheFirstStepIsDoneIn150Milliseconds) {
  if (kAddressSanitizer || kThreadSanitizer)
    GTEST_SKIP() << "the sanitizer's own time would be measured";
  // CPU time, which is not longer than the time on the wall but for the
  // second thread, and does not depend on what else the machine does. The best
  // of three, because page faults cost more on a machine short of memory.
  double best = 1e9;
  for (int i = 0; i < 3; ++i) {
    Finished run = boostRunProcess(
        {fixture("softmax"), "--data=digits", "--steps=1", "--no-eval"});
    ASSERT_EQ(run.exitCode, 0) << run.err;
    best = std::min(best, run.cpuSeconds);
  }
  EXPECT_LE(best, 0.15);
}

TEST(BoostRun, SaveInitEvalAgree) {
  TemporaryDirectory directory;
  std::string weights = directory / "w.safetensors";
  Finished trained = boostRunProcess(
      {fixture("softmax"), kSmall, "--epochs=3", "--save=" + weights});
  ASSERT_EQ(trained.exitCode, 0) << trained.err;
  Finished evaluated =
      boostRunProcess({"eval", fixture("softmax"), kSmall, "--ckpt=" + weights,
                       "--metrics", directory / "m.jsonl"});
  ASSERT_EQ(evaluated.exitCode, 0) << evaluated.err;
  auto result = [](const std::string &text) {
    size_t at = text.find("result: ");
    return text.substr(at, text.find('\n', at) - at);
  };
  EXPECT_EQ(result(trained.out), result(evaluated.out));
  EXPECT_EQ(jsonLines(directory / "m.jsonl")[0]["event"], "eval");

  std::string again = directory / "again.safetensors";
  Finished copied = boostRunProcess({fixture("softmax"), kSmall, "--steps=0",
                                     "--init=" + weights, "--save=" + again});
  ASSERT_EQ(copied.exitCode, 0) << copied.err;
  auto tensors = [](const std::string &path) {
    std::string bytes;
    auto file = openSafetensors(realFileSystem(), path);
    EXPECT_TRUE(file.ok());
    for (const TensorEntry &tensor : file->tensors()) {
      std::vector<uint8_t> read(tensor.bytes);
      EXPECT_TRUE(file->read(tensor, 0, read).ok());
      bytes.append(read.begin(), read.end());
    }
    return bytes;
  };
  EXPECT_FALSE(tensors(weights).empty());
  EXPECT_TRUE(tensors(weights) == tensors(again));
  EXPECT_EQ(result(copied.out).substr(0, 60),
            result(trained.out).substr(0, 60));
}

TEST(BoostRun, BenchRunsWholeWindowsWithoutData) {
  Finished run = boostRunProcess(
      {"bench", fixture("window"), "--steps=5", "--warmup=0", "--json"});
  ASSERT_EQ(run.exitCode, 0) << run.err;
  nlohmann::json times = nlohmann::json::parse(run.out);
  EXPECT_EQ(times["batch_size"], 16);
  EXPECT_EQ(times["micro_batches"], 4);
  EXPECT_EQ(times["steps"], 5);
  EXPECT_EQ(times["device"], "cpu with 2 threads");
  EXPECT_GT(times["min_ms"], 0.0);
  EXPECT_LE(times["min_ms"], times["median_ms"]);
  EXPECT_LE(times["median_ms"], times["p90_ms"]);
}

/// The (epoch, step, global step) of the evaluations in a metrics file.
std::vector<std::array<int64_t, 3>> evaluations(const std::string &path) {
  std::vector<std::array<int64_t, 3>> found;
  for (const nlohmann::json &line : jsonLines(path))
    if (line["event"] == "eval")
      found.push_back({line["epoch"], line["step"], line["global_step"]});
  return found;
}

TEST(BoostRun, EvaluatesEveryNEpochsAndAtTheEnd) {
  using Places = std::vector<std::array<int64_t, 3>>;
  const std::pair<const char *, Places> cases[] = {
      {"--eval", {{1, 4, 4}, {2, 4, 8}, {3, 4, 12}, {4, 4, 16}, {5, 4, 20}}},
      {"--eval-every=2", {{2, 4, 8}, {4, 4, 16}, {5, 4, 20}}},
      {"--eval-every=5", {{5, 4, 20}}},
      {"--eval-every=9", {{5, 4, 20}}},
      {"--eval-every=0", {{5, 4, 20}}},
      {"--no-eval", {}}};
  std::set<std::string> weights;
  for (const auto &[flag, places] : cases) {
    TemporaryDirectory directory;
    Finished run = boostRunProcess({fixture("softmax"), kSmall, "--epochs=5",
                                    flag, "--save", directory / "w",
                                    "--metrics", directory / "m.jsonl"});
    ASSERT_EQ(run.exitCode, 0) << run.err;
    EXPECT_EQ(evaluations(directory / "m.jsonl"), places) << flag;
    // The end is shown once, as a result.
    size_t lines = 0;
    for (size_t at = run.out.find(", top_1_accuracy is ");
         at != std::string::npos;
         at = run.out.find(", top_1_accuracy is ", at + 1))
      ++lines;
    EXPECT_EQ(lines, std::max<size_t>(places.size(), 1) - 1) << flag;
    weights.insert(readFile(directory / "w"));
  }
  EXPECT_EQ(weights.size(), 1u) << "an evaluation changed the training";
}

TEST(BoostRun, EvalKnowsWhereItsWeightsComeFrom) {
  TemporaryDirectory directory;
  ASSERT_EQ(
      boostRunProcess({fixture("softmax"), kSmall, "--steps=6", "--save",
                       directory / "w", "--checkpoint-dir", directory / "c"})
          .exitCode,
      0);
  for (const char *file : {"w", "c/softmax-2_2.ckpt"}) {
    Finished run =
        boostRunProcess({"eval", fixture("softmax"), kSmall, "--ckpt",
                         directory / file, "--metrics", directory / "m.jsonl"});
    ASSERT_EQ(run.exitCode, 0) << run.err;
    EXPECT_EQ(evaluations(directory / "m.jsonl"),
              (std::vector<std::array<int64_t, 3>>{{2, 2, 6}}))
        << file;
  }
}

/// What a file of --save-best says of itself.
SafetensorsMetadata metadataOf(const std::string &path) {
  auto file = openSafetensors(realFileSystem(), path);
  EXPECT_TRUE(file.ok()) << file.status().message();
  return file.ok() ? file->metadata() : SafetensorsMetadata();
}

/// The same tensors, of which the file says something else.
void setMetadata(const std::string &path, const SafetensorsMetadata &metadata) {
  auto file = openSafetensors(realFileSystem(), path);
  ASSERT_TRUE(file.ok());
  std::vector<std::vector<uint8_t>> bytes;
  std::vector<TensorView> tensors;
  for (const TensorEntry &tensor : file->tensors()) {
    bytes.emplace_back(tensor.bytes);
    ASSERT_TRUE(file->read(tensor, 0, bytes.back()).ok());
    tensors.push_back({tensor.name, tensor.dtype, tensor.shape, bytes.back()});
  }
  ASSERT_TRUE(saveSafetensors(realFileSystem(), path, tensors, metadata).ok());
}

TEST(BoostRun, SaveBestKeepsTheBestEvaluation) {
  TemporaryDirectory directory;
  std::string best = directory / "best.safetensors";
  Finished run =
      boostRunProcess({fixture("softmax"), kSmall, "--epochs=12", "--save-best",
                       best, "--metrics", directory / "m.jsonl"});
  ASSERT_EQ(run.exitCode, 0) << run.err;
  // The first of the highest, whichever epoch that is.
  double highest = -1;
  int64_t epoch = 0;
  for (const nlohmann::json &line : jsonLines(directory / "m.jsonl"))
    if (line["event"] == "eval" && line["top_1"] > highest) {
      highest = line["top_1"];
      epoch = line["epoch"];
    }
  SafetensorsMetadata metadata = metadataOf(best);
  EXPECT_EQ(metadata["epoch"], std::to_string(epoch));
  EXPECT_EQ(std::stod(metadata["top_1"]), highest);
  EXPECT_THAT(run.err,
              HasSubstr("best top_1 " + metadata["top_1"] + ", of epoch " +
                        metadata["epoch"] + ", is in " + best));
  Finished evaluated =
      boostRunProcess({"eval", fixture("softmax"), kSmall, "--ckpt", best,
                       "--metrics", directory / "e.jsonl"});
  ASSERT_EQ(evaluated.exitCode, 0) << evaluated.err;
  EXPECT_EQ(jsonLines(directory / "e.jsonl")[0]["top_1"], highest);
  EXPECT_EQ(jsonLines(directory / "e.jsonl")[0]["epoch"], epoch);
}

TEST(BoostRun, SaveBestFromALaterEpoch) {
  TemporaryDirectory directory;
  std::string best = directory / "best.safetensors";
  for (const char *from : {"4", "5", "6"}) {
    Finished run =
        boostRunProcess({fixture("softmax"), kSmall, "--epochs=5",
                         "--save-best", best, "--save-best-from", from});
    ASSERT_EQ(run.exitCode, 0) << run.err;
    if (*from == '6') {
      EXPECT_EQ(run.err.find("best top_1"), std::string::npos);
      EXPECT_FALSE(std::filesystem::exists(best));
    } else {
      EXPECT_GE(std::stoi(metadataOf(best)["epoch"]), *from - '0');
      std::filesystem::remove(best);
    }
  }
}

TEST(BoostRun, AResumedRunGoesOnWithItsBest) {
  // Nothing is better than 1: what the first part left must stay.
  TemporaryDirectory directory;
  std::string best = directory / "best.safetensors";
  std::vector<std::string> arguments{
      fixture("softmax"), kSmall,        "--epochs=3", "--checkpoint-dir",
      directory / "c",    "--save-best", best};
  auto part = [&](const char *steps) {
    auto all = arguments;
    all.push_back(steps);
    return boostRunProcess(all);
  };
  ASSERT_EQ(part("--steps=4").exitCode, 0);
  SafetensorsMetadata metadata = metadataOf(best);
  metadata["top_1"] = "1";
  setMetadata(best, metadata);
  std::string before = readFile(best);
  Finished resumed = part("--steps=12");
  ASSERT_EQ(resumed.exitCode, 0) << resumed.err;
  EXPECT_TRUE(readFile(best) == before);
  EXPECT_THAT(resumed.err, HasSubstr("best top_1 1, of epoch 1, is in "));

  // A NaN is never the best.
  metadata["top_1"] = "nan";
  setMetadata(best, metadata);
  resumed = part("--steps=14");
  ASSERT_EQ(resumed.exitCode, 0) << resumed.err;
  EXPECT_GT(std::stod(metadataOf(best)["top_1"]), 0);

  // A new run owes nothing to an old file, and a damaged one is replaced.
  writeFile(best, "damaged");
  std::filesystem::remove_all(directory / "c");
  ASSERT_EQ(part("--steps=4").exitCode, 0);
  writeFile(best, "damaged");
  resumed = part("--steps=12");
  ASSERT_EQ(resumed.exitCode, 0) << resumed.err;
  EXPECT_THAT(resumed.err, HasSubstr("--save-best begins anew: "));
  EXPECT_GT(std::stod(metadataOf(best)["top_1"]), 0);
}

TEST(BoostRun, SaveBestWhereNothingCanBeWritten) {
  TemporaryDirectory directory;
  expectFailure({fixture("softmax"), kSmall, "--save-best",
                 directory / "no/best.safetensors"},
                6, "--save-best: cannot write '");
  expectFailure({fixture("softmax"), kSmall, "--save-best", directory.path()},
                2, "Is a directory; give the name of a file in it");
}

TEST(BoostRun, InfoShowsTheTablesAndThePlan) {
  Finished text = boostRunProcess({"info", fixture("window")});
  ASSERT_EQ(text.exitCode, 0) << text.err;
  for (const char *part :
       {"softmax: batch 16 x 4 micro-batches a step, seed 7",
        "compiled by hand 1.0\n", "target cpu: 2 threads, oneDNN",
        "  needs sse2", "fc.weight", "10x784", "fc.bias.momentum", "image",
        "schedule learning_rate", "16 x 10 x 784, bias", "memory plan",
        "gradient           3", "digits:train=1000,test=200"})
    EXPECT_THAT(text.out, HasSubstr(part));

  Finished run = boostRunProcess({"info", fixture("window"), "--json"});
  ASSERT_EQ(run.exitCode, 0) << run.err;
  nlohmann::json info = nlohmann::json::parse(run.out);
  EXPECT_EQ(info["parameters"][0]["name"], "fc.weight");
  EXPECT_EQ(info["parameters"][0]["role"], "weight");
  ASSERT_EQ(info["targets"].size(), 1u);
  const nlohmann::json &cpu = info["targets"][0];
  EXPECT_EQ(cpu["kind"], "cpu");
  EXPECT_EQ(cpu["threads"], 2);
  EXPECT_EQ(cpu["library_calls"].size(), 2u);
  EXPECT_EQ(cpu["launches"].size(), 4u);
  EXPECT_EQ(cpu["launches"][0]["kernel"], "softmax_rows");
  uint64_t total = 0;
  for (const nlohmann::json &category : cpu["memory"]["categories"])
    total += category["bytes"].get<uint64_t>();
  EXPECT_EQ(cpu["memory"]["total_bytes"], total);
  EXPECT_EQ(info["recipe"]["epochs"], 2);
}

TEST(BoostRun, HelpAndVersion) {
  Finished help = boostRunProcess({"--help"});
  EXPECT_EQ(help.exitCode, 0);
  EXPECT_THAT(help.out, HasSubstr("--checkpoint-dir"));
  Finished version = boostRunProcess({"--version"});
  EXPECT_EQ(version.exitCode, 0);
  EXPECT_THAT(version.out, testing::StartsWith("boost-run "));
}

TEST(BoostRun, ExitCodesAndWhatIsSaid) {
  expectFailure({"no.so"}, 1, "cannot open 'no.so'");
  expectFailure({fixture("unknown_feature")}, 1, "quantum");
  expectFailure({"info", fixture("newer")}, 1, "needs a newer boost-run");
  expectFailure({fixture("softmax"), "--epoch=1"}, 2, "did you mean");
  expectFailure({fixture("softmax"), kSmall, "--resume=auto"}, 2,
                "--resume auto needs --checkpoint-dir or --rank-checkpoints, "
                "where it looks for the newest checkpoint");
  expectFailure({fixture("softmax"), kSmall, "--resume=x.ckpt", "--init=y"}, 2,
                "exclude each other");
  expectFailure({fixture("softmax"), kSmall, "--metrics=/no/dir/m"}, 2,
                "--metrics: cannot write");
  expectFailure({fixture("mnist")}, 3, "no/such/MNIST_Data");
  expectFailure({fixture("mnist")}, 3, "tried DATA_PATH=/no/such/place",
                {"DATA_PATH=/no/such/place"});
  expectFailure({fixture("explode"), kSmall}, 4,
                "epoch 1 step 2: the loss or a gradient is not finite");
  expectFailure({fixture("softmax"), kSmall, "--resume=/no/such.ckpt"}, 6,
                "/no/such.ckpt");
  expectFailure({fixture("softmax"), kSmall, "--init=/no/such"}, 6, "/no/such");
  expectFailure({"eval", fixture("softmax"), kSmall, "--ckpt=/no/such"}, 6,
                "/no/such");
  expectFailure({fixture("softmax"), kSmall, "--save=/no/dir/w"}, 6,
                "--save: cannot write '/no/dir/w': No such file or directory");
  expectFailure({fixture("softmax"), kSmall, "--save=/tmp"}, 2,
                "--save: cannot write '/tmp': Is a directory");
  expectFailure({fixture("softmax"), kSmall, "--save", ""}, 2,
                "--save needs the name of a file");
  // Fewer threads want less memory than was planned.
  EXPECT_EQ(
      boostRunProcess({fixture("softmax"), kSmall, "--threads=1"}).exitCode, 0);
}

TEST(BoostRun, LibraryCallsThatNeedMoreScratchAreRefused) {
  Finished info = boostRunProcess({"info", fixture("softmax"), "--json"});
  ASSERT_EQ(info.exitCode, 0) << info.err;
  uint64_t scratch = 0;
  const auto program = nlohmann::json::parse(info.out);
  for (const nlohmann::json &call : program["targets"][0]["library_calls"])
    scratch += call["scratch_bytes"].get<uint64_t>();
  if (scratch == 0)
    GTEST_SKIP() << "oneDNN needs scratch with AVX-512 alone";
  expectFailure({fixture("wrong_scratch")}, 1,
                "the library call was compiled with oneDNN");
  expectFailure({fixture("batch512"), kSmall, "--threads=7"}, 2,
                "the program was compiled for 2 threads, and with 7 threads "
                "oneDNN ");
  expectFailure({fixture("batch512"), kSmall, "--threads=7"}, 2,
                "; use --threads 2, or compile the program with boostc "
                "--threads=7");
}

TEST(BoostRun, WeightsOfAnotherModelAreRefused) {
  TemporaryDirectory directory;
  std::string weights = directory / "w.safetensors";
  ASSERT_EQ(boostRunProcess({fixture("wide"), "--steps=0", "--no-eval",
                             "--save=" + weights})
                .exitCode,
            0);
  expectFailure({fixture("softmax"), kSmall, "--init=" + weights}, 6,
                "it has 2007080 bytes of data, the program has use for 31424");
}

TEST(BoostRun, TheMetricsEndEvenWhenTheRunFails) {
  TemporaryDirectory directory;
  Finished run = boostRunProcess(
      {fixture("explode"), kSmall, "--metrics=" + (directory / "m.jsonl")});
  EXPECT_EQ(run.exitCode, 4);
  auto lines = jsonLines(directory / "m.jsonl");
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[0]["event"], "step");
  EXPECT_EQ(lines[1]["event"], "end");
}

TEST(BoostRun, TheBarIsOnStandardErrorAlone) {
  Finished run = boostRunProcess(
      {fixture("softmax"), kSmall, "--epochs=1", "--no-eval", "--progress=bar"},
      {"NO_COLOR=1"});
  EXPECT_EQ(run.exitCode, 0);
  EXPECT_THAT(run.err, HasSubstr("epoch 1/1 ["));
  EXPECT_THAT(run.err, HasSubstr("samples/s  eta "));
  EXPECT_EQ(run.err.find("\x1b[36m"), std::string::npos);
  EXPECT_EQ(run.out.find('\r'), std::string::npos);
  EXPECT_THAT(run.out, testing::Not(HasSubstr("Starting Testing")));
}

TEST(BoostRun, TheSeedDecidesAndIsTheProgramsByDefault) {
  TemporaryDirectory directory;
  auto weights = [&](const std::string &name,
                     const std::vector<std::string> &more) {
    std::vector<std::string> arguments{fixture("softmax"), kSmall, "--epochs=1",
                                       "--no-eval",
                                       "--save=" + (directory / name)};
    arguments.insert(arguments.end(), more.begin(), more.end());
    EXPECT_EQ(boostRunProcess(arguments).exitCode, 0);
    return readFile(directory / name);
  };
  std::string byDefault = weights("a", {});
  EXPECT_FALSE(byDefault.empty());
  EXPECT_TRUE(byDefault == weights("b", {"--seed=7"})) << "the fixture's is 7";
  EXPECT_FALSE(byDefault == weights("c", {"--seed=8"}));
  EXPECT_FALSE(byDefault == weights("d", {"--shuffle=off"}));
}

TEST(BoostRun, MapsOneOpenMpLibraryWhileItTrains) {
  BoostRunProcess process({fixture("softmax"), "--epochs=1000000"});
  process.waitForOutput("epoch: 1");
  std::istringstream maps(
      readFile("/proc/" + std::to_string(process.id()) + "/maps"));
  kill(process.id(), SIGTERM);
  std::set<std::string> libraries;
  bool llvm = false;
  for (std::string line; std::getline(maps, line);) {
    std::string name = line.substr(line.find_last_of('/') + 1);
    for (const char *openmp : {"libgomp", "libomp", "libiomp"})
      if (name.starts_with(openmp))
        libraries.insert(line.substr(line.find('/')));
    llvm |= line.find("llvm") != std::string::npos ||
            name.starts_with("libMLIR") || name.starts_with("libLLVM");
  }
  EXPECT_EQ(libraries.size(), 1u);
  EXPECT_FALSE(llvm) << "boost-run needs no compiler";
  EXPECT_EQ(process.wait().exitCode, 7);
}

} // namespace
