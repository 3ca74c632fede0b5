#include "runtime/comm/HostVectors.h"
#include "runtime/comm/adasum/AdasumState.h"

#include <utility>

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
  HostVectors host(workspace);
  state_->finishesEarly = true;
  return state_->run(group, bucket, workspace, host, report);
}

// A GPU computes much at once, and the host waits for it seldom.
Status Adasum::run(Group &group, float *bucket, Workspace &workspace,
                   VectorMemory &memory, AdasumReport *report) {
  state_->finishesEarly = false;
  return state_->run(group, bucket, workspace, memory, report);
}

Status Adasum::State::run(Group &ofGroup, float *ofBucket,
                          Workspace &ofWorkspace, VectorMemory &ofMemory,
                          AdasumReport *reported) {
  stats = {};
  group = &ofGroup;
  workspace = &ofWorkspace;
  memory = &ofMemory;
  bucket = ofBucket;
  Result<std::byte *> scratch = memory->reserve(scratchBytes());
  if (!scratch.ok())
    return scratch.status();
  BOOSTRT_RETURN_IF_ERROR(begin(*scratch));
  LevelState *last = nullptr; // whose results are still to be gathered
  for (AdasumBlock &block : blocks) {
    for (LevelState &level : block.levels) {
      if (last)
        BOOSTRT_RETURN_IF_ERROR(addGather(*last));
      last = nullptr;
      if (!level.level.isKnown)
        BOOSTRT_RETURN_IF_ERROR(addScatter(level));
      BOOSTRT_RETURN_IF_ERROR(exchange());
      BOOSTRT_RETURN_IF_ERROR(combine(level));
    }
    for (size_t level = block.levels.size(); level-- > 1;) {
      BOOSTRT_RETURN_IF_ERROR(addGather(block.levels[level]));
      BOOSTRT_RETURN_IF_ERROR(exchange());
    }
    if (!block.levels.empty())
      last = &block.levels[0];
  }
  if (last)
    BOOSTRT_RETURN_IF_ERROR(addGather(*last));
  BOOSTRT_RETURN_IF_ERROR(exchange());
  return reported ? report(*reported) : Status();
}

Status Adasum::State::begin(std::byte *scratch) {
  clear(); // of a run that failed
  scratch_ = scratch;
  Places places(scratch);
  parts_ = places.take<float>(partsScratch);
  packedResults_ = places.take<float>(resultsScratch);
  auto *listsAt = places.take<std::byte>(listsScratch);
  auto *numbers = places.take<std::byte>(numbersScratch);
  for (AdasumBlock &block : blocks)
    for (LevelState &level : block.levels) {
      level.place(*memory, listsAt, numbers);
      listsAt += level.listBytes();
    }
  if (lists.empty())
    return Status();
  return memory->put(listsAt - lists.size(), lists.data(), lists.size());
}

Status Adasum::State::combine(LevelState &state) {
  if (state.level.isMean)
    return Status(); // as its parts came
  {
    Stopwatch watch(stats.agreeSeconds);
    BOOSTRT_RETURN_IF_ERROR(state.addRest());
    BOOSTRT_RETURN_IF_ERROR(
        agree(*group, *workspace, state, stats.scalarBytes));
    clear(); // the workspace's lists were agree()'s
  }
  Stopwatch watch(stats.combineSeconds);
  return state.combineRest();
}

void Adasum::State::send(uint32_t member, const float *data, size_t count) {
  size_t bytes = count * sizeof(float);
  // A message is read, whatever its type says.
  workspace->sends.push_back(
      {group->rankOf(member), memory->message(const_cast<float *>(data), bytes,
                                              /*isWritten=*/false)});
  stats.vectorBytes += bytes;
}

void Adasum::State::receive(uint32_t member, float *place, size_t count) {
  workspace->receives.push_back(
      {group->rankOf(member),
       memory->message(place, count * sizeof(float), /*isWritten=*/true)});
  workspace->places.push_back(place);
}

Status Adasum::State::pack(const Message &message, float *packed) const {
  for (const Span &span : message.spans) {
    BOOSTRT_RETURN_IF_ERROR(
        memory->copy(packed, bucket + span.offset, span.count * sizeof(float)));
    packed += span.count;
  }
  return Status();
}

Status Adasum::State::unpack(const Message &message,
                             const float *packed) const {
  for (const Span &span : message.spans) {
    BOOSTRT_RETURN_IF_ERROR(
        memory->copy(bucket + span.offset, packed, span.count * sizeof(float)));
    packed += span.count;
  }
  return Status();
}

Status Adasum::State::addScatter(LevelState &state) {
  const Level &level = state.level;
  scattered_ = &state;
  state.begin();
  state.placeRows(bucket, parts_);
  if (level.isMean)
    BOOSTRT_RETURN_IF_ERROR(state.putMean());
  float *packed = parts_ + (level.radix - 1) * level.ownCount;
  for (uint32_t i = 1; i < level.radix; ++i) {
    uint32_t to = digitAfter(level, i);
    for (const Message &message : level.parts[to]) {
      const float *data = bucket + message.spans[0].offset;
      if (message.spans.size() > 1) {
        BOOSTRT_RETURN_IF_ERROR(pack(message, packed));
        data = packed;
        packed += message.count;
      }
      send(level.members[to], data, message.count);
    }
  }
  // Every member's first message, then the second: what is complete is worked
  // on while it is in the cache.
  for (const Message &message : level.parts[level.digit])
    for (uint32_t i = 1; i < level.radix; ++i) {
      uint32_t from = digitBefore(level, i);
      receive(level.members[from], state.rows.partOf(from) + message.begin,
              message.count);
    }
  return Status();
}

Status Adasum::State::addGather(LevelState &state) {
  const Level &level = state.level;
  float *scratch = packedResults_;
  for (const Message &message : level.parts[level.digit]) {
    const float *data = bucket + message.spans[0].offset;
    if (message.spans.size() > 1) {
      BOOSTRT_RETURN_IF_ERROR(pack(message, scratch));
      data = scratch;
      scratch += message.count;
    }
    for (uint32_t i = 1; i < level.radix; ++i)
      send(level.members[digitAfter(level, i)], data, message.count);
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
  return Status();
}

/// What to do with a message that has come.
Status Adasum::State::take(size_t index) {
  if (index < results_.size()) {
    const Message &message = *results_[index];
    if (message.spans.size() == 1)
      return Status();
    return unpack(message,
                  static_cast<const float *>(workspace->places[index]));
  }
  const Level &level = scattered_->level;
  size_t part = index - results_.size(), others = level.radix - 1;
  if ((part + 1) % others != 0)
    return Status();
  const std::vector<Message> &messages = level.parts[level.digit];
  size_t number = part / others;
  const Message &message = messages[number];
  takenBytes_ += message.count * sizeof(float);
  // A GPU is for much at once, a cache for what is in it.
  if (number + 1 < messages.size() &&
      takenBytes_ < memory->cuts().maxMessageBytes)
    return Status();
  takenBytes_ = 0;
  uint32_t begin = messages[std::exchange(worked_, number + 1)].firstChunk;
  {
    Stopwatch watch(stats.productSeconds);
    if (level.isMean)
      return scattered_->takeMean(begin, message.endChunk);
    BOOSTRT_RETURN_IF_ERROR(scattered_->multiply(begin, message.endChunk));
  }
  Stopwatch watch(stats.combineSeconds);
  return finishesEarly ? scattered_->finishAlone(message.endChunk) : Status();
}

Status Adasum::State::exchange() {
  Status status;
  if (!workspace->sends.empty() || !workspace->receives.empty()) {
    Stopwatch watch(stats.exchangeSeconds);
    auto loops = [&] { return stats.productSeconds + stats.combineSeconds; };
    double before = loops();
    Status taken; // of the memory; the rest is not tried
    auto received = [&](size_t index) {
      if (taken.ok())
        taken = take(index);
    };
    // A reference fits into a std::function without an allocation.
    status = group->transport().exchangeEach(
        workspace->sends, workspace->receives, std::ref(received));
    if (status.ok())
      status = taken;
    stats.exchangeSeconds -= loops() - before;
  }
  clear();
  return status;
}

void Adasum::State::clear() {
  workspace->sends.clear();
  workspace->receives.clear();
  workspace->places.clear();
  results_.clear();
  scattered_ = nullptr;
  takenBytes_ = worked_ = 0;
}

} // namespace boostrt
