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

template <typename T> class PartedVector {
public:
  /// A message in place carries so many bytes at most: few enough to be added
  /// while they are in the cache.
  static constexpr size_t maxMessageBytes = size_t(1) << 20;
  /// Neighbouring pieces shorter than this travel together: copying them costs
  /// less than a message.
  static constexpr size_t minMessageBytes = size_t(64) << 10;

  explicit PartedVector(std::span<const std::span<T>> parts) : parts_(parts) {
    for (std::span<T> part : parts)
      size_ += part.size();
  }

  size_t size() const { return size_; }

  /// Cuts `range` into messages: message(Range, T *inPlace), null where it
  /// consists of several pieces. Depends on the sizes alone, so that sender and
  /// receiver agree.
  template <typename Message>
  void forEachMessage(Range range, Message &&message) const {
    Range run{range.begin, range.begin}; // short pieces
    auto flush = [&] {
      if (run.size())
        message(run, inPlace(run));
      run.begin = run.end;
    };
    forEachPiece(range, [&](size_t begin, std::span<T> piece) {
      bool isShort = piece.size_bytes() < minMessageBytes;
      if (!isShort || (run.size() + piece.size()) * sizeof(T) > maxMessageBytes)
        flush();
      run.end = begin + piece.size();
      if (isShort)
        return;
      for (run.end = run.begin; run.end < begin + piece.size();) {
        run.end = std::min(run.begin + maxMessageBytes / sizeof(T),
                           begin + piece.size());
        flush();
      }
    });
    flush();
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
    size_t begin = 0; // of the part
    for (std::span<T> part : parts_) {
      size_t from = std::max(range.begin, begin);
      size_t to = std::min(range.end, begin + part.size());
      if (from < to)
        piece(from, part.subspan(from - begin, to - from));
      begin += part.size();
    }
  }

private:
  std::span<const std::span<T>> parts_;
  size_t size_ = 0;
};

} // namespace boostrt
