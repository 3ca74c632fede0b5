#include "runtime/comm/adasum/Adasum.h"

#include "runtime/comm/adasum/AdasumState.h"

#include <algorithm>
#include <bit>
#include <fmt/format.h>

namespace boostrt {

using namespace adasum;

namespace {

Pieces piecesOf(std::span<const AdasumTensor> tensors) {
  Pieces pieces;
  for (const AdasumTensor &tensor : tensors)
    if (tensor.count)
      pieces.push_back({tensor.offset, tensor.count, tensor.vector});
  std::sort(pieces.begin(), pieces.end(),
            [](const Piece &a, const Piece &b) { return a.offset < b.offset; });
  return pieces;
}

/// Cuts a bucket between vectors into blocks of about `elements`.
std::vector<Pieces> blocksOf(const Pieces &pieces, uint32_t vectors,
                             size_t elements) {
  std::vector<size_t> sizes(vectors), blocks(vectors, SIZE_MAX);
  for (const Piece &piece : pieces)
    sizes[piece.vector] += piece.count;
  std::vector<Pieces> made;
  size_t inLast = 0;
  for (const Piece &piece : pieces) {
    size_t &block = blocks[piece.vector];
    if (block == SIZE_MAX) { // the vector's first piece
      if (made.empty() || inLast + sizes[piece.vector] > elements) {
        made.emplace_back();
        inLast = 0;
      }
      inLast += sizes[piece.vector];
      block = made.size() - 1;
    }
    made[block].push_back(piece);
  }
  return made;
}

AdasumShape shapeOf(const Pieces &pieces, uint32_t vectors) {
  std::vector<double> sizes(vectors);
  AdasumShape shape;
  for (const Piece &piece : pieces) {
    sizes[piece.vector] += piece.count;
    shape.elements += piece.count;
  }
  for (double size : sizes)
    shape.largestVector = std::max(shape.largestVector, size);
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

std::vector<std::vector<Level>> planBlocks(const std::vector<Pieces> &blocks,
                                           uint32_t self,
                                           const PlanOptions &options) {
  std::vector<std::vector<Level>> plans;
  for (const Pieces &block : blocks)
    plans.push_back(planLevels(block, self, options));
  return plans;
}

double secondsOf(const Level &level, const CommCosts &costs,
                 const Placement &placement = {}) {
  double part = static_cast<double>(level.largestPart);
  if (level.isKnown)
    return exchangeSeconds(
        costs, level.radix - 1, (level.radix - 1) * part * sizeof(float),
        placement.outside(level.radix, level.stride), placement);
  return level.isMean
             ? meanLevelSeconds(costs, part, level.radix, placement,
                                level.stride)
             : adasumLevelSeconds(costs, part, level.radix, level.maxHolders,
                                  placement, level.stride);
}

double secondsOf(const std::vector<std::vector<Level>> &plans,
                 const CommCosts &costs) {
  double seconds = 0;
  for (const std::vector<Level> &levels : plans)
    for (const Level &level : levels)
      seconds += secondsOf(level, costs);
  return seconds;
}

} // namespace

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
  if (perMean > kMaxRadix)
    return Status(ExitCode::Input,
                  fmt::format("Adasum across servers of {} ranks is more than "
                              "the {} that a mean can have; use smaller "
                              "servers, or Adasum across ranks",
                              perMean, kMaxRadix));
  auto state = std::make_unique<State>();
  state->members = members;
  state->self = self;
  state->options = options;
  for (const AdasumTensor &tensor : tensors)
    state->vectors = std::max(state->vectors, tensor.vector + 1);
  std::vector<Pieces> blocks =
      blocksOf(piecesOf(tensors), state->vectors,
               std::max<size_t>(1, options.blockBytes / sizeof(float)));
  AdasumShape shape;
  for (const Pieces &block : blocks) {
    AdasumShape other = shapeOf(block, state->vectors);
    if (other.elements >= shape.elements)
      shape = other;
  }
  shape.leaves = members / perMean;
  shape.ranksPerMean = perMean;
  state->radices = options.radices;
  if (state->radices.empty())
    state->radices = chooseRadices(CommCosts(), shape);
  BOOSTRT_RETURN_IF_ERROR(checkRadices(state->radices, shape.leaves));
  PlanOptions how{perMean, state->radices,
                  options.cut.value_or(Cut::EqualSlices),
                  options.meansAreKnown};
  std::vector<std::vector<Level>> plans = planBlocks(blocks, self, how);
  if (!options.cut) {
    how.cut = Cut::WholeVectors;
    std::vector<std::vector<Level>> whole = planBlocks(blocks, self, how);
    if (secondsOf(whole, CommCosts()) < secondsOf(plans, CommCosts()))
      plans = std::move(whole);
    else
      how.cut = Cut::EqualSlices;
  }
  state->cut = how.cut;
  for (std::vector<Level> &levels : plans)
    state->add(std::move(levels));
  state->writeLists();
  return Adasum(std::move(state));
}

void Adasum::State::add(std::vector<Level> levels) {
  AdasumBlock &block = blocks.emplace_back();
  for (Level &level : levels) {
    if (!level.isKnown)
      partsScratch = std::max(partsScratch, (level.radix - 1) * level.ownCount +
                                                level.packed);
    resultsScratch = std::max(resultsScratch, level.ownPacked + level.packed);
    LevelState &added = block.levels.emplace_back(std::move(level));
    listsScratch += added.listBytes();
    numbersScratch = std::max(numbersScratch, added.numberBytes());
  }
}

void Adasum::State::writeLists() {
  lists.resize(listsScratch);
  std::byte *next = lists.data();
  for (const AdasumBlock &block : blocks)
    for (const LevelState &level : block.levels) {
      level.writeLists(next);
      next += level.listBytes();
    }
}

size_t Adasum::State::scratchBytes() const {
  Places places;
  places.take<float>(partsScratch);
  places.take<float>(resultsScratch);
  places.take<std::byte>(listsScratch);
  places.take<std::byte>(numbersScratch);
  // A report comes when all of that is done.
  return std::max(places.bytes(), reportBytes());
}

size_t Adasum::scratchBytes() const { return state_->scratchBytes(); }

double Adasum::seconds(const CommCosts &costs,
                       const Placement &placement) const {
  double seconds = 0;
  for (const AdasumBlock &block : state_->blocks)
    for (const LevelState &state : block.levels)
      seconds += secondsOf(state.level, costs, placement);
  return seconds;
}

uint64_t Adasum::vectorBytes() const {
  uint64_t elements = 0;
  for (const AdasumBlock &block : state_->blocks)
    for (const LevelState &state : block.levels) {
      const Level &level = state.level;
      elements += level.ownCount * (level.radix - 1); // the result, to all
      for (uint32_t digit = 0; digit < level.radix; ++digit)
        if (digit != level.digit && !level.isKnown)
          for (const Message &message : level.parts[digit])
            elements += message.count;
    }
  return elements * sizeof(float);
}

const AdasumStats &Adasum::stats() const { return state_->stats; }

std::string Adasum::describe() const {
  const AdasumOptions &options = state_->options;
  std::string text = "nothing to combine";
  if (!state_->radices.empty())
    text = fmt::format("Adasum of {} in {}", fmt::join(state_->radices, " x "),
                       state_->cut == Cut::EqualSlices ? "equal slices"
                                                       : "whole vectors");
  if (options.ranksPerMean == 1)
    return text;
  return options.meansAreKnown
             ? fmt::format("{}, shared by {} ranks each", text,
                           options.ranksPerMean)
             : fmt::format("mean of {}, then {}", options.ranksPerMean, text);
}

} // namespace boostrt
