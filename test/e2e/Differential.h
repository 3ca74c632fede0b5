// Differential.h - a compiled program against the interpreter, number by
// number, within the bounds of ErrorAnalysis.h.
#pragma once

#include "test/e2e/ErrorAnalysis.h"
#include "test/e2e/Programs.h"

namespace boostc::e2e {

/// Compiles `model`, trains it for `steps` steps on random batches with full
/// and short tails, and fails the test where a number of a step leaves its
/// bound. Before every step the interpreter is given the compiled program's own
/// weights, which are exact in double precision: each step is compared with the
/// exact result of the very same inputs, so that no bound has to grow with the
/// number of steps. Ends early where the exact numbers leave the range of
/// single precision.
void expectSteps(const Model &model, const CompileOptions &options,
                 int64_t steps);
/// The same of what `options` have made of `model` already.
void expectStepsOf(llvm::ArrayRef<char> library, const Model &model,
                   const CompileOptions &options, int64_t steps);
/// The same of `text`, of the phase where `options` start, which may be that of
/// `model` with something added.
void expectSteps(llvm::StringRef text, const Model &model,
                 const CompileOptions &options, int64_t steps);

/// Weights and state after three steps on full batches.
std::vector<std::byte> runThreeSteps(llvm::ArrayRef<char> library,
                                     const Model &model, unsigned threads);

/// The step of a model, whatever phase `options` are for.
std::unique_ptr<Interpreted> interpretStep(const Model &model,
                                           CompileOptions options);

/// What @micro of a program computes from its first weights, and what it should
/// by its step.
struct MicroBatch {
  MicroBatch(const Model &model, Interpreted &step, Compiled &compiled);
  /// Gradients out of their bounds, in elements.
  int64_t countBeyond() const;

  std::map<std::string, Bounded> exact;
  ReferenceTrainer::Partial found;
};

/// Values of the schedules, as the runtime passes them.
std::map<std::string, double> getControls(const Compiled &compiled,
                                          int64_t step);

/// Compares one update with the exact one, from the compiled program's own sums
/// and what `weights` and `state` were before.
void expectUpdate(Interpreted &exact, const ReferenceTrainer::Partial &sums,
                  const ReferenceTrainer::Values &weights,
                  const ReferenceTrainer::Values &state,
                  const Compiled &compiled, int64_t step,
                  const std::string &what);

} // namespace boostc::e2e
