#include "runtime/data/Digits.h"

#include <fmt/format.h>
#include <new>

namespace boostrt {

std::unique_ptr<DigitsDataset>
DigitsDataset::create(uint64_t seed, DigitsSplit split, int64_t count) {
  OwnedBytes pixels = allocateBytes(count * kDigitBytes);
  std::unique_ptr<std::atomic<uint8_t>[]> states(
      new (std::nothrow) std::atomic<uint8_t>[count]());
  if (!pixels || !states)
    return nullptr;
  // One write makes a page resident; volatile, because nothing reads it.
  constexpr int64_t kPage = 4096;
  volatile uint8_t *touch = pixels.get();
  for (int64_t at = 0; at < count * kDigitBytes; at += kPage)
    touch[at] = 0;
  touch[count * kDigitBytes - 1] = 0;
  return std::unique_ptr<DigitsDataset>(new DigitsDataset(
      seed, split, count, std::move(pixels), std::move(states)));
}

DigitsDataset::DigitsDataset(uint64_t seed, DigitsSplit split, int64_t count,
                             OwnedBytes pixels,
                             std::unique_ptr<std::atomic<uint8_t>[]> states)
    : Dataset(
          {1, kDigitSide, kDigitSide}, count, digitLabels(seed, split, count),
          fmt::format("digits ({}, seed {})",
                      split == DigitsSplit::Train ? "train" : "test", seed),
          fmt::format("digits ({}, seed {})",
                      split == DigitsSplit::Train ? "train" : "test", seed)),
      seed_(seed), split_(split), pixels_(std::move(pixels)),
      states_(std::move(states)) {}

const uint8_t *DigitsDataset::sample(int64_t index) const {
  uint8_t *pixels = pixels_.get() + index * kDigitBytes;
  std::atomic<uint8_t> &state = states_[index];
  uint8_t seen = state.load(std::memory_order_acquire);
  if (seen == Ready)
    return pixels;
  if (seen == Blank &&
      state.compare_exchange_strong(seen, Drawing, std::memory_order_acquire)) {
    drawDigit(seed_, split_, index, label(index), pixels);
    state.store(Ready, std::memory_order_release);
    state.notify_all();
    return pixels;
  }
  while ((seen = state.load(std::memory_order_acquire)) != Ready)
    state.wait(seen, std::memory_order_acquire);
  return pixels;
}

Result<DataSource> openDigits(const DigitsOptions &options) {
  if (options.train < 1 || options.test < 1 ||
      options.train > kDigitsMaxSamples - options.test)
    return Status(
        ExitCode::Data,
        fmt::format("data source 'digits': found train={}, test={}, "
                    "expected at least 1 each and at most {} together",
                    options.train, options.test, kDigitsMaxSamples));
  DataSource source;
  source.train =
      DigitsDataset::create(options.seed, DigitsSplit::Train, options.train);
  source.test =
      DigitsDataset::create(options.seed, DigitsSplit::Test, options.test);
  if (!source.train || !source.test)
    return Status(ExitCode::Data,
                  fmt::format("data source 'digits': not enough memory for {} "
                              "samples of {} bytes; ask for fewer with "
                              "digits:train=N,test=M",
                              options.train + options.test, kDigitBytes));
  source.description = fmt::format(
      "digits: {} train + {} test samples of 1x{}x{}, 10 classes, drawn from "
      "seed {}",
      options.train, options.test, kDigitSide, kDigitSide, options.seed);
  return source;
}

} // namespace boostrt
