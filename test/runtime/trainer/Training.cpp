#include "test/runtime/trainer/Training.h"

#include "test/runtime/support/TemporaryDirectory.h"

#include <sstream>

namespace boostrt {

Training train(Session &session, Trainer::Settings settings, bool shuffle,
               CheckpointPosition start) {
  return train(session.execution(), session.arenas(), session.data(), settings,
               shuffle, start);
}

Training train(Execution &execution, const Arenas &arenas, const RunData &data,
               Trainer::Settings settings, bool shuffle,
               CheckpointPosition start) {
  Ranks alone;
  return train(execution, arenas, data, alone, settings, shuffle, start);
}

Training train(Execution &execution, const Arenas &arenas, const RunData &data,
               Ranks &ranks, Trainer::Settings settings, bool shuffle,
               CheckpointPosition start) {
  TemporaryDirectory directory;
  start.seed = kTrainingSeed;
  start.shuffle = shuffle;
  Options options;
  Console console(ProgressKind::None);
  auto metrics = MetricsFile::open(directory / "m.jsonl", false);
  EXPECT_TRUE(metrics.ok());
  Saving saving(options, execution, nullptr, ranks, console);
  Trainer trainer(execution, arenas, data, ranks, start, settings, saving,
                  console, metrics->get());
  Training training;
  training.reason = trainer.run();
  training.position = trainer.position();
  EXPECT_TRUE((*metrics)->close().ok());
  std::istringstream lines(readFile(directory / "m.jsonl"));
  for (std::string line; std::getline(lines, line);)
    training.steps.push_back(nlohmann::json::parse(line));
  return training;
}

std::unique_ptr<Session> initialised(const std::string &name,
                                     const std::string &data) {
  auto session = openFixture(name, data);
  if (session) {
    EXPECT_TRUE(session->execution().init(kTrainingSeed).ok());
  }
  return session;
}

} // namespace boostrt
