// Integers, targets and sample keys from the files to the weights, against the
// definition of TableProgram.c in double.
#include "runtime/predict/RandomBatch.h"
#include "test/runtime/trainer/TokenFiles.h"
#include "test/runtime/trainer/Training.h"

#include <gmock/gmock.h>

#include <cmath>
#include <cstring>

using namespace boostrt;
using testing::HasSubstr;

namespace {

constexpr int64_t kTokens = TokenFiles::kTokens,
                  kTargets = TokenFiles::kTargets;
using Table = std::vector<double>;

template <typename T> T read(const void *bytes, int64_t index) {
  T value;
  std::memcpy(&value,
              static_cast<const uint8_t *>(bytes) + index * sizeof value,
              sizeof value);
  return value;
}

Table tableOf(const Session &session) {
  std::string bytes = bytesOf(session, BOOSTC_ARENA_PARAMETER);
  Table table;
  for (int64_t i = 0; i < TokenFiles::kValues * kTargets; ++i)
    table.push_back(read<float>(bytes.data(), i));
  return table;
}

/// The loss of a sample; with a gradient, in training.
double pass(const Dataset &data, int64_t sample, const Table &table,
            uint32_t key, Table *gradient) {
  double loss = 0;
  for (int64_t d = 0; d < kTargets; ++d) {
    uint32_t bits = boost_sample_bits(key, boost_random_stream("drop"), d);
    double scale = !gradient ? 1 : bits >> 31 ? 2 : 0, y = 0;
    auto place = [&](int64_t t) {
      return read<int32_t>(data.sample(sample), t) * kTargets + d;
    };
    for (int64_t t = 0; t < kTokens; ++t)
      y += table[place(t)];
    double difference = scale * y - read<float>(data.targets().at(sample), d);
    loss += difference * difference;
    for (int64_t t = 0; gradient && t < kTokens; ++t)
      (*gradient)[place(t)] += 2 * difference * scale;
  }
  return loss;
}

/// Trains by the definition, `window` samples a step; returns the mean losses.
std::vector<double> define(const Dataset &data, Table &table, int64_t epochs,
                           int64_t window, int64_t keysLater = 0) {
  Sampler sampler(data.size(), kTrainingSeed, true);
  std::vector<double> losses;
  for (int64_t epoch = 1; epoch <= epochs; ++epoch)
    for (int64_t first = 0; first < data.size(); first += window) {
      int64_t count = std::min(window, data.size() - first);
      Table gradient(table.size());
      double loss = 0;
      for (int64_t i = first; i < first + count; ++i) {
        int64_t sample = sampler.at(epoch, i);
        loss += pass(data, sample, table,
                     boost_sample_key(kTrainingSeed, epoch + keysLater, sample),
                     &gradient);
      }
      losses.push_back(loss / static_cast<double>(count));
      for (size_t i = 0; i < table.size(); ++i)
        table[i] -= 0.05 * gradient[i] / static_cast<double>(count);
    }
  return losses;
}

double largestDifference(const Table &a, const Table &b) {
  double largest = 0;
  for (size_t i = 0; i < a.size(); ++i)
    largest = std::max(largest, std::abs(a[i] - b[i]));
  return largest;
}

// 40 samples: three windows of 12 and one of 4, in micro-batches of 12, or of
// 3, the last of one sample.
TEST(Table, TrainsAsDefined) {
  TokenFiles files(40, 9);
  for (const char *name : {"table", "table_window"}) {
    SCOPED_TRACE(name);
    auto session = initialised(name, files.spec());
    ASSERT_TRUE(session);
    Table table = tableOf(*session), wrong = table;
    Training training = train(*session, {{.epochs = 5}, {}}, /*shuffle=*/true);
    ASSERT_TRUE(training.reason.ok()) << training.reason.status().message();
    ASSERT_EQ(training.steps.size(), 20u);

    const Dataset &data = *session->data().source.train;
    std::vector<double> losses = define(data, table, 5, 12);
    // A mean gradient is a chain of fewer than 64 float operations on numbers
    // below 32, each off by 2^-24 of them; 20 steps at rate 0.05 add up. Steps
    // do not raise what earlier ones are off: the loss's curvature is about 8
    // (2 of the square, 2 of the mean squared scale, 4^2 / 8 of four tokens
    // among eight rows), times the rate below 2.
    double bound = 20 * 0.05 * 64 * 32 * 0x1p-24;
    EXPECT_LE(largestDifference(tableOf(*session), table), bound);
    for (size_t i = 0; i < losses.size(); ++i)
      EXPECT_NEAR(training.steps[i]["loss"].get<double>(), losses[i],
                  bound * std::max(1.0, losses[i]))
          << i;
    define(data, wrong, 5, 12, /*keysLater=*/1);
    EXPECT_GT(largestDifference(wrong, table), 1000 * bound)
        << "the keys decide nothing, so nothing was tested";
  }
}

TEST(Table, EvaluatesWithoutLabels) {
  TokenFiles files(40, 29);
  auto session = initialised("table", files.spec());
  ASSERT_TRUE(session);
  Ranks alone;
  auto evaluation =
      evaluate(session->execution(), session->arenas(), session->data(), alone);
  ASSERT_TRUE(evaluation.ok()) << evaluation.status().message();
  const Dataset &data = *session->data().source.test;
  EXPECT_FALSE(data.hasLabels());
  double loss = 0;
  for (int64_t i = 0; i < data.size(); ++i)
    loss += pass(data, i, tableOf(*session), 0, nullptr) / 29;
  ASSERT_EQ(evaluation->values.size(), 1u);
  EXPECT_EQ(evaluation->values[0].first, "loss");
  EXPECT_NEAR(evaluation->values[0].second, loss, 1e-5 * loss);
}

TEST(Table, AnIntegerBeyondTheTableEndsTheRun) {
  TokenFiles files(40, 9);
  std::vector<int32_t> tokens(160, 7);
  tokens[50] = 8;
  writeFile(files.path("train_features.npy"),
            npy("<i4", "(40, 4)", bytesOf(tokens)));
  auto session = initialised("table", files.spec());
  ASSERT_TRUE(session);
  Training training = train(*session, {{.epochs = 1}, {}});
  ASSERT_FALSE(training.reason.ok());
  EXPECT_EQ(training.reason.status().code(), ExitCode::Data);
  EXPECT_EQ(training.reason.status().message(),
            files.path("train_features.npy") +
                ": found 8 in sample 12 at position 2, expected 0 to 7 because "
                "the model's input has 8 classes; check that the data set "
                "belongs to this model");
  EXPECT_EQ(training.position.globalStep, 1) << "the batch before it was good";
}

/// The inputs of a program, filled by fillRandomBatch().
struct RandomArena {
  std::unique_ptr<Program> program;
  std::vector<std::byte> bytes;

  explicit RandomArena(const std::string &name, uint64_t seed = 1) {
    auto loaded = Program::load(fixture(name));
    EXPECT_TRUE(loaded.ok());
    program = std::move(loaded).value();
    bytes.resize(program->descriptor().arena_bytes[BOOSTC_ARENA_BATCH]);
    fillRandomBatch(program->descriptor(), bytes.data(), seed);
  }
  template <typename T> std::vector<T> values(BoostInputKind kind) const {
    const BoostInput &input = *program->input(kind);
    std::vector<T> values(input.tensor.bytes / sizeof(T));
    std::memcpy(values.data(), bytes.data() + input.tensor.offset,
                input.tensor.bytes);
    return values;
  }
  int32_t valid() const {
    return read<int32_t>(bytes.data() + program->descriptor().valid.offset, 0);
  }
};

TEST(RandomBatch, IndicesTargetsAndKeys) {
  RandomArena arena("table"), same("table"), other("table", 2);
  EXPECT_TRUE(arena.bytes == same.bytes);
  EXPECT_FALSE(arena.bytes == other.bytes);
  EXPECT_EQ(arena.valid(), 12);
  auto tokens = arena.values<int32_t>(BOOSTC_INPUT_INDICES);
  EXPECT_EQ(tokens.size(), 48u);
  // 48 draws of 8 values miss a given one with a probability below 2e-3; these
  // draws are fixed.
  for (int32_t value = 0; value < 8; ++value)
    EXPECT_THAT(tokens, testing::Contains(value));
  EXPECT_THAT(tokens,
              testing::Each(testing::AllOf(testing::Ge(0), testing::Lt(8))));
  auto targets = arena.values<float>(BOOSTC_INPUT_TARGETS);
  EXPECT_THAT(targets, testing::Each(testing::AllOf(testing::Ge(0.0f),
                                                    testing::Lt(1.0f))));
  EXPECT_THAT(targets, testing::Contains(testing::Lt(0.25f)));
  EXPECT_THAT(targets, testing::Contains(testing::Gt(0.75f)));
  auto keys = arena.values<uint32_t>(BOOSTC_INPUT_SAMPLE_KEYS);
  ASSERT_EQ(keys.size(), 12u);
  for (uint64_t i = 0; i < keys.size(); ++i)
    EXPECT_EQ(keys[i], boost_sample_key(1, 0, i));
}

TEST(RandomBatch, FeaturesAndLabels) {
  RandomArena arena("softmax");
  EXPECT_EQ(arena.valid(), 32);
  auto features = arena.values<float>(BOOSTC_INPUT_FEATURES);
  auto count = static_cast<double>(features.size());
  double sum = 0, squares = 0;
  for (float value : features) {
    sum += value;
    squares += double{value} * value;
  }
  // A square of a normal number has mean 1 and variance 2.
  EXPECT_LE(std::abs(sum), 5 * std::sqrt(count));
  EXPECT_LE(std::abs(squares - count), 5 * std::sqrt(2 * count));
  EXPECT_THAT(arena.values<int32_t>(BOOSTC_INPUT_LABELS),
              testing::Each(testing::AllOf(testing::Ge(0), testing::Lt(10))));
}

} // namespace
