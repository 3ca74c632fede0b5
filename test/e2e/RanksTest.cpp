// Steps of several ranks, each a thread with a program of its own, against the
// definition of what a step is: means and sums over micro-batches and ranks,
// and Adasum over groups of ranks. The ranks meet in memory; how bytes travel
// is tested with the transports.
#include "dialects/rt/CollectiveForm.h"
#include "runtime/trainer/StepWindow.h"
#include "test/e2e/LocalRanks.h"
#include "test/e2e/Programs.h"
#include "test/runtime/support/SettledUpdate.h"
#include <barrier>
#include <cmath>
#include <gtest/gtest.h>
#include <map>
#include <mutex>

using namespace mlir;
using namespace boostc;
using namespace boostc::e2e;

namespace {

using Values = ReferenceTrainer::Values;
using Vector = std::vector<double>;

constexpr double kRate = 0.125, kMomentum = 0.5;

Model getModel() {
  return getPerceptron(
      "ranks",
      R"({ "type": "momentum", "learning_rate": 0.125, "momentum": 0.5 })");
}

/// Where ranks meet: `inner` neighbours are an inner group.
class Meeting {
public:
  Meeting(unsigned ranks, unsigned inner)
      : ranks(ranks), inner(inner), barrier(ranks), present(ranks) {}

  void exchange(const BoostCollective &collective, unsigned rank,
                void *const *operands) {
    present[rank] = operands;
    barrier.arrive_and_wait();
    std::vector<Vector> results = collective.kind == BOOSTC_COLLECTIVE_ADASUM
                                      ? combine(collective, rank)
                                      : sum(collective, rank);
    barrier.arrive_and_wait(); // all have read
    for (uint32_t i = 0; i < collective.operand_count; ++i)
      for (size_t k = 0; k < results[i].size(); ++k)
        if (collective.operands[i].dtype == BOOSTC_I64)
          static_cast<int64_t *>(operands[i])[k] = int64_t(results[i][k]);
        else
          static_cast<float *>(operands[i])[k] = float(results[i][k]);
    barrier.arrive_and_wait(); // all have written
  }

  const unsigned ranks, inner;

private:
  std::vector<unsigned> membersWith(unsigned rank, uint32_t group) const {
    std::vector<unsigned> members;
    for (unsigned other = 0; other < ranks; ++other)
      if (group == BOOSTC_RANKS_ALL ||
          (group == BOOSTC_RANKS_INTRA_GROUP ? other / inner == rank / inner
                                             : other % inner == rank % inner))
        members.push_back(other);
    return members;
  }

  Vector read(const BoostCollective &collective, unsigned rank,
              uint32_t operand) const {
    Vector values(collective.operands[operand].elements);
    for (size_t i = 0; i < values.size(); ++i)
      values[i] =
          collective.operands[operand].dtype == BOOSTC_I64
              ? double(static_cast<int64_t *>(present[rank][operand])[i])
              : static_cast<float *>(present[rank][operand])[i];
    return values;
  }

  std::vector<Vector> sum(const BoostCollective &collective,
                          unsigned rank) const {
    std::vector<Vector> sums;
    for (uint32_t i = 0; i < collective.operand_count; ++i) {
      Vector &total = sums.emplace_back(collective.operands[i].elements);
      for (unsigned member : membersWith(rank, collective.ranks))
        for (auto [x, y] : llvm::zip(total, read(collective, member, i)))
          x += y;
    }
    return sums;
  }

  std::vector<Vector> combine(const BoostCollective &collective,
                              unsigned rank) const {
    std::map<uint32_t, std::vector<uint32_t>> vectors;
    for (uint32_t i = 0; i < collective.operand_count; ++i)
      vectors[collective.operands[i].group].push_back(i);
    std::vector<Vector> results(collective.operand_count);
    for (const auto &[group, operands] : vectors) {
      std::vector<Vector> of;
      for (unsigned member : membersWith(rank, collective.ranks)) {
        Vector &whole = of.emplace_back();
        for (uint32_t i : operands)
          llvm::append_range(whole, read(collective, member, i));
      }
      Vector combined = rt::combineByAdasum(of);
      auto next = combined.begin();
      for (uint32_t i : operands) {
        results[i].assign(next, next + collective.operands[i].elements);
        next += collective.operands[i].elements;
      }
    }
    return results;
  }

  std::barrier<> barrier;
  std::vector<void *const *> present;
};

class Attendance : public boostrt::CollectiveRunner {
public:
  Attendance(Meeting &meeting, unsigned rank, const BoostProgram &program)
      : meeting(meeting), rank(rank), program(program) {}
  boostrt::Status run(uint32_t index, void *const *operands) override {
    EXPECT_EQ(index, next) << "collectives come in their order";
    next = (index + 1) % program.collective_count;
    meeting.exchange(program.collectives[index], rank, operands);
    return boostrt::Status();
  }

private:
  Meeting &meeting;
  unsigned rank;
  const BoostProgram &program;
  uint32_t next = 0;
};

/// How the gradient of a step comes about, and a text of it.
struct Rule {
  bool sumsMicroBatches = false, sumsRanks = false;
  std::string adasum = {};      ///< mode; empty: none
  std::string granularity = {}; ///< of Adasum
  bool isForGpus = false;
  std::string skipsWith = {}; ///< optimizer of a model that skips steps
  bool isWeighted = false;
  /// The first loss scales of groups of layers a and b; empty: no groups.
  std::string scales = {};

  bool isDelta() const { return adasum == "delta"; }
};

void PrintTo(const Rule &rule, std::ostream *stream) {
  *stream << (rule.sumsMicroBatches ? "sum" : "mean") << " of micro-batches, "
          << (rule.sumsRanks ? "sum" : "mean") << " of ranks";
  if (!rule.adasum.empty())
    *stream << ", Adasum of " << rule.adasum << " " << rule.granularity;
  *stream << (rule.isForGpus ? ", on a GPU" : "")
          << (rule.isWeighted ? ", of weighted samples" : "")
          << (rule.skipsWith.empty() ? "" : ", skips with ") << rule.skipsWith
          << (rule.scales.empty() ? "" : ", loss scales ") << rule.scales;
}

/// Samples of the micro-batches of each rank: tails, and none at all.
const std::vector<std::vector<int64_t>> kWindows = {
    {4, 4, 2}, {3, 1, 0}, {0, 0, 0}, {4, 2, 1}};
/// Neighbours whose gradients are averaged where Adasum combines.
constexpr unsigned kInner = 2;

class Ranks : public testing::TestWithParam<Rule> {
protected:
  Model model = getModel();

  SmallVector<char, 0> compileRule(const Rule &rule) {
    std::string json = model.getJson();
    std::string boost =
        R"("boost": { "boost": { "mode": "manual", "grad_accumulation": true)";
    if (!rule.adasum.empty())
      boost += R"(, "adasum": true)";
    if (!rule.scales.empty())
      boost += R"(, "loss_scale_group": true)";
    boost += R"( }, "grad_accumulation": { "grad_accumulation_step": 3 })";
    if (!rule.adasum.empty())
      boost += ", \"adasum\": { \"mode\": \"" + rule.adasum +
               "\", \"granularity\": \"" + rule.granularity + "\" }";
    if (!rule.scales.empty())
      boost +=
          R"(, "loss_scale_group": { "groups": [["a"], ["b"]], "initial": )" +
          rule.scales + " }";
    boost += " },\n\"train\": { \"reduction\": \"";
    boost += rule.sumsMicroBatches ? "sum" : "mean";
    boost += "\", \"gradients_mean\": ";
    boost += rule.sumsRanks ? "false" : "true";
    if (!rule.skipsWith.empty())
      boost += R"(, "on_nonfinite": "skip")";
    boost += " },\n";
    json.insert(2, boost);
    json.erase(json.find("\"train\": {},\n"), strlen("\"train\": {},\n"));
    CompileOptions options;
    options.to = Phase::So;
    options.phase.threads = 1;
    options.phase.forCpu = !rule.isForGpus;
    options.phase.forCuda = rule.isForGpus;
    return compileText(json, options);
  }

  Values drawInputs(unsigned rank, size_t micro, int64_t step) const {
    Values inputs = drawBatch(model, 1000 * step + 100 * rank + micro + 1);
    // In one step a rank has samples without weight alone.
    if (!model.weights.empty() && (micro == 1 || (rank == 1 && step == 2)))
      llvm::fill(inputs.at("weight").data, 0.0);
    return inputs;
  }

  /// Gradient sum of a micro-batch, and what it is divided by: the number of
  /// its samples, or the sum of their weights.
  struct Part {
    Values sums;
    double count;
  };

  /// The parts of each rank, exact, and their losses.
  std::vector<std::vector<Part>> getParts(Interpreted &exact, int64_t step,
                                          double &lossSum) {
    std::vector<std::vector<Part>> parts(kWindows.size());
    lossSum = 0;
    for (unsigned rank = 0; rank < kWindows.size(); ++rank)
      for (auto [micro, valid] : llvm::enumerate(kWindows[rank])) {
        auto partial =
            exact.trainer->micro(drawInputs(rank, micro, step), valid);
        EXPECT_TRUE(succeeded(partial)) << exact.context.diagnostics;
        parts[rank].push_back({partial->gradients, model.weights.empty()
                                                       ? double(valid)
                                                       : partial->lossWeight});
        lossSum += partial->lossSum;
      }
    return parts;
  }

  /// The gradient of parameter `name` from those of some ranks, by the table of
  /// train.averaging.
  static Vector average(const Rule &rule, ArrayRef<std::vector<Part>> ranks,
                        const std::string &name) {
    Vector total(ranks[0][0].sums.at(name).data.size());
    double samples = 0;
    int64_t contributors = 0;
    for (const std::vector<Part> &rank : ranks) {
      double ofRank = 0;
      for (const Part &part : rank)
        ofRank += part.count;
      samples += ofRank;
      contributors += ofRank > 0;
      for (const Part &part : rank)
        for (auto [x, g] : llvm::zip(total, part.sums.at(name).data))
          if (part.count > 0)
            x += rule.sumsMicroBatches ? g / part.count
                 : rule.sumsRanks      ? g / ofRank
                                       : g;
    }
    double divisor = rule.sumsRanks          ? 1
                     : rule.sumsMicroBatches ? double(contributors)
                                             : samples;
    for (double &x : total)
      x /= divisor == 0 ? 1.0 : divisor; // nothing has been added
    return total;
  }
};

/// Combines what groups of ranks have, by name.
std::map<std::string, Vector>
combineGroups(const Rule &rule,
              ArrayRef<std::map<std::string, Vector>> groups) {
  std::map<std::string, Vector> combined;
  // The parameters in their order: a.weight, a.bias, b.weight, b.bias.
  std::vector<std::vector<std::string>> vectors = {
      {"a.weight"}, {"a.bias"}, {"b.weight"}, {"b.bias"}};
  if (rule.granularity == "per_group")
    vectors = {{"a.weight", "a.bias"}, {"b.weight", "b.bias"}};
  if (rule.granularity == "whole")
    vectors = {{"a.weight", "a.bias", "b.weight", "b.bias"}};
  for (const std::vector<std::string> &names : vectors) {
    std::vector<Vector> of;
    for (const auto &group : groups) {
      Vector &whole = of.emplace_back();
      for (const std::string &name : names)
        llvm::append_range(whole, group.at(name));
    }
    Vector result = rt::combineByAdasum(of);
    auto next = result.begin();
    for (const std::string &name : names) {
      size_t size = groups[0].at(name).size();
      combined[name].assign(next, next + size);
      next += size;
    }
  }
  return combined;
}

/// Compiled programs of all ranks, each on a thread.
class Job {
public:
  Job(ArrayRef<char> library, unsigned ranks, unsigned inner)
      : meeting(ranks, inner) {
    for (unsigned rank = 0; rank < ranks; ++rank) {
      programs.push_back(std::make_unique<Compiled>(library, 1));
      Compiled &program = *programs.back();
      attendances.push_back(
          std::make_unique<Attendance>(meeting, rank, program.descriptor()));
      program.getDevice().setCollectives(attendances.back().get(),
                                         program.getProgram().collectives());
      EXPECT_EQ(program.execution().init(7).message(), "");
    }
  }

  /// Runs `work` on every rank, all at once.
  template <typename Work> void run(Work &&work) {
    onRanks(programs.size(),
            [&](uint32_t rank) { work(rank, *programs[rank]); });
  }

  Meeting meeting;
  std::vector<std::unique_ptr<Compiled>> programs;
  std::vector<std::unique_ptr<Attendance>> attendances;
};

// Three steps of a program for each rank; every rank ends with the weights of
// the definition, to the last bit the same ones.
TEST_P(Ranks, StepsAreTheirDefinition) {
  const Rule &rule = GetParam();
  if (rule.isWeighted)
    model.weights = "[]";
  SmallVector<char, 0> library = compileRule(rule);
  ASSERT_FALSE(library.empty());
  CompileOptions toStep;
  toStep.to = Phase::Step;
  SmallVector<char, 0> ir = compileText(model.getJson(), toStep);
  Interpreted exact(StringRef(ir.data(), ir.size()));
  Job job(library, kWindows.size(), kInner);
  unsigned groupCount = rule.adasum.empty() ? 1 : kWindows.size() / kInner;
  // For each group where changes are combined, else of all.
  std::vector<std::map<std::string, Vector>> velocities(
      rule.isDelta() ? groupCount : 1);

  for (int64_t step = 1; step <= 3; ++step) {
    exact.trainer->parameters = job.programs[0]->getParameters();
    double lossSum = 0;
    auto parts = getParts(exact, step, lossSum);
    std::vector<double> losses(kWindows.size());
    job.run([&](unsigned rank, Compiled &program) {
      boostrt::StepWindow window(program.execution());
      for (auto [micro, valid] : llvm::enumerate(kWindows[rank])) {
        program.setBatch(drawInputs(rank, micro, step), valid);
        EXPECT_EQ(window.add(program.batch()).message(), "");
      }
      EXPECT_EQ(window.sum().message(), "");
      auto results = settledUpdate(program.execution(), step);
      ASSERT_TRUE(results.ok()) << results.status().message();
      EXPECT_TRUE(results->isApplied);
      losses[rank] = results->loss.mean();
    });

    double samples = 0;
    for (const auto &rank : parts)
      for (const Part &part : rank)
        samples += part.count;
    for (double loss : losses)
      EXPECT_NEAR(loss, lossSum / samples, 1e-5)
          << "the mean over all samples of all ranks, however gradients are "
             "averaged";

    // What each group has, combined before or after the rule.
    std::vector<std::map<std::string, Vector>> groups(groupCount);
    for (auto [index, group] : llvm::enumerate(groups))
      for (const auto &[name, weight] : exact.trainer->parameters)
        group[name] = average(
            rule,
            ArrayRef(parts).slice(index * (kWindows.size() / groupCount),
                                  kWindows.size() / groupCount),
            name);
    if (!rule.adasum.empty() && !rule.isDelta())
      groups = {combineGroups(rule, groups)};
    for (auto [group, velocity] : llvm::zip_equal(groups, velocities))
      for (auto &[name, gradient] : group) {
        velocity[name].resize(gradient.size());
        for (auto [v, g] : llvm::zip(velocity[name], gradient)) {
          v = kMomentum * v + g;
          g = -kRate * v;
        }
      }
    std::map<std::string, Vector> changes =
        rule.isDelta() ? combineGroups(rule, groups) : groups[0];

    for (unsigned rank = 0; rank < kWindows.size(); ++rank) {
      Values found = job.programs[rank]->getParameters();
      for (const auto &[name, weight] : exact.trainer->parameters)
        for (int64_t i = 0; i < weight.size(); ++i) {
          double expected = weight.data[i] + changes.at(name)[i];
          // Some hundred roundings, of numbers below 4.
          ASSERT_NEAR(found.at(name).data[i], expected, 400 * 0x1p-24)
              << name << "[" << i << "] of rank " << rank << ", step " << step;
          ASSERT_EQ(found.at(name).data[i],
                    job.programs[0]->getParameters().at(name).data[i])
              << "ranks have the same weights, to the last bit";
        }
    }
  }
}

// One rank's NaN is a NaN on all ranks: none changes weights or state.
TEST_P(Ranks, AllOrNoneApplyAStep) {
  if (GetParam().isWeighted)
    model.weights = "[]";
  SmallVector<char, 0> library = compileRule(GetParam());
  ASSERT_FALSE(library.empty());
  Job job(library, kWindows.size(), kInner);
  for (int64_t step = 1; step <= 2; ++step) {
    bool isBad = step == 2;
    job.run([&](unsigned rank, Compiled &program) {
      boostrt::StepWindow window(program.execution());
      Values inputs = drawInputs(rank, 0, step);
      if (isBad && rank == 3)
        inputs.at("image").data[0] = NAN;
      std::vector<std::byte> before = program.getPersistentBytes();
      program.setBatch(inputs, model.batch);
      EXPECT_EQ(window.add(program.batch()).message(), "");
      EXPECT_EQ(window.sum().message(), "");
      auto results = settledUpdate(program.execution(), step);
      ASSERT_TRUE(results.ok()) << results.status().message();
      EXPECT_EQ(results->isApplied, !isBad) << "rank " << rank;
      if (!GetParam().scales.empty())
        // A scale of a group follows what any rank finds.
        EXPECT_EQ(results->overflows, std::vector<int64_t>(2, isBad))
            << "rank " << rank;
      else
        EXPECT_EQ(program.getPersistentBytes() == before, isBad);
    });
  }
}

INSTANTIATE_TEST_SUITE_P(
    Averages, Ranks,
    testing::Values(Rule{}, Rule{.sumsMicroBatches = true},
                    Rule{.sumsRanks = true},
                    Rule{.sumsMicroBatches = true, .sumsRanks = true},
                    Rule{.sumsMicroBatches = true, .isForGpus = true}));

INSTANTIATE_TEST_SUITE_P(
    Adasum, Ranks,
    testing::Values(Rule{.adasum = "gradient", .granularity = "per_tensor"},
                    Rule{.adasum = "gradient", .granularity = "per_group"},
                    Rule{.sumsMicroBatches = true,
                         .adasum = "gradient",
                         .granularity = "whole"},
                    Rule{.sumsRanks = true,
                         .adasum = "gradient",
                         .granularity = "per_tensor"},
                    Rule{.adasum = "delta", .granularity = "per_tensor"},
                    Rule{.adasum = "delta", .granularity = "per_group"},
                    Rule{.adasum = "delta", .granularity = "whole"},
                    Rule{.sumsMicroBatches = true,
                         .adasum = "delta",
                         .granularity = "per_tensor"},
                    Rule{.sumsMicroBatches = true,
                         .sumsRanks = true,
                         .adasum = "delta",
                         .granularity = "per_tensor"},
                    Rule{.adasum = "delta",
                         .granularity = "per_tensor",
                         .isForGpus = true}));

// One micro-batch of each rank has no weight, in one step all of a rank's.
INSTANTIATE_TEST_SUITE_P(
    Weighted, Ranks,
    testing::Values(
        Rule{.isWeighted = true},
        Rule{.sumsMicroBatches = true, .isWeighted = true},
        Rule{.sumsRanks = true, .isWeighted = true},
        Rule{.sumsMicroBatches = true, .sumsRanks = true, .isWeighted = true},
        Rule{.isForGpus = true, .isWeighted = true},
        Rule{.adasum = "gradient",
             .granularity = "per_group",
             .isWeighted = true},
        Rule{
            .adasum = "delta", .granularity = "per_tensor", .isWeighted = true},
        Rule{.sumsMicroBatches = true,
             .adasum = "delta",
             .granularity = "whole",
             .isForGpus = true,
             .isWeighted = true}));

// Groups of layers with loss scales of their own: neither the weights nor what
// Adasum makes of a vector of several groups says anything of them.
INSTANTIATE_TEST_SUITE_P(
    LossScaleGroups, Ranks,
    testing::Values(Rule{.scales = "[4096, 16]"},
                    Rule{.sumsMicroBatches = true, .scales = "[2, 16777216]"},
                    Rule{.sumsRanks = true, .scales = "[4096, 16]"},
                    Rule{.isWeighted = true, .scales = "[4096, 16]"},
                    Rule{.isForGpus = true, .scales = "[4096, 16]"},
                    Rule{.adasum = "gradient",
                         .granularity = "per_tensor",
                         .scales = "[4096, 16]"},
                    Rule{.adasum = "gradient",
                         .granularity = "whole",
                         .scales = "[4096, 16]"},
                    Rule{.sumsMicroBatches = true,
                         .adasum = "gradient",
                         .granularity = "whole",
                         .scales = "[1, 65536]"},
                    Rule{.sumsRanks = true,
                         .adasum = "gradient",
                         .granularity = "whole",
                         .scales = "[1, 65536]"},
                    Rule{.adasum = "delta",
                         .granularity = "per_tensor",
                         .scales = "[4096, 16]"},
                    Rule{.adasum = "delta",
                         .granularity = "whole",
                         .isForGpus = true,
                         .scales = "[4096, 16]"}));

class SkippedSteps : public Ranks {};

// A step that is skipped leaves no trace: every weight and state is that of the
// step before on every rank, and later steps are those of a run in which its
// update was never called. Rates follow the windows used, Adam's t the steps
// applied.
TEST_P(SkippedSteps, LeaveNoTrace) {
  constexpr int64_t kBad = 7, kSteps = 20;
  const Rule &rule = GetParam();
  model.optimizer = R"({ "type": ")" + rule.skipsWith +
                    R"(", "learning_rate": { "schedule": "step", "value": 0.25,
                           "every": 3, "unit": "steps" } })";
  SmallVector<char, 0> library = compileRule(rule);
  ASSERT_FALSE(library.empty());
  Job skipping(library, kWindows.size(), kInner);
  Job without(library, kWindows.size(), kInner);
  constexpr int64_t kWindow = 12;
  boostrt::RunSteps run({}, {kSteps * kWindow}, kWindow, {1, kSteps});
  for (Job *job : {&skipping, &without})
    for (auto &program : job->programs)
      program->execution().setRun(run);
  auto sumWindow = [&](unsigned rank, Compiled &program, int64_t step) {
    boostrt::StepWindow window(program.execution());
    for (auto [micro, valid] : llvm::enumerate(kWindows[rank])) {
      Values inputs = drawInputs(rank, micro, step);
      if (step == kBad && rank == 3 && micro == 1)
        inputs.at("image").data[0] = INFINITY;
      program.setBatch(inputs, valid);
      EXPECT_EQ(window.add(program.batch()).message(), "");
    }
    EXPECT_EQ(window.sum().message(), "");
  };
  auto step = [&](Job &job, int64_t step) {
    job.run([&](unsigned rank, Compiled &program) {
      std::vector<std::byte> before = program.getPersistentBytes();
      sumWindow(rank, program, step);
      auto results = settledUpdate(program.execution(), step);
      ASSERT_TRUE(results.ok()) << results.status().message();
      EXPECT_EQ(results->isApplied, step != kBad) << "rank " << rank;
      EXPECT_FALSE(results->hasFailed) << "rank " << rank << ", step " << step;
      EXPECT_EQ(program.getPersistentBytes() == before, step == kBad)
          << "rank " << rank << ", step " << step;
    });
  };
  for (int64_t number = 1; number <= kSteps; ++number) {
    step(skipping, number);
    if (number != kBad)
      step(without, number);
    for (auto [one, other] : llvm::zip(skipping.programs, without.programs))
      ASSERT_EQ(one->getPersistentBytes(), other->getPersistentBytes())
          << "step " << number;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Optimizers, SkippedSteps,
    testing::Values(Rule{.skipsWith = "momentum"}, Rule{.skipsWith = "adam"},
                    Rule{.sumsMicroBatches = true, .skipsWith = "adamw"},
                    Rule{.adasum = "gradient",
                         .granularity = "per_tensor",
                         .skipsWith = "momentum"},
                    Rule{.adasum = "delta",
                         .granularity = "per_tensor",
                         .skipsWith = "adam"},
                    Rule{.isForGpus = true, .skipsWith = "adam"},
                    Rule{.adasum = "delta",
                         .granularity = "whole",
                         .isForGpus = true,
                         .skipsWith = "adam"}));

} // namespace
