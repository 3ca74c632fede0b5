#include "runtime/data/Prefetcher.h"
#include "runtime/abi/boost_random.h"
#include "runtime/data/RowWorkers.h"
#include "runtime/support/CaughtException.h"

#include <algorithm>
#include <atomic>
#include <cassert>
#include <condition_variable>
#include <cstring>
#include <fmt/format.h>
#include <mutex>
#include <system_error>
#include <thread>

namespace boostrt {

/// What is worth it to have another thread do it, which waits without sleep.
static constexpr double kPieceNanoseconds = 4000;

struct Prefetcher::Shared {
  Shared(const Dataset &dataset, TransformPipeline &&transform, Sampler sampler,
         BatchLayout layout, std::vector<std::byte *> &&arenas,
         WindowShard share, const Loading &loading)
      : dataset(dataset), transform(std::move(transform)), sampler(sampler),
        layout(layout), arenas(std::move(arenas)), share(share),
        cache(loading.cache), filled(this->arenas.size()),
        workers(startWorkers(loading)) {
    for (int i = 0; i < workers.count(); ++i)
      scratch.push_back(this->transform.makeScratch(loading.decodingBytes));
    samples.resize(static_cast<size_t>(layout.batchSize));
    if (loading.skipsBadSamples)
      mistakes.resize(static_cast<size_t>(layout.batchSize));
  }

  // Fixed after construction.
  const Dataset &dataset;
  const TransformPipeline transform;
  const Sampler sampler;
  const BatchLayout layout;
  const std::vector<std::byte *> arenas;
  const WindowShard share;
  SampleCache *const cache;

  // Touched by the filling threads only.
  std::vector<TransformScratch> scratch; ///< by worker
  std::vector<int64_t> samples;          ///< by row
  /// By row, what is wrong with its image; of no rows where that is an error.
  std::vector<Status> mistakes;

  // Counts start() calls; a batch under way for an older one is dropped.
  // Written under the mutex, read between rows without it to stop early.
  std::atomic<uint64_t> generation = 0;

  std::mutex mutex;
  std::condition_variable wake;  ///< the thread: room, a new start, or stop
  std::condition_variable ready; ///< next(): a batch, the end, or an error
  // Guarded by the mutex.
  bool stop = false;
  bool exhausted = true; ///< nothing more to fill before the next start()
  int64_t epoch = 0;
  int64_t firstIndex = 0;                         ///< of start()
  uint64_t produced = 0, taken = 0, released = 0; ///< batches since start()
  Status failure;            ///< replaces batch number `produced`
  std::vector<Batch> filled; ///< by arena

  data::RowWorkers workers;
  std::thread thread;

  static data::RowWorkers startWorkers(const Loading &loading) {
    return loading.team ? data::RowWorkers(*loading.team)
                        : data::RowWorkers(loading.workers);
  }
  /// Rows that a thread takes at once: those of files one by one, of others as
  /// many as are worth a thread.
  int32_t rowsAtOnce() const {
    if (dataset.shape().isOfAnySize())
      return 1;
    return static_cast<int32_t>(
        std::clamp(kPieceNanoseconds / transform.nanoseconds(), 1.0,
                   static_cast<double>(layout.batchSize)));
  }

  Result<Batch> fill(std::byte *base, int64_t epoch, int64_t first,
                     uint64_t current);
  Status fillRow(std::byte *base, int64_t row, int64_t epoch, int64_t sample,
                 TransformScratch &scratch);
  void prefetch(int64_t sample) const;
  Status transformSample(std::byte *to, int64_t sample, const DrawKey &key,
                         TransformScratch &scratch);
  Status leaveOutBadRows(Batch &batch);
  void moveRow(std::byte *base, int64_t from, int64_t to) const;
  template <typename Function> void forEachInput(Function &&function) const;
  Status fillIntegers(std::byte *to, int64_t sample) const;
  void clearRows(std::byte *base, int64_t first) const;
  Status fillLabels(std::byte *to, int64_t sample) const;
  /// The next batch to fill; beyond the end when no batch is left.
  int64_t position() const {
    return firstIndex +
           share.batch(static_cast<int64_t>(produced)) * layout.batchSize;
  }
  int64_t elements() const { return transform.outputShape().elements(); }
  int64_t bytesPerSample() const { return transform.outputBytes(); }
  /// Whether the thread is to be woken, should it sleep. If it does, a batch
  /// from memory takes less than a step, and to wake it as long as many
  /// samples: so it is woken once, for all arenas that are free. Of files, some
  /// take much longer than others. The mutex is held.
  bool needsMore() const {
    return !exhausted && (dataset.shape().isOfAnySize() || produced == taken);
  }
  void publish(size_t slot, const Result<Batch> &batch);
  void run();
};

/// Copies a sample's labels and makes sure that the model has their classes.
Status Prefetcher::Shared::fillLabels(std::byte *to, int64_t sample) const {
  std::span<const int32_t> labels = dataset.labels(sample);
  auto wrong = std::ranges::find_if(labels, [&](int32_t label) {
    return label < 0 || label >= layout.classes;
  });
  if (wrong == labels.end()) {
    std::memcpy(to, labels.data(), labels.size_bytes());
    return {};
  }
  int32_t label = *wrong;
  return Status(ExitCode::Data,
                fmt::format("{}: found label {} at sample {}, expected 0 to {} "
                            "because the model has {} classes; check that the "
                            "data set belongs to this model",
                            dataset.labelSource(), label, sample,
                            layout.classes - 1, layout.classes));
}

/// Copies a sample of integers and makes sure that the model has all of them.
Status Prefetcher::Shared::fillIntegers(std::byte *to, int64_t sample) const {
  const uint8_t *from = dataset.sample(sample);
  std::memcpy(to, from, elements() * sizeof(int32_t));
  auto value = [&](int64_t i) {
    int32_t number;
    std::memcpy(&number, from + i * sizeof number, sizeof number);
    return number;
  };
  // One branch a row: negative numbers are large ones without a sign.
  bool good = true;
  for (int64_t i = 0; i < elements(); ++i)
    good &= static_cast<uint32_t>(value(i)) <
            static_cast<uint32_t>(layout.indexClasses);
  if (good)
    return {};
  int64_t place = 0;
  while (value(place) >= 0 && value(place) < layout.indexClasses)
    ++place;
  return Status(
      ExitCode::Data,
      fmt::format("{}: found {} in sample {} at position {}, expected 0 to {} "
                  "because the model's input has {} classes; check that the "
                  "data set belongs to this model",
                  dataset.source(), value(place), sample, place,
                  layout.indexClasses - 1, layout.indexClasses));
}

Status Prefetcher::Shared::fillRow(std::byte *base, int64_t row, int64_t epoch,
                                   int64_t sample, TransformScratch &scratch) {
  auto put = [&](uint64_t offset, int32_t value) {
    std::memcpy(base + offset + row * sizeof value, &value, sizeof value);
  };
  if (layout.labelsOffset) {
    int64_t bytes = dataset.labelsPerSample() * sizeof(int32_t);
    BOOSTRT_RETURN_IF_ERROR(
        fillLabels(base + *layout.labelsOffset + row * bytes, sample));
  }
  auto copy = [&](std::optional<uint64_t> offset,
                  const SampleNumbers &numbers) {
    if (offset)
      std::memcpy(base + *offset + row * numbers.bytesPerSample(),
                  numbers.at(sample), numbers.bytesPerSample());
  };
  copy(layout.targetsOffset, dataset.targets());
  copy(layout.weightsOffset, dataset.weights());
  if (layout.keysOffset)
    put(*layout.keysOffset,
        static_cast<int32_t>(boost_sample_key(sampler.seed(), epoch, sample)));
  std::byte *to = base + layout.samplesOffset + row * bytesPerSample();
  if (dataset.elementType() == ElementType::I32)
    return fillIntegers(to, sample);
  Status status =
      transformSample(to, sample, {sampler.seed(), epoch, sample}, scratch);
  if (mistakes.empty())
    return status;
  mistakes[static_cast<size_t>(row)] = std::move(status);
  return {};
}

/// A sample is needed soon.
void Prefetcher::Shared::prefetch(int64_t sample) const {
  dataset.prefetchLabels(sample);
  if (const uint8_t *cached = cache ? cache->find(sample) : nullptr)
    prefetchBytes(cached, bytesPerSample());
  else
    dataset.prefetch(sample);
}

/// Fails where an image cannot be decoded.
Status Prefetcher::Shared::transformSample(std::byte *to, int64_t sample,
                                           const DrawKey &key,
                                           TransformScratch &scratch) {
  if (const uint8_t *cached = cache ? cache->find(sample) : nullptr) {
    std::memcpy(to, cached, static_cast<size_t>(bytesPerSample()));
    return {};
  }
  if (dataset.shape().isOfAnySize())
    BOOSTRT_RETURN_IF_ERROR(
        transform.applyFile(dataset.file(sample), to, scratch, key));
  else
    transform.apply(dataset.sample(sample), to, scratch, key);
  if (cache)
    cache->keep(sample, to);
  return {};
}

/// Calls function(offset, bytes of a row) for everything a batch has rows of.
template <typename Function>
void Prefetcher::Shared::forEachInput(Function &&function) const {
  function(layout.samplesOffset, bytesPerSample());
  // All but pixels have four bytes.
  if (layout.labelsOffset)
    function(*layout.labelsOffset, dataset.labelsPerSample() * 4);
  if (layout.targetsOffset)
    function(*layout.targetsOffset, dataset.targets().bytesPerSample());
  if (layout.weightsOffset)
    function(*layout.weightsOffset, dataset.weights().bytesPerSample());
  if (layout.keysOffset)
    function(*layout.keysOffset, int64_t{4});
}

/// Zeroes the rows from `first` on.
void Prefetcher::Shared::clearRows(std::byte *base, int64_t first) const {
  forEachInput([&](uint64_t offset, int64_t bytes) {
    std::memset(base + offset + first * bytes, 0,
                (layout.batchSize - first) * bytes);
  });
}

/// Copies row `from` to row `to`, which is another one.
void Prefetcher::Shared::moveRow(std::byte *base, int64_t from,
                                 int64_t to) const {
  forEachInput([&](uint64_t offset, int64_t bytes) {
    std::memcpy(base + offset + to * bytes, base + offset + from * bytes,
                static_cast<size_t>(bytes));
  });
}

/// Moves the rows of a batch that was filled together, and counts the others.
/// Fails where none is left: a program takes one row or more.
Status Prefetcher::Shared::leaveOutBadRows(Batch &batch) {
  if (mistakes.empty())
    return {};
  int32_t good = 0;
  for (int32_t row = 0; row < batch.valid; ++row) {
    const Status &mistake = mistakes[static_cast<size_t>(row)];
    if (mistake.ok()) {
      if (good != row)
        moveRow(batch.base, row, good);
      ++good;
    } else if (batch.bad++ == 0) {
      batch.firstBad = mistake.message();
    }
  }
  batch.valid = good;
  if (good > 0)
    return {};
  return Status(ExitCode::Data,
                fmt::format("{}: none of the {} images of a batch can be "
                            "decoded; the first: {}",
                            dataset.source(), batch.bad, batch.firstBad));
}

/// A batch without rows when `current` is no longer the latest start().
Result<Batch> Prefetcher::Shared::fill(std::byte *base, int64_t epoch,
                                       int64_t first, uint64_t current) {
  Batch batch = {base, 0, first};
  auto valid = static_cast<int32_t>(
      std::min<int64_t>(layout.batchSize, sampler.size() - first));
  struct Rows final : data::RowTask {
    Shared &shared;
    std::byte *base;
    int64_t epoch, first;
    uint64_t current;

    Rows(Shared &shared, std::byte *base, int64_t epoch, int64_t first,
         uint64_t current)
        : shared(shared), base(base), epoch(epoch), first(first),
          current(current) {}

    bool isDropped() const {
      return shared.generation.load(std::memory_order_relaxed) != current;
    }
    void prepare(int32_t begin, int32_t end) override {
      for (int32_t row = begin; row < end; ++row) {
        int64_t sample = shared.sampler.at(epoch, first + row);
        shared.samples[static_cast<size_t>(row)] = sample;
        shared.prefetch(sample);
      }
    }
    Status fill(int worker, int32_t row) override {
      if (isDropped())
        return {};
      return shared.fillRow(base, row, epoch,
                            shared.samples[static_cast<size_t>(row)],
                            shared.scratch[static_cast<size_t>(worker)]);
    }
  } rows(*this, base, epoch, first, current);
  BOOSTRT_RETURN_IF_ERROR(workers.run(valid, rows, rowsAtOnce()));
  if (rows.isDropped())
    return batch;
  batch.valid = valid;
  BOOSTRT_RETURN_IF_ERROR(leaveOutBadRows(batch));
  clearRows(base, batch.valid);
  std::memcpy(base + layout.validOffset, &batch.valid, sizeof(batch.valid));
  return batch;
}

/// Books the result of filling arena `slot`. The mutex is held.
void Prefetcher::Shared::publish(size_t slot, const Result<Batch> &batch) {
  if (!batch.ok()) {
    failure = batch.status();
    exhausted = true;
    return;
  }
  filled[slot] = *batch;
  ++produced;
  exhausted = position() >= sampler.size();
}

void Prefetcher::Shared::run() {
  std::unique_lock lock(mutex);
  while (true) {
    wake.wait(lock, [&] {
      return stop || (!exhausted && produced - released < arenas.size());
    });
    if (stop)
      return;
    uint64_t current = generation.load(std::memory_order_relaxed);
    size_t slot = produced % arenas.size();
    int64_t atEpoch = epoch, atPosition = position();
    lock.unlock();
    Result<Batch> batch = catching(
        [&] { return fill(arenas[slot], atEpoch, atPosition, current); });
    lock.lock();
    if (stop || generation.load(std::memory_order_relaxed) != current)
      continue;
    publish(slot, batch);
    ready.notify_one();
  }
}

static Status checkArguments(const Dataset &dataset,
                             const TransformPipeline &transform,
                             const Sampler &sampler, const BatchLayout &layout,
                             const std::vector<std::byte *> &arenas,
                             Prefetcher::Mode mode) {
  auto broken = [](const std::string &text) {
    return Status(ExitCode::Internal, "prefetch: " + text);
  };
  if (dataset.shape() != transform.inputShape())
    return Status(ExitCode::Data,
                  fmt::format("{}: found samples of {}, expected {}; use the "
                              "data set the model was written for",
                              dataset.source(), toString(dataset.shape()),
                              toString(transform.inputShape())));
  if (dataset.elementType() != transform.elementType())
    return broken("samples of another element type than the transforms'");
  if (sampler.size() != dataset.size())
    return broken(fmt::format("an order of {} samples for a data set of {}",
                              sampler.size(), dataset.size()));
  if (layout.batchSize < 1 || layout.batchSize > INT32_MAX)
    return broken(fmt::format("a batch of {} rows", layout.batchSize));
  if (layout.labelsOffset && layout.classes < 1)
    return broken(fmt::format("labels of {} classes", layout.classes));
  if (layout.labelsOffset && !dataset.hasLabels())
    return broken("labels of a data set without any");
  if (layout.targetsOffset && !dataset.hasTargets())
    return broken("targets of a data set without any");
  if (layout.weightsOffset && !dataset.hasWeights())
    return broken("weights of a data set without any");
  if (dataset.elementType() == ElementType::I32 && layout.indexClasses < 1)
    return broken(fmt::format("integers of {} classes", layout.indexClasses));
  if ((layout.samplesOffset | layout.labelsOffset.value_or(0) |
       layout.targetsOffset.value_or(0) | layout.weightsOffset.value_or(0) |
       layout.keysOffset.value_or(0) | layout.validOffset) %
      4)
    return broken("offsets that are not multiples of 4");
  size_t needed = mode == Prefetcher::Mode::Background ? 2 : 1;
  if (arenas.size() < needed)
    return broken(fmt::format("{} batch arenas, expected {} or more",
                              arenas.size(), needed));
  for (size_t i = 0; i < arenas.size(); ++i)
    if (!arenas[i] || std::count(arenas.begin(), arenas.end(), arenas[i]) != 1)
      return broken(fmt::format("batch arena {} is null or a duplicate", i));
  return {};
}

Result<std::unique_ptr<Prefetcher>>
Prefetcher::create(const Dataset &dataset, TransformPipeline transform,
                   Sampler sampler, BatchLayout layout,
                   std::vector<std::byte *> arenas, Mode mode,
                   WindowShard share, Loading loading) {
  BOOSTRT_RETURN_IF_ERROR(
      checkArguments(dataset, transform, sampler, layout, arenas, mode));
  assert(loading.workers >= 1 && "one worker fills batches, at least");
  assert((!loading.team || mode == Mode::Inline) &&
         "a team works for its owner, in next()");
  try {
    auto shared =
        std::make_unique<Shared>(dataset, std::move(transform), sampler, layout,
                                 std::move(arenas), share, loading);
    if (mode == Mode::Background)
      shared->thread = std::thread(&Shared::run, shared.get());
    return std::unique_ptr<Prefetcher>(new Prefetcher(std::move(shared)));
  } catch (const std::system_error &error) {
    return cannotStart("a thread that loads samples", error.code().value());
  }
}

Prefetcher::Prefetcher(std::unique_ptr<Shared> shared)
    : shared_(std::move(shared)) {}

Prefetcher::~Prefetcher() {
  if (!shared_->thread.joinable())
    return;
  {
    std::lock_guard lock(shared_->mutex);
    shared_->stop = true;
    shared_->generation.fetch_add(1, std::memory_order_relaxed);
  }
  shared_->wake.notify_one();
  shared_->thread.join();
}

void Prefetcher::start(int64_t epoch, int64_t firstIndex) {
  Shared &shared = *shared_;
  assert(firstIndex >= 0 && firstIndex <= shared.sampler.size());
  {
    std::lock_guard lock(shared.mutex);
    shared.generation.fetch_add(1, std::memory_order_relaxed);
    shared.epoch = epoch;
    shared.firstIndex = firstIndex;
    shared.produced = shared.taken = shared.released = 0;
    shared.exhausted = shared.position() >= shared.sampler.size();
    shared.failure = Status();
  }
  shared.wake.notify_one();
}

Result<Batch> Prefetcher::next() {
  Shared &shared = *shared_;
  std::unique_lock lock(shared.mutex);
  shared.released = shared.taken;
  auto isReady = [&] {
    return shared.produced > shared.taken || shared.exhausted;
  };
  if (!isReady() && shared.thread.joinable()) {
    shared.wake.notify_one();
    shared.ready.wait(lock, isReady);
  } else if (!isReady()) {
    size_t slot = shared.produced % shared.arenas.size();
    shared.publish(slot, shared.fill(shared.arenas[slot], shared.epoch,
                                     shared.position(), shared.generation));
  }
  if (shared.produced == shared.taken) {
    if (!shared.failure.ok())
      return shared.failure;
    return Batch{nullptr, 0,
                 std::min(shared.position(), shared.sampler.size())};
  }
  Batch batch = shared.filled[shared.taken++ % shared.arenas.size()];
  bool wakes = shared.needsMore();
  lock.unlock();
  // It wants the mutex at once.
  if (wakes && shared.thread.joinable())
    shared.wake.notify_one();
  return batch;
}

} // namespace boostrt
