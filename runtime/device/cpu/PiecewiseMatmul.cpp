#include "runtime/device/cpu/PiecewiseMatmul.h"

#include "runtime/device/FloatTypes.h"
#include "runtime/device/cpu/ThreadPool.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <map>

namespace boostrt {
namespace {

/// A piece of C and the matmul that it is.
struct MatmulPiece {
  int64_t row, column; ///< where it begins
  BoostMatmul call;
};

/// The library packs what a piece reads for each piece again: pieces are large,
/// and there are more of columns than of rows, because packing columns of B
/// costs most. As many as threads share it, at most.
std::vector<MatmulPiece> cutMatmul(const BoostMatmul &call, uint32_t shares) {
  // In what a piece computes, threads meet several times. An element that is
  // read or written takes as long as some multiply-adds.
  constexpr double kMinWork = 1 << 18, kWorkOfElement = 4;
  constexpr int64_t kVector = 16;
  // The library computes narrow pieces less well, but better than few threads
  // compute without each other.
  const int64_t side = shares < kStrictShares ? 3 * kVector : 8 * kVector;
  auto m = static_cast<double>(call.m), n = static_cast<double>(call.n),
       k = static_cast<double>(call.k);
  double work = std::max(m * n * k, kWorkOfElement * (m * k + k * n + m * n));
  auto most = static_cast<int64_t>(
      std::min(work / kMinWork, static_cast<double>(shares)));
  int64_t columns = std::max<int64_t>(1, std::min(call.n / side, most));
  int64_t rows = std::max<int64_t>(1, std::min(call.m / side, most / columns));
  if (rows * columns == 1)
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
                                                    uint32_t first,
                                                    uint32_t last,
                                                    MatmulTypes types) {
  // There are few shapes of pieces. By rows and columns:
  std::map<std::pair<int64_t, int64_t>, uint64_t> known;
  uint64_t most = 0;
  for (uint32_t shares = first; shares <= last; ++shares) {
    uint64_t bytes = 0;
    for (const MatmulPiece &piece : cutMatmul(call, shares)) {
      auto [own, isNew] = known.try_emplace({piece.call.m, piece.call.n}, 0);
      if (isNew) {
        Result<uint64_t> answer =
            Matmul::queryScratchBytes(context, piece.call, types, call.n);
        if (!answer.ok())
          return answer;
        own->second = *answer;
      }
      bytes = aligned(bytes) + own->second;
    }
    most = std::max(most, bytes);
  }
  return most;
}

Result<std::unique_ptr<PiecewiseMatmul>>
PiecewiseMatmul::create(DnnlContext &context, const BoostMatmul &call,
                        uint32_t shares, MatmulTypes types) {
  auto cut = std::make_unique<PiecewiseMatmul>();
  uint64_t scratch = 0;
  for (const MatmulPiece &piece : cutMatmul(call, shares)) {
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

int32_t PiecewiseMatmul::execute(ThreadPool &pool, void *const *operands) {
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
  pool.parallelFor(count, run, arguments, count, 1);
  return call.status;
}

} // namespace boostrt
