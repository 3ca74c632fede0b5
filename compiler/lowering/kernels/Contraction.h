// Contraction.h - contractions over loop nests: matmuls,
// convolutions and their gradients.
//
// Every index into memory is linear in the loops, whatever order the dimensions
// of a buffer lie in, so the same code serves all of them:
//
//   result[..] = bias[..] + sum over the reduction loops of a[..] * b[..]
#pragma once

#include "compiler/lowering/kernels/LinearIndex.h"
#include "dialects/rt/RtDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include <optional>
#include <vector>

namespace boostc {

/// Coefficients beyond the loops are of the derived indices.
struct Contraction {
  struct Loop {
    int64_t extent;
    bool isReduction;
    llvm::StringRef name; ///< for people
  };
  /// numerator / divisor. A term counts where the division is exact and the
  /// quotient is in [0, extent): inside the input, that is.
  struct DerivedIndex {
    LinearIndex numerator;
    int64_t divisor, extent;
  };
  struct Access {
    mlir::Value buffer;
    LinearIndex offset; ///< in elements

    explicit operator bool() const { return static_cast<bool>(buffer); }
  };

  llvm::SmallVector<Loop> loops;
  llvm::SmallVector<DerivedIndex> derived;
  /// The bias is optional, and so is b, without which it is a sum of the
  /// elements of a (lowering/cuda/ReducePartials.h).
  Access a, b, bias, result;

  /// Replaces derived indices that are always exact and inside by what they are
  /// computed from.
  void substituteUnguarded();
  /// Whether a condition depends on `loop`.
  bool isGuarded(unsigned loop) const;

  /// Iterations of all loops.
  int64_t countMultiplications() const;

  /// Elements that `access` moves with an iteration of `loop`, also through
  /// derived indices: there, if all divisions are exact.
  int64_t getStep(const Access &access, unsigned loop) const;
};

/// Whether a kernel of its own pays for a contraction in linalg.
bool isWorthKernel(const Contraction &contraction);

/// The sum that `op`, on memrefs, computes.
Contraction getContraction(ContractionOpInterface op);

/// The contraction of two operands, in f32 or extended to it, summed in any
/// order, that `op`, on tensors or memrefs, adds to its output in f32, which is
/// the bias. None where it computes something else.
std::optional<Contraction> getContraction(mlir::linalg::GenericOp op);

} // namespace boostc
