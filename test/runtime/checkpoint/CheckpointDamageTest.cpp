// Damaged checkpoints are rejected, or the damage is harmless: every
// truncation, thousands of flipped bits, and manifests made to hurt.
#include "runtime/checkpoint/Checkpoint.h"

#include "runtime/support/Sha256.h"
#include "runtime/checkpoint/CheckpointManifest.h"
#include "test/runtime/checkpoint/Tensors.h"
#include "test/runtime/support/SimulatedFileSystem.h"

#include <nlohmann/json.hpp>

#include <random>

namespace boostrt {
namespace {

constexpr const char *kFiles[] = {"manifest.json", "state.safetensors",
                                  "weights.safetensors"};

class DamagedCheckpoint : public testing::Test {
protected:
  void SetUp() override {
    auto store = CheckpointStore::open(files_, "/ck", "mlp", 5);
    ASSERT_TRUE(store.ok());
    for (int step : {10, 20})
      ASSERT_TRUE(saveStep(**store, step).ok());
  }

  std::vector<uint8_t> &content(const std::string &name) {
    return *files_.content(path_ + "/" + name);
  }

  /// Rejected by both readers with code 6, the older one then is the newest.
  void expectRejected(const std::string &what) {
    Result<LoadedCheckpoint> loaded = loadCheckpoint(files_, path_);
    ASSERT_FALSE(loaded.ok()) << what;
    EXPECT_EQ(int(loaded.status().code()), int(ExitCode::Checkpoint)) << what;
    EXPECT_NE(loaded.status().message().find(path_), std::string::npos)
        << loaded.status().message();
    EXPECT_FALSE(verifyCheckpoint(files_, path_).ok()) << what;
    Result<NewestCheckpoint> newest =
        newestValidCheckpoint(files_, "/ck", "mlp");
    ASSERT_TRUE(newest.ok() && newest->found) << what;
    EXPECT_EQ(newest->position.stepInEpoch, 10) << what;
    EXPECT_EQ(newest->skipped.size(), 1u) << what;
  }

  /// Puts `text` in the manifest's place and expects the reason.
  void expectManifestError(const std::string &text, const std::string &reason) {
    content("manifest.json").assign(text.begin(), text.end());
    expectRejected(text.substr(0, 200));
    expectError(loadCheckpoint(files_, path_).status(), ExitCode::Checkpoint,
                reason);
  }

  std::string manifestText() {
    return {content("manifest.json").begin(), content("manifest.json").end()};
  }

  /// The manifest with changes and a checksum that is right again.
  std::string forged(const std::function<void(nlohmann::json &)> &change) {
    nlohmann::json manifest = nlohmann::json::parse(manifestText());
    change(manifest);
    manifest.erase("checksum");
    std::string text = manifest.dump();
    manifest["checksum"] = toHex(
        sha256({reinterpret_cast<const uint8_t *>(text.data()), text.size()}));
    return manifest.dump();
  }

  SimulatedFileSystem files_;
  const std::string path_ = "/ck/mlp-1_20.ckpt";
};

TEST_F(DamagedCheckpoint, EveryTruncationIsRejected) {
  size_t count = 0;
  for (const char *name : kFiles) {
    const std::vector<uint8_t> whole = content(name);
    for (size_t length = 0; length < whole.size(); ++length) {
      // The manifest's last byte is its final newline.
      if (name == kFiles[0] && length == whole.size() - 1)
        continue;
      content(name).assign(whole.begin(), whole.begin() + length);
      expectRejected(std::string(name) + " cut to " + std::to_string(length));
      ++count;
    }
    content(name) = whole;
  }
  EXPECT_GT(count, 900u);
  EXPECT_TRUE(holdsStep(files_, path_, 20));
}

TEST_F(DamagedCheckpoint, BytesTooManyAreRejected) {
  for (const char *name : kFiles) {
    const std::vector<uint8_t> whole = content(name);
    content(name).push_back('x');
    expectRejected(std::string(name) + " with a byte more");
    content(name) = whole;
  }
}

TEST_F(DamagedCheckpoint, EveryFlippedBitOfTheTensorsIsRejected) {
  for (const char *name : {kFiles[1], kFiles[2]}) {
    std::vector<uint8_t> &bytes = content(name);
    for (size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
      bytes[bit / 8] ^= uint8_t(1 << bit % 8);
      expectRejected(std::string(name) + ", bit " + std::to_string(bit));
      bytes[bit / 8] ^= uint8_t(1 << bit % 8);
    }
  }
}

TEST_F(DamagedCheckpoint, FlippedBitsOfTheManifestAreRejectedOrHarmless) {
  std::vector<uint8_t> &bytes = content("manifest.json");
  size_t harmless = 0;
  for (size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
    bytes[bit / 8] ^= uint8_t(1 << bit % 8);
    if (loadCheckpoint(files_, path_).ok()) {
      ++harmless;
      EXPECT_TRUE(holdsStep(files_, path_, 20)) << "bit " << bit;
    } else {
      expectRejected("manifest.json, bit " + std::to_string(bit));
    }
    bytes[bit / 8] ^= uint8_t(1 << bit % 8);
  }
  // White space between the tokens may become other white space.
  EXPECT_LT(harmless, bytes.size() / 4);
}

TEST_F(DamagedCheckpoint, ManyFlippedBytesAreRejected) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 5000; ++round) {
    const char *name = kFiles[random() % 3];
    const std::vector<uint8_t> whole = content(name);
    for (uint64_t i = 0, n = 2 + random() % 8; i < n; ++i)
      content(name)[random() % whole.size()] ^= uint8_t(1 + random() % 255);
    if (loadCheckpoint(files_, path_).ok()) {
      EXPECT_TRUE(holdsStep(files_, path_, 20)) << "round " << round;
    }
    content(name) = whole;
  }
}

TEST_F(DamagedCheckpoint, FilesOfAnotherCheckpointAreRejected) {
  content("state.safetensors") =
      *files_.content("/ck/mlp-1_10.ckpt/state.safetensors");
  expectRejected("state of step 10");
}

TEST_F(DamagedCheckpoint, ForeignManifestsAreNamed) {
  const std::string good = manifestText();
  expectManifestError(
      "", "is not a usable manifest: it is not the JSON it should be");
  expectManifestError("[]", "it is not the JSON it should be");
  expectManifestError("{}",
                      "its format is not 'boost-checkpoint'; was the directory "
                      "written by another program?");
  expectManifestError("{\"format\": 5}", "its format is not");
  content("manifest.json").assign(good.begin(), good.end());
  std::string newer = forged([](nlohmann::json &m) { m["version"] = 4; });
  expectManifestError(newer,
                      "its version is 4, expected 1 to 3; use the boost-run "
                      "that wrote it");
  content("manifest.json").assign(good.begin(), good.end());
  std::string older = forged([](nlohmann::json &m) { m["version"] = 0; });
  expectManifestError(older, "its version is 0, expected 1 to 3");
}

TEST_F(DamagedCheckpoint, AnEditedManifestIsNoticed) {
  std::string text = manifestText();
  size_t at = text.find("\"global_step\": 20");
  ASSERT_NE(at, std::string::npos);
  expectManifestError(
      text.replace(at, 17, "\"global_step\": 21"),
      "its checksum does not match; the checkpoint is damaged, use "
      "another one");
}

TEST_F(DamagedCheckpoint, ForgedManifestsAreCheckedValueByValue) {
  const std::string good = manifestText();
  using nlohmann::json;
  struct {
    const char *key;
    json value;
    const char *reason;
  } cases[] = {
      {"epoch", -1, "'epoch' is not a natural number"},
      {"step", 1.5, "'step' is not a natural number"},
      {"global_step", UINT64_MAX, "'global_step' is not a smaller number"},
      {"samples", "7", "'samples' is not a natural number"},
      {"samples", UINT64_MAX, "'samples' is not a smaller number"},
      {"ranks", 0, "'ranks' is not a number from 1 to 2^32-1"},
      {"ranks", 1LL << 32, "'ranks' is not a number from 1 to 2^32-1"},
      {"micro_batches", 0, "'micro_batches' is not a number from 1 to"},
      {"recipe", json::object(), "'recipe' is not a string"},
      {"seed", "7", "'seed' is not a natural number"},
      {"data_fingerprint", "7", "'data_fingerprint' is not a natural number"},
      {"shuffle", 1, "'shuffle' is not true or false"},
      {"data_fingerprint", -1, "'data_fingerprint' is not a natural number"},
      {"program", nullptr, "'program' is not a string"},
      {"recipe_hash", json::array(), "'recipe_hash' is not a string"},
      {"files", 5, "'files' is not an object"}};
  for (auto &[key, value, reason] : cases) {
    content("manifest.json").assign(good.begin(), good.end());
    expectManifestError(forged([&](json &m) { m[key] = value; }), reason);
    content("manifest.json").assign(good.begin(), good.end());
    std::string without = forged([&](json &m) { m.erase(key); });
    expectManifestError(without, "' is not ");
  }
  for (auto [ranks, reason] :
       {std::pair<json, const char *>{1, "'rank_states' is 1, expected 2 to"},
        {1 << 30, "'rank_states' is 1073741824, expected 2 to 4096"},
        {"3", "'rank_states' is not a natural number"},
        {3, "'state.rank-00001.safetensors' is not an object"}}) {
    content("manifest.json").assign(good.begin(), good.end());
    expectManifestError(
        forged([&, &ranks = ranks](json &m) { m["rank_states"] = ranks; }),
        reason);
  }
  for (auto [choices, reason] :
       {std::pair<json, const char *>{
            2, "'choices' is not a list of natural numbers"},
        {json::array({1, -1}), "'choices' is not a list of numbers below 2^32"},
        {json::array({1LL << 32}),
         "'choices' is not a list of numbers below 2^32"}}) {
    content("manifest.json").assign(good.begin(), good.end());
    expectManifestError(
        forged([&, &choices = choices](json &m) { m["choices"] = choices; }),
        reason);
  }
  content("manifest.json").assign(good.begin(), good.end());
  expectManifestError(forged([](json &m) { m["basis_fingerprint"] = "0"; }),
                      "'basis_fingerprint' is not a natural number");
  content("manifest.json").assign(good.begin(), good.end());
  std::string noBytes =
      forged([](json &m) { m["files"]["state.safetensors"].erase("bytes"); });
  expectManifestError(noBytes,
                      "'bytes' is not a natural number of state.safetensors");
}

TEST_F(DamagedCheckpoint, AnOlderManifestIsReadAndSaysWhatItLacks) {
  Result<LoadedCheckpoint> loaded = loadCheckpoint(files_, path_);
  ASSERT_TRUE(loaded.ok()) << loaded.status().message();
  EXPECT_TRUE(loaded->saysSamples);
  CheckpointPosition expected = loaded->position;
  EXPECT_NE(expected.samplesInEpoch, 0);
  std::string text = forged([](nlohmann::json &m) {
    m["version"] = 1;
    for (const char *key : {"samples", "ranks", "micro_batches", "recipe",
                            "skipped", "skipped_in_row"})
      m.erase(key);
  });
  content("manifest.json").assign(text.begin(), text.end());
  loaded = loadCheckpoint(files_, path_);
  ASSERT_TRUE(loaded.ok()) << loaded.status().message();
  EXPECT_FALSE(loaded->saysSamples);
  EXPECT_EQ(loaded->recipe, "");
  expected.samplesInEpoch = 0;
  EXPECT_EQ(loaded->position, expected);
}

TEST_F(DamagedCheckpoint, ManifestsMadeToHurtEndEarly) {
  expectManifestError(std::string(1 << 20, '['),
                      "it is not the JSON it should be");
  std::string deep = "{\"format\":\"boost-checkpoint\",\"a\":";
  deep += std::string(400'000, '[') + std::string(400'000, ']') + "}";
  expectManifestError(deep, "it is not the JSON it should be");
  expectManifestError(std::string(kMaxManifestBytes + 1, ' '),
                      "has 4194305 bytes, at most 4194304 are expected");
}

TEST_F(DamagedCheckpoint, AHugeFileIsNotRead) {
  Status status = loadCheckpoint(files_, path_, 100).status();
  expectError(status, ExitCode::Checkpoint, "at most 100 are expected");
}

TEST_F(DamagedCheckpoint, RightHashesDoNotMakeTensorsRight) {
  std::vector<uint8_t> &weights = content("weights.safetensors");
  weights.assign(20, 'x');
  std::string text = forged([&](nlohmann::json &m) {
    m["files"]["weights.safetensors"] = {{"bytes", weights.size()},
                                         {"sha256", toHex(sha256(weights))}};
  });
  content("manifest.json").assign(text.begin(), text.end());
  EXPECT_TRUE(verifyCheckpoint(files_, path_).ok());
  expectError(loadCheckpoint(files_, path_).status(), ExitCode::Checkpoint,
              "weights.safetensors' is not a usable safetensors file");
}

} // namespace
} // namespace boostrt
