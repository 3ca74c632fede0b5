// Tensors.h - small tensors to save, and what came back.
#pragma once

#include "runtime/checkpoint/Checkpoint.h"
#include "test/runtime/support/SimulatedFileSystem.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace boostrt {

/// Values that differ with `seed`, and the views of them.
struct SampleRun {
  explicit SampleRun(int seed) : weight(6), bias(3), momentum(6), counter(1) {
    for (size_t i = 0; i < weight.size(); ++i) {
      weight[i] = float(seed) + 0.25f * float(i);
      momentum[i] = float(seed) - 0.5f * float(i);
    }
    for (size_t i = 0; i < bias.size(); ++i)
      bias[i] = -float(seed) - float(i);
    counter[0] = seed;
  }

  template <typename T>
  static std::span<const uint8_t> bytes(const std::vector<T> &v) {
    return {reinterpret_cast<const uint8_t *>(v.data()), v.size() * sizeof(T)};
  }
  template <typename T> static std::span<uint8_t> bytes(std::vector<T> &v) {
    return {reinterpret_cast<uint8_t *>(v.data()), v.size() * sizeof(T)};
  }

  std::vector<TensorView> weights() const {
    return {{"fc1.weight", BOOSTC_F32, {2, 3}, bytes(weight)},
            {"fc1.bias", BOOSTC_F32, {3}, bytes(bias)}};
  }
  std::vector<TensorView> state() const {
    return {{"fc1.weight.momentum", BOOSTC_F32, {2, 3}, bytes(momentum)},
            {"step", BOOSTC_I64, {}, bytes(counter)}};
  }
  std::vector<TensorTarget> weightTargets() {
    return {{"fc1.weight", BOOSTC_F32, {2, 3}, bytes(weight)},
            {"fc1.bias", BOOSTC_F32, {3}, bytes(bias)}};
  }
  std::vector<TensorTarget> stateTargets() {
    return {{"fc1.weight.momentum", BOOSTC_F32, {2, 3}, bytes(momentum)},
            {"step", BOOSTC_I64, {}, bytes(counter)}};
  }
  bool operator==(const SampleRun &) const = default;

  std::vector<float> weight, bias, momentum;
  std::vector<int64_t> counter;
};

/// The position after `step` steps of epoch 1 in a run of this name.
inline CheckpointPosition positionAt(int64_t step) {
  return {.epoch = 1,
          .stepInEpoch = step,
          .samplesInEpoch = 4 * step,
          .globalStep = step,
          .seed = 7,
          .shuffle = true,
          .recipeHash = std::string(64, 'a'),
          .programName = "mlp"};
}

inline Result<std::string> saveStep(CheckpointStore &store, int step) {
  SampleRun run(step);
  return store.save(positionAt(step), run.weights(), run.state());
}

/// Whether checkpoint `path` holds exactly what saveStep(step) put there.
inline testing::AssertionResult
holdsStep(FileSystem &files, const std::string &path, int64_t step) {
  Result<LoadedCheckpoint> loaded = loadCheckpoint(files, path);
  if (!loaded.ok())
    return testing::AssertionFailure() << loaded.status().message();
  if (loaded->position != positionAt(step))
    return testing::AssertionFailure() << path << ": another position";
  SampleRun expected(static_cast<int>(step)), found(0);
  Status status = restore(*loaded, found.weightTargets(), found.stateTargets());
  if (!status.ok())
    return testing::AssertionFailure() << status.message();
  if (!(found == expected))
    return testing::AssertionFailure() << path << ": other values";
  return testing::AssertionSuccess();
}

/// A file of these bytes under the name "f".
inline Result<SafetensorsFile> openBytes(const std::vector<uint8_t> &bytes) {
  static SimulatedFileSystem files; // outlives what is open
  EXPECT_TRUE(
      writeFileAtomically(files, "/f", ExitCode::Data, [&](WritableFile &file) {
        return file.write(bytes);
      }).ok());
  return openSafetensors(files, "/f");
}

/// All bytes of a tensor.
inline std::vector<uint8_t> bytesOf(const SafetensorsFile &file,
                                    const TensorEntry &tensor) {
  std::vector<uint8_t> bytes(tensor.bytes);
  Status status = file.read(tensor, 0, bytes);
  EXPECT_TRUE(status.ok()) << status.message();
  return bytes;
}

inline void expectError(const Status &status, ExitCode code,
                        const std::string &text) {
  EXPECT_FALSE(status.ok()) << "expected: " << text;
  EXPECT_EQ(int(status.code()), int(code));
  EXPECT_NE(status.message().find(text), std::string::npos)
      << "found: " << status.message() << "\nexpected: " << text;
}

} // namespace boostrt
