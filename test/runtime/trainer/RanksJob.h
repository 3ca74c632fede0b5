// RanksJob.h - training on ranks that are threads of this process.
#pragma once

#include "runtime/cli/Commands.h"
#include "runtime/trainer/RunOnRanks.h"
#include "test/runtime/support/TemporaryDirectory.h"
#include "test/runtime/trainer/Fixtures.h"

#include <nlohmann/json.hpp>

#include <sstream>
#include <string>
#include <vector>

namespace boostrt {

// With micro-batches of 16: 64 samples, then 16 + 16 + 4, so that one of four
// ranks has nothing to do in the second window.
inline constexpr const char *kData = "digits:train=100,test=45";

/// A job, on one server at first; its options are those of every rank.
class Job {
public:
  Job(const std::string &program, uint32_t ranks) : servers(ranks) {
    options.program = fixture(program);
    options.data = kData;
    options.threads = 2;
    options.epochs = 3;
    options.progress = ProgressKind::None;
    options.save = directory_ / "w.safetensors";
    options.metrics = directory_ / "m.jsonl";
    options.checkpointDir = directory_ / "c";
    options.checkReplicasEvery = 1;
  }

  Status run(const RankedCommand &command = trainCommand) const {
    return runOnThreads(options, servers, command);
  }
  std::string weights() const { return readFile(*options.save); }
  /// The metrics lines of an event without what depends on time.
  std::vector<nlohmann::json> events(const std::string &kind) const {
    std::vector<nlohmann::json> events;
    std::istringstream lines(readFile(*options.metrics));
    for (std::string line; std::getline(lines, line);)
      if (auto event = nlohmann::json::parse(line); event["event"] == kind) {
        event.erase("samples_per_s");
        events.push_back(event);
      }
    return events;
  }

  Options options;
  std::vector<uint32_t> servers; ///< of the ranks

private:
  TemporaryDirectory directory_;
};

inline void expectOk(const Status &status) {
  EXPECT_TRUE(status.ok()) << status.message();
}

} // namespace boostrt
