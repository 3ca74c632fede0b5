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
  Status run(Group &ofGroup, float *ofBucket, Workspace &ofWorkspace,
             VectorMemory &ofMemory, AdasumReport *reported);

  void add(std::vector<adasum::Level> levels);
  void writeLists();

  size_t scratchBytes() const;
  /// Takes places of `scratch`, which is of `memory`.
  Status begin(std::byte *scratch);

  /// The coefficients of a level whose parts were exchanged, and its result.
  Status combine(adasum::LevelState &state);

  /// An exchange is put together from these, and carried out by exchange():
  /// the parts of one level come to those who combine them,
  Status addScatter(adasum::LevelState &state);
  /// or results go to all.
  Status addGather(adasum::LevelState &state);
  Status exchange();

  void clear();
  Status report(AdasumReport &report);
  /// What member 0 gets for it from all members together.
  size_t reportBytes() const;

  uint32_t members = 1, self = 0, vectors = 0;
  AdasumOptions options;
  adasum::Cut cut = adasum::Cut::EqualSlices;
  std::vector<uint32_t> radices; ///< without the mean
  std::vector<AdasumBlock> blocks;
  /// Elements of scratch memory: results that are copied together lie after
  /// the parts, as both are exchanged at once.
  size_t partsScratch = 0, resultsScratch = 0;
  /// Bytes of it: every level's lists, which are written once, and the numbers
  /// of one level.
  size_t listsScratch = 0, numbersScratch = 0;
  std::vector<std::byte> lists;
  AdasumStats stats;

  // For the run:
  Group *group = nullptr;
  Workspace *workspace = nullptr;
  VectorMemory *memory = nullptr; ///< of the bucket
  float *bucket = nullptr;
  /// A vector that is not shared is combined when its last part has come.
  bool finishesEarly = false;

private:
  void send(uint32_t member, const float *data, size_t count);
  void receive(uint32_t member, float *place, size_t count);
  /// Between the bucket and elements that follow one another at `packed`.
  Status pack(const adasum::Message &message, float *packed) const;
  Status unpack(const adasum::Message &message, const float *packed) const;
  Status take(size_t receive);

  std::byte *scratch_ = nullptr;
  float *parts_ = nullptr, *packedResults_ = nullptr;

  // For the exchange; receives of results come before those of parts.
  adasum::LevelState *scattered_ = nullptr;
  std::vector<const adasum::Message *> results_; ///< by receive
  size_t takenBytes_ = 0; ///< of parts that are still to be worked on
  size_t worked_ = 0;     ///< messages that were worked on
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
