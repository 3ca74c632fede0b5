// What programs hand to the runtime's collectives, and what they get back.
#include "dialects/rt/CollectiveForm.h"
#include "runtime/comm/local/LocalJob.h"
#include "runtime/trainer/RankCollectives.h"
#include "test/e2e/LocalRanks.h"
#include "test/e2e/Programs.h"
#include "test/runtime/support/SettledUpdate.h"
#include <cmath>
#include <gtest/gtest.h>

using namespace mlir;
using namespace boostc;
using namespace boostc::e2e;

namespace {

Model getModel() {
  return getPerceptron("collectives",
                       R"({ "type": "sgd", "learning_rate": 0.125 })");
}

CompileOptions getOptions() {
  CompileOptions options;
  options.to = Phase::So;
  options.phase.threads = 1;
  return options;
}

std::vector<float> readOperand(const void *address,
                               const BoostCollectiveOperand &operand) {
  EXPECT_EQ(operand.dtype, uint32_t(BOOSTC_F32));
  auto *first = static_cast<const float *>(address);
  return {first, first + operand.elements};
}

/// Notes what is ready, and with which values.
class Announcements : public boostrt::CollectiveRunner {
public:
  explicit Announcements(const BoostProgram &program) : program(program) {}
  boostrt::Status run(uint32_t index, void *const *operands) override {
    const BoostCollective &collective = program.collectives[index];
    if (index >= values.size())
      return boostrt::Status();
    for (uint32_t i = 0; i < collective.operand_count; ++i) {
      EXPECT_EQ(operands[i], addresses[index][i]);
      EXPECT_EQ(readOperand(operands[i], collective.operands[i]),
                values[index][i])
          << "what was ready has changed";
      ++compared;
    }
    return boostrt::Status();
  }
  void ready(uint32_t index, std::span<void *const> operands) override {
    const BoostCollective &collective = program.collectives[index];
    EXPECT_EQ(index, values.size()) << "collectives come in their order";
    ASSERT_EQ(operands.size(), collective.operand_count);
    addresses.emplace_back(operands.begin(), operands.end());
    values.emplace_back();
    for (uint32_t i = 0; i < collective.operand_count; ++i)
      values.back().push_back(readOperand(operands[i], collective.operands[i]));
  }

  std::vector<std::vector<std::vector<float>>> values; ///< by collective
  uint32_t compared = 0;

private:
  const BoostProgram &program;
  std::vector<std::vector<void *>> addresses;
};

// @micro says when it is done with what each bucket but the last exchanges.
TEST(GradientsThatAreReady, HaveTheirValueToTheEnd) {
  Model model = getModel();
  CompileOptions options = getOptions();
  options.phase.bucketBytes = 1; // a bucket for each parameter
  SmallVector<char, 0> library = compileText(model.getJson(), options);
  ASSERT_FALSE(library.empty());
  Compiled program(library, 1);
  Announcements announcements(program.descriptor());
  program.getDevice().setCollectives(&announcements,
                                     program.getProgram().collectives());
  EXPECT_EQ(program.execution().init(7).message(), "");
  program.setBatch(drawBatch(model, 1), 4);
  EXPECT_EQ(program.execution().micro(program.batch(), 0).message(), "");
  // b.bias and b.weight; @micro ends with a.bias and a.weight, and nothing is
  // left to run during their exchange.
  ASSERT_EQ(program.descriptor().collective_count, 4u);
  EXPECT_EQ(announcements.values.size(), 2u);
  EXPECT_EQ(settledUpdate(program.execution(), 1).status().message(), "");
  EXPECT_EQ(announcements.compared, 2u);
}

/// What ranks brought to an Adasum, and what each got.
struct Combined {
  std::vector<std::vector<float>> brought, got; ///< by rank
};

/// The runtime's collectives of a rank, of whose Adasums notes are taken.
class Witness : public boostrt::CollectiveRunner {
public:
  Witness(boostrt::RankCollectives &collectives, const BoostProgram &program,
          uint32_t rank, std::vector<std::vector<Combined>> &notes)
      : collectives(collectives), program(program), rank(rank), notes(notes) {}

  boostrt::Status run(uint32_t index, void *const *operands) override {
    const BoostCollective &collective = program.collectives[index];
    bool isAdasum = collective.kind == BOOSTC_COLLECTIVE_ADASUM;
    for (uint32_t i = 0; isAdasum && i < collective.operand_count; ++i)
      notes[index][i].brought[rank] =
          readOperand(operands[i], collective.operands[i]);
    boostrt::Status status = collectives.run(index, operands);
    for (uint32_t i = 0; isAdasum && i < collective.operand_count; ++i)
      notes[index][i].got[rank] =
          readOperand(operands[i], collective.operands[i]);
    return status;
  }

private:
  boostrt::CollectiveRunner &collectives;
  const BoostProgram &program;
  uint32_t rank;
  std::vector<std::vector<Combined>> &notes; ///< by collective and operand
};

class AdasumOfPrograms : public testing::TestWithParam<uint32_t> {
protected:
  /// One step of `ranks` ranks, each a thread.
  void expectDefinition(bool isForGpus, uint32_t ranks) {
    CompileOptions options = getOptions();
    options.phase.forCpu = !isForGpus;
    options.phase.forCuda = isForGpus;
    std::string json = getModel().getJson();
    json.insert(2, R"("boost": { "boost": { "mode": "manual", "adasum": true },
"adasum": { "mode": "gradient" } },
)");
    SmallVector<char, 0> library = compileText(json, options);
    ASSERT_FALSE(library.empty());
    boostrt::LocalJob job(ranks);
    std::vector<std::unique_ptr<Compiled>> programs;
    for (uint32_t rank = 0; rank < ranks; ++rank)
      programs.push_back(std::make_unique<Compiled>(library, 1));
    const BoostProgram &descriptor = programs[0]->descriptor();
    std::vector<std::vector<Combined>> notes;
    for (uint32_t i = 0; i < descriptor.collective_count; ++i)
      notes.emplace_back(descriptor.collectives[i].operand_count,
                         Combined{std::vector<std::vector<float>>(ranks),
                                  std::vector<std::vector<float>>(ranks)});
    onRanks(ranks, [&](uint32_t rank) {
      boostrt::Ranks own(job.connect(rank), std::vector<uint32_t>(ranks),
                         boostrt::LogPolicy::Thread);
      step(*programs[rank], own, notes);
    });

    unsigned vectors = 0;
    for (const std::vector<Combined> &operands : notes)
      for (const Combined &operand : operands)
        if (!operand.brought[0].empty()) {
          compare(operand);
          ++vectors;
        }
    EXPECT_EQ(vectors, 4u) << "one for each parameter";
  }

private:
  static void step(Compiled &program, boostrt::Ranks &ranks,
                   std::vector<std::vector<Combined>> &notes) {
    boostrt::DeviceLink link; // the witness reads what the host carries
    auto collectives =
        boostrt::RankCollectives::create(ranks, program.getProgram(), link);
    ASSERT_TRUE(collectives.ok()) << collectives.status().message();
    Witness witness(**collectives, program.descriptor(), ranks.rank(), notes);
    program.getDevice().setCollectives(&witness,
                                       program.getProgram().collectives());
    EXPECT_EQ(program.execution().init(7).message(), "");
    program.setBatch(drawBatch(getModel(), ranks.rank() + 1), 4);
    EXPECT_EQ(program.execution().micro(program.batch(), 0).message(), "");
    auto results = settledUpdate(program.execution(), 1);
    ASSERT_TRUE(results.ok()) << results.status().message();
    EXPECT_TRUE(results->isApplied);
  }

  /// To 100 eps of fp32, relative L2, and the same bits everywhere.
  static void compare(const Combined &operand) {
    std::vector<std::vector<double>> brought;
    for (const std::vector<float> &values : operand.brought)
      brought.emplace_back(values.begin(), values.end());
    std::vector<double> expected = rt::combineByAdasum(brought);
    double error = 0, norm = 0;
    for (size_t i = 0; i < expected.size(); ++i) {
      double difference = operand.got[0][i] - expected[i];
      error += difference * difference;
      norm += expected[i] * expected[i];
    }
    EXPECT_GT(norm, 0);
    EXPECT_LE(std::sqrt(error / norm), 100 * 0x1p-23);
    for (const std::vector<float> &got : operand.got)
      EXPECT_EQ(got, operand.got[0]);
  }
};

TEST_P(AdasumOfPrograms, OnTheCpu) { expectDefinition(false, GetParam()); }
TEST_P(AdasumOfPrograms, OnTheSimulatedGpu) {
  expectDefinition(true, GetParam());
}

INSTANTIATE_TEST_SUITE_P(Ranks, AdasumOfPrograms,
                         testing::Values(2, 3, 4, 5, 6, 7, 8, 9, 12, 16));

} // namespace
