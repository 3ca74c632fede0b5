// SubspaceStates.h - what steps that are searched for in a subspace keep.
#pragma once

#include "dialects/train/TrainDialect.h"

namespace boostc::boost {

/// The loss at a trial point, summed over samples.
inline constexpr llvm::StringLiteral kTrialLoss = "dim_reduce.trial_loss";
/// What steps leave for later ones, all in coordinates: what the inverse
/// Hessian has besides the identity, the last step, and the gradient before it.
inline constexpr llvm::StringLiteral kCorrection = "dim_reduce.correction",
                                     kStepTaken = "dim_reduce.step",
                                     kGradient = "dim_reduce.gradient";
/// What one step computes: the first and the last of these after it, if it is
/// taken; the descent in coordinates, the gradient's part along it, and the
/// loss before it; the part of the descent that is tried, and how many were
/// before.
inline constexpr llvm::StringLiteral kNextCorrection =
                                         "dim_reduce.next_correction",
                                     kNextGradient = "dim_reduce.next_gradient",
                                     kDescent = "dim_reduce.descent",
                                     kSlope = "dim_reduce.slope",
                                     kLoss = "dim_reduce.loss",
                                     kRate = "dim_reduce.rate",
                                     kTries = "dim_reduce.tries";

/// A parameter and the names of its states: its part of the basis; what the
/// gradient has outside of the subspace; the descent inside; the trial point;
/// the velocity outside.
struct SubspaceSlots {
  explicit SubspaceSlots(train::ParameterOp parameter);

  llvm::StringRef getName() const { return name; }
  mlir::RankedTensorType getType() const { return type; }
  mlir::Location getLoc() const { return loc; }

  std::string basis, residual, descent, trial, velocity;

private:
  llvm::StringRef name;
  mlir::RankedTensorType type;
  mlir::Location loc;
};

/// Types of f32 tensors in a subspace.
class SubspaceTypes {
public:
  SubspaceTypes(mlir::MLIRContext *context, train::SubspaceAttr subspace);

  /// The rows that a rank keeps for a parameter of `type`.
  mlir::RankedTensorType getBasis(mlir::RankedTensorType type) const;

  mlir::RankedTensorType number, flag, coordinates, square;
  int64_t rows; ///< of the basis, on a rank
};

/// Declares all of that for the parameters of `program`.
void declareSubspaceStates(train::ProgramOp program,
                           const SubspaceTypes &types);

} // namespace boostc::boost
