// Phases.h - the phases of a compilation, and the only file that knows the
// order of passes. docs/phases.md tells the same walk in prose.
#pragma once

#include "compiler/lowering/cpu/ContractionChoice.h"
#include "compiler/lowering/target/TilingPolicy.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/StringRef.h"
#include <optional>
#include <string>

namespace boostc {

enum class Phase {
  Input,    ///< nn + train.value_and_grad: what the frontend makes
  Backward, ///< gradients are explicit
  Step,     ///< boosts applied, with every function of a step
  Linalg,   ///< linalg and library calls on tensors
  Buffers,  ///< linalg and library calls on planned memory
  Rt,       ///< kernels and launches
  Llvm,     ///< LLVM's dialect, with the descriptor
  Obj,      ///< an object file
  So,       ///< the program
};

/// All of them in order, with the names that --emit and --compile-from take.
struct PhaseInfo {
  Phase phase;
  llvm::StringLiteral name;
  llvm::StringLiteral summary;
};
llvm::ArrayRef<PhaseInfo> getPhases();
llvm::StringRef getPhaseName(Phase phase);
std::optional<Phase> parsePhase(llvm::StringRef name);

/// What the passes need to know beyond the IR.
struct PhaseOptions {
  std::string cpu = "native";
  unsigned threads = 0; ///< 0 = all cores
  /// What the program is compiled for; one of them or both.
  bool forCpu = true, forCuda = false;
  bool useLibrary = true;
  /// Which convolutions kernels for CPUs compute by Winograd's algorithm: off,
  /// auto (where it is faster) or always.
  std::string winograd = "auto";
  /// Which matmuls cuBLASLt computes on GPUs, and which convolutions cuDNN:
  /// auto, always or never.
  std::string cudaLibrary = "auto";
  /// Which matmuls and convolutions are read through shared memory on GPUs, by
  /// all of a block, and which sums are split into partial sums, by threads of
  /// CPUs, too. For tests: all ways are right.
  TilingPolicy tilingPolicy = TilingPolicy::Auto;
  /// Leaves matmuls in bf16 to oneDNN on CPUs that compute them in software,
  /// too. For tests.
  bool keepsBFloat16 = false;
  /// Maximum bytes of gradients that ranks exchange together; without it the
  /// pass's own number.
  std::optional<uint64_t> bucketBytes;
  /// Values to compute again instead of keeping them, at most.
  uint64_t maxRecomputed = 0;
  /// How contractions are computed; without it by the cost model.
  ContractionChooser chooseContraction;
};

/// Adds the passes that lead from a module in phase `from` to phase `to` (at
/// most Llvm), each phase closed by its verifier. `from` itself is verified
/// first.
void buildPipeline(mlir::OpPassManager &manager, Phase from, Phase to,
                   const PhaseOptions &options);

/// Adds the passes from the point of phase buffers where `chooseContraction` is
/// asked to phase Llvm: for code that is to be measured.
void buildMeasuringPipeline(mlir::OpPassManager &manager);

/// Prints IR so that reading it back gives the same module.
void printModule(mlir::ModuleOp module, llvm::raw_ostream &os);

/// Dialects and interface implementations of all phases.
void registerCompilerDialects(mlir::DialectRegistry &registry);

} // namespace boostc
