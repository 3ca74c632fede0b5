#include "runtime/comm/adasum/Adasum.h"

#include "runtime/comm/adasum/LevelState.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <fmt/format.h>

namespace boostrt {

using namespace adasum;

namespace {

/// Chunks of a task: its time is then much longer than handing it out.
constexpr size_t kChunksPerTask = 4;

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

Pieces piecesOf(std::span<const AdasumTensor> tensors) {
  Pieces pieces;
  for (const AdasumTensor &tensor : tensors)
    if (tensor.count)
      pieces.push_back({tensor.offset, tensor.count, tensor.vector});
  std::sort(pieces.begin(), pieces.end(),
            [](const Piece &a, const Piece &b) { return a.offset < b.offset; });
  return pieces;
}

AdasumShape shapeOf(const Pieces &pieces, uint32_t vectors, uint32_t members,
                    uint32_t ranksPerMean) {
  std::vector<double> sizes(vectors);
  AdasumShape shape;
  for (const Piece &piece : pieces) {
    sizes[piece.vector] += piece.count;
    shape.elements += piece.count;
  }
  for (double size : sizes)
    shape.largestVector = std::max(shape.largestVector, size);
  shape.leaves = members / ranksPerMean;
  shape.ranksPerMean = ranksPerMean;
  return shape;
}

/// A tree of `leaves` has a subtree for every aligned block of a power of two
/// of them, and no other; so only the last radix may be something else.
Status checkRadices(std::span<const uint32_t> radices, uint32_t leaves) {
  uint64_t product = 1;
  bool isTree = true;
  for (size_t i = 0; i < radices.size(); ++i) {
    product *= radices[i];
    isTree &= radices[i] > 1 && radices[i] <= kMaxRadix &&
              (i + 1 == radices.size() || std::has_single_bit(radices[i]));
  }
  if (isTree && product == leaves)
    return Status();
  return Status(
      ExitCode::Input,
      fmt::format("levels of {} do not make an Adasum of {}; "
                  "their product must be {} and all but the last powers of "
                  "two, none above {}",
                  fmt::join(radices, " x "), leaves, leaves, kMaxRadix));
}

double secondsOf(const std::vector<Level> &levels, const CommCosts &costs) {
  double seconds = 0;
  for (const Level &level : levels) {
    double part = static_cast<double>(level.largestPart);
    seconds += level.isMean ? meanLevelSeconds(costs, part, level.radix)
                            : adasumLevelSeconds(costs, part, level.radix,
                                                 level.mostHolders);
  }
  return seconds;
}

} // namespace

struct Adasum::State {
  Status scatter(LevelState &state);
  Status gather(LevelState &state);
  Status report(AdasumReport &report);

  template <typename Act>
  void forEachTask(uint32_t begin, uint32_t end, Act &&act);
  void send(uint32_t member, const float *data, size_t count);
  void sendMessages(uint32_t member, const std::vector<Message> &messages,
                    float *&scratch);
  void receive(uint32_t member, float *place, size_t count);

  uint32_t members, self, vectors;
  AdasumOptions options;
  Cut cut;
  std::vector<LevelState> levels;
  size_t scratch = 0; ///< elements
  AdasumStats stats;
  // Of the run:
  Group *group = nullptr;
  Workspace *workspace = nullptr;
  float *bucket = nullptr;
};

Adasum::Adasum(std::unique_ptr<State> state) : state_(std::move(state)) {}
Adasum::Adasum(Adasum &&) noexcept = default;
Adasum &Adasum::operator=(Adasum &&) noexcept = default;
Adasum::~Adasum() = default;

Result<Adasum> Adasum::plan(uint32_t members, uint32_t self,
                            std::span<const AdasumTensor> tensors,
                            const AdasumOptions &options) {
  uint32_t perMean = options.ranksPerMean;
  if (perMean == 0 || members % perMean != 0)
    return Status(ExitCode::Input,
                  fmt::format("Adasum across servers of {} ranks needs a "
                              "multiple of {} ranks, and there are {}; use "
                              "servers alike, or Adasum across ranks",
                              perMean, perMean, members));
  auto state = std::make_unique<State>();
  state->members = members;
  state->self = self;
  state->options = options;
  state->vectors = 0;
  for (const AdasumTensor &tensor : tensors)
    state->vectors = std::max(state->vectors, tensor.vector + 1);
  Pieces pieces = piecesOf(tensors);
  AdasumShape shape = shapeOf(pieces, state->vectors, members, perMean);
  PlanOptions how{perMean, options.radices, Cut::EqualSlices};
  if (how.radices.empty())
    how.radices = chooseRadices(options.costs, shape);
  BOOSTRT_RETURN_IF_ERROR(checkRadices(how.radices, shape.leaves));
  std::vector<Level> levels;
  how.cut = options.cut.value_or(Cut::EqualSlices);
  levels = planLevels(pieces, self, how);
  if (!options.cut) {
    how.cut = Cut::WholeVectors;
    std::vector<Level> whole = planLevels(pieces, self, how);
    if (secondsOf(whole, options.costs) < secondsOf(levels, options.costs))
      levels = std::move(whole);
    else
      how.cut = Cut::EqualSlices;
  }
  state->cut = how.cut;
  for (Level &level : levels) {
    state->scratch = std::max(
        {state->scratch, (level.radix - 1) * level.ownCount + level.packed,
         level.ownPacked + level.packed});
    state->levels.emplace_back(std::move(level));
  }
  return Adasum(std::move(state));
}

size_t Adasum::scratchBytes() const { return state_->scratch * sizeof(float); }

const AdasumStats &Adasum::stats() const { return state_->stats; }

std::string Adasum::describe() const {
  std::string text;
  if (state_->options.ranksPerMean > 1)
    text = fmt::format("mean of {}, then ", state_->options.ranksPerMean);
  std::vector<uint32_t> radices;
  for (const LevelState &state : state_->levels)
    if (!state.level.isMean)
      radices.push_back(state.level.radix);
  if (radices.empty())
    return text + "nothing to combine";
  return text + fmt::format("Adasum of {} in {}", fmt::join(radices, " x "),
                            state_->cut == Cut::EqualSlices ? "equal slices"
                                                            : "whole vectors");
}

Status Adasum::run(Group &group, float *bucket, Workspace &workspace,
                   AdasumReport *report) {
  State &state = *state_;
  state.stats = {};
  state.group = &group;
  state.workspace = &workspace;
  state.bucket = bucket;
  workspace.reserve(scratchBytes());
  for (LevelState &level : state.levels) {
    BOOSTRT_RETURN_IF_ERROR(state.scatter(level));
    if (level.level.isMean)
      continue; // combined as it came
    {
      Stopwatch watch(state.stats.agreeSeconds);
      level.addChunks();
      BOOSTRT_RETURN_IF_ERROR(
          agree(group, workspace, level, state.stats.scalarBytes));
    }
    Stopwatch watch(state.stats.combineSeconds);
    state.forEachTask(
        0, static_cast<uint32_t>(level.level.chunks.size()),
        [&](uint32_t begin, uint32_t end) { level.combine(begin, end); });
  }
  Stopwatch watch(state.stats.gatherSeconds);
  for (size_t level = state.levels.size(); level-- > 0;)
    BOOSTRT_RETURN_IF_ERROR(state.gather(state.levels[level]));
  return report ? state.report(*report) : Status();
}

template <typename Act>
void Adasum::State::forEachTask(uint32_t begin, uint32_t end, Act &&act) {
  if (!options.workers) {
    act(begin, end);
    return;
  }
  struct Tasks {
    uint32_t begin, end;
    Act *act;
  } tasks{begin, end, &act};
  options.workers->forEach(
      (end - begin + kChunksPerTask - 1) / kChunksPerTask,
      [](void *data, size_t i) {
        Tasks &tasks = *static_cast<Tasks *>(data);
        uint32_t from = tasks.begin + static_cast<uint32_t>(i * kChunksPerTask);
        (*tasks.act)(from,
                     std::min<uint32_t>(from + kChunksPerTask, tasks.end));
      },
      &tasks);
}

void Adasum::State::send(uint32_t member, const float *data, size_t count) {
  workspace->sends.push_back(
      {group->rankOf(member), std::as_bytes(std::span(data, count))});
  stats.vectorBytes += count * sizeof(float);
}

void Adasum::State::sendMessages(uint32_t member,
                                 const std::vector<Message> &messages,
                                 float *&scratch) {
  for (const Message &message : messages) {
    if (message.spans.size() == 1) {
      send(member, bucket + message.spans[0].offset, message.count);
      continue;
    }
    float *packed = scratch;
    for (const Span &span : message.spans)
      scratch = std::copy_n(bucket + span.offset, span.count, scratch);
    send(member, packed, message.count);
  }
}

void Adasum::State::receive(uint32_t member, float *place, size_t count) {
  workspace->receives.push_back(
      {group->rankOf(member), std::as_writable_bytes(std::span(place, count))});
}

/// Each member sends every other its part, and combines or multiplies what has
/// come of its own while the rest is under way.
Status Adasum::State::scatter(LevelState &state) {
  Level &level = state.level;
  Stopwatch watch(stats.scatterSeconds);
  double productsBefore = stats.productSeconds;
  workspace->sends.clear();
  workspace->receives.clear();
  state.bucket = bucket;
  state.staging = reinterpret_cast<float *>(workspace->reserve(0));
  uint32_t others = level.radix - 1;
  float *packed = state.staging + others * level.ownCount;
  for (uint32_t i = 1; i <= others; ++i) {
    uint32_t to = (level.digit + i) % level.radix;
    sendMessages(level.members[to], level.parts[to], packed);
  }
  const std::vector<Message> &own = level.parts[level.digit];
  for (const Message &message : own)
    for (uint32_t i = 1; i <= others; ++i) {
      uint32_t from = (level.digit + level.radix - i) % level.radix;
      receive(level.members[from], state.placeOf(from) + message.begin,
              message.count);
    }
  auto received = [&](size_t i) {
    if ((i + 1) % others != 0)
      return;
    Stopwatch watch(stats.productSeconds);
    const Message &message = own[i / others];
    forEachTask(message.firstChunk, message.endChunk,
                [&](uint32_t begin, uint32_t end) {
                  if (level.isMean)
                    state.combine(begin, end);
                  else
                    state.multiply(begin, end);
                });
  };
  // A reference fits into a std::function without an allocation.
  Status status = group->transport().exchangeEach(
      workspace->sends, workspace->receives, std::ref(received));
  stats.scatterSeconds -= stats.productSeconds - productsBefore;
  return status;
}

Status Adasum::State::gather(LevelState &state) {
  Level &level = state.level;
  workspace->sends.clear();
  workspace->receives.clear();
  float *scratch = state.staging;
  for (uint32_t i = 1; i < level.radix; ++i) {
    uint32_t to = (level.digit + i) % level.radix;
    // What is copied together is so for the first, and the same for the others.
    if (i == 1) {
      sendMessages(level.members[to], level.parts[level.digit], scratch);
      continue;
    }
    size_t messages = level.parts[level.digit].size();
    for (size_t message = 0; message < messages; ++message) {
      Outgoing copy = workspace->sends[message];
      copy.to = group->rankOf(level.members[to]);
      workspace->sends.push_back(copy);
      stats.vectorBytes += copy.data.size();
    }
  }
  for (uint32_t i = 1; i < level.radix; ++i) {
    uint32_t from = (level.digit + level.radix - i) % level.radix;
    for (const Message &message : level.parts[from]) {
      bool isInPlace = message.spans.size() == 1;
      float *place = isInPlace ? bucket + message.spans[0].offset : scratch;
      if (!isInPlace)
        scratch += message.count;
      receive(level.members[from], place, message.count);
    }
  }
  BOOSTRT_RETURN_IF_ERROR(
      group->transport().exchange(workspace->sends, workspace->receives));
  size_t index = 0;
  for (uint32_t i = 1; i < level.radix; ++i) {
    uint32_t from = (level.digit + level.radix - i) % level.radix;
    for (const Message &message : level.parts[from]) {
      const float *packed = reinterpret_cast<const float *>(
          workspace->receives[index++].data.data());
      if (message.spans.size() > 1)
        for (const Span &span : message.spans) {
          std::copy_n(packed, span.count, bucket + span.offset);
          packed += span.count;
        }
    }
  }
  return Status();
}

/// The owners' numbers of all levels go to the first member, which multiplies
/// the coefficients of a rank, of its block, of that one's block, and so on.
Status Adasum::State::report(AdasumReport &report) {
  constexpr size_t kFixed = 3;
  auto countOf = [&](uint32_t member) {
    size_t count = 0;
    for (const LevelState &state : levels)
      count += state.level.owned[member % state.level.blockSize()].size() *
               (kFixed + state.level.radix);
    return count;
  };
  std::vector<std::vector<double>> numbers(self == 0 ? members : 1);
  std::vector<double> &own = numbers[0];
  for (const LevelState &state : levels)
    for (size_t held = 0; held < state.combinations.size(); ++held)
      if (state.level.held[held].isOwned) {
        const Combination &combination = state.combinations[held];
        own.insert(own.end(), {combination.leafNorms, combination.resultNorm,
                               static_cast<double>(combination.vectors)});
        own.insert(own.end(), combination.leaves.begin(),
                   combination.leaves.end());
      }
  workspace->sends.clear();
  workspace->receives.clear();
  if (self != 0 && !own.empty()) {
    workspace->sends.push_back(
        {group->rankOf(0), std::as_bytes(std::span(own))});
    stats.scalarBytes += own.size() * sizeof(double);
  }
  for (uint32_t member = 1; self == 0 && member < members; ++member) {
    numbers[member].resize(countOf(member));
    if (!numbers[member].empty())
      workspace->receives.push_back(
          {group->rankOf(member),
           std::as_writable_bytes(std::span(numbers[member]))});
  }
  BOOSTRT_RETURN_IF_ERROR(
      group->transport().exchange(workspace->sends, workspace->receives));
  if (self != 0)
    return Status();

  report.vectors.assign(vectors, {});
  for (AdasumVectorReport &vector : report.vectors)
    vector.coefficients.assign(members, 1.0 / options.ranksPerMean);
  std::vector<double> leafNorms(vectors), resultNorms(vectors);
  for (uint32_t member = 0; member < members; ++member) {
    const double *number = numbers[member].data();
    for (const LevelState &state : levels) {
      const Level &level = state.level;
      uint32_t inBlock = member % level.blockSize(), base = member - inBlock;
      for (uint32_t index : level.owned[inBlock]) {
        AdasumVectorReport &vector = report.vectors[index];
        if (level.stride == options.ranksPerMean)
          leafNorms[index] += number[0];
        if (&state == &levels.back())
          resultNorms[index] = number[1];
        vector.vectors += static_cast<uint32_t>(number[2]);
        number += kFixed;
        for (uint32_t i = 0; i < level.blockSize(); ++i)
          vector.coefficients[base + i] *= number[i / level.stride];
        number += level.radix;
      }
    }
  }
  for (uint32_t index = 0; index < vectors; ++index)
    if (leafNorms[index] != 0)
      report.vectors[index].orthogonality =
          resultNorms[index] / leafNorms[index];
  return Status();
}

} // namespace boostrt
