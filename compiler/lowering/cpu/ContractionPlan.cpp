#include "compiler/lowering/cpu/ContractionPlan.h"
#include "compiler/lowering/cpu/VectorAccess.h"

using namespace mlir;
using namespace boostc;

int64_t ContractionPlan::getTile(unsigned loop) const {
  if (loop == vectorLoop)
    return lanes * vectors;
  for (const std::optional<Tile> &tile : {sharesA, sharesB})
    if (tile && tile->loop == loop)
      return tile->extent;
  return 1;
}

int64_t ContractionPlan::countTiles(const Contraction &contraction,
                                    unsigned loop) const {
  return llvm::divideCeil(contraction.loops[loop].extent, getTile(loop));
}

/// The loop along which all three operands stay or step to a neighbour,
/// with the most elements in a vector on average; a loop that is written along
/// beats one summed over, whose vectors are added up at the end.
static void chooseVectorLoop(const Contraction &c, int64_t maxLanes,
                             ContractionPlan &plan) {
  bool best = false; // is the best so far a parallel loop?
  double bestFilled = 1.0;
  for (auto [number, loop] : llvm::enumerate(c.loops)) {
    int64_t a = c.a.offset[number], b = c.b.offset[number];
    int64_t result = c.result.offset[number];
    bool steps = loop.isReduction
                     ? result == 0 && a == 1 && b == 1
                     : result == 1 && a + b >= 1 && (a == 0 || a == 1) &&
                           (b == 0 || b == 1);
    if (!steps || c.isGuarded(number))
      continue;
    int64_t lanes = chooseLanes(loop.extent, maxLanes);
    double filled =
        static_cast<double>(loop.extent) / llvm::divideCeil(loop.extent, lanes);
    if (filled < bestFilled || (filled == bestFilled && best) || lanes == 1)
      continue;
    plan.vectorLoop = number;
    plan.lanes = lanes;
    best = !loop.isReduction;
    bestFilled = filled;
  }
}

/// Cycles per multiplication that a tile costs, in units of one vector
/// multiplication: loads overlap with them, and a chain of sums needs others to
/// hide its latency.
static double estimateCost(int64_t products, int64_t loads) {
  constexpr double kLatency = 8.0, kLoadShare = 0.1;
  double cycles = std::max(
      {static_cast<double>(products), static_cast<double>(loads), kLatency});
  return (cycles + kLoadShare * loads) / products;
}

/// Threads: the loop that divides most evenly, the one with most pieces among
/// equals.
static void chooseSharedLoop(const Contraction &c, int64_t threads,
                             ContractionPlan &plan) {
  double bestBalance = 0.0;
  for (auto [number, loop] : llvm::enumerate(c.loops)) {
    if (loop.isReduction)
      continue;
    int64_t pieces = plan.countTiles(c, number);
    int64_t rounds = llvm::divideCeil(pieces, threads);
    double balance = static_cast<double>(pieces) / (rounds * threads);
    if (pieces == 1 || balance < bestBalance ||
        (balance == bestBalance && pieces <= plan.pieces))
      continue;
    bestBalance = balance;
    plan.shared = number;
    plan.pieces = pieces;
  }
}

std::vector<ContractionPlan>
boostc::planContraction(const Contraction &c, int64_t maxLanes,
                        int64_t registers, int64_t threads, size_t count) {
  ContractionPlan plan;
  chooseVectorLoop(c, maxLanes, plan);

  // Loops that may be tiled: parallel, without conditions.
  auto findTiles = [&](const LinearIndex &same, const LinearIndex &moves) {
    SmallVector<std::optional<ContractionPlan::Tile>> tiles = {std::nullopt};
    for (auto [number, loop] : llvm::enumerate(c.loops)) {
      if (loop.isReduction || number == plan.vectorLoop ||
          c.isGuarded(number) || same[number] != 0 || moves[number] == 0)
        continue;
      for (int64_t extent = 2; extent <= 16; ++extent)
        if (loop.extent % extent == 0)
          tiles.push_back(
              ContractionPlan::Tile{static_cast<unsigned>(number), extent});
    }
    return tiles;
  };
  auto movesAlong = [&](const LinearIndex &offset) {
    return plan.vectorLoop && offset[*plan.vectorLoop] != 0;
  };
  bool isSummed = plan.vectorLoop && c.loops[*plan.vectorLoop].isReduction;
  // Whether a tile loads vectors of `access` from several pages for each term:
  // few of them fit into the sets of a cache that they share.
  auto isScattered = [&](const Contraction::Access &access,
                         const std::optional<ContractionPlan::Tile> &tile) {
    constexpr int64_t kPageElements = 1024;
    return tile && !isSummed && movesAlong(access.offset) &&
           std::abs(access.offset[tile->loop]) > kPageElements;
  };
  int64_t maxVectors =
      plan.vectorLoop && !isSummed ? plan.countTiles(c, *plan.vectorLoop) : 1;
  std::vector<std::pair<double, ContractionPlan>> plans;
  for (int64_t vectors = 1; vectors <= std::min<int64_t>(maxVectors, 4);
       vectors *= 2) {
    if (maxVectors % vectors != 0)
      continue;
    for (const auto &sharesA : findTiles(c.a.offset, c.b.offset))
      for (const auto &sharesB : findTiles(c.b.offset, c.a.offset)) {
        int64_t first = sharesA ? sharesA->extent : 1;
        int64_t second = sharesB ? sharesB->extent : 1;
        int64_t sums = first * second * vectors;
        int64_t loadsOfA = second * (movesAlong(c.a.offset) ? vectors : 1);
        int64_t loadsOfB = first * (movesAlong(c.b.offset) ? vectors : 1);
        // One operand's loads stay in registers, the other's come one by one.
        if (sums + std::min(loadsOfA, loadsOfB) + 1 > registers ||
            isScattered(c.b, sharesA) || isScattered(c.a, sharesB))
          continue;
        plan.vectors = vectors;
        plan.sharesA = sharesA;
        plan.sharesB = sharesB;
        plans.push_back({estimateCost(sums, loadsOfA + loadsOfB), plan});
      }
  }
  // Among equals the first one found.
  llvm::stable_sort(plans, llvm::less_first());
  plans.resize(std::min(plans.size(), count));
  std::vector<ContractionPlan> best;
  for (auto &[cost, found] : plans) {
    chooseSharedLoop(c, threads, found);
    best.push_back(found);
  }
  return best;
}
