// PiecewiseMatmul.h - a BoostMatmul as matmuls of a library, each on one
// thread.
//
// Threads share pieces of C. Their edges follow from the shape and from how
// many threads are to share it, not from how many there are: strictly
// reproducible programs have the same for any number.
#pragma once

#include "runtime/device/cpu/CpuOperation.h"
#include "runtime/device/cpu/Matmul.h"

#include <vector>

namespace boostrt {

class PiecewiseMatmul final : public CpuOperation {
public:
  /// As Matmul::create(), for up to `shares` threads to share.
  static Result<std::unique_ptr<PiecewiseMatmul>>
  create(DnnlContext &context, const BoostMatmul &call, uint32_t shares,
         MatmulTypes types = {});

  /// The most that scratchBytes() would be for `first` to `last` shares,
  /// without generating code.
  static Result<uint64_t> queryScratchBytes(DnnlContext &context,
                                            const BoostMatmul &call,
                                            uint32_t first, uint32_t last,
                                            MatmulTypes types = {});

  size_t scratchIndex() const override { return 4; }
  /// For all pieces together.
  uint64_t scratchBytes() const override;
  /// For the largest piece.
  const char *implementation() const override {
    return pieces_.front().matmul->implementation();
  }
  size_t pieceCount() const { return pieces_.size(); }

  /// Operands as listed at BoostMatmul. Returns a BoostCallStatus.
  int32_t execute(ThreadPool &pool, void *const *operands) override;

private:
  struct Piece {
    std::unique_ptr<Matmul> matmul;
    uint64_t offsets[5]; ///< in bytes, from each operand
  };
  std::vector<Piece> pieces_;
};

} // namespace boostrt
