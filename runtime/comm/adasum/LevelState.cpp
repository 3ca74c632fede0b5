#include "runtime/comm/adasum/LevelState.h"

#include <algorithm>

namespace boostrt::adasum {
namespace {

template <typename T> std::span<T> spanAt(T *at, uint32_t begin, uint32_t end) {
  return {at + begin, at + end};
}

} // namespace

LevelState::LevelState(Level planned) : level(std::move(planned)) {
  terms_.resize(listCount() * listLength());
  if (level.isMean) {
    mean_.assign(level.radix, 1.0 / level.radix);
    return;
  }
  combinations.assign(level.held.size(), Combination(level.radix));
  totals_.resize(level.held.size() * productCount());
  newProducts.resize(level.held.size() * level.radix);
  next.resize(level.held.size());
  isOpen.resize(level.held.size());
  isFinished_.resize(level.held.size());
  std::vector<uint32_t> ends(level.held.size());
  for (uint32_t index = 0; index < level.chunks.size(); ++index)
    ends[level.chunks[index].held] = index + 1;
  for (uint32_t held = 0; held < ends.size(); ++held)
    if (ends[held] > 0 && !level.held[held].isShared)
      alone_.push_back({held, ends[held]});
  std::ranges::sort(alone_, {}, &Alone::end);
  byVector_.resize(level.chunks.size());
  for (const ChunkPlace &chunk : level.chunks)
    byVector_[chunk.place] = chunk;
  size_t exchanged = 0;
  for (const std::vector<Channel> *channels : {&level.owners, &level.holders})
    for (const Channel &channel : *channels)
      exchanged += channel.held.size();
  sent.resize(exchanged * longestMessage());
  received.resize(exchanged * longestMessage());
}

size_t LevelState::listBytes() const {
  Places places;
  places.take<ChunkPlace>(level.maxChunks);
  places.take<ChunkPlace>(level.isMean ? 0 : level.maxChunks);
  places.take<uint32_t>(level.maxVectors + 1);
  return places.bytes();
}

size_t LevelState::numberBytes() const {
  Places places;
  places.take<Term>(std::max<size_t>(level.maxVectors, 1) * listLength());
  if (level.isMean)
    return places.bytes();
  places.take<double>(level.maxChunks * productCount());
  places.take<double>(level.maxChunks * level.radix);
  places.take<double>(level.maxVectors * productCount());
  size_t exchanged = std::max(level.maxShared * longestMessage(), sent.size());
  places.take<double>(exchanged);
  places.take<double>(exchanged);
  return places.bytes();
}

void LevelState::writeLists(std::byte *to) const {
  Places listed(to);
  auto write = [&]<typename T>(const std::vector<T> &values) {
    std::copy(values.begin(), values.end(), listed.take<T>(values.size()));
  };
  write(level.chunks); // as place() takes them
  write(byVector_);
  write(level.placesBegin);
}

void LevelState::place(VectorMemory &in, const std::byte *lists,
                       std::byte *numbers) {
  memory = &in;
  Places listed(lists);
  chunksAt_ = listed.take<ChunkPlace>(level.chunks.size());
  byVectorAt_ = listed.take<ChunkPlace>(byVector_.size());
  placesBeginAt_ = listed.take<uint32_t>(level.placesBegin.size());
  Places places(numbers);
  termsAt_ = places.take<Term>(terms_.size());
  sumsAt_ = places.take<double>(
      level.isMean ? 0 : level.chunks.size() * productCount());
  dotsAt_ =
      places.take<double>(level.isMean ? 0 : level.chunks.size() * level.radix);
  totalsAt_ = places.take<double>(totals_.size());
  sentAt = places.take<double>(sent.size());
  receivedAt = places.take<double>(received.size());
}

void LevelState::placeRows(float *bucket, float *staging) {
  rows = {bucket,      staging,       0, level.chunks.size(), level.radix,
          level.digit, level.ownCount};
  for (const ChunkPlace &chunk : level.chunks)
    rows.bucketElements =
        std::max<size_t>(rows.bucketElements, chunk.offset + chunk.count);
}

Status LevelState::multiply(uint32_t begin, uint32_t end) {
  return kernels().gram(rows, spanAt(chunksAt_, begin, end), sumsAt_);
}

void LevelState::begin() {
  finished_ = 0;
  isFinished_.assign(level.held.size(), false);
}

std::span<const ChunkPlace> LevelState::chunksOf(uint32_t held) const {
  return spanAt(byVectorAt_, level.placesBegin[held],
                level.placesBegin[held + 1]);
}

void LevelState::readGram(uint32_t held) {
  std::copy_n(&totals_[held * productCount()], productCount(),
              combinations[held].gram.begin());
}

Status LevelState::solveAlone(uint32_t held) {
  Combination &combination = combinations[held];
  combination.begin();
  for (int merge; (merge = combination.advance(level.merges)) >= 0;) {
    BOOSTRT_RETURN_IF_ERROR(makeVector(held, level.merges[merge]));
    combination.replace(level.merges[merge], newProductsOf(held));
  }
  return Status();
}

Status LevelState::finishAlone(uint32_t end) {
  for (; finished_ < alone_.size() && alone_[finished_].end <= end;
       ++finished_) {
    uint32_t held = alone_[finished_].held;
    size_t first = held * productCount();
    BOOSTRT_RETURN_IF_ERROR(kernels().addPlaces(
        sumsAt_, level.chunks.size(), static_cast<uint32_t>(productCount()),
        placesBeginAt_ + held, 1, totalsAt_ + first));
    BOOSTRT_RETURN_IF_ERROR(memory->get(&totals_[first], totalsAt_ + first,
                                        productCount() * sizeof(double)));
    readGram(held);
    BOOSTRT_RETURN_IF_ERROR(solveAlone(held));
    std::span<const Term> terms =
        listTerms(held, combinations[held].slots, 0, level.radix);
    BOOSTRT_RETURN_IF_ERROR(memory->put(termsAt_ + held * listLength(),
                                        terms.data(), terms.size_bytes()));
    BOOSTRT_RETURN_IF_ERROR(kernels().combine(rows, level.digit, chunksOf(held),
                                              termsAt_, listCount()));
    isFinished_[held] = true;
  }
  return Status();
}

Status LevelState::addRest() {
  if (finished_ == level.held.size())
    return Status();
  auto vectors = static_cast<uint32_t>(level.held.size());
  BOOSTRT_RETURN_IF_ERROR(kernels().addPlaces(
      sumsAt_, level.chunks.size(), static_cast<uint32_t>(productCount()),
      placesBeginAt_, vectors, totalsAt_));
  BOOSTRT_RETURN_IF_ERROR(
      memory->get(totals_.data(), totalsAt_, totals_.size() * sizeof(double)));
  for (uint32_t held = 0; held < vectors; ++held) {
    if (isFinished_[held])
      continue;
    readGram(held);
    if (!level.held[held].isShared)
      BOOSTRT_RETURN_IF_ERROR(solveAlone(held));
  }
  return Status();
}

std::span<const Term> LevelState::listTerms(size_t list,
                                            std::span<const double> slots,
                                            uint32_t lo, uint32_t hi) {
  Term *terms = &terms_[list * listLength()];
  size_t count = 0;
  for (uint32_t slot = lo; slot < hi; ++slot)
    if (slots[slot] != 0)
      terms[++count] = {slot, slots[slot]};
  if (!count)
    terms[++count] = {lo, 0}; // all are finite, and none counts
  terms[0] = {count, 0};
  return {terms, count + 1};
}

Status LevelState::makeVector(uint32_t held, const Merge &merge) {
  std::span<const Term> terms =
      listTerms(held, combinations[held].slots, merge.lo, merge.hi);
  BOOSTRT_RETURN_IF_ERROR(memory->put(termsAt_ + held * listLength(),
                                      terms.data(), terms.size_bytes()));
  BOOSTRT_RETURN_IF_ERROR(
      kernels().combine(rows, merge.lo, chunksOf(held), termsAt_, listCount()));
  BOOSTRT_RETURN_IF_ERROR(
      kernels().dots(rows, merge.lo, chunksOf(held), dotsAt_));
  BOOSTRT_RETURN_IF_ERROR(
      kernels().addPlaces(dotsAt_, level.chunks.size(), level.radix,
                          placesBeginAt_ + held, 1, totalsAt_));
  return memory->get(&newProducts[size_t(held) * level.radix], totalsAt_,
                     level.radix * sizeof(double));
}

Status LevelState::putMean() {
  std::span<const Term> terms = listTerms(0, mean_, 0, level.radix);
  return memory->put(termsAt_, terms.data(), terms.size_bytes());
}

Status LevelState::takeMean(uint32_t begin, uint32_t end) {
  return kernels().combine(rows, level.digit, spanAt(chunksAt_, begin, end),
                           termsAt_, listCount());
}

Status LevelState::combineRest() {
  if (finished_ == level.held.size())
    return Status();
  for (uint32_t held = 0; held < level.held.size(); ++held)
    if (isFinished_[held])
      terms_[held * listLength()] = {};
    else
      listTerms(held, combinations[held].slots, 0, level.radix);
  BOOSTRT_RETURN_IF_ERROR(
      memory->put(termsAt_, terms_.data(), terms_.size() * sizeof(Term)));
  auto chunks = static_cast<uint32_t>(level.chunks.size());
  return kernels().combine(rows, level.digit, spanAt(chunksAt_, 0, chunks),
                           termsAt_, listCount());
}

} // namespace boostrt::adasum
