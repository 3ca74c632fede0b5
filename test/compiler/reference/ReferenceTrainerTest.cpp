// The functions of a program, interpreted as the runtime runs them: what makes
// an optimizer step out of micro-batches, tails and failures, and that every
// phase the interpreter can run means the same.

#include "compiler/reference/ReferenceTrainer.h"
#include "compiler/pipeline/Phases.h"
#include "compiler/reference/Compare.h"
#include "compiler/reference/Interpreter.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/FormatVariadic.h"
#include <cmath>
#include <gtest/gtest.h>
#include <limits>

using namespace mlir;
using namespace boostc;

namespace {

/// A perceptron with one hidden layer; {0} is the batch size. Its
/// hyper-parameters are exact in f32, in which phase `linalg` spells them.
constexpr const char *kProgram = R"mlir(
#image = #rt.binding<input, "image">
#label = #rt.binding<input, "label">
#valid = #rt.binding<valid>
#w1 = #rt.binding<parameter, "fc1.weight">
#b1 = #rt.binding<parameter, "fc1.bias">
#w2 = #rt.binding<parameter, "fc2.weight">
#v2 = #rt.binding<state, "fc2.weight.momentum">
#g1 = #rt.binding<gradient, "fc1.weight">
#gb = #rt.binding<gradient, "fc1.bias">
#g2 = #rt.binding<gradient, "fc2.weight">
#sum = #rt.binding<loss_sum>
#count = #rt.binding<loss_count>
train.program @mlp batch_size({0}) micro_batches(1) epochs(1) seed(1) recipe("{{}") {{
  train.input @image : tensor<{0}x5xf32>
  train.input @label classes(3) : tensor<{0}xi32>
  train.parameter @fc1.weight weight <uniform, -0.5, 0.5> : tensor<4x5xf32>
  train.parameter @fc1.bias bias <normal, 0.0, 0.5> : tensor<4xf32>
  train.parameter @fc2.weight weight <uniform, -0.5, 0.5> : tensor<3x4xf32>
  train.state @fc2.weight.momentum "momentum" of @fc2.weight : tensor<3x4xf32>
  train.schedule @learning_rate <constant, 0.1>

  func.func private @forward(
      %x: tensor<{0}x5xf32>, %label: tensor<{0}xi32>,
      %valid: tensor<i32> {{rt.binding = #valid},
      %w1: tensor<4x5xf32>, %b1: tensor<4xf32>, %w2: tensor<3x4xf32>)
      -> (tensor<f32>, tensor<i64>, tensor<f32>, tensor<i64>) {{
    %z = nn.dense %x, %w1, %b1 : tensor<{0}x5xf32>, tensor<4x5xf32>, tensor<4xf32>
    %h = nn.relu %z : tensor<{0}x4xf32>
    %y = nn.dense %h, %w2 : tensor<{0}x4xf32>, tensor<3x4xf32>
    %sum, %count = nn.softmax_cross_entropy %y, %label, %valid
        : tensor<{0}x3xf32>, tensor<{0}xi32>
    %top, %n = nn.top_k 1, %y, %label, %valid : tensor<{0}x3xf32>, tensor<{0}xi32>
    return %sum, %count, %top, %n : tensor<f32>, tensor<i64>, tensor<f32>, tensor<i64>
  }
  func.func @micro(
      %x: tensor<{0}x5xf32> {{rt.binding = #image},
      %label: tensor<{0}xi32> {{rt.binding = #label},
      %valid: tensor<i32> {{rt.binding = #valid},
      %w1: tensor<4x5xf32> {{rt.binding = #w1}, %b1: tensor<4xf32> {{rt.binding = #b1},
      %w2: tensor<3x4xf32> {{rt.binding = #w2})
      -> (tensor<4x5xf32> {{rt.binding = #g1}, tensor<4xf32> {{rt.binding = #gb},
          tensor<3x4xf32> {{rt.binding = #g2}, tensor<f32> {{rt.binding = #sum},
          tensor<i64> {{rt.binding = #count}) {{
    %sum, %count, %d1, %db, %d2 =
        train.value_and_grad @forward(%x, %label, %valid, %w1, %b1, %w2) wrt [3, 4, 5]
        : (tensor<{0}x5xf32>, tensor<{0}xi32>, tensor<i32>, tensor<4x5xf32>,
           tensor<4xf32>, tensor<3x4xf32>)
        -> (tensor<f32>, tensor<i64>, tensor<4x5xf32>, tensor<4xf32>, tensor<3x4xf32>)
    return %d1, %db, %d2, %sum, %count
        : tensor<4x5xf32>, tensor<4xf32>, tensor<3x4xf32>, tensor<f32>, tensor<i64>
  }
  func.func @update(
      %g1: tensor<4x5xf32> {{rt.binding = #g1}, %gb: tensor<4xf32> {{rt.binding = #gb},
      %g2: tensor<3x4xf32> {{rt.binding = #g2}, %sum: tensor<f32> {{rt.binding = #sum},
      %count: tensor<i64> {{rt.binding = #count},
      %lr: tensor<f32> {{rt.binding = #rt.binding<control, "learning_rate">},
      %w1: tensor<4x5xf32> {{rt.binding = #w1}, %b1: tensor<4xf32> {{rt.binding = #b1},
      %w2: tensor<3x4xf32> {{rt.binding = #w2}, %v2: tensor<3x4xf32> {{rt.binding = #v2},
      %before: tensor<i32> {{rt.binding = #rt.binding<failed>})
      -> (tensor<4x5xf32> {{rt.binding = #w1}, tensor<4xf32> {{rt.binding = #b1},
          tensor<3x4xf32> {{rt.binding = #w2}, tensor<3x4xf32> {{rt.binding = #v2},
          tensor<i32> {{rt.binding = #rt.binding<applied>},
          tensor<i32> {{rt.binding = #rt.binding<failed>}) {{
    %applied, %failed = train.commit count(%count) after(%before)
        finite(%sum, %g1, %gb, %g2 : tensor<f32>, tensor<4x5xf32>, tensor<4xf32>,
               tensor<3x4xf32>) on_nonfinite fail
    %m1 = train.divide_gradient %g1 by %count : tensor<4x5xf32>
    %mb = train.divide_gradient %gb by %count : tensor<4xf32>
    %m2 = train.divide_gradient %g2 by %count : tensor<3x4xf32>
    %n1 = train.sgd %w1, %m1, %lr weight_decay 0.0078125 if %applied : tensor<4x5xf32>
    %nb = train.sgd %b1, %mb, %lr weight_decay 0.0 if %applied : tensor<4xf32>
    %n2, %nv = train.momentum %w2, %m2, %lr, %v2 momentum 0.875 weight_decay 0.0
        if %applied : tensor<3x4xf32>
    return %n1, %nb, %n2, %nv, %applied, %failed : tensor<4x5xf32>, tensor<4xf32>,
        tensor<3x4xf32>, tensor<3x4xf32>, tensor<i32>, tensor<i32>
  }
  func.func @eval(
      %x: tensor<{0}x5xf32> {{rt.binding = #image},
      %label: tensor<{0}xi32> {{rt.binding = #label},
      %valid: tensor<i32> {{rt.binding = #valid},
      %w1: tensor<4x5xf32> {{rt.binding = #w1}, %b1: tensor<4xf32> {{rt.binding = #b1},
      %w2: tensor<3x4xf32> {{rt.binding = #w2})
      -> (tensor<f32> {{rt.binding = #rt.binding<metric_sum, "loss">},
          tensor<i64> {{rt.binding = #rt.binding<metric_count, "loss">},
          tensor<f32> {{rt.binding = #rt.binding<metric_sum, "top_1">},
          tensor<i64> {{rt.binding = #rt.binding<metric_count, "top_1">}) {{
    %r:4 = train.evaluate @forward(%x, %label, %valid, %w1, %b1, %w2)
        : (tensor<{0}x5xf32>, tensor<{0}xi32>, tensor<i32>, tensor<4x5xf32>,
           tensor<4xf32>, tensor<3x4xf32>)
        -> (tensor<f32>, tensor<i64>, tensor<f32>, tensor<i64>)
    return %r#0, %r#1, %r#2, %r#3
        : tensor<f32>, tensor<i64>, tensor<f32>, tensor<i64>
  }
}
)mlir";

using Values = ReferenceTrainer::Values;
using Partial = ReferenceTrainer::Partial;

const std::map<std::string, double> kControls = {{"learning_rate", 0.1}};

/// Samples `first` to `first + batch` of a fixed data set, `valid` of them
/// real.
Values getBatch(int64_t first, int64_t batch, int64_t valid) {
  ReferenceValue image({batch, 5}), label({batch});
  for (int64_t n = 0; n < valid; ++n) {
    for (int64_t i = 0; i < 5; ++i)
      image.at(n, i) = std::sin(1.7 * static_cast<double>((first + n) * 5 + i));
    label.data[n] = static_cast<double>((first + n) * 2 % 3);
  }
  return {{"image", image}, {"label", label}};
}

class ReferenceTrainerTest : public testing::Test {
protected:
  ReferenceTrainerTest() : context(MLIRContext::Threading::DISABLED) {
    DialectRegistry registry;
    registerCompilerDialects(registry);
    registerReferenceExternalModels(registry);
    context.appendDialectRegistry(registry);
  }

  /// A trainer of the program with this batch size, in this phase.
  ReferenceTrainer build(int64_t batch, Phase phase = Phase::Step,
                         bool useLibrary = true) {
    modules.push_back(parseSourceString<ModuleOp>(
        llvm::formatv(kProgram, batch).str(), &context));
    EXPECT_TRUE(modules.back());
    PassManager passes(&context);
    PhaseOptions options;
    options.useLibrary = useLibrary;
    buildPipeline(passes, Phase::Input, phase, options);
    EXPECT_TRUE(succeeded(passes.run(*modules.back())));
    return ReferenceTrainer(
        *modules.back()->getOps<train::ProgramOp>().begin());
  }

  MLIRContext context;
  std::vector<OwningOpRef<ModuleOp>> modules;
};

void expectEqual(const Values &expected, const Values &actual,
                 double tolerance) {
  ASSERT_EQ(expected.size(), actual.size());
  for (const auto &[name, value] : expected)
    EXPECT_EQ(findDifference(value, actual.at(name), tolerance), "") << name;
}

TEST_F(ReferenceTrainerTest, ParametersComeFromTheSeed) {
  ReferenceTrainer a = build(2), b = build(4), c = build(2);
  ASSERT_TRUE(succeeded(a.initialize(1)));
  ASSERT_TRUE(succeeded(b.initialize(1)));
  ASSERT_TRUE(succeeded(c.initialize(2)));
  expectEqual(a.parameters, b.parameters, 0.0);
  EXPECT_NE(findDifference(a.parameters.at("fc1.weight"),
                           c.parameters.at("fc1.weight"), 0.0),
            "");
  expectEqual(a.state, {{"fc2.weight.momentum", ReferenceValue({3, 4})}}, 0.0);
}

TEST_F(ReferenceTrainerTest, TwoMicroBatchesAreOneOfTwiceTheSize) {
  ReferenceTrainer single = build(4), split = build(2);
  ASSERT_TRUE(succeeded(single.initialize(1)));
  ASSERT_TRUE(succeeded(split.initialize(1)));
  for (int64_t step = 0; step < 3; ++step) {
    FailureOr<Partial> whole = single.micro(getBatch(4 * step, 4, 4), 4);
    FailureOr<Partial> first = split.micro(getBatch(4 * step, 2, 2), 2);
    FailureOr<Partial> second = split.micro(getBatch(4 * step + 2, 2, 2), 2);
    FailureOr<Partial> both = split.combine(*first, *second);
    expectEqual(whole->gradients, both->gradients, 1e-12);
    EXPECT_NEAR(whole->lossSum, both->lossSum, 1e-12);
    EXPECT_EQ(both->lossCount, 4);
    EXPECT_TRUE(*single.update(*whole, kControls));
    EXPECT_TRUE(*split.update(*both, kControls));
    expectEqual(single.parameters, split.parameters, 1e-12);
    expectEqual(single.state, split.state, 1e-12);
  }
}

TEST_F(ReferenceTrainerTest, ATailIsABatchOfItsSize) {
  for (int64_t valid : {1, 3}) {
    ReferenceTrainer padded = build(4), exact = build(valid);
    ASSERT_TRUE(succeeded(padded.initialize(1)));
    ASSERT_TRUE(succeeded(exact.initialize(1)));
    FailureOr<Partial> tail = padded.micro(getBatch(0, 4, valid), valid);
    FailureOr<Partial> small = exact.micro(getBatch(0, valid, valid), valid);
    expectEqual(small->gradients, tail->gradients, 1e-12);
    EXPECT_NEAR(small->lossSum, tail->lossSum, 1e-12);
    EXPECT_EQ(tail->lossCount, valid);
  }
}

TEST_F(ReferenceTrainerTest, AnEmptyMicroBatchAddsNothing) {
  ReferenceTrainer trainer = build(4);
  ASSERT_TRUE(succeeded(trainer.initialize(1)));
  FailureOr<Partial> full = trainer.micro(getBatch(0, 4, 4), 4);
  FailureOr<Partial> empty = trainer.micro(getBatch(0, 4, 0), 0);
  EXPECT_EQ(empty->lossCount, 0);
  FailureOr<Partial> both = trainer.combine(*full, *empty);
  expectEqual(full->gradients, both->gradients, 0.0);
  EXPECT_EQ(full->lossSum, both->lossSum);
}

TEST_F(ReferenceTrainerTest, NothingIsCommittedWithoutSamplesOrWithANaN) {
  ReferenceTrainer trainer = build(4);
  ASSERT_TRUE(succeeded(trainer.initialize(1)));
  Values parameters = trainer.parameters, state = trainer.state;
  FailureOr<Partial> empty = trainer.micro(getBatch(0, 4, 0), 0);
  EXPECT_FALSE(*trainer.update(*empty, kControls));

  FailureOr<Partial> broken = trainer.micro(getBatch(0, 4, 4), 4);
  broken->gradients.at("fc1.bias").data[2] = std::nan("");
  trainer.hasFailed = false;
  EXPECT_FALSE(*trainer.update(*broken, kControls));

  FailureOr<Partial> diverged = trainer.micro(getBatch(0, 4, 4), 4);
  diverged->lossSum = std::numeric_limits<double>::infinity();
  trainer.hasFailed = false;
  EXPECT_FALSE(*trainer.update(*diverged, kControls));
  expectEqual(parameters, trainer.parameters, 0.0);
  expectEqual(state, trainer.state, 0.0);

  // Nor is what follows, until all begins anew.
  FailureOr<Partial> good = trainer.micro(getBatch(0, 4, 4), 4);
  for (int step = 0; step < 2; ++step)
    EXPECT_FALSE(*trainer.update(*good, kControls));
  expectEqual(parameters, trainer.parameters, 0.0);
  expectEqual(state, trainer.state, 0.0);
  ASSERT_TRUE(succeeded(trainer.initialize(1)));
  EXPECT_FALSE(trainer.hasFailed);
  EXPECT_TRUE(*trainer.update(*good, kControls));
}

TEST_F(ReferenceTrainerTest, EveryPhaseMeansTheSame) {
  // @init is there from phase `step` on, and sets the parameters for all.
  ReferenceTrainer oracle = build(4, Phase::Step);
  ASSERT_TRUE(succeeded(oracle.initialize(1)));
  struct Case {
    Phase phase;
    bool useLibrary;
    double tolerance;
  };
  // Phase `input` knows gradients as central differences only.
  for (Case phase :
       {Case{Phase::Input, true, 1e-6}, Case{Phase::Backward, true, 1e-12},
        Case{Phase::Linalg, true, 1e-12}, Case{Phase::Linalg, false, 1e-12}}) {
    SCOPED_TRACE(getPhaseName(phase.phase).str());
    ReferenceTrainer trainer = build(4, phase.phase, phase.useLibrary);
    ReferenceTrainer reference = oracle;
    trainer.parameters = reference.parameters;
    for (int64_t valid : {4, 3, 1}) {
      FailureOr<Partial> expected =
          reference.micro(getBatch(0, 4, valid), valid);
      FailureOr<Partial> actual = trainer.micro(getBatch(0, 4, valid), valid);
      ASSERT_TRUE(succeeded(actual));
      expectEqual(expected->gradients, actual->gradients, phase.tolerance);
      EXPECT_NEAR(expected->lossSum, actual->lossSum, 1e-12);
      EXPECT_EQ(expected->lossCount, actual->lossCount);
      EXPECT_EQ(*reference.update(*expected, kControls),
                *trainer.update(*actual, kControls));
      expectEqual(reference.parameters, trainer.parameters, phase.tolerance);
      expectEqual(reference.state, trainer.state, phase.tolerance);
    }
    auto expected = reference.evaluate(getBatch(9, 4, 3), 3);
    auto actual = trainer.evaluate(getBatch(9, 4, 3), 3);
    ASSERT_TRUE(succeeded(expected) && succeeded(actual));
    EXPECT_NEAR(expected->at("loss").sum, actual->at("loss").sum,
                10 * phase.tolerance);
    EXPECT_EQ(actual->at("loss").count, 3);
    EXPECT_EQ(expected->at("top_1").sum, actual->at("top_1").sum);
    EXPECT_EQ(actual->at("top_1").count, 3);
  }
}

TEST_F(ReferenceTrainerTest, SmallStepsReduceTheLoss) {
  ReferenceTrainer trainer = build(4);
  ASSERT_TRUE(succeeded(trainer.initialize(1)));
  double loss = trainer.evaluate(getBatch(0, 4, 4), 4)->at("loss").sum;
  for (int step = 0; step < 20; ++step) {
    FailureOr<Partial> partial = trainer.micro(getBatch(0, 4, 4), 4);
    ASSERT_TRUE(*trainer.update(*partial, {{"learning_rate", 0.01}}));
    double next = trainer.evaluate(getBatch(0, 4, 4), 4)->at("loss").sum;
    EXPECT_LT(next, loss) << "step " << step;
    loss = next;
  }
}

TEST_F(ReferenceTrainerTest, WhatIsMissingIsSaid) {
  std::vector<std::string> messages;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    messages.push_back(diagnostic.str());
  });
  ReferenceTrainer early = build(4, Phase::Input);
  EXPECT_TRUE(failed(early.initialize(1)));
  EXPECT_TRUE(failed(early.micro(getBatch(0, 4, 4), 4)));
  ReferenceTrainer trainer = build(4);
  ASSERT_TRUE(succeeded(trainer.initialize(1)));
  EXPECT_TRUE(failed(trainer.micro(getBatch(0, 2, 2), 2)));
  Partial partial = *trainer.micro(getBatch(0, 4, 4), 4);
  EXPECT_TRUE(failed(trainer.update(partial, {})));
  // Without a result that says whether the step is applied.
  auto program = *modules.back()->getOps<train::ProgramOp>().begin();
  auto update = program.lookupSymbol<func::FuncOp>(train::kUpdate);
  for (unsigned i = 0; i < update.getNumResults(); ++i)
    if (rt::getResultBinding(update, i).getKind() == rt::BindingKind::Applied)
      update.setResultAttr(
          i, "rt.binding",
          rt::BindingAttr::get(&context, rt::BindingKind::Valid));
  EXPECT_TRUE(failed(trainer.update(partial, kControls)));
  ASSERT_EQ(messages.size(), 5u);
  EXPECT_EQ(messages[0],
            "'train.program' op has no function 'init' to interpret");
  EXPECT_EQ(messages[1],
            "'func.func' op nothing is known to bind to argument 3, "
            "#rt.binding<parameter, \"fc1.weight\">");
  EXPECT_EQ(messages[2],
            "'func.func' op expected argument 0 of type 'tensor<4x5xf32>', "
            "found the shape [2, 5]");
  EXPECT_EQ(messages[3],
            "'func.func' op nothing is known to bind to argument 5, "
            "#rt.binding<control, \"learning_rate\">");
  EXPECT_EQ(messages[4],
            "'func.func' op expected a result bound to #rt.binding<applied>");
}

} // namespace
