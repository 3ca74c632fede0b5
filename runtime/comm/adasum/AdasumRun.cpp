#include "runtime/comm/adasum/AdasumState.h"

#include <algorithm>

namespace boostrt {

using namespace adasum;

namespace {

/// Which digit is `distance` before, or after, that of this member. Members
/// begin with different ones, so that none is sent to by all at once.
uint32_t digitBefore(const Level &level, uint32_t distance) {
  return (level.digit + level.radix - distance) % level.radix;
}
uint32_t digitAfter(const Level &level, uint32_t distance) {
  return (level.digit + distance) % level.radix;
}

} // namespace

Status Adasum::run(Group &group, float *bucket, Workspace &workspace,
                   AdasumReport *report) {
  State &state = *state_;
  state.stats = {};
  state.group = &group;
  state.workspace = &workspace;
  state.bucket = bucket;
  workspace.reserve(scratchBytes());
  state.clear();              // of a run that failed
  LevelState *last = nullptr; // whose results are still to be gathered
  for (AdasumBlock &block : state.blocks) {
    for (LevelState &level : block.levels) {
      if (last)
        state.addGather(*last);
      last = nullptr;
      if (!level.level.isKnown)
        state.addScatter(level);
      BOOSTRT_RETURN_IF_ERROR(state.exchange());
      BOOSTRT_RETURN_IF_ERROR(state.combine(level));
    }
    for (size_t level = block.levels.size(); level-- > 1;) {
      state.addGather(block.levels[level]);
      BOOSTRT_RETURN_IF_ERROR(state.exchange());
    }
    if (!block.levels.empty())
      last = &block.levels[0];
  }
  if (last)
    state.addGather(*last);
  BOOSTRT_RETURN_IF_ERROR(state.exchange());
  return report ? state.report(*report) : Status();
}

Status Adasum::State::combine(LevelState &state) {
  if (state.level.isMean)
    return Status(); // as its parts came
  {
    Stopwatch watch(stats.agreeSeconds);
    state.addShared();
    BOOSTRT_RETURN_IF_ERROR(
        agree(*group, *workspace, state, stats.scalarBytes));
    clear(); // the workspace's lists were agree()'s
  }
  Stopwatch watch(stats.combineSeconds);
  state.combineShared();
  return Status();
}

void Adasum::State::send(uint32_t member, std::span<const float> data) {
  workspace->sends.push_back({group->rankOf(member), std::as_bytes(data)});
  stats.vectorBytes += data.size_bytes();
}

void Adasum::State::receive(uint32_t member, float *place, size_t count) {
  workspace->receives.push_back(
      {group->rankOf(member), std::as_writable_bytes(std::span(place, count))});
}

/// Returns behind what it wrote.
float *Adasum::State::pack(const Message &message, float *to) const {
  for (const Span &span : message.spans)
    to = std::copy_n(bucket + span.offset, span.count, to);
  return to;
}

void Adasum::State::addScatter(LevelState &state) {
  const Level &level = state.level;
  scattered_ = &state;
  state.begin();
  state.bucket = bucket;
  state.staging = reinterpret_cast<float *>(workspace->reserve(0));
  float *packed = state.staging + (level.radix - 1) * level.ownCount;
  for (uint32_t i = 1; i < level.radix; ++i) {
    uint32_t to = digitAfter(level, i);
    for (const Message &message : level.parts[to]) {
      const float *data = bucket + message.spans[0].offset;
      if (message.spans.size() > 1) {
        data = packed;
        packed = pack(message, packed);
      }
      send(level.members[to], {data, message.count});
    }
  }
  // Everybody's first message, then the second: what is complete is worked on
  // while it is in the cache.
  for (const Message &message : level.parts[level.digit])
    for (uint32_t i = 1; i < level.radix; ++i) {
      uint32_t from = digitBefore(level, i);
      receive(level.members[from], state.placeOf(from) + message.begin,
              message.count);
    }
}

void Adasum::State::addGather(LevelState &state) {
  const Level &level = state.level;
  float *scratch =
      reinterpret_cast<float *>(workspace->reserve(0)) + partsScratch;
  for (const Message &message : level.parts[level.digit]) {
    const float *data = bucket + message.spans[0].offset;
    if (message.spans.size() > 1) {
      data = scratch;
      scratch = pack(message, scratch);
    }
    for (uint32_t i = 1; i < level.radix; ++i)
      send(level.members[digitAfter(level, i)], {data, message.count});
  }
  for (uint32_t i = 1; i < level.radix; ++i) {
    uint32_t from = digitBefore(level, i);
    for (const Message &message : level.parts[from]) {
      float *place = bucket + message.spans[0].offset;
      if (message.spans.size() > 1) {
        place = scratch;
        scratch += message.count;
      }
      receive(level.members[from], place, message.count);
      results_.push_back(&message);
    }
  }
}

/// What to do with a message that has come.
void Adasum::State::take(size_t index) {
  if (index < results_.size()) {
    const Message &message = *results_[index];
    const float *packed =
        reinterpret_cast<const float *>(workspace->receives[index].data.data());
    if (message.spans.size() > 1)
      for (const Span &span : message.spans) {
        std::copy_n(packed, span.count, bucket + span.offset);
        packed += span.count;
      }
    return;
  }
  const Level &level = scattered_->level;
  size_t part = index - results_.size(), others = level.radix - 1;
  if ((part + 1) % others != 0)
    return;
  const Message &message = level.parts[level.digit][part / others];
  {
    Stopwatch watch(stats.productSeconds);
    if (level.isMean)
      return scattered_->takeMean(message.firstChunk, message.endChunk);
    scattered_->multiply(message.firstChunk, message.endChunk);
  }
  Stopwatch watch(stats.combineSeconds);
  scattered_->finishAlone(message.endChunk);
}

Status Adasum::State::exchange() {
  Status status;
  if (!workspace->sends.empty() || !workspace->receives.empty()) {
    Stopwatch watch(stats.exchangeSeconds);
    auto loops = [&] { return stats.productSeconds + stats.combineSeconds; };
    double before = loops();
    auto received = [this](size_t index) { take(index); };
    // A reference fits into a std::function without an allocation.
    status = group->transport().exchangeEach(
        workspace->sends, workspace->receives, std::ref(received));
    stats.exchangeSeconds -= loops() - before;
  }
  clear();
  return status;
}

void Adasum::State::clear() {
  workspace->sends.clear();
  workspace->receives.clear();
  results_.clear();
  scattered_ = nullptr;
}

} // namespace boostrt
