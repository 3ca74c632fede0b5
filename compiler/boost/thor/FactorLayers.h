// FactorLayers.h - the weights that THOR preconditions, and the factors of each
// that @micro returns.
#pragma once

#include "compiler/boost/thor/RefreshSlots.h"
#include "dialects/interfaces/KroneckerLayer.h"
#include "llvm/ADT/MapVector.h"

namespace boostc::boost {

/// A weight that is preconditioned; without `kronecker` by its own squares.
struct FactorLayer {
  train::ParameterOp parameter;
  std::optional<KroneckerLayer> kronecker;
  int64_t rows = 1;      ///< of a sample, where they are those of matrices
  int64_t positions = 1; ///< of a sample, where they are windows
  mlir::RankedTensorType a, g; ///< of its factors
  std::string factorA, factorG, inverseA, inverseG, ready;
  /// Where inverses are those of averages: these, and how many factors they are
  /// of.
  std::string averageA, averageG, averaged;
  /// Where changes decide on refreshes: the trace of the factors whose inverses
  /// these are, and whether they stay.
  std::string trace, settled;
  int64_t sizeOfA = 1, sizeOfG = 1; ///< without what fills up last blocks
  int64_t refreshFlops = 0;         ///< of a micro-batch and of the inversions
  /// Where its factors are told whether they are due.
  llvm::SmallVector<mlir::MutableOperandRange, 2> due;
  int64_t slot = 0; ///< in which its factors are refreshed
};

/// By parameter.
using FactorLayers = llvm::MapVector<llvm::StringRef, FactorLayer>;

/// The layers whose gradients `micro` returns. Lets it return their factors,
/// of blocks of `blockSize`, and declares these as accumulators, and states for
/// their inverses, for averages where it `averages`, and for traces where it
/// `compares` them.
FactorLayers buildFactors(train::ProgramOp program, mlir::func::FuncOp micro,
                          int64_t blockSize, bool averages, bool compares);

/// Divides `layers` into slots, as many as `plan` has. The factors of a layer
/// that is not due in a step are zeros; so are those of one that has settled,
/// where traces are compared.
void chooseDue(FactorLayers &layers, mlir::func::FuncOp micro,
               const RefreshPlan &plan, bool compares);

/// How many of `layers` have factors.
int64_t countWithFactors(const FactorLayers &layers);

} // namespace boostc::boost
