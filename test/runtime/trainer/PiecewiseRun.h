// PiecewiseRun.h - boost-run on a fixture, stopped and started again.
#pragma once

#include "test/runtime/support/TemporaryDirectory.h"
#include "test/runtime/trainer/Fixtures.h"

#include <string>
#include <vector>

namespace boostrt {

/// Trains a fixture in a directory of its own, in pieces.
class PiecewiseRun {
public:
  explicit PiecewiseRun(std::string program,
                        std::string data = "digits:train=230,test=9")
      : program_(std::move(program)), data_(std::move(data)) {}

  std::vector<std::string> arguments(std::vector<std::string> more) const {
    std::vector<std::string> all{fixture(program_), "--data=" + data_,
                                 "--no-eval",
                                 "--checkpoint-dir=" + (directory_ / "c"),
                                 "--save=" + (directory_ / "w.safetensors")};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }
  Finished piece(std::vector<std::string> more) const {
    return boostRunProcess(arguments(std::move(more)));
  }
  std::string weights() const { return readFile(directory_ / "w.safetensors"); }
  std::string directory() const { return directory_ / "c"; }

private:
  std::string program_, data_;
  TemporaryDirectory directory_;
};

} // namespace boostrt
