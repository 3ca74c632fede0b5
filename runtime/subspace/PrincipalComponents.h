// PrincipalComponents.h - the basis in which the weights of several checkpoints
// differ most: their principal components.
//
// With X the r checkpoints as rows, less their mean, the first k rows of the
// basis are the right singular vectors of X with the largest singular values.
// They are found from the r x r matrix X X^T = U L U^T, as u_i^T X / sqrt(l_i):
// everything is computed in double precision, the eigenvectors by LAPACK's
// dsyev. The sign of each is that of its element with the largest magnitude,
// which is positive; so the same checkpoints give the same file.
//
// The checkpoints stay in their files. Memory is that of a few columns of all
// and of as many vectors as kBasisMemory holds; where these are not all, the
// checkpoints are read again for the rest.
#pragma once

#include "runtime/subspace/Basis.h"

#include <chrono>
#include <optional>

namespace boostrt {

/// What vectors take while they are made, at most, but that of one.
inline constexpr int64_t kBasisMemory = int64_t{1} << 30;

struct PcaOptions {
  std::string directory; ///< checkpoints and files of weights
  int64_t components = 0;
  std::string output; ///< NAME.npy
  /// The time after which it is given up.
  std::optional<std::chrono::seconds> limit = {};
  /// For tests.
  int64_t memory = kBasisMemory;
};

struct PcaResult {
  int64_t checkpoints = 0;
  std::vector<double> variance; ///< share of each vector
};

/// Makes the basis of the checkpoints in `options.directory`, and its
/// description, each at once or not at all. Checkpoints are directories that
/// boost-run wrote, or files NAME.safetensors; each has the parameters of
/// `layout`. Fails with ExitCode::Checkpoint where one is damaged or of another
/// model, and where they are too few or too equal for that many vectors.
Result<PcaResult> makeBasis(FileSystem &files, const BasisLayout &layout,
                            const PcaOptions &options);

} // namespace boostrt
