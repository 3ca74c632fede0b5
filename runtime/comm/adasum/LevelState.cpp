#include "runtime/comm/adasum/LevelState.h"

#include <algorithm>
#include <array>
#include <iterator>

namespace boostrt::adasum {
namespace {

const Passes &passes() {
  static const Passes &fastest = supportedPasses().front();
  return fastest;
}

/// The slots that have a coefficient, and it.
struct Terms {
  Terms(const LevelState &state, const Chunk &chunk,
        std::span<const double> slots, uint32_t lo, uint32_t hi) {
    for (uint32_t slot = lo; slot < hi; ++slot)
      if (slots[slot] != 0) {
        x[count] = state.at(slot, chunk);
        c[count++] = slots[slot];
      }
    if (count)
      return;
    x[0] = state.at(lo, chunk); // all are finite, and none counts
    c[0] = 0;
    count = 1;
  }

  void combine(size_t elements, float *out) const {
    passes().combine(x.data(), c.data(), count, elements, out);
  }

  std::array<const float *, kMaxRadix> x;
  std::array<double, kMaxRadix> c;
  size_t count = 0;
};

} // namespace

LevelState::LevelState(Level planned) : level(std::move(planned)) {
  if (level.isMean) {
    mean.assign(level.radix, 1.0 / level.radix);
    return;
  }
  combinations.assign(level.held.size(), Combination(level.radix));
  chunkSums.resize(level.chunks.size() * pairCount(level.radix));
  newProducts.resize(level.held.size() * level.radix);
  next.resize(level.held.size());
  isOpen.resize(level.held.size());
  std::vector<Alone> found(level.held.size());
  for (uint32_t index = 0; index < level.chunks.size(); ++index) {
    Alone &vector = found[level.chunks[index].held];
    if (vector.end == 0)
      vector = {level.chunks[index].held, index, 0};
    vector.end = index + 1;
  }
  std::ranges::copy_if(
      found, std::back_inserter(alone_), [&](const Alone &vector) {
        return vector.end > 0 && !level.held[vector.held].isShared;
      });
  std::ranges::sort(alone_, {}, &Alone::end);
  size_t exchanged = 0;
  for (const std::vector<Channel> *channels : {&level.owners, &level.holders})
    for (const Channel &channel : *channels)
      exchanged += channel.held.size();
  // Products are the longest message of a vector, but for radix 2.
  size_t longest =
      std::max<size_t>(pairCount(level.radix), size_t(level.radix) + 1);
  sent.resize(exchanged * longest);
  received.resize(exchanged * longest);
}

void LevelState::multiply(uint32_t begin, uint32_t end) {
  std::array<const float *, kMaxRadix> x;
  for (uint32_t index = begin; index < end; ++index) {
    const Chunk &chunk = level.chunks[index];
    for (uint32_t slot = 0; slot < level.radix; ++slot)
      x[slot] = at(slot, chunk);
    passes().gram(x.data(), level.radix, chunk.count,
                  &chunkSums[index * pairCount(level.radix)]);
  }
}

void LevelState::addChunk(uint32_t index) {
  size_t pairs = pairCount(level.radix);
  const double *sums = &chunkSums[index * pairs];
  std::vector<double> &gram = combinations[level.chunks[index].held].gram;
  for (size_t pair = 0; pair < pairs; ++pair)
    gram[pair] += sums[pair];
}

void LevelState::finishAlone(uint32_t end) {
  for (; finished_ < alone_.size() && alone_[finished_].end <= end;
       ++finished_) {
    const Alone &vector = alone_[finished_];
    Combination &combination = combinations[vector.held];
    auto forEachChunk = [&](auto &&act) {
      for (uint32_t index = vector.begin; index < vector.end; ++index)
        if (level.chunks[index].held == vector.held)
          act(index);
    };
    std::ranges::fill(combination.gram, 0.0);
    forEachChunk([&](uint32_t index) { addChunk(index); });
    combination.begin();
    for (int merge; (merge = combination.advance(level.merges)) >= 0;) {
      makeVector(vector.held, level.merges[merge]);
      combination.replace(level.merges[merge], newProductsOf(vector.held));
    }
    forEachChunk([&](uint32_t index) {
      combineChunk(level.chunks[index], combination.slots);
    });
  }
}

void LevelState::addShared() {
  for (uint32_t held = 0; held < level.held.size(); ++held)
    if (level.held[held].isShared)
      std::ranges::fill(combinations[held].gram, 0.0);
  for (uint32_t index = 0; index < level.chunks.size(); ++index)
    if (level.held[level.chunks[index].held].isShared)
      addChunk(index);
}

void LevelState::combineShared() {
  for (const Chunk &chunk : level.chunks)
    if (level.held[chunk.held].isShared)
      combineChunk(chunk, combinations[chunk.held].slots);
}

void LevelState::makeVector(uint32_t held, const Merge &merge) {
  std::array<const float *, kMaxRadix> x;
  std::array<double, kMaxRadix> ofChunk;
  double *products = &newProducts[size_t(held) * level.radix];
  std::fill(products, products + level.radix, 0.0);
  for (const Chunk &chunk : level.chunks) {
    if (chunk.held != held)
      continue;
    float *made = at(merge.lo, chunk);
    Terms(*this, chunk, combinations[held].slots, merge.lo, merge.hi)
        .combine(chunk.count, made);
    for (uint32_t slot = 0; slot < level.radix; ++slot)
      x[slot] = at(slot, chunk);
    passes().dots(made, x.data(), level.radix, chunk.count, ofChunk.data());
    for (uint32_t slot = 0; slot < level.radix; ++slot)
      products[slot] += ofChunk[slot];
  }
}

void LevelState::takeMean(uint32_t begin, uint32_t end) {
  for (uint32_t index = begin; index < end; ++index)
    combineChunk(level.chunks[index], mean);
}

void LevelState::combineChunk(const Chunk &chunk,
                              std::span<const double> slots) {
  Terms(*this, chunk, slots, 0, level.radix)
      .combine(chunk.count, bucket + chunk.offset);
}

} // namespace boostrt::adasum
