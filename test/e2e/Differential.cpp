#include "test/e2e/Differential.h"
#include "dialects/nn/NnDialect.h"
#include "runtime/abi/boost_schedule.h"
#include "runtime/trainer/StepWindow.h"
#include "test/e2e/Comparison.h"
#include "test/e2e/UpdateErrors.h"
#include "test/runtime/support/SettledUpdate.h"
#include "llvm/ADT/StringExtras.h"
#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <set>
#include <span>

using namespace mlir;
using namespace boostc;
using namespace boostc::e2e;

using Values = ReferenceTrainer::Values;
using Partial = ReferenceTrainer::Partial;

std::map<std::string, double> e2e::getControls(const Compiled &compiled,
                                               int64_t step) {
  std::map<std::string, double> controls;
  for (const BoostSchedule &schedule : compiled.getProgram().schedules())
    controls[schedule.name] =
        static_cast<float>(boost_schedule_value(&schedule, step - 1, {1, 1}));
  return controls;
}

std::vector<std::byte> e2e::runThreeSteps(ArrayRef<char> library,
                                          const Model &model,
                                          unsigned threads) {
  Compiled compiled(library, threads);
  EXPECT_EQ(compiled.execution().init(7).message(), "");
  for (int64_t step = 1; step <= 3; ++step) {
    compiled.setBatch(drawBatch(model, step), model.batch);
    EXPECT_EQ(compiled.execution().micro(compiled.batch(), 0).message(), "");
    EXPECT_TRUE(settledUpdate(compiled.execution(), step).ok());
  }
  return compiled.getPersistentBytes();
}

static std::unique_ptr<Interpreted> interpretText(StringRef text,
                                                  CompileOptions options) {
  options.to = Phase::Step;
  SmallVector<char, 0> ir = compileText(text, options);
  auto step = std::make_unique<Interpreted>(StringRef(ir.data(), ir.size()));
  // What a later phase puts there, and bounds depend on.
  if (options.phase.winograd != "off")
    step->program->setAttr(rt::kWinogradAttrName,
                           rt::WinogradAttr::get(&step->context.mlir,
                                                 *rt::symbolizeWinogradUse(
                                                     options.phase.winograd)));
  return step;
}

std::unique_ptr<Interpreted> e2e::interpretStep(const Model &model,
                                                CompileOptions options) {
  return interpretText(model.getJson(), options);
}

/// `weights` and `state`, which a micro-batch and an evaluation may read.
static Values join(Values weights, const Values &state) {
  weights.insert(state.begin(), state.end());
  return weights;
}

/// Says to the analysis which results the libraries of `compiled` round.
static void markRoundedResults(Interpreted &step, const Compiled &compiled) {
  const BoostTarget &target = *compiled.descriptor().targets;
  std::span calls(target.library_calls, target.library_call_count);
  if (std::ranges::none_of(calls, [](const BoostLibraryCall &call) {
        return call.kind == BOOSTC_LIBRARY_CONVOLUTION_BACKWARD_WEIGHT &&
               call.result_type != BOOSTC_FLOAT_F32;
      }))
    return;
  step.program.walk([](nn::Conv2dGradWeightOp op) {
    op->setAttr(kRoundedToAttrName,
                TypeAttr::get(op.getInput().getType().getElementType()));
  });
}

MicroBatch::MicroBatch(const Model &model, Interpreted &step,
                       Compiled &compiled) {
  EXPECT_EQ(compiled.execution().init(7).message(), "");
  Values inputs = drawBatch(model, 1);
  compiled.setBatch(inputs, model.batch);
  EXPECT_EQ(compiled.execution().micro(compiled.batch(), 0).message(), "");
  markRoundedResults(step, compiled);
  func::FuncOp micro = step.program.getFunction(train::kMicro);
  Values kept = join(compiled.getParameters(), compiled.getState());
  exact = analyzeByName(micro, bindArguments(micro, kept, inputs, model.batch));
  found = compiled.getPartial();
}

int64_t MicroBatch::countBeyond() const {
  int64_t count = 0;
  for (const auto &[name, gradient] : found.gradients)
    count += e2e::countBeyond(exact.at("gradient " + name), gradient);
  return count;
}

/// One update from the compiled program's own sums, weights and state, so that
/// the bound is that of the rule's own operations.
void e2e::expectUpdate(Interpreted &exact, const Partial &sums,
                       const Values &weights, const Values &state,
                       const Compiled &compiled, int64_t step,
                       const std::string &what) {
  ReferenceTrainer &trainer = *exact.trainer;
  func::FuncOp update = trainer.getVariant().update;
  ASSERT_EQ(succeeded(trainer.update(sums, getControls(compiled, step))), true)
      << exact.context.diagnostics;
  std::map<std::string, std::vector<double>> bounds = getUpdateErrors(
      update, sums, weights, state, getControls(compiled, step));
  auto check = [&](const std::string &name, const ReferenceValue &expected,
                   const ReferenceValue &found) {
    Bounded bounded(expected);
    // What the update of this variant does not write stays what it is.
    if (auto bound = bounds.find(name); bound != bounds.end())
      bounded.error = bound->second;
    expectWithin(bounded, found, what + " new " + name);
  };
  for (const auto &[name, value] : compiled.getParameters())
    check(name, trainer.parameters.at(name), value);
  for (const auto &[name, value] : compiled.getState())
    check(name, trainer.state.at(name), value);
}

/// `sums` without what a step with this update does not compute: gradients of
/// frozen layers.
static Partial getComputed(func::FuncOp update, Partial sums) {
  std::set<std::string> read;
  for (BlockArgument argument : update.getArguments())
    if (rt::BindingAttr binding = rt::getArgumentBinding(argument);
        binding && binding.getKind() == rt::BindingKind::Gradient)
      read.insert(binding.getName().str());
  std::erase_if(sums.gradients, [&](const auto &gradient) {
    return !read.contains(gradient.first);
  });
  return sums;
}

static void compareSteps(ArrayRef<char> library,
                         std::unique_ptr<Interpreted> exact, const Model &model,
                         const CompileOptions &options, int64_t steps) {
  Compiled compiled(library, options.phase.threads);
  markRoundedResults(*exact, compiled);
  boostrt::Execution &execution = compiled.execution();
  ReferenceTrainer &trainer = *exact->trainer;
  func::FuncOp eval = exact->program.getFunction(train::kEval);

  ASSERT_EQ(execution.init(7).message(), "");
  ASSERT_EQ(execution.choose(0).message(), "");
  ASSERT_TRUE(succeeded(trainer.initialize(7))) << exact->context.diagnostics;
  for (const auto &[name, value] : compiled.getParameters())
    EXPECT_EQ(value.data, trainer.parameters.at(name).data) << name;
  for (const auto &[name, value] : compiled.getState())
    EXPECT_EQ(value.data, trainer.state.at(name).data) << name;

  int64_t batch = model.batch;
  const int64_t tails[] = {batch, batch - 1, 1, 0};
  int64_t window = compiled.descriptor().micro_batches;
  // What is summed in sets of their own is combined elsewhere.
  ASSERT_TRUE(window == 1 ||
              boostrt::accumulatesInPlace(compiled.descriptor()));
  boostrt::StepWindow plan(execution);
  for (int64_t step = 1; step <= steps; ++step) {
    std::string what = "step " + std::to_string(step);
    trainer.step = step;
    plan.begin(step);
    func::FuncOp micro = trainer.getVariant().micro;
    Values weights = compiled.getParameters(), state = compiled.getState();
    Values kept = join(weights, state);
    trainer.parameters = weights;
    trainer.state = state;
    Values inputs;
    int64_t valid = 0;
    Partial sums = compiled.getPartial();
    sums.lossCount = 0; // whatever the last step has left
    // Every second window is not full.
    int64_t microBatches = std::max<int64_t>(1, window - (step + 1) % 2);
    for (int64_t micros = 0; micros < microBatches; ++micros) {
      valid = tails[(step - 1 + micros) % std::size(tails)];
      inputs = drawBatch(model, step + 1000 * micros);
      compiled.setBatch(inputs, valid);
      ASSERT_EQ(plan.add(compiled.batch()).message(), "");
      bool overflows = false;
      std::map<std::string, Bounded> bounds = analyzeByName(
          micro, bindArguments(micro, kept, inputs, valid, sums), &overflows);
      // A training that diverges ends beyond what single precision holds; up to
      // there its steps were compared.
      if (overflows)
        return;
      sums = compiled.getPartial();
      expectWithin(bounds, getComputed(trainer.getVariant().update, sums),
                   what);
    }
    ASSERT_EQ(plan.sum().message(), "");

    compiled.setEvalBatch(inputs, valid);
    ASSERT_TRUE(execution.eval(compiled.batch()).ok());
    std::map<std::string, Bounded> metrics =
        analyzeByName(eval, bindArguments(eval, kept, inputs, valid));
    for (auto [i, metric] : llvm::enumerate(compiled.getProgram().metrics())) {
      boostrt::SumCount found = execution.metric(i);
      expectWithin(metrics.at(std::string("metric_sum ") + metric.name),
                   ReferenceValue::scalar(found.sum),
                   what + " metric " + metric.name);
      if (!model.weights.empty())
        expectWithin(metrics.at(std::string("metric_count ") + metric.name),
                     ReferenceValue::scalar(found.weight.value()),
                     what + " weight of metric " + metric.name);
      else
        EXPECT_EQ(found.count, llvm::StringRef(metric.name) == "loss"
                                   ? model.countLossTerms(valid)
                                   : model.countLabels(valid))
            << what << " metric " << metric.name;
    }

    std::vector<std::byte> before = compiled.getPersistentBytes();
    auto results = settledUpdate(execution, step);
    ASSERT_TRUE(results.ok()) << results.status().message();
    bool counts =
        sums.lossCount > 0 && (model.weights.empty() || sums.lossWeight > 0.0);
    EXPECT_EQ(results->isApplied, counts) << what;
    if (!counts) {
      EXPECT_EQ(compiled.getPersistentBytes(), before)
          << what << " of no samples";
      // Samples without weight are no failure.
      if (sums.lossCount > 0) {
        EXPECT_FALSE(results->hasFailed) << what;
      }
      compiled.forgetSkips();
      // Its selector chooses the variant of a later step, as after any other.
      ASSERT_TRUE(succeeded(trainer.update(sums, getControls(compiled, step))))
          << exact->context.diagnostics;
      trainer.hasFailed = false;
    } else {
      expectUpdate(*exact, sums, weights, state, compiled, step, what);
    }
    if (testing::Test::HasFatalFailure())
      return;
  }
}

void e2e::expectSteps(StringRef text, const Model &model,
                      const CompileOptions &options, int64_t steps) {
  if (SmallVector<char, 0> library = compileText(text, options);
      !library.empty()) // reported
    compareSteps(library, interpretText(text, options), model, options, steps);
}

void e2e::expectSteps(const Model &model, const CompileOptions &options,
                      int64_t steps) {
  expectSteps(model.getJson(), model, options, steps);
}

void e2e::expectStepsOf(ArrayRef<char> library, const Model &model,
                        const CompileOptions &options, int64_t steps) {
  if (!library.empty()) // reported
    compareSteps(library, interpretStep(model, options), model, options, steps);
}
