// ContractionChoice.h - the ways in which a contraction can be computed,
// and which of them is taken.
#pragma once

#include "compiler/lowering/cpu/ContractionPlan.h"
#include "compiler/lowering/cpu/TapSumPlan.h"
#include "mlir/Pass/Pass.h"
#include <functional>
#include <string>

namespace boostc {

/// On a contraction: the number of its candidate. Without it
/// the first one is taken.
constexpr llvm::StringLiteral kCandidateAttrName = "rt.candidate";

struct ContractionCandidate {
  std::string name; ///< for people and for files
  /// By a kernel, of one of two kinds; by the library without either.
  std::optional<ContractionPlan> plan;
  std::optional<TapSumPlan> taps;
};

/// Whether a library may compute such an op on CPUs, where factors and result
/// are f32.
bool isForLibrary(mlir::Operation *op);

/// Whether oneDNN multiplies factors of `type` on CPUs with `features`: bf16
/// with AVX-512, in software where it lacks AVX512-BF16.
bool hasLibraryType(mlir::Type type, llvm::StringRef features);

/// The ways to compute `op`, on memrefs, on `target`, the default first. None
/// when it is not a contraction.
std::vector<ContractionCandidate> listCandidates(mlir::Operation *op,
                                                 rt::CpuTargetAttr target);

/// How tiles compute `op`, on memrefs. None when it is not a contraction, too
/// small for a kernel of its own, or without a loop for vectors.
std::optional<ContractionPlan> planContraction(mlir::linalg::GenericOp op,
                                               rt::CpuTargetAttr target);

/// The one that `op` says. None when its attribute names no candidate.
std::optional<ContractionCandidate> getCandidate(mlir::Operation *op,
                                                 rt::CpuTargetAttr target);

/// What `op` computes, with types and attributes: ops with equal texts have
/// equal candidates.
std::string describeOperation(mlir::Operation *op);

/// Picks one of the candidates of an op, by number.
using ContractionChooser = std::function<llvm::FailureOr<unsigned>(
    mlir::Operation *op, llvm::StringRef operation,
    llvm::ArrayRef<ContractionCandidate> candidates)>;

/// boostc-choose-contractions with a decision for each op.
std::unique_ptr<mlir::Pass>
createChooseContractionsPass(ContractionChooser chooser);

} // namespace boostc
