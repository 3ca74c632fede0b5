// Prefetcher.h - batches, ready before they are needed.
//
// A background thread fills the caller's batch arenas in turn, ahead of the
// caller by as many as there are arenas less the one in use. Where no CPU is
// idle, it would take time from the threads that compute; then these make each
// batch themselves, when it is needed. More threads may share the rows of a
// batch, which changes nothing in it. The caller owns the arenas because they
// are part of the memory plan; no step allocates anything.
#pragma once

#include "runtime/data/Dataset.h"
#include "runtime/data/SampleCache.h"
#include "runtime/data/Sampler.h"
#include "runtime/data/Transform.h"
#include "runtime/data/WindowShard.h"
#include "runtime/support/ThreadTeam.h"

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace boostrt {

/// Where a batch lies in its arena, and what it must satisfy. Offsets are in
/// bytes; what has none is not written.
struct BatchLayout {
  int64_t batchSize = 0; ///< rows, padding included; > 0
  /// [batchSize, outputShape()]: f32 or bytes, as the transforms make them, and
  /// i32 where the data set has integers.
  uint64_t samplesOffset = 0;
  std::optional<uint64_t> labelsOffset;  ///< i32 [batchSize]
  std::optional<uint64_t> targetsOffset; ///< f32 [batchSize, elements]
  std::optional<uint64_t> weightsOffset; ///< likewise
  /// i32 [batchSize]: boost_sample_key() of the sampler's seed, the epoch and
  /// the sample's number in the data set.
  std::optional<uint64_t> keysOffset;
  uint64_t validOffset = 0; ///< i32 scalar, the number of real rows
  int32_t classes = 0;      ///< labels must be in [0, classes); > 0
  int32_t indexClasses = 0; ///< samples of integers in [0, indexClasses); > 0
};

/// How batches are made; what is in them does not depend on who makes them.
struct Loading {
  int workers = 1; ///< threads that share the rows of a batch; > 0
  /// These threads, `workers` of them, make the batches inside next():
  /// Mode::Inline. Outlives the prefetcher; null: threads of their own do.
  ThreadTeam *team = nullptr;
  /// Whether an image that cannot be read or decoded costs its batch a row, and
  /// is not an error.
  bool skipsBadSamples = false;
  /// What decoding an image takes at most, on each worker.
  uint64_t decodingBytes = kDecodingBytes;
  /// Keeps samples once they are made, of transforms that are not random; not
  /// of integers, which have no transforms. Outlives the prefetcher; null:
  /// none.
  SampleCache *cache = nullptr;
};

/// A filled arena. Rows valid .. batchSize-1 are zero in everything.
struct Batch {
  std::byte *base = nullptr; ///< of the arena; null at the end of the epoch
  int32_t valid = 0;         ///< real rows; 0 only at the end of the epoch
  int64_t first = 0; ///< position in the epoch's order where it begins; it
                     ///< holds positions first .. first + valid + bad - 1
  int32_t bad = 0;   ///< images that were left out; rows after them moved up
  std::string firstBad = {}; ///< what is wrong with the first of them

  bool end() const { return valid == 0; }
};

class Prefetcher {
public:
  enum class Mode {
    Background, ///< a thread fills ahead; needs two arenas or more
    Inline      ///< next() fills, in the calling thread or with Loading::team;
                ///< one arena will do
  };

  /// `dataset` must outlive the prefetcher and agree with `transform` in shape
  /// and with `sampler` in size, whose seed is also that of the transforms'
  /// draws; all memory is allocated and the thread started
  /// here. `arenas` are distinct base addresses, aligned as the ABI requires.
  /// Fails with ExitCode::Data (data unfit for the model) or Internal (a broken
  /// argument, no thread to be had).
  /// All batches of an epoch are filled unless `share` says which.
  static Result<std::unique_ptr<Prefetcher>>
  create(const Dataset &dataset, TransformPipeline transform, Sampler sampler,
         BatchLayout layout, std::vector<std::byte *> arenas,
         Mode mode = Mode::Background, WindowShard share = {},
         Loading loading = {});

  /// Stops the thread, whatever it is doing, and joins it.
  ~Prefetcher();
  Prefetcher(const Prefetcher &) = delete;
  Prefetcher &operator=(const Prefetcher &) = delete;

  /// Begins (or begins again) with the window at position `firstIndex` of
  /// `epoch`, 0 <= firstIndex <= size, of which the share's batches are
  /// filled. Batches under way are dropped, earlier errors
  /// forgotten, and the arena of the last next() is taken back.
  void start(int64_t epoch, int64_t firstIndex = 0);

  /// The next batch, waiting for it if it must. Its arena stays untouched until
  /// the following next() or start(). The last batch of an epoch may be short;
  /// after it comes a Batch with end(). An error (ExitCode::Data, a label or an
  /// integer out of range, a bad image, or none but bad ones) comes in the
  /// place of its batch and stays until start(). next() and start() are for one
  /// thread.
  Result<Batch> next();

private:
  struct Shared;
  explicit Prefetcher(std::unique_ptr<Shared> shared);

  std::unique_ptr<Shared> shared_;
};

} // namespace boostrt
