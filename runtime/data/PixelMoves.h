// PixelMoves.h - transforms that move whole pixels and change each by itself,
// in one pass over the result: pad, center_crop, random_crop, random_flip,
// rescale and normalize of bytes, in any order. Private to this room.
//
// A pixel of the result is a byte of the image or of the border that one of the
// operations adds, and what later operations make of it is a table.
#pragma once

#include "runtime/data/Dataset.h"
#include "runtime/data/Draw.h"

#include <functional>
#include <optional>
#include <vector>

namespace boostrt::data {

class PixelMoves {
public:
  /// Takes images of `input`; a byte of channel c is the number
  /// values[256 * c + byte] at first.
  PixelMoves(const SampleShape &input, const std::vector<double> &values);

  // The operations of the list, one after the other.

  /// Makes function(x, channel) of every number x.
  void change(const std::function<double(double, int64_t)> &function);
  /// The image lies `top` and `left` pixels inside `output`, in `border`; where
  /// these are negative it begins earlier, and what is outside is cut off.
  void place(const SampleShape &output, int64_t top, int64_t left,
             double border);
  /// Shifts the image by -padding to padding pixels along both sides, as
  /// operation `operation` of the list draws; zeros come in.
  void shiftAtRandom(int64_t padding, size_t operation);
  /// Mirrors left and right with that probability.
  void flipAtRandom(double probability, size_t operation);

  /// Rounds all numbers to floats, or to bytes; then apply() may be called.
  void finish(bool asBytes);

  /// Writes the result of an image, floats or bytes. Allocates nothing.
  void apply(const uint8_t *image, void *out, const DrawKey &key) const;

private:
  struct Move {
    enum Kind { Place, Shift, Flip } kind;
    size_t operation = 0;
    int64_t top = 0, left = 0; ///< of a shift: its padding in `top`
    double probability = 0;
    SampleShape input;   ///< of the move
    int64_t border = -1; ///< its number; flips have none
  };
  struct Line;
  template <typename T>
  void write(const uint8_t *image, T *out, const std::vector<T> &table,
             const Line &rows, const Line &columns) const;

  SampleShape input_, output_;
  std::vector<Move> moves_;
  int64_t borders_ = 0;
  std::vector<double> values_; ///< by channel: of the bytes, then of borders
  std::vector<float> floats_;  ///< the same, rounded
  std::vector<uint8_t> bytes_;
};

} // namespace boostrt::data
