#include "runtime/checkpoint/CheckpointManifest.h"

#include "runtime/support/Sha256.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace boostrt {

using nlohmann::json;

static constexpr const char *kFormat = "boost-checkpoint";
/// Version 1 lacks 'samples', 'ranks', 'micro_batches' and 'recipe'; version 2
/// lacks 'skipped' and 'skipped_in_row'.
static constexpr uint64_t kVersion = 3, kOldestVersion = 1;
static constexpr const char *kChecksum = "checksum";
/// Absent where state is the same on all ranks.
static constexpr const char *kRankStates = "rank_states";
/// Absent in checkpoints from before micro-batches could be divided.
static constexpr const char *kMicroBatch = "micro_batch";
/// Absent where the program has no selector.
static constexpr const char *kChoices = "choices";
static constexpr const char *kBasis = "basis_fingerprint";

std::string rankStateFile(uint32_t rank) {
  return fmt::format("state.rank-{:05}.safetensors", rank);
}

/// SHA-256 of the manifest without its checksum, keys sorted, no white space.
static std::string checksumOf(json manifest) {
  manifest.erase(kChecksum);
  std::string text =
      manifest.dump(-1, ' ', true, json::error_handler_t::replace);
  return toHex(
      sha256({reinterpret_cast<const uint8_t *>(text.data()), text.size()}));
}

std::string writeManifest(const CheckpointManifest &manifest) {
  auto entry = [](const ManifestFile &file) {
    return json{{"bytes", file.bytes}, {"sha256", file.sha256}};
  };
  const CheckpointPosition &position = manifest.position;
  json content = {{"format", kFormat},
                  {"version", kVersion},
                  {"program", position.programName},
                  {"recipe_hash", position.recipeHash},
                  {"recipe", manifest.recipe},
                  {"epoch", position.epoch},
                  {"step", position.stepInEpoch},
                  {"samples", position.samplesInEpoch},
                  {"global_step", position.globalStep},
                  {"skipped", position.skipped},
                  {"skipped_in_row", position.skippedInRow},
                  {"ranks", position.ranks},
                  {"micro_batches", position.microBatches},
                  {"seed", position.seed},
                  {"shuffle", position.shuffle},
                  {"data_fingerprint", position.dataFingerprint},
                  {"files",
                   {{kWeightsFile, entry(manifest.weights)},
                    {kStateFile, entry(manifest.state)}}}};
  if (position.microBatch > 0)
    content[kMicroBatch] = position.microBatch;
  if (!position.choices.empty())
    content[kChoices] = position.choices;
  if (position.basisFingerprint > 0)
    content[kBasis] = position.basisFingerprint;
  if (!manifest.otherStates.empty())
    content[kRankStates] = manifest.otherStates.size() + 1;
  for (uint32_t i = 0; i < manifest.otherStates.size(); ++i)
    content["files"][rankStateFile(i + 1)] = entry(manifest.otherStates[i]);
  auto text = [&] {
    content[kChecksum] = checksumOf(content);
    return content.dump(2, ' ', true, json::error_handler_t::replace) + "\n";
  };
  std::string whole = text();
  if (whole.size() <= kMaxManifestBytes)
    return whole;
  content["recipe"] = "";
  return text();
}

namespace {

/// Takes typed values out of an object; the first that is missing or of another
/// kind is remembered, and what is returned from then on has no meaning.
class Taker {
public:
  explicit Taker(const json &object) : object_(object) {}
  const std::string &problem() const { return problem_; }

  std::string text(const char *key) {
    const json *value = find(key, "a string");
    return value && expect(value->is_string(), key, "a string")
               ? value->get<std::string>()
               : std::string();
  }
  uint64_t natural(const char *key) {
    const json *value = find(key, "a natural number");
    return value && expect(value->is_number_unsigned(), key, "a natural number")
               ? value->get<uint64_t>()
               : 0;
  }
  int64_t count(const char *key) {
    uint64_t value = natural(key);
    return expect(value <= uint64_t(INT64_MAX), key, "a smaller number")
               ? int64_t(value)
               : 0;
  }
  uint32_t positive(const char *key) {
    uint64_t value = natural(key);
    return expect(value >= 1 && value <= UINT32_MAX, key,
                  "a number from 1 to 2^32-1")
               ? uint32_t(value)
               : 1;
  }
  std::vector<uint32_t> naturals(const char *key) {
    const json *value = find(key, "a list of natural numbers");
    std::vector<uint32_t> numbers;
    if (!value || !expect(value->is_array(), key, "a list of natural numbers"))
      return numbers;
    for (const json &number : *value)
      if (expect(number.is_number_unsigned() &&
                     number.get<uint64_t>() <= UINT32_MAX,
                 key, "a list of numbers below 2^32"))
        numbers.push_back(number.get<uint32_t>());
    return numbers;
  }
  bool boolean(const char *key) {
    const json *value = find(key, "true or false");
    return value && expect(value->is_boolean(), key, "true or false") &&
           value->get<bool>();
  }
  const json &object(const char *key) {
    static const json kEmpty = json::object();
    const json *value = find(key, "an object");
    return value && expect(value->is_object(), key, "an object") ? *value
                                                                 : kEmpty;
  }
  ManifestFile file(const char *name) {
    Taker taker(object(name));
    ManifestFile file{taker.natural("bytes"), taker.text("sha256")};
    if (problem_.empty() && !taker.problem().empty())
      problem_ = fmt::format("{} of {}", taker.problem(), name);
    return file;
  }

private:
  const json *find(const char *key, const char *expected) {
    auto found = object_.find(key);
    return expect(found != object_.end(), key, expected) ? &*found : nullptr;
  }
  bool expect(bool fulfilled, const char *key, const char *expected) {
    if (!fulfilled && problem_.empty())
      problem_ = fmt::format("'{}' is not {}", key, expected);
    return fulfilled;
  }

  const json &object_;
  std::string problem_;
};

} // namespace

Result<CheckpointManifest> parseManifest(std::span<const uint8_t> text,
                                         const std::string &path) {
  auto unusable = [&](std::string reason, const char *advice) {
    return Status(ExitCode::Checkpoint,
                  fmt::format("'{}' is not a usable manifest: {}; {}", path,
                              reason, advice));
  };
  constexpr const char *kDamaged = "the checkpoint is damaged, use another one";

  // A manifest is three levels deep. Deeper ones are cut off here, because
  // copying and printing JSON recurses.
  bool tooDeep = false;
  auto limitDepth = [&](int depth, json::parse_event_t, json &) {
    tooDeep |= depth > 3;
    return depth <= 3;
  };
  json content = json::parse(text.begin(), text.end(), limitDepth, false);
  if (!content.is_object() || tooDeep)
    return unusable("it is not the JSON it should be", kDamaged);
  Taker taker(content);
  if (taker.text("format") != kFormat)
    return unusable(fmt::format("its format is not '{}'", kFormat),
                    "was the directory written by another program?");
  // Before the checksum: a later version may compute it in another way.
  uint64_t version = taker.natural("version");
  if (taker.problem().empty() &&
      (version < kOldestVersion || version > kVersion))
    return unusable(fmt::format("its version is {}, expected {} to {}", version,
                                kOldestVersion, kVersion),
                    "use the boost-run that wrote it");
  if (taker.text("checksum") != checksumOf(content))
    return unusable("its checksum does not match", kDamaged);

  CheckpointManifest manifest;
  CheckpointPosition &position = manifest.position;
  position.programName = taker.text("program");
  position.recipeHash = taker.text("recipe_hash");
  position.epoch = taker.count("epoch");
  position.stepInEpoch = taker.count("step");
  position.globalStep = taker.count("global_step");
  manifest.saysSamples = version >= 2;
  if (manifest.saysSamples) {
    position.samplesInEpoch = taker.count("samples");
    position.ranks = taker.positive("ranks");
    position.microBatches = taker.positive("micro_batches");
    manifest.recipe = taker.text("recipe");
  }
  if (version >= 3) {
    position.skipped = taker.count("skipped");
    position.skippedInRow = taker.count("skipped_in_row");
  }
  if (content.contains(kMicroBatch))
    position.microBatch = taker.count(kMicroBatch);
  if (content.contains(kChoices))
    position.choices = taker.naturals(kChoices);
  if (content.contains(kBasis))
    position.basisFingerprint = taker.natural(kBasis);
  position.seed = taker.natural("seed");
  position.shuffle = taker.boolean("shuffle");
  position.dataFingerprint = taker.natural("data_fingerprint");
  Taker files(taker.object("files"));
  manifest.weights = files.file(kWeightsFile);
  manifest.state = files.file(kStateFile);
  if (content.contains(kRankStates)) {
    uint64_t ranks = taker.natural(kRankStates);
    if (taker.problem().empty() && (ranks < 2 || ranks > kMaxRankStates))
      return unusable(fmt::format("'{}' is {}, expected 2 to {}", kRankStates,
                                  ranks, kMaxRankStates),
                      kDamaged);
    for (uint32_t rank = 1; rank < ranks && files.problem().empty(); ++rank)
      manifest.otherStates.push_back(files.file(rankStateFile(rank).c_str()));
  }
  if (!taker.problem().empty() || !files.problem().empty())
    return unusable(taker.problem().empty() ? files.problem() : taker.problem(),
                    kDamaged);
  return manifest;
}

} // namespace boostrt
