// PiecewiseMatmul.h - a BoostMatmul as one matmul of the library, or, for
// strictly reproducible programs, as matmuls that one thread computes each.
//
// Which bits a library's matmul has depends on the number of threads that it
// is given. For the latter it is given one, and threads share pieces of C,
// whose edges follow from the shape alone.
#pragma once

#include "runtime/device/cpu/CpuOperation.h"
#include "runtime/device/cpu/Matmul.h"

#include <vector>

namespace boostrt {

class PiecewiseMatmul final : public CpuOperation {
public:
  /// As Matmul::create(); `isStrict` after keepLibraryOnOneThread().
  static Result<std::unique_ptr<PiecewiseMatmul>>
  create(DnnlContext &context, const BoostMatmul &call, bool isStrict,
         MatmulTypes types = {});

  /// What scratchBytes() would be for the threads that oneDNN is set to (one,
  /// where `isStrict`), without generating code.
  static Result<uint64_t> queryScratchBytes(DnnlContext &context,
                                            const BoostMatmul &call,
                                            bool isStrict,
                                            MatmulTypes types = {});

  size_t scratchIndex() const override { return 4; }
  /// For all pieces together.
  uint64_t scratchBytes() const override;
  /// For the largest piece.
  const char *implementation() const override {
    return pieces_.front().matmul->implementation();
  }
  size_t pieceCount() const { return pieces_.size(); }

  /// Operands as listed at BoostMatmul; on up to `threads` threads. Returns a
  /// BoostCallStatus.
  int32_t execute(uint32_t threads, void *const *operands) override;

private:
  struct Piece {
    std::unique_ptr<Matmul> matmul;
    uint64_t offsets[5]; ///< in bytes, from each operand
  };
  std::vector<Piece> pieces_;
};

} // namespace boostrt
