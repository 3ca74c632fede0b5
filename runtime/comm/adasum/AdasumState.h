// AdasumState.h - an Adasum while it runs.
#pragma once

#include "runtime/comm/adasum/Adasum.h"
#include "runtime/comm/adasum/LevelState.h"

#include <chrono>

namespace boostrt {

/// Vectors that are combined before the next ones are.
struct AdasumBlock {
  std::vector<adasum::LevelState> levels;
};

struct Adasum::State {
  void add(std::vector<adasum::Level> levels);

  /// The coefficients of a level whose parts were exchanged, and its result.
  Status combine(adasum::LevelState &state);

  /// An exchange is put together from these, and carried out by exchange():
  /// the parts of one level come to those who combine them,
  void addScatter(adasum::LevelState &state);
  /// or results go to all.
  void addGather(adasum::LevelState &state);
  Status exchange();

  void clear();
  Status report(AdasumReport &report);

  uint32_t members = 1, self = 0, vectors = 0;
  AdasumOptions options;
  adasum::Cut cut = adasum::Cut::EqualSlices;
  std::vector<uint32_t> radices; ///< without the mean
  std::vector<AdasumBlock> blocks;
  /// Elements of scratch memory: results that are copied together lie behind
  /// the parts, as both are exchanged at once.
  size_t partsScratch = 0, resultsScratch = 0;
  AdasumStats stats;

  // Of the run:
  Group *group = nullptr;
  Workspace *workspace = nullptr;
  float *bucket = nullptr;

private:
  void send(uint32_t member, std::span<const float> data);
  void receive(uint32_t member, float *place, size_t count);
  float *pack(const adasum::Message &message, float *to) const;
  void take(size_t receive);

  // Of the exchange; receives of results come before those of parts.
  adasum::LevelState *scattered_ = nullptr;
  std::vector<const adasum::Message *> results_; ///< by receive
};

class Stopwatch {
public:
  explicit Stopwatch(double &total)
      : total_(total), begin_(std::chrono::steady_clock::now()) {}
  ~Stopwatch() {
    total_ +=
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_)
            .count();
  }

private:
  double &total_;
  std::chrono::steady_clock::time_point begin_;
};

} // namespace boostrt
