// Compiler.h - one compilation: an input file to the output of a phase.
#pragma once

#include "compiler/pipeline/Phases.h"
#include "compiler/pipeline/Tuning.h"
#include "dialects/rt/RtDialect.h"
#include "mlir/Pass/PassManager.h"
#include "runtime/program/StepModel.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/SourceMgr.h"

namespace boostc {

/// What boostc writes.
enum class Emit {
  Phase, ///< the result of CompileOptions::to
  Asm,   ///< assembly of the program for the CPU
  Ptx,   ///< its kernels for GPUs
};

/// What boostc prints instead of compiling.
enum class Report {
  None,
  Summary, ///< the layer table
  Explain, ///< the recipe, what it costs and what is on
  Ops,     ///< what a model file may name; no input
};

struct CompileOptions {
  std::string input; ///< path of a model file (.json) or of IR (.mlir)
  Phase from = Phase::Input;
  Phase to = Phase::So;
  Emit emit = Emit::Phase;
  PhaseOptions phase;
  int codegenLevel = 3;
  /// Where machine code for GPUs comes from: see findPtxas().
  std::string ptxas = "off";
  Report report = Report::None;
  /// The samples of a data set, for Report::Explain.
  std::optional<int64_t> samples;
  /// The ranks that will train, for Report::Explain and the memory budget.
  boostrt::JobShape job;
  /// Bytes that a training run may reserve on each of them.
  std::optional<uint64_t> memoryBudget;

  TuningOptions tuning;

  /// What the program's bits may depend on; without it what its IR says.
  std::optional<rt::Reproducibility> reproducible;

  /// Frontend: see compiler/frontend.
  int boostLevel = 0;
  std::vector<std::string> overlays, sets, boosts;
  std::string boostConfig;

  /// Called with the features of the CPU that code is for, before a library is
  /// asked anything: what the whole process asks it for is the tool's to say.
  std::function<void(llvm::StringRef)> limitLibrary;

  /// Called on the pass manager before it runs: printing, timing, reproducers.
  std::function<llvm::LogicalResult(mlir::PassManager &)> configure;
};

/// Ends of a compilation, with the exit codes of design: docs/user-guide.md.
enum class CompileResult { Ok = 0, BadInput = 1, BadUsage = 2, Internal = 70 };

/// Compiles, or reports what `options.report` asks for; the bytes of the result
/// go to `output`, those of a tuning file that changed to `tuned`. Diagnostics
/// go through the handlers of `context`; `sources` holds the text of the input
/// for carets.
CompileResult compile(mlir::MLIRContext &context, llvm::SourceMgr &sources,
                      const CompileOptions &options,
                      llvm::SmallVectorImpl<char> &output,
                      std::optional<std::string> *tuned = nullptr);

} // namespace boostc
