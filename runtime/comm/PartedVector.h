// PartedVector.h - several spans that together are one vector, and how a range
// of it travels.
#pragma once

#include <algorithm>
#include <cstring>
#include <span>

namespace boostrt {

/// Elements begin..end-1 of a vector.
struct Range {
  size_t begin = 0, end = 0;
  size_t size() const { return end - begin; }
};

/// A message in place carries so many bytes at most: few enough to be added
/// while they are in the cache.
inline constexpr size_t kMostMessageBytes = size_t(1) << 20;
/// Neighbouring pieces shorter than this travel together: copying them costs
/// less than a message.
inline constexpr size_t kLeastMessageBytes = size_t(64) << 10;

/// piece(part, Range, offset) for every part of a vector that `range` touches:
/// the touched elements, and where in the part they begin. A part has
/// `sizeOf(part)` elements, behind those of the part before.
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
                     Message &&message) {
  Range run{begin, begin}; // short pieces
  auto flush = [&] {
    if (run.size())
      message(run);
    run.begin = run.end;
  };
  forEachPiece([&](Range piece) {
    bool isShort = piece.size() * bytes < kLeastMessageBytes;
    if (!isShort || (run.size() + piece.size()) * bytes > kMostMessageBytes)
      flush();
    if (isShort) {
      run.end = piece.end;
      return;
    }
    while (run.end < piece.end) {
      run.end = std::min(run.begin + kMostMessageBytes / bytes, piece.end);
      flush();
    }
  });
  flush();
}

template <typename T> class PartedVector {
public:
  explicit PartedVector(std::span<const std::span<T>> parts) : parts_(parts) {
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
        [&](Range run) { message(run, inPlace(run)); });
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

  void copyOut(Range range, T *to) const {
    forEachPiece(range, [&](size_t begin, std::span<T> piece) {
      std::memcpy(to + (begin - range.begin), piece.data(), piece.size_bytes());
    });
  }

  void copyIn(Range range, const T *from) const {
    forEachPiece(range, [&](size_t begin, std::span<T> piece) {
      std::memcpy(piece.data(), from + (begin - range.begin),
                  piece.size_bytes());
    });
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
  size_t size_ = 0;
};

} // namespace boostrt
