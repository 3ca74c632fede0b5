#include "runtime/data/PixelMoves.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <span>

namespace boostrt::data {
namespace {

/// Pixels [begin, end) of a row or column that are in a border.
struct Edge {
  int64_t begin, end;
  int64_t border;
};

} // namespace

/// Where the pixels of the result come from along one axis. Built from the
/// last move to the first: a later border covers an earlier one.
struct PixelMoves::Line {
  explicit Line(int64_t extent) : end(extent) {}

  // Pixel i of [begin, end) is pixel `sign` * i + offset of the image.
  int64_t sign = 1, offset = 0;
  int64_t begin = 0, end;
  std::array<Edge, 2 * kMaxOperations>
      edges; ///< all others: `count`, at both ends of a move
  size_t count = 0;

  void mirror(int64_t extent) {
    sign = -sign;
    offset = extent - 1 - offset;
  }

  /// The first of `extent` pixels comes to pixel `first`.
  void shift(int64_t first, int64_t extent, int64_t border) {
    offset -= first;
    int64_t low = sign > 0 ? -offset : offset - extent + 1;
    int64_t inside = std::clamp(low, begin, end);
    int64_t outside = std::clamp(low + extent, inside, end);
    add({begin, inside, border});
    add({outside, end, border});
    begin = inside;
    end = outside;
  }

  void add(const Edge &edge) {
    if (edge.begin < edge.end)
      edges[count++] = edge;
  }

  std::span<const Edge> outside() const { return {edges.data(), count}; }
};

PixelMoves::PixelMoves(const SampleShape &input,
                       const std::vector<double> &values)
    : input_(input), output_(input), values_(values) {
  assert(std::ssize(values) == 256 * input.channels);
}

void PixelMoves::change(
    const std::function<double(double, int64_t)> &function) {
  auto perChannel = std::ssize(values_) / input_.channels;
  for (int64_t i = 0; i < std::ssize(values_); ++i)
    values_[static_cast<size_t>(i)] =
        function(values_[static_cast<size_t>(i)], i / perChannel);
}

void PixelMoves::place(const SampleShape &output, int64_t top, int64_t left,
                       double border) {
  assert(moves_.size() < kMaxOperations);
  auto perChannel = std::ssize(values_) / input_.channels;
  for (int64_t c = input_.channels; c > 0; --c)
    values_.insert(values_.begin() + c * perChannel, border);
  moves_.push_back({.kind = Move::Place,
                    .top = top,
                    .left = left,
                    .input = output_,
                    .border = borders_++});
  output_ = output;
}

void PixelMoves::shiftAtRandom(int64_t padding, size_t operation) {
  place(output_, padding, padding, 0);
  moves_.back().kind = Move::Shift;
  moves_.back().operation = operation;
}

void PixelMoves::flipAtRandom(double probability, size_t operation) {
  assert(moves_.size() < kMaxOperations);
  moves_.push_back({.kind = Move::Flip,
                    .operation = operation,
                    .probability = probability,
                    .input = output_});
}

void PixelMoves::finish(bool asBytes) {
  if (!asBytes) {
    floats_.assign(values_.begin(), values_.end());
    return;
  }
  for (double value : values_)
    bytes_.push_back(static_cast<uint8_t>(value + 0.5));
}

void PixelMoves::apply(const uint8_t *image, void *out,
                       const DrawKey &key) const {
  Line rows(output_.height), columns(output_.width);
  for (size_t i = moves_.size(); i-- > 0;) {
    const Move &move = moves_[i];
    if (move.kind == Move::Place) {
      rows.shift(move.top, move.input.height, move.border);
      columns.shift(move.left, move.input.width, move.border);
      continue;
    }
    BoostRandomBlock draw = randomBits(key, move.operation);
    if (move.kind == Move::Shift) {
      int64_t choices = 2 * move.top + 1;
      rows.shift(move.top - below(choices, draw.word[0]), move.input.height,
                 move.border);
      columns.shift(move.top - below(choices, draw.word[1]), move.input.width,
                    move.border);
    } else if (draw.word[0] >= (1 - move.probability) * 0x1p32) {
      columns.mirror(move.input.width);
    }
  }
  if (floats_.empty())
    write(image, static_cast<uint8_t *>(out), bytes_, rows, columns);
  else
    write(image, static_cast<float *>(out), floats_, rows, columns);
}

template <typename T>
void PixelMoves::write(const uint8_t *image, T *out,
                       const std::vector<T> &table, const Line &rows,
                       const Line &columns) const {
  // An image that stays where it is has one long row.
  bool stays = moves_.empty();
  int64_t height = stays ? 1 : output_.height;
  int64_t width = stays ? output_.height * output_.width : output_.width;
  int64_t begin = stays ? 0 : columns.begin, end = stays ? width : columns.end;
  int64_t stride = stays ? width : input_.width;
  const auto perChannel = static_cast<int64_t>(table.size()) / input_.channels;
  for (int64_t c = 0; c < input_.channels; ++c) {
    const T *values = table.data() + c * perChannel;
    const T *borders = values + 256;
    const uint8_t *plane = image + c * input_.height * input_.width;
    auto fill = [&](T *row, const Edge &edge) {
      std::fill(row + edge.begin, row + edge.end, borders[edge.border]);
    };
    T *to = out + c * output_.height * output_.width;
    for (const Edge &outer : rows.outside())
      for (int64_t y = outer.begin; y < outer.end; ++y) {
        T *row = to + y * width;
        fill(row, {0, width, outer.border});
        for (const Edge &edge : columns.outside())
          if (edge.border > outer.border)
            fill(row, edge);
      }
    for (int64_t y = stays ? 0 : rows.begin; y < (stays ? height : rows.end);
         ++y) {
      T *row = to + y * width;
      for (const Edge &edge : columns.outside())
        fill(row, edge);
      const uint8_t *from = plane + (rows.sign * y + rows.offset) * stride;
      if (columns.sign < 0)
        for (int64_t x = begin; x < end; ++x)
          row[x] = values[from[columns.offset - x]];
      else
        for (int64_t x = begin; x < end; ++x)
          row[x] = values[from[columns.offset + x]];
    }
  }
}

} // namespace boostrt::data
