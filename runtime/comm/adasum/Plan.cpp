#include "runtime/comm/adasum/Plan.h"

#include "runtime/comm/Division.h"
#include "runtime/comm/VectorMemory.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

namespace boostrt::adasum {
namespace {

/// A message carries at most so many elements: what has come is worked on while
/// the rest comes, and vectors are combined while they are in the cache.
constexpr size_t kLongest = kMaxMessageBytes / sizeof(float);
/// Shorter spans travel together: copying them costs less than a message.
constexpr size_t kShort = kMinMessageBytes / sizeof(float);

size_t countOf(const Pieces &pieces) {
  size_t count = 0;
  for (const Piece &piece : pieces)
    count += piece.count;
  return count;
}

/// Elements begin..end-1 of `pieces`.
void appendRange(const Pieces &pieces, size_t begin, size_t end, Pieces &to) {
  size_t first = 0; // element of the piece
  for (const Piece &piece : pieces) {
    size_t lo = std::max(begin, first);
    size_t hi = std::min(end, first + piece.count);
    if (lo < hi)
      to.push_back({piece.offset + (lo - first), hi - lo, piece.vector});
    first += piece.count;
  }
}

std::vector<Pieces> equalSlices(const Pieces &pieces, uint32_t parts) {
  size_t count = countOf(pieces);
  std::vector<Pieces> made(parts);
  for (uint32_t part = 0; part < parts; ++part)
    appendRange(pieces, sliceBegin(count, part, parts),
                sliceBegin(count, part + 1, parts), made[part]);
  return made;
}

std::vector<Pieces> wholeVectors(const Pieces &pieces, uint32_t parts) {
  std::map<uint32_t, Pieces> vectors;
  for (const Piece &piece : pieces)
    vectors[piece.vector].push_back(piece);
  size_t share = std::max<size_t>(1, (countOf(pieces) + parts - 1) / parts);
  std::vector<Pieces> items;
  for (auto &[vector, own] : vectors) {
    size_t cuts = (countOf(own) + share - 1) / share;
    for (Pieces &item : equalSlices(own, static_cast<uint32_t>(cuts)))
      items.push_back(std::move(item));
  }
  // The largest first, each to the part that has least.
  std::sort(items.begin(), items.end(), [](const Pieces &a, const Pieces &b) {
    size_t countA = countOf(a), countB = countOf(b);
    return countA != countB ? countA > countB : a[0].offset < b[0].offset;
  });
  std::vector<Pieces> made(parts);
  std::vector<size_t> load(parts);
  for (const Pieces &item : items) {
    size_t least = std::min_element(load.begin(), load.end()) - load.begin();
    made[least].insert(made[least].end(), item.begin(), item.end());
    load[least] += countOf(item);
  }
  for (Pieces &part : made)
    std::sort(part.begin(), part.end(), [](const Piece &a, const Piece &b) {
      return a.offset < b.offset;
    });
  return made;
}

std::vector<Span> spansOf(const Pieces &part) {
  std::vector<Span> spans;
  for (const Piece &piece : part)
    if (!spans.empty() &&
        spans.back().offset + spans.back().count == piece.offset)
      spans.back().count += piece.count;
    else
      spans.push_back({piece.offset, piece.count});
  return spans;
}

std::vector<Message> messagesOf(const Pieces &part) {
  std::vector<Message> messages;
  Message gathered; // short spans
  auto flush = [&] {
    if (!gathered.count)
      return;
    size_t end = gathered.begin + gathered.count;
    messages.push_back(std::move(gathered));
    gathered = {};
    gathered.begin = end;
  };
  for (Span span : spansOf(part)) {
    bool isShort = span.count < kShort;
    if (!isShort || gathered.count + span.count > kLongest)
      flush();
    while (span.count) {
      size_t count = std::min(span.count, kLongest);
      gathered.spans.push_back({span.offset, count});
      gathered.count += count;
      span.offset += count;
      span.count -= count;
      if (!isShort)
        flush();
    }
  }
  flush();
  return messages;
}

size_t packedCount(const std::vector<Message> &messages) {
  size_t count = 0;
  for (const Message &message : messages)
    if (message.spans.size() > 1)
      count += message.count;
  return count;
}

void cutIntoChunks(const Pieces &part, Level &level) {
  std::vector<Message> &messages = level.parts[level.digit];
  size_t message = 0, begin = 0; // in the part
  auto held = [&](uint32_t vector) {
    auto found = std::lower_bound(level.held.begin(), level.held.end(), vector,
                                  [](const LocalVector &held, uint32_t vector) {
                                    return held.vector < vector;
                                  });
    return static_cast<uint32_t>(found - level.held.begin());
  };
  for (Piece piece : part)
    while (piece.count) {
      Message *in = &messages[message];
      if (begin == in->begin + in->count) {
        in = &messages[++message];
        in->firstChunk = in->endChunk =
            static_cast<uint32_t>(level.chunks.size());
      }
      size_t count =
          std::min({piece.count, kChunk, in->begin + in->count - begin});
      level.chunks.push_back({piece.offset, begin, static_cast<uint32_t>(count),
                              held(piece.vector), /*place=*/0});
      ++in->endChunk;
      piece.offset += count;
      piece.count -= count;
      begin += count;
    }
}

/// Chunks of a vector are neighbours among the places, in their order.
void placeChunks(Level &level) {
  level.placesBegin.assign(level.held.size() + 1, 0);
  if (level.held.empty())
    return;
  for (const ChunkPlace &chunk : level.chunks)
    ++level.placesBegin[chunk.held + 1];
  std::partial_sum(level.placesBegin.begin(), level.placesBegin.end(),
                   level.placesBegin.begin());
  std::vector<uint32_t> next(level.placesBegin.begin(),
                             level.placesBegin.end() - 1);
  for (ChunkPlace &chunk : level.chunks)
    chunk.place = next[chunk.held]++;
}

/// Who holds what in a block whose members have `parts`, and who computes: the
/// first member that holds a part of a vector.
void assignOwners(const std::vector<Pieces> &parts, uint32_t base,
                  uint32_t self, Level &level) {
  std::map<uint32_t, std::vector<uint32_t>> holders;
  for (uint32_t member = 0; member < parts.size(); ++member)
    for (const Piece &piece : parts[member]) {
      std::vector<uint32_t> &known = holders[piece.vector];
      if (known.empty() || known.back() != member)
        known.push_back(member);
    }
  level.owned.resize(parts.size());
  std::map<uint32_t, std::vector<uint32_t>> fromOwner, toHolder;
  for (auto &[vector, members] : holders) {
    uint32_t owner = members.front();
    level.maxHolders =
        std::max(level.maxHolders, static_cast<uint32_t>(members.size()));
    level.owned[owner].push_back(vector);
    if (!std::binary_search(members.begin(), members.end(), self))
      continue;
    uint32_t index = static_cast<uint32_t>(level.held.size());
    level.held.push_back({vector, owner == self, members.size() > 1});
    if (owner != self)
      fromOwner[owner].push_back(index);
    else
      for (size_t i = 1; i < members.size(); ++i)
        toHolder[members[i]].push_back(index);
  }
  for (auto &[member, held] : fromOwner)
    level.owners.push_back({base + member, std::move(held)});
  for (auto &[member, held] : toHolder)
    level.holders.push_back({base + member, std::move(held)});
}

void bound(const Pieces &pieces, size_t levels, Level &level) {
  // Whole vectors that are cut add a few pieces at each level.
  size_t maxPieces = pieces.size() + 8 * levels;
  // Cuts at the ends of pieces and of messages, which have at most two for each
  // piece and three for kLongest elements, and in every kChunk.
  level.maxChunks = std::max(3 * maxPieces + level.ownCount / kChunk +
                                 3 * (level.ownCount / kLongest) + 2,
                             level.chunks.size());
  std::set<uint32_t> vectors;
  for (const Piece &piece : pieces)
    vectors.insert(piece.vector);
  level.maxVectors = vectors.size();
  // A vector's holders are those between which its pieces are cut.
  level.maxShared = level.blockSize() + maxPieces;
}

} // namespace

std::vector<Pieces> cutInto(const Pieces &pieces, uint32_t parts, Cut cut) {
  return cut == Cut::EqualSlices ? equalSlices(pieces, parts)
                                 : wholeVectors(pieces, parts);
}

std::vector<Level> planLevels(const Pieces &pieces, uint32_t self,
                              const PlanOptions &options) {
  std::vector<uint32_t> radices = options.radices;
  if (options.ranksPerMean > 1)
    radices.insert(radices.begin(), options.ranksPerMean);
  std::vector<Level> levels;
  // What each member of a block has before a level; blocks are alike.
  std::vector<Pieces> have{pieces};
  for (uint32_t radix : radices) {
    Level level;
    level.radix = radix;
    level.stride = static_cast<uint32_t>(have.size());
    level.isMean = levels.empty() && options.ranksPerMean > 1;
    level.isKnown = level.isMean && options.meansAreKnown;
    uint32_t base = self / level.blockSize() * level.blockSize();
    uint32_t inBlock = self - base, low = inBlock % level.stride;
    level.digit = inBlock / level.stride;
    std::vector<Pieces> parts(level.blockSize());
    for (uint32_t member = 0; member < level.stride; ++member) {
      std::vector<Pieces> cut = cutInto(have[member], radix, options.cut);
      for (uint32_t digit = 0; digit < radix; ++digit)
        parts[digit * level.stride + member] = std::move(cut[digit]);
    }
    for (uint32_t digit = 0; digit < radix; ++digit) {
      level.members.push_back(base + digit * level.stride + low);
      level.parts.push_back(messagesOf(parts[digit * level.stride + low]));
      if (digit == level.digit)
        level.ownPacked = packedCount(level.parts.back());
      else
        level.packed += packedCount(level.parts.back());
    }
    level.ownCount = countOf(parts[inBlock]);
    for (const Pieces &part : parts)
      level.largestPart = std::max(level.largestPart, countOf(part));
    level.merges = mergesOf(radix);
    if (level.isMean) {
      level.owned.resize(parts.size());
    } else {
      assignOwners(parts, base, inBlock, level);
    }
    cutIntoChunks(parts[inBlock], level);
    placeChunks(level);
    bound(pieces, radices.size(), level);
    have = std::move(parts);
    levels.push_back(std::move(level));
  }
  return levels;
}

} // namespace boostrt::adasum
