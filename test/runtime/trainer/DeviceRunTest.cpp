// One program on the CPU and on the simulated GPU, from outside: the same
// weights, bit for bit, through checkpoints, resumption and evaluation.
#include "test/runtime/support/TemporaryDirectory.h"
#include "test/runtime/trainer/Fixtures.h"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include <csignal>
#include <filesystem>
#include <map>

using namespace boostrt;
using testing::HasSubstr;

namespace {

std::vector<std::string> with(std::vector<std::string> arguments,
                              const std::vector<std::string> &more) {
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

/// What a training on `device` leaves: a checkpoint each epoch and weights.
struct Training {
  TemporaryDirectory directory;
  std::string program, device;

  Training(std::string program, std::string device)
      : program(std::move(program)), device(std::move(device)) {}
  std::vector<std::string>
  arguments(const std::vector<std::string> &more) const {
    return with({fixture(program), "--device=" + device,
                 "--checkpoint-dir=" + (directory / "c"),
                 "--save=" + (directory / "w"),
                 "--metrics=" + (directory / "m.jsonl")},
                more);
  }
  Finished run(const std::vector<std::string> &more) const {
    return boostRunProcess(arguments(more));
  }
  std::string weights() const { return readFile(directory / "w"); }
  /// The metrics without what clocks say.
  std::string metrics() const {
    std::istringstream file(readFile(directory / "m.jsonl"));
    std::string text;
    for (std::string line; std::getline(file, line);) {
      nlohmann::json json = nlohmann::json::parse(line);
      if (json["event"] == "end")
        continue;
      json.erase("samples_per_s");
      text += json.dump() + "\n";
    }
    return text;
  }
  /// Every file of every checkpoint, by its path; not the directory's lock.
  std::map<std::string, std::string> checkpoints() const {
    std::map<std::string, std::string> files;
    for (const auto &entry : std::filesystem::recursive_directory_iterator(
             std::string(directory / "c")))
      if (entry.is_regular_file() && entry.path().filename().string()[0] != '.')
        files[entry.path().lexically_relative(std::string(directory / "c"))] =
            readFile(entry.path());
    return files;
  }
  /// Those that hold weights and state.
  std::map<std::string, std::string> tensors() const {
    std::map<std::string, std::string> files = checkpoints();
    std::erase_if(files, [](const auto &file) {
      return !file.first.ends_with(".safetensors");
    });
    return files;
  }
};

TEST(DeviceRun, TheSimulatedGpuTrainsToTheSameBits) {
  for (const char *program : {"linear", "linear_window"}) {
    SCOPED_TRACE(program);
    Training cpu(program, "cpu"), sim(program, "sim");
    Finished onCpu = cpu.run({"--epochs=3"});
    ASSERT_EQ(onCpu.exitCode, 0) << onCpu.err;
    Finished onSim = sim.run({"--epochs=3"});
    ASSERT_EQ(onSim.exitCode, 0) << onSim.err;
    EXPECT_THAT(onSim.err,
                HasSubstr("boost-run: linear on the simulated GPU (as --device "
                          "says)\n"));
    EXPECT_FALSE(cpu.weights().empty());
    EXPECT_TRUE(cpu.weights() == sim.weights());
    EXPECT_EQ(cpu.metrics(), sim.metrics());
    EXPECT_THAT(cpu.metrics(), HasSubstr("\"event\":\"eval\""));
    EXPECT_EQ(cpu.tensors().size(), 6u) << "weights and state of 3 epochs";
    EXPECT_TRUE(cpu.tensors() == sim.tensors());
  }
}

TEST(DeviceRun, CheckpointsInAnEpochAreOfTheirStep) {
  Training cpu("linear", "cpu"), sim("linear", "sim"); // 13 steps an epoch
  for (Training *training : {&cpu, &sim}) {
    Finished run =
        training->run({"--steps=18", "--checkpoint-every=4", "--log-every=3"});
    ASSERT_EQ(run.exitCode, 0) << run.err;
    EXPECT_THAT(run.out, HasSubstr("epoch: 2 step: 5, loss is "));
  }
  EXPECT_EQ(cpu.tensors().size(), 10u) << "of steps 4, 8, 12, 16 and the last";
  EXPECT_TRUE(cpu.tensors() == sim.tensors());
  EXPECT_EQ(cpu.metrics(), sim.metrics());
}

TEST(DeviceRun, ASignalEndsBehindAStepThatIsDone) {
  const std::vector<std::string> flags{"--epochs=60", "--checkpoint-every=2000",
                                       "--no-eval", "--log-every=5"};
  Training whole("linear", "cpu"), pieces("linear", "sim");
  ASSERT_EQ(whole.run(flags).exitCode, 0);
  BoostRunProcess process(pieces.arguments(flags));
  // In the middle of an epoch the device is a step ahead.
  process.waitForOutput("epoch: 2 step: 7");
  kill(process.id(), SIGTERM);
  Finished stopped = process.wait();
  ASSERT_EQ(stopped.exitCode, 7) << stopped.err;
  EXPECT_THAT(stopped.err, HasSubstr("stopped by SIGTERM after global step "));
  pieces.device = "cpu";
  Finished resumed = pieces.run(flags);
  ASSERT_EQ(resumed.exitCode, 0) << resumed.err;
  EXPECT_TRUE(pieces.weights() == whole.weights());
  EXPECT_TRUE(pieces.metrics() == whole.metrics()) << "a step is missing";
}

TEST(DeviceRun, TheBestWeightsNeedNoOtherSaving) {
  TemporaryDirectory directory;
  for (const char *device : {"cpu", "sim"}) {
    Finished run = boostRunProcess({fixture("linear"), "--epochs=3", "--device",
                                    device, "--save-best", directory / device});
    ASSERT_EQ(run.exitCode, 0) << run.err;
  }
  EXPECT_FALSE(readFile(directory / "cpu").empty());
  EXPECT_TRUE(readFile(directory / "cpu") == readFile(directory / "sim"));
}

TEST(DeviceRun, ACheckpointMovesBetweenDevices) {
  Training whole("linear", "cpu");
  ASSERT_EQ(whole.run({"--epochs=3"}).exitCode, 0);
  for (auto [first, second] : {std::pair{"sim", "sim"}, std::pair{"sim", "cpu"},
                               std::pair{"cpu", "sim"}}) {
    SCOPED_TRACE(std::string(first) + " to " + second);
    Training pieces("linear", first);
    // In the middle of an epoch.
    ASSERT_EQ(pieces.run({"--epochs=3", "--steps=17"}).exitCode, 0);
    EXPECT_FALSE(pieces.weights() == whole.weights());
    pieces.device = second;
    Finished resumed = pieces.run({"--epochs=3", "--resume=auto"});
    ASSERT_EQ(resumed.exitCode, 0) << resumed.err;
    EXPECT_THAT(resumed.err, HasSubstr("resuming after epoch "));
    EXPECT_TRUE(pieces.weights() == whole.weights());
  }
}

TEST(DeviceRun, EvalAndInitReadTheSameWeights) {
  Training training("linear", "sim");
  ASSERT_EQ(training.run({"--epochs=2"}).exitCode, 0);
  std::string weights = training.directory / "w";
  std::map<std::string, std::string> results;
  for (const char *device : {"cpu", "sim"}) {
    std::string metrics = training.directory / device;
    Finished run =
        boostRunProcess({"eval", fixture("linear"), "--ckpt", weights,
                         "--device", device, "--metrics", metrics});
    ASSERT_EQ(run.exitCode, 0) << run.err;
    results[device] = nlohmann::json::parse(readFile(metrics).substr(
        0, readFile(metrics).find('\n')))["loss"]
                          .dump();
  }
  EXPECT_EQ(results["cpu"], results["sim"]);

  std::string again = training.directory / "again";
  Finished copied =
      boostRunProcess({fixture("linear"), "--device=sim", "--steps=0",
                       "--no-eval", "--init", weights, "--save", again});
  ASSERT_EQ(copied.exitCode, 0) << copied.err;
  EXPECT_EQ(readFile(again).size(), readFile(weights).size());
  Training moved("linear", "sim"), same("linear", "cpu");
  for (Training *run : {&moved, &same})
    ASSERT_EQ(run->run({"--epochs=1", "--init", weights}).exitCode, 0);
  EXPECT_TRUE(moved.weights() == same.weights());
}

TEST(DeviceRun, StepsThatAreNotFiniteAreNotApplied) {
  Training cpu("linear_explode", "cpu"), sim("linear_explode", "sim");
  for (Training *training : {&cpu, &sim}) {
    Finished run = training->run({"--checkpoint-every=1"});
    EXPECT_EQ(run.exitCode, 4);
    EXPECT_THAT(run.err, HasSubstr("epoch 1 step 2: the loss or a gradient is "
                                   "not finite"));
  }
  // A checkpoint for each step has every step waited for; without, the GPU has
  // begun the next one.
  Training cpuAlone("linear_explode", "cpu"), simAlone("linear_explode", "sim");
  Finished onCpu = cpuAlone.run({}), onSim = simAlone.run({});
  auto error = [](const Finished &run) {
    std::string text = run.err.substr(run.err.find("error: "));
    // The sign of a NaN is not promised.
    if (size_t at = text.find("-nan"); at != std::string::npos)
      text.erase(at, 1);
    return text;
  };
  EXPECT_EQ(onSim.exitCode, 4);
  EXPECT_EQ(error(onSim), error(onCpu));
  EXPECT_THAT(onSim.err, HasSubstr("weights are those after global step 1"));
  EXPECT_EQ(simAlone.metrics(), cpuAlone.metrics());
  // What was applied before is the same.
  EXPECT_EQ(cpu.tensors().size(), 2u);
  EXPECT_TRUE(cpu.tensors() == sim.tensors());
}

TEST(DeviceRun, AKernelThatFaultsLeavesCheckpointsAlone) {
  Training training("linear", "sim");
  ASSERT_EQ(training.run({"--epochs=1"}).exitCode, 0);
  auto before = training.checkpoints();
  std::string weights = training.weights();
  ASSERT_FALSE(before.empty());

  training.program = "linear_overrun";
  Finished run = training.run({"--epochs=2", "--resume=auto"});
  EXPECT_EQ(run.exitCode, 70) << run.err;
  for (const char *part :
       {"boost-run: error: ", "linear_overrun.so': ",
        "sim: out-of-bounds access in kernel 'apply' (fc1, model.json:5:3)",
        "block (2,0,0), thread (0,0,0), 4 bytes at "})
    EXPECT_THAT(run.err, HasSubstr(part));
  EXPECT_TRUE(training.checkpoints() == before);
  EXPECT_TRUE(training.weights() == weights);

  // They are as good as before.
  training.program = "linear";
  run = training.run({"--epochs=2", "--resume=auto"});
  EXPECT_EQ(run.exitCode, 0) << run.err;
}

TEST(DeviceRun, InfoShowsBothTargets) {
  Finished text = boostRunProcess({"info", fixture("linear")});
  ASSERT_EQ(text.exitCode, 0) << text.err;
  for (const char *part :
       {"target cpu: 2 threads, oneDNN", "  needs sse2",
        "target cuda: 8 launches\n  needs sm_80 or newer\n"
        "  code (architecture, bytes)\n    ptx              sm_80 "})
    EXPECT_THAT(text.out, HasSubstr(part));
  Finished run = boostRunProcess({"info", fixture("linear"), "--json"});
  ASSERT_EQ(run.exitCode, 0) << run.err;
  nlohmann::json targets = nlohmann::json::parse(run.out)["targets"];
  ASSERT_EQ(targets.size(), 2u);
  EXPECT_EQ(targets[0]["kind"], "cpu");
  EXPECT_FALSE(targets[0].contains("modules"));
  const nlohmann::json &cuda = targets[1];
  EXPECT_EQ(cuda["kind"], "cuda");
  EXPECT_EQ(cuda["requirements"], "sm_80");
  EXPECT_EQ(cuda["launches"].size(), 8u);
  EXPECT_EQ(cuda["modules"][0]["kind"], "ptx");
  EXPECT_EQ(cuda["modules"][0]["architecture"], 80);
  EXPECT_GT(cuda["modules"][0]["bytes"], 4000);
  EXPECT_EQ(cuda["transient_bytes"], 64);
  EXPECT_FALSE(cuda.contains("threads"));
  EXPECT_EQ(cuda["memory"]["total_bytes"], targets[0]["memory"]["total_bytes"]);
}

TEST(DeviceRun, BenchSaysWhereItRan) {
  Finished run = boostRunProcess({"bench", fixture("linear"), "--device=sim",
                                  "--steps=2", "--warmup=0", "--json"});
  ASSERT_EQ(run.exitCode, 0) << run.err;
  EXPECT_EQ(nlohmann::json::parse(run.out)["device"], "the simulated GPU");
}

TEST(DeviceRun, ADeviceThatTheProgramIsNotForEndsWithUsage) {
  Finished run = boostRunProcess({fixture("softmax"), "--device=sim"});
  EXPECT_EQ(run.exitCode, 2);
  EXPECT_THAT(run.err, HasSubstr("was compiled for cpu alone; compile it with "
                                 "boostc --target=cpu,cuda"));
}

} // namespace
