#include "runtime/device/cpu/PiecewiseMatmul.h"

#include "runtime/device/FloatTypes.h"
#include "runtime/device/cpu/ThreadPool.h"

#include <algorithm>
#include <array>
#include <atomic>

namespace boostrt {
namespace {

/// A piece of C and the matmul that it is.
struct MatmulPiece {
  int64_t row, column; ///< where it begins
  BoostMatmul call;
};

/// The library packs what a piece reads for each piece again: pieces are large,
/// and there are more of columns than of rows, because packing columns of B
/// costs most. As many as loops have, at most.
std::vector<MatmulPiece> cutMatmul(const BoostMatmul &call, bool isStrict) {
  constexpr int64_t kSide = 128, kMinMultiplyAdds = 1 << 18, kVector = 16;
  auto multiplyAdds = static_cast<double>(call.m) *
                      static_cast<double>(call.n) * static_cast<double>(call.k);
  auto most = static_cast<int64_t>(
      std::min(multiplyAdds / kMinMultiplyAdds, double{kStrictShares}));
  int64_t columns = std::max<int64_t>(1, std::min(call.n / kSide, most));
  int64_t rows = std::max<int64_t>(1, std::min(call.m / kSide, most / columns));
  if (!isStrict || rows * columns == 1)
    return {{0, 0, call}};
  // Edges between columns are those of vectors.
  int64_t vectors = (call.n + kVector - 1) / kVector;
  std::vector<MatmulPiece> pieces;
  for (int64_t i = 0; i < rows * columns; ++i) {
    Chunk row = chunkAt(call.m, rows, i / columns);
    Chunk column = chunkAt(vectors, columns, i % columns);
    MatmulPiece piece{row.begin, column.begin * kVector, call};
    piece.call.m = row.end - row.begin;
    piece.call.n = std::min(column.end * kVector, call.n) - piece.column;
    pieces.push_back(piece);
  }
  return pieces;
}

uint64_t aligned(uint64_t bytes) {
  return (bytes + BOOSTC_ALIGNMENT - 1) / BOOSTC_ALIGNMENT * BOOSTC_ALIGNMENT;
}

} // namespace

Result<uint64_t> PiecewiseMatmul::queryScratchBytes(DnnlContext &context,
                                                    const BoostMatmul &call,
                                                    bool isStrict,
                                                    MatmulTypes types) {
  uint64_t bytes = 0;
  for (const MatmulPiece &piece : cutMatmul(call, isStrict)) {
    Result<uint64_t> own =
        Matmul::queryScratchBytes(context, piece.call, types, call.n);
    if (!own.ok())
      return own;
    bytes = aligned(bytes) + *own;
  }
  return bytes;
}

Result<std::unique_ptr<PiecewiseMatmul>>
PiecewiseMatmul::create(DnnlContext &context, const BoostMatmul &call,
                        bool isStrict, MatmulTypes types) {
  auto cut = std::make_unique<PiecewiseMatmul>();
  uint64_t scratch = 0;
  for (const MatmulPiece &piece : cutMatmul(call, isStrict)) {
    Result<std::unique_ptr<Matmul>> matmul =
        Matmul::create(context, piece.call, types, call.n);
    if (!matmul.ok())
      return matmul.status();
    auto bytes = [](int64_t elements, uint32_t type) {
      return static_cast<uint64_t>(elements) * bytesOfElement(type);
    };
    uint64_t own = (*matmul)->scratchBytes();
    cut->pieces_.push_back(
        {std::move(matmul).value(),
         {bytes(piece.row * call.a_strides[0], types.factor),
          bytes(piece.column * call.b_strides[1], types.factor),
          bytes(piece.column, types.result),
          bytes(piece.row * call.n + piece.column, types.result), scratch}});
    scratch = aligned(scratch + own);
  }
  return cut;
}

uint64_t PiecewiseMatmul::scratchBytes() const {
  const Piece &last = pieces_.back();
  return last.offsets[4] + last.matmul->scratchBytes();
}

int32_t PiecewiseMatmul::execute(uint32_t threads, void *const *operands) {
  // Not inside a loop of ours, where the library would have one thread.
  if (pieces_.size() == 1)
    return pieces_.front().matmul->execute(operands);
  struct Call {
    std::vector<Piece> &pieces;
    void *const *operands;
    std::atomic<int32_t> status{BOOSTC_CALL_OK};
  } call{pieces_, operands};
  void *arguments[] = {&call};
  auto run = [](void *const *arguments, int64_t begin, int64_t end) {
    Call &call = *static_cast<Call *>(arguments[0]);
    for (int64_t i = begin; i < end; ++i) {
      Piece &piece = call.pieces[static_cast<size_t>(i)];
      std::array<void *, 5> own;
      for (size_t k = 0; k < own.size(); ++k)
        own[k] = call.operands[k] ? static_cast<std::byte *>(call.operands[k]) +
                                        piece.offsets[k]
                                  : nullptr;
      if (int32_t status = piece.matmul->execute(own.data());
          status != BOOSTC_CALL_OK)
        call.status = status;
    }
  };
  auto count = static_cast<uint32_t>(pieces_.size());
  parallelFor(threads, count, run, arguments, count, 1);
  return call.status;
}

} // namespace boostrt
