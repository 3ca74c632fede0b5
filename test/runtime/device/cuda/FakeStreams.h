// FakeStreams.h - streams and events for FakeCuda.cpp: lines of work that runs
// when the host waits for it, in the order of its line and of the events
// between lines, and in no other. What runs early, because no event told it to
// wait, and what runs late, because no call waited for it, both show.
#pragma once

#include "runtime/device/cuda/CudaApi.h"

#include <cstdlib>
#include <deque>
#include <functional>
#include <vector>

namespace boostrt::fake_cuda {

struct FakeStream;

struct FakeEvent {
  double time = -1; ///< of the device; below 0: nothing has come to it
  int recorded = 0, reached = 0;
  FakeStream *stream = nullptr; ///< that recorded it last
};

struct FakeStream {
  struct Item {
    std::function<void()> run; ///< empty: waits for `event`
    FakeEvent *event = nullptr;
    int recorded = 0; ///< times
    FakeStream *stream = nullptr;
  };

  int number = 0; ///< from 1
  std::deque<Item> line;

  bool isBlocked() const {
    return !line.front().run &&
           line.front().event->reached < line.front().recorded;
  }

  /// What is asked for first, and before it what that waits for.
  void runOne() {
    while (isBlocked())
      line.front().stream->runOne();
    Item item = std::move(line.front());
    line.pop_front();
    if (item.run)
      item.run();
  }
  void finish() {
    while (!line.empty())
      runOne();
  }
  /// As much as can run by itself.
  void advance() {
    while (!line.empty() && !isBlocked())
      runOne();
  }

  void record(FakeEvent *event, const double &now) {
    event->stream = this;
    line.push_back({[event, count = ++event->recorded, &now] {
                      event->time = now;
                      event->reached = count;
                    },
                    nullptr, 0, nullptr});
  }
  void wait(FakeEvent *event) {
    if (event->recorded > 0)
      line.push_back({{}, event, event->recorded, event->stream});
  }
};

inline void finish(const FakeEvent &event) {
  while (event.reached < event.recorded)
    event.stream->runOne();
}

/// All streams. With FAKE_CUDA_EAGER the second and later ones run on as soon
/// as they can.
class FakeStreams {
public:
  FakeStream *make() {
    auto *stream = new FakeStream;
    streams_.push_back(stream);
    stream->number = static_cast<int>(streams_.size());
    return stream;
  }
  void destroy(FakeStream *stream) {
    std::erase(streams_, stream);
    delete stream;
  }
  /// The one that libraries work on.
  FakeStream &first() { return *streams_.front(); }
  bool areIdle() const {
    for (const FakeStream *stream : streams_)
      if (!stream->line.empty())
        return false;
    return true;
  }
  /// After every call.
  void advance() {
    if (std::getenv("FAKE_CUDA_EAGER"))
      for (size_t i = 1; i < streams_.size(); ++i)
        streams_[i]->advance();
  }

private:
  std::vector<FakeStream *> streams_;
};

} // namespace boostrt::fake_cuda
