// SegmentedVector.h - several spans that together are one vector, and how a
// range of it travels.
#pragma once

#include "runtime/comm/VectorMemory.h"

#include <algorithm>
#include <span>

namespace boostrt {

/// Elements begin..end-1 of a vector.
struct Range {
  size_t begin = 0, end = 0;
  size_t size() const { return end - begin; }
};

/// piece(part, Range, offset) for every part of a vector that `range` touches:
/// the touched elements, and where in the part they begin. A part has
/// `sizeOf(part)` elements, after those of the part before.
template <typename Parts, typename Size, typename Piece>
void forEachPart(const Parts &parts, Size &&sizeOf, Range range,
                 Piece &&piece) {
  size_t begin = 0; // of the part
  for (const auto &part : parts) {
    size_t end = begin + sizeOf(part);
    Range touched{std::max(range.begin, begin), std::min(range.end, end)};
    if (touched.begin < touched.end)
      piece(part, touched, touched.begin - begin);
    begin = end;
  }
}

/// Cuts elements of `bytes` each, from `begin` on, into messages:
/// message(Range). forEachPiece(act) calls act(Range) for the pieces of memory
/// they lie in. Depends on the sizes alone, so that sender and receiver agree.
template <typename Pieces, typename Message>
void cutIntoMessages(size_t begin, size_t bytes, Pieces &&forEachPiece,
                     Message &&message, const VectorCuts &cuts = kHostCuts) {
  Range run{begin, begin}; // short pieces
  auto flush = [&] {
    if (run.size())
      message(run);
    run.begin = run.end;
  };
  forEachPiece([&](Range piece) {
    bool isShort = piece.size() * bytes < cuts.minMessageBytes;
    if (!isShort || (run.size() + piece.size()) * bytes > cuts.maxMessageBytes)
      flush();
    if (isShort) {
      run.end = piece.end;
      return;
    }
    while (run.end < piece.end) {
      run.end = std::min(run.begin + cuts.maxMessageBytes / bytes, piece.end);
      flush();
    }
  });
  flush();
}

template <typename T> class SegmentedVector {
public:
  explicit SegmentedVector(std::span<const std::span<T>> parts,
                           const VectorCuts &cuts = kHostCuts)
      : parts_(parts), cuts_(cuts) {
    for (std::span<T> part : parts)
      size_ += part.size();
  }

  size_t size() const { return size_; }

  /// Cuts `range` into messages: message(Range, T *inPlace), null where it
  /// consists of several pieces.
  template <typename Message>
  void forEachMessage(Range range, Message &&message) const {
    cutIntoMessages(
        range.begin, sizeof(T),
        [&](auto &&act) {
          forEachPiece(range, [&](size_t begin, std::span<T> piece) {
            act(Range{begin, begin + piece.size()});
          });
        },
        [&](Range run) { message(run, inPlace(run)); }, cuts_);
  }

  /// Where `range` is when it lies within one span; else null.
  T *inPlace(Range range) const {
    for (std::span<T> part : parts_) {
      if (range.begin < part.size())
        return range.end <= part.size() ? part.data() + range.begin : nullptr;
      range.begin -= part.size();
      range.end -= part.size();
    }
    return nullptr;
  }

  /// piece(begin, span) for every part of `range` that lies within one span;
  /// none is empty.
  template <typename Piece>
  void forEachPiece(Range range, Piece &&piece) const {
    forEachPart(
        parts_, [](std::span<T> part) { return part.size(); }, range,
        [&](std::span<T> part, Range touched, size_t offset) {
          piece(touched.begin, part.subspan(offset, touched.size()));
        });
  }

private:
  std::span<const std::span<T>> parts_;
  VectorCuts cuts_;
  size_t size_ = 0;
};

} // namespace boostrt
