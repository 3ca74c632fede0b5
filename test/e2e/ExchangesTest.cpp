// A step that is written as text with every op of dialect coll but adasum:
// ranks train it, each on a thread, and the interpreter does on as many ranks.
#include "runtime/comm/local/LocalJob.h"
#include "runtime/trainer/DeviceLink.h"
#include "runtime/trainer/RankCollectives.h"
#include "test/e2e/LocalRanks.h"
#include "test/e2e/Programs.h"
#include "test/runtime/support/SettledUpdate.h"
#include <gtest/gtest.h>
#include <optional>

using namespace mlir;
using namespace boostc;
using namespace boostc::e2e;

namespace {

Model getModel() {
  return getPerceptron(
      "exchanges",
      R"({ "type": "momentum", "learning_rate": 0.125, "momentum": 0.5 })");
}

/// In place of the all-reduce of b.bias, b.weight, a.bias and a.weight, which
/// are %arg3 to %arg0, of the loss and of the count. Ranks end with weights of
/// their own.
constexpr const char *kExchanges = R"(
      %s:3 = coll.reduce_scatter index(0) over all parameters [@b.bias, @b.weight, @a.bias]
          (%arg3, %arg2, %arg1 : tensor<3xf32>, tensor<3x4xf32>, tensor<4xf32>)
      %l:2 = coll.all_reduce index(1) over all parameters []
          (%arg4, %arg5 : tensor<f32>, tensor<i64>)
      %g:2 = coll.all_gather index(2) over all parameters [@b.bias, @b.weight]
          (%s#0, %s#1 : tensor<3xf32>, tensor<3x4xf32>)
      %t = coll.reduce_scatter index(3) over all parameters [@a.weight]
          (%arg0 : tensor<4x5xf32>)
      %m = coll.broadcast index(4) over all parameters [@a.weight] root(1)
          (%arg0 : tensor<4x5xf32>)
      %n = train.combine %t, %m : tensor<4x5xf32>
      %o:2 = coll.broadcast index(5) over all parameters [@a.bias] root(-1)
          (%s#2, %l#1 : tensor<4xf32>, tensor<i64>)
)";

void replaceAll(std::string &text, StringRef from, StringRef to) {
  size_t found = 0;
  for (size_t at = 0; (at = text.find(from.str(), at)) != std::string::npos;
       at += to.size(), ++found)
    text.replace(at, from.size(), to.str());
  EXPECT_GT(found, 0u) << from.str();
}

/// The step of the model, with kExchanges.
std::string getStep() {
  CompileOptions options;
  options.to = Phase::Step;
  SmallVector<char, 0> ir = compileText(getModel().getJson(), options);
  std::string text(ir.begin(), ir.end());
  size_t begin = text.find("%0:6 = coll.all_reduce");
  EXPECT_NE(begin, std::string::npos) << text;
  text.replace(begin, text.find('\n', begin) - begin, kExchanges);
  const char *results[] = {"%g#0", "%g#1", "%o#0", "%n", "%l#0", "%o#1"};
  for (auto [i, result] : llvm::enumerate(results))
    replaceAll(text, "%0#" + std::to_string(i), result);
  return text;
}

/// One rank of a job whose ranks are threads.
class Rank {
public:
  Rank(ArrayRef<char> library, boostrt::LocalJob &job, uint32_t rank,
       uint32_t ranks)
      : program(library, 1),
        ranks(job.connect(rank), std::vector<uint32_t>(ranks),
              boostrt::LogPolicy::Thread) {}

  /// All at once.
  void connect() {
    auto linked = boostrt::linkDevices(program.getDevice(), ranks,
                                       boostrt::CommKind::Local);
    ASSERT_TRUE(linked.ok()) << linked.status().message();
    link = std::move(linked).value();
    auto created =
        boostrt::RankCollectives::create(ranks, program.getProgram(), *link);
    ASSERT_TRUE(created.ok()) << created.status().message();
    collectives = std::move(created).value();
    program.getDevice().setCollectives(collectives.get(),
                                       program.getProgram().collectives());
    EXPECT_EQ(program.execution().init(7).message(), "");
  }

  Compiled program;
  boostrt::Ranks ranks;
  std::unique_ptr<boostrt::DeviceLink> link;
  std::unique_ptr<boostrt::RankCollectives> collectives;
};

class Exchanges : public testing::TestWithParam<uint32_t> {
protected:
  /// Three steps of `count` ranks.
  void expectDefinition(bool isForGpus, uint32_t count) {
    std::string step = getStep();
    CompileOptions options;
    options.from = Phase::Step;
    options.to = Phase::So;
    options.phase.threads = 1;
    options.phase.forCpu = !isForGpus;
    options.phase.forCuda = isForGpus;
    SmallVector<char, 0> library = compileText(step, options);
    ASSERT_FALSE(library.empty());
    Interpreted exact(step);
    std::vector<ReferenceTrainer> trainers(count,
                                           ReferenceTrainer(exact.program));
    job.emplace(count);
    for (uint32_t rank = 0; rank < count; ++rank)
      ranks.push_back(std::make_unique<Rank>(library, *job, rank, count));
    onRanks(count, [&](uint32_t rank) { ranks[rank]->connect(); });
    for (const std::unique_ptr<Rank> &rank : ranks) {
      ASSERT_NE(rank->collectives, nullptr);
      // Memory of one process is exchanged on the simulated GPU alone.
      EXPECT_EQ(rank->collectives->worksOnDevice(),
                isForGpus && !usesRealGpu());
    }

    for (int64_t number = 1; number <= 3; ++number) {
      std::vector<ReferenceTrainer::Partial> partials(count);
      for (uint32_t rank = 0; rank < count; ++rank) {
        trainers[rank].parameters = ranks[rank]->program.getParameters();
        trainers[rank].state = ranks[rank]->program.getState();
      }
      onRanks(count, [&](uint32_t self) {
        Compiled &program = ranks[self]->program;
        program.setBatch(drawBatch(getModel(), 10 * number + self), 4);
        EXPECT_EQ(program.execution().micro(program.batch(), 0).message(), "");
        partials[self] = program.getPartial();
        auto results = settledUpdate(program.execution(), number);
        ASSERT_TRUE(results.ok()) << results.status().message();
        EXPECT_TRUE(results->isApplied);
      });
      auto isCommitted = ReferenceTrainer::updateOnRanks(
          trainers, partials, {{"learning_rate", 0.125}});
      ASSERT_TRUE(succeeded(isCommitted)) << exact.context.diagnostics;
      for (uint32_t rank = 0; rank < count; ++rank)
        compare(trainers[rank].parameters, ranks[rank]->program.getParameters(),
                rank);
    }
    // Each has a slice of its own of a.weight.
    if (count > 1) {
      EXPECT_NE(ranks[0]->program.getParameters().at("a.weight").data,
                ranks[1]->program.getParameters().at("a.weight").data);
    }
  }

private:
  static void compare(const ReferenceTrainer::Values &expected,
                      const ReferenceTrainer::Values &found, uint32_t rank) {
    for (const auto &[name, weight] : expected)
      for (int64_t i = 0; i < weight.size(); ++i)
        // A sum of five, a mean and a rule are not twenty roundings, of numbers
        // below 4.
        ASSERT_NEAR(found.at(name).data[i], weight.data[i], 80 * 0x1p-24)
            << name << "[" << i << "] of rank " << rank;
  }

  std::optional<boostrt::LocalJob> job; ///< ends after its ranks
  std::vector<std::unique_ptr<Rank>> ranks;
};

TEST_P(Exchanges, OnTheCpu) { expectDefinition(false, GetParam()); }
// Where the operands lie on the device, which the ranks' transport reaches.
TEST_P(Exchanges, OnTheSimulatedGpu) { expectDefinition(true, GetParam()); }

INSTANTIATE_TEST_SUITE_P(Ranks, Exchanges, testing::Values(1, 2, 3, 4, 5));

} // namespace
