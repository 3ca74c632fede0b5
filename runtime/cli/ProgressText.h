// ProgressText.h - the progress bar as text, cut to the width of a terminal.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace boostrt {

/// A bar needs so many columns; narrower terminals get lines alone.
inline constexpr size_t kMinBarColumns = 40;

/// How far a run is.
struct Progress {
  int64_t epoch = 0, epochs = 0;
  int64_t step = 0, stepsPerEpoch = 0; ///< inside the epoch
  float loss = 0;
  double samplesPerSecond = 0, secondsLeft = 0;
};

/// One line of fewer than `columns` columns, of ASCII alone, in which every
/// character takes one column; the last column stays free, because some
/// terminals wrap as soon as it is written. What does not fit goes in this
/// order: the bar becomes shorter, then the rate goes, the time left, the bar,
/// the loss.
std::string progressText(const Progress &progress, size_t columns,
                         bool hasColour);

} // namespace boostrt
