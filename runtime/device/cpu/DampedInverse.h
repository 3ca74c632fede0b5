// DampedInverse.h - a BoostDampedInverse by oneDNN's matmuls, for matrices that
// are larger than a core's cache.
//
// Each is factorized, L L^t, in tiles, and its inverse is solved for in panels
// of columns. Both multiply with the inverses of the tiles on the diagonal of
// L, so that all but these is sgemm, called for a tile or a panel at a time on
// one thread; the pool's threads share these, of all matrices of the call.
// Tiles follow from the extent alone, and so does every bit of the inverse.
//
// Not LAPACK: the reference one is slow. OpenBLAS takes 128 MiB when it is
// loaded, in a loop without end where a limit forbids that, and without threads
// of its own it gives wrong results to two callers at a time.
#pragma once

#include "runtime/device/cpu/CpuOperation.h"

#include <vector>

namespace boostrt {

class DampedInverse final : public CpuOperation {
public:
  /// Fails with ExitCode::Input where there is nothing to invert.
  static Result<std::unique_ptr<CpuOperation>>
  create(const BoostDampedInverse &call);

  size_t scratchIndex() const override { return 5; }
  uint64_t scratchBytes() const override;
  const char *implementation() const override { return "sgemm"; }
  int32_t execute(ThreadPool &pool, void *const *operands) override;

private:
  explicit DampedInverse(const BoostDampedInverse &call);
  /// What the tasks of a call share.
  struct Work;

  /// One try with what is not factorized yet.
  void factorize(ThreadPool &pool, const Work &work);
  bool isFactorized(int64_t matrix) const {
    return isFactorized_[static_cast<size_t>(matrix)] != 0;
  }

  const int64_t matrices_, extent_, tile_, tiles_;
  /// By matrix; bytes, for threads write neighbours.
  std::vector<uint8_t> isFactorized_;
  std::vector<int64_t> open_; ///< matrices at hand
};

} // namespace boostrt
