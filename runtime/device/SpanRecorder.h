// SpanRecorder.h - when a step, its functions and what they call began and
// ended, for profiles. A device that was given one times its calls; without one
// they cost what they cost.
#pragma once

#include "runtime/support/Clock.h"

#include <cstdint>
#include <span>
#include <vector>

namespace boostrt {

/// What takes a time. Each but the first is inside of one that comes before it
/// here.
enum class SpanKind : uint8_t { Step, Function, Kernel, Library, Collective };

struct Span {
  SpanKind kind;
  /// The number of the step; an index into the target's functions, launches or
  /// library calls, or into the program's collectives.
  int64_t index = 0;
  Clock::time_point begin = {}, end = {};

  double seconds() const {
    return std::chrono::duration<double>(end - begin).count();
  }
};

/// Spans in the order in which they began. Used by the thread that runs steps.
class SpanRecorder {
public:
  /// Begins a span now, inside of those that are open; for close().
  size_t open(SpanKind kind, int64_t index) {
    spans_.push_back({kind, index, {}, {}});
    spans_.back().begin = Clock::now();
    return spans_.size() - 1;
  }
  void close(size_t span) { spans_[span].end = Clock::now(); }

  /// A span that a device has timed itself.
  void add(const Span &span) { spans_.push_back(span); }

  std::span<const Span> spans() const { return spans_; }
  /// Has room for `count` spans in all, so that none waits for memory.
  void reserve(size_t count) { spans_.reserve(count); }

private:
  std::vector<Span> spans_;
};

/// A span as long as it lives; none without a recorder.
class SpanScope {
public:
  SpanScope(SpanRecorder *recorder, SpanKind kind, int64_t index)
      : recorder_(recorder), span_(recorder ? recorder->open(kind, index) : 0) {
  }
  ~SpanScope() {
    if (recorder_)
      recorder_->close(span_);
  }
  SpanScope(const SpanScope &) = delete;
  SpanScope &operator=(const SpanScope &) = delete;

private:
  SpanRecorder *recorder_;
  size_t span_;
};

} // namespace boostrt
