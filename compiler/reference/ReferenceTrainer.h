// ReferenceTrainer.h - drives the functions of a program in the interpreter, as
// the runtime drives the compiled ones: every argument and result by its
// binding. Works in every phase up to `linalg` in which the functions it is
// asked to run exist; in phase `input` gradients are central differences.
#pragma once

#include "dialects/interfaces/ReferenceValue.h"
#include "dialects/train/TrainDialect.h"
#include <map>
#include <string>
#include <vector>

namespace boostc {

class ReferenceTrainer {
public:
  using Values = std::map<std::string, ReferenceValue>;

  /// Sums over the samples of a micro-batch, or of several combined.
  struct Partial {
    Values gradients;    ///< by parameter
    Values accumulators; ///< those that the program declares, by name
    double lossSum = 0.0;
    int64_t lossCount = 0;
    double lossWeight = 0.0; ///< of weighted samples
  };
  struct Metric {
    double sum = 0.0;
    double count = 0.0; ///< of samples, or the sum of their weights
  };
  struct MicroBatch {
    Values inputs;     ///< by name
    int64_t valid = 0; ///< the first samples are real
  };
  /// What a probe leaves.
  struct Probed {
    Partial sums; ///< those that it was given, over ranks where it sums them
    bool repeats = false;
  };
  /// What became of a step.
  struct StepDone {
    std::vector<bool> isApplied; ///< by rank
    std::vector<int64_t> times;  ///< that each phase before the last was done
  };

  /// `program` must outlive the trainer. State starts as its constants,
  /// parameters are missing until initialize() or an assignment.
  explicit ReferenceTrainer(train::ProgramOp program);

  Values parameters; ///< by name, what the next call reads
  Values state;      ///< by name, "<parameter>.<slot>"
  /// The state after the steps so far: what the next update reads and writes.
  bool hasFailed = false;

  /// The step of the run, from 1, whose variant the next call is of.
  int64_t step = 1;
  /// The last step of the run, for the program's selector.
  int64_t runLength = 1;
  /// The phase of the step, from 0, that the next call is of; none: the last.
  std::optional<size_t> phase;

  /// The variant of the step. A selector has chosen those of the steps until
  /// its lag after the last update, or after initialize().
  train::StepVariant getVariant();

  // Each runs one function. On failure a diagnostic has been emitted: at the
  // function when it is missing or something it needs is, else at the op that
  // failed.

  /// @init: sets parameters and state; no step has failed.
  llvm::LogicalResult initialize(int64_t seed);
  /// The micro of the phase on `inputs`, by name; the first `valid` samples are
  /// real. Where it adds to the sums of micro-batches before, these are `sums`;
  /// those of them that it does not return stay in the result.
  llvm::FailureOr<Partial> micro(const Values &inputs, int64_t valid,
                                 const Partial &sums);
  llvm::FailureOr<Partial> micro(const Values &inputs, int64_t valid) {
    return micro(inputs, valid, Partial());
  }
  /// The combine of the phase.
  llvm::FailureOr<Partial> combine(const Partial &first, const Partial &second);
  /// The update of the step; `controls` by name. Returns whether it was
  /// applied; after one that failed none is, until `hasFailed` says otherwise.
  llvm::FailureOr<bool> update(const Partial &step,
                               const std::map<std::string, double> &controls);
  /// The same of several ranks, which meet in its collectives: trainers of one
  /// program, and what each has of the step.
  static llvm::FailureOr<std::vector<bool>>
  updateOnRanks(llvm::MutableArrayRef<ReferenceTrainer> ranks,
                llvm::ArrayRef<Partial> steps,
                const std::map<std::string, double> &controls);
  /// The probe of the phase on several ranks, each with what it has summed.
  static llvm::FailureOr<std::vector<Probed>>
  probeOnRanks(llvm::MutableArrayRef<ReferenceTrainer> ranks,
               llvm::ArrayRef<Partial> sums,
               const std::map<std::string, double> &controls);
  /// All phases of the step, on the micro-batches that each rank has of its
  /// window. Fails, with a diagnostic, where a phase is done `maxTimes` times
  /// and asks for more.
  static llvm::FailureOr<StepDone>
  takeStep(llvm::MutableArrayRef<ReferenceTrainer> ranks,
           llvm::ArrayRef<std::vector<MicroBatch>> windows,
           const std::map<std::string, double> &controls,
           int64_t maxTimes = 1000);
  /// @eval: the loss, called "loss", and the metrics, by name.
  llvm::FailureOr<std::map<std::string, Metric>> evaluate(const Values &inputs,
                                                          int64_t valid);

private:
  /// Values by binding; equal bindings are one attribute.
  using Bound = llvm::DenseMap<mlir::Attribute, ReferenceValue>;

  rt::BindingAttr getBinding(rt::BindingKind kind, llvm::StringRef name = {},
                             bool other = false);
  void bind(Bound &bound, rt::BindingKind kind, const Values &values,
            bool other = false);
  void bindPartial(Bound &bound, const Partial &partial, bool other = false);
  void bindBatch(Bound &bound, const Values &inputs, int64_t valid);
  Bound bindUpdate(const Partial &step,
                   const std::map<std::string, double> &controls);
  /// What the step has for `part`, one of train::kInit, kMicro, ...
  llvm::FailureOr<mlir::func::FuncOp> find(llvm::StringRef part);
  llvm::FailureOr<RankValues> getArguments(mlir::func::FuncOp function,
                                           const Bound &bound);
  llvm::FailureOr<Bound> bindResults(mlir::func::FuncOp function,
                                     RankValues values);
  llvm::FailureOr<Bound> run(llvm::StringRef part, const Bound &arguments);
  /// Its results replace those of `sums`.
  llvm::FailureOr<Partial> runPartial(llvm::StringRef part,
                                      const Bound &arguments, Partial sums);
  static void assignSums(const Bound &results, Partial &sums);
  /// What a rank has after the micro-batches of a phase; `before` from those
  /// before it.
  llvm::FailureOr<Partial> sumWindow(llvm::ArrayRef<MicroBatch> window,
                                     const Partial &before);
  /// The update or a probe of all ranks.
  static llvm::FailureOr<std::vector<Bound>>
  runOnRanks(llvm::MutableArrayRef<ReferenceTrainer> ranks,
             mlir::func::FuncOp function, llvm::ArrayRef<Partial> sums,
             const std::map<std::string, double> &controls);
  void assign(const Bound &results);
  /// That of the selector; 0 where there is none.
  int64_t getLag();
  /// Has the selector choose the variant of step `chosen`.
  llvm::LogicalResult choose(int64_t chosen);

  train::ProgramOp program;
  std::map<int64_t, int64_t> choices; ///< by step
};

} // namespace boostc
