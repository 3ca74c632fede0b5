#include "compiler/lowering/cuda/SharedMemoryTiling.h"
#include "compiler/lowering/cuda/KernelBodies.h"
#include "compiler/lowering/target/CudaTarget.h"
#include "llvm/ADT/STLExtras.h"
#include <cmath>
#include <numeric>

using namespace mlir;
using namespace boostc;

//===----------------------------------------------------------------------===//
// What is a row, a column, a term
//===----------------------------------------------------------------------===//

static const Contraction::Access &getFactor(const Contraction &c, bool isA) {
  return isA ? c.a : c.b;
}

/// Finds the loops of each side; false where there are none.
static bool sortLoops(const Contraction &c, SharedMemoryTiling &plan) {
  TiledSide sides[2];
  int64_t nearest[2] = {std::numeric_limits<int64_t>::max(),
                        std::numeric_limits<int64_t>::max()};
  for (auto [number, loop] : llvm::enumerate(c.loops)) {
    if (loop.extent == 1)
      continue;
    if (loop.isReduction) {
      plan.terms.push_back(number);
      plan.termsExtent *= loop.extent;
      continue;
    }
    bool movesA = c.getStep(c.a, number) != 0;
    bool movesB = c.getStep(c.b, number) != 0;
    if (movesA && movesB) {
      plan.separate.push_back(number);
      plan.separateExtent *= loop.extent;
      continue;
    }
    if (!movesA && !movesB)
      return false;
    TiledSide &side = sides[movesA ? 0 : 1];
    side.loops.push_back(number);
    side.extent *= loop.extent;
    nearest[movesA ? 0 : 1] =
        std::min(nearest[movesA ? 0 : 1], std::abs(c.result.offset[number]));
  }
  if (plan.terms.empty() || sides[0].loops.empty() || sides[1].loops.empty())
    return false;
  sides[1].isOfA = false;
  for (TiledSide &side : sides)
    llvm::stable_sort(side.loops, [&](unsigned a, unsigned b) {
      return std::abs(c.result.offset[a]) > std::abs(c.result.offset[b]);
    });
  llvm::stable_sort(plan.terms, [&](unsigned a, unsigned b) {
    auto stepOf = [&](unsigned loop) {
      return c.getStep(c.a, loop) + c.getStep(c.b, loop);
    };
    return stepOf(a) > stepOf(b);
  });
  bool areColumnsOfA = nearest[0] < nearest[1];
  plan.columns = std::move(sides[areColumnsOfA ? 0 : 1]);
  plan.rows = std::move(sides[areColumnsOfA ? 1 : 0]);
  return true;
}

/// Gives each condition to the factors that it is about; false where one needs
/// rows and columns.
static bool assignGuards(const Contraction &c, SharedMemoryTiling &plan) {
  TiledSide *sides[] = {&plan.rows, &plan.columns};
  for (auto [number, index] : llvm::enumerate(c.derived)) {
    bool isHeld = false;
    for (unsigned i : {0, 1}) {
      TiledSide &side = *sides[i];
      bool isUsed = getFactor(c, side.isOfA).offset[c.loops.size() + number];
      bool isKnown = llvm::none_of(sides[1 - i]->loops, [&](unsigned loop) {
        return index.numerator[loop] != 0;
      });
      if (isUsed && !isKnown)
        return false;
      if (isUsed || (isKnown && !isHeld)) {
        side.guards.push_back(number);
        isHeld = true;
      }
    }
    if (!isHeld)
      return false;
  }
  return true;
}

/// How many neighbours along `loops`, as one, one access may read: they begin
/// at a multiple of their number, and all of them count or none.
static int64_t getWidth(const Contraction &c, const TiledSide &side,
                        ArrayRef<unsigned> loops) {
  const LinearIndex &offset = getFactor(c, side.isOfA).offset;
  // Loops that walk through memory without a gap, the last fastest.
  SmallVector<bool> isInRun(offset.coefficients.size(), false);
  int64_t run = 1;
  for (unsigned loop : llvm::reverse(loops)) {
    bool isGuarded = llvm::any_of(side.guards, [&](unsigned number) {
      return c.derived[number].numerator[loop] != 0;
    });
    if (offset[loop] != run || isGuarded)
      break;
    isInRun[loop] = true;
    run *= c.loops[loop].extent;
  }
  int64_t width = std::gcd(std::gcd(run, offset.constant), int64_t{4});
  for (auto [number, coefficient] : llvm::enumerate(offset.coefficients))
    if (!isInRun[number])
      width = std::gcd(width, coefficient);
  return width;
}

static void chooseReading(const Contraction &c, TiledSide &side,
                          ArrayRef<unsigned> terms) {
  const Contraction::Access &factor = getFactor(c, side.isOfA);
  int64_t along = c.getStep(factor, side.loops.back());
  int64_t term = c.getStep(factor, terms.back());
  side.readsAlongTerms = term != 0 && term < along;
  side.width =
      getWidth(c, side, side.readsAlongTerms ? terms : ArrayRef(side.loops));
}

//===----------------------------------------------------------------------===//
// Cost
//
// Cycles of the multiprocessor that has most to do, on a GPU of 132 of them
// (H100, H200). None of these numbers has been measured: they follow from what
// NVIDIA says of the hardware, and serve to compare one way with another.
//===----------------------------------------------------------------------===//

/// Multiprocessors, and blocks of four warps that one runs at a time with 128
/// registers for a thread.
static constexpr int64_t kProcessors = 132, kResidentBlocks = 4;
/// Lanes that multiply and add, in a cycle.
static constexpr double kLanes = 128;
/// Bytes that reach a multiprocessor from the cache that all share, in a cycle.
static constexpr double kCacheBytes = 64;
/// Until requested memory has arrived, and a barrier more.
static constexpr double kLatency = 600;
/// Loads of a loop that LLVM and ptxas put side by side.
static constexpr double kLoadsInFlight = 4;
/// Instructions that compute a derived index and ask whether it counts.
static constexpr double kGuardInstructions = 8;

static double estimateTiled(const SharedMemoryTiling &plan) {
  double perSlice = 0;
  // Products, by all lanes.
  perSlice += double(plan.slice * plan.rows.tile * plan.columns.tile) / kLanes;
  for (const TiledSide *side : {&plan.rows, &plan.columns}) {
    // A warp reads 128 bytes of shared memory in a cycle.
    perSlice += double(plan.slice * side->perThread * kBlockThreads) /
                double(4 * kWarpThreads);
    double elements = double(plan.slice * side->tile);
    double accesses = elements / double(side->width);
    // Single elements that are not neighbours come with others that another
    // access reads, or that are unused.
    perSlice += elements * 4 * (side->width == 1 ? 2 : 1) / kCacheBytes;
    perSlice +=
        accesses * (2 + kGuardInstructions * side->guards.size()) / kLanes;
  }
  auto rounds = [&](int64_t at) {
    return double(llvm::divideCeil(plan.countBlocks(), at));
  };
  return double(plan.countSlices()) *
         std::max(rounds(kProcessors) * perSlice,
                  rounds(kProcessors * kResidentBlocks) * kLatency);
}

bool boostc::isWorthwhile(double other, double cycles) {
  // Three microseconds, about what two launches cost: nothing much to gain.
  constexpr double kFewCycles = 5000, kMinGain = 2;
  return cycles > kFewCycles && other * kMinGain < cycles;
}

double boostc::estimateMoving(int64_t elements) {
  return double(elements) * 4 / (kCacheBytes * double(kProcessors));
}

/// The cost of a grid without stages, whose threads have tileOfA times tileOfB
/// outputs each, to compare with: they read both factors of every
/// multiplication directly.
static double estimateUntiled(const Contraction &c, int64_t threads,
                              int64_t termsOfThread, int64_t tileOfA,
                              int64_t tileOfB) {
  double warps = double(llvm::divideCeil(threads, kWarpThreads));
  double perTerm = double(tileOfA * tileOfB) * kWarpThreads / kLanes;
  perTerm += double(tileOfA + tileOfB) * 4 * kWarpThreads / kCacheBytes;
  perTerm +=
      kGuardInstructions * double(c.derived.size()) * kWarpThreads / kLanes;
  double blocks = warps * kWarpThreads / kBlockThreads;
  double busy = warps * perTerm / double(kProcessors);
  double waiting = std::ceil(blocks / double(kProcessors * kResidentBlocks)) *
                   kLatency / kLoadsInFlight;
  return double(termsOfThread) * std::max(busy, waiting);
}

double boostc::estimateCycles(const Contraction &c, const GridPlan &plan) {
  if (plan.tiling)
    return plan.tiling->cycles;
  int64_t terms = 1, tileOfA = 1, tileOfB = 1;
  for (auto [number, loop] : llvm::enumerate(c.loops)) {
    if (loop.isReduction)
      terms *= loop.extent;
    // Each of the two loops with tiles moves one factor.
    (c.b.offset[number] == 0 ? tileOfA : tileOfB) *= plan.tile[number];
  }
  return estimateUntiled(c, plan.items * plan.lanes,
                         llvm::divideCeil(terms, plan.lanes), tileOfA, tileOfB);
}

//===----------------------------------------------------------------------===//
// Plans
//===----------------------------------------------------------------------===//

std::optional<SharedMemoryTiling>
boostc::planSharedMemoryTiling(const Contraction &c) {
  SharedMemoryTiling plan;
  if (!sortLoops(c, plan) || !assignGuards(c, plan))
    return std::nullopt;
  chooseReading(c, plan.rows, plan.terms);
  chooseReading(c, plan.columns, plan.terms);

  // kBlockThreads parts of a tile each, at most 64 sums in registers.
  struct Tile {
    int64_t rows, columns, rowsOfThread, columnsOfThread, slice;
  };
  static constexpr Tile kTiles[] = {{128, 64, 8, 8, 8},  {64, 64, 8, 4, 16},
                                    {32, 128, 4, 8, 16}, {64, 32, 4, 4, 16},
                                    {32, 64, 4, 4, 16},  {32, 32, 4, 2, 32},
                                    {16, 64, 2, 4, 32},  {64, 16, 4, 2, 32}};
  std::optional<SharedMemoryTiling> best;
  for (const Tile &tile : kTiles) {
    SharedMemoryTiling next = plan;
    next.slice = tile.slice;
    next.rows.tile = tile.rows;
    next.rows.perThread = tile.rowsOfThread;
    next.columns.tile = tile.columns;
    next.columns.perThread = tile.columnsOfThread;
    assert(llvm::all_of(llvm::ArrayRef{&next.rows, &next.columns},
                        [&](const TiledSide *side) {
                          return side->tile * next.slice / side->width %
                                     kBlockThreads ==
                                 0;
                        }) &&
           "every thread reads as much");
    assert(next.rows.countThreads() % kLaneRows == 0 &&
           next.columns.countThreads() % kLaneColumns == 0 &&
           next.rows.countThreads() * next.columns.countThreads() ==
               kBlockThreads);
    next.cycles = estimateTiled(next);
    if (!best || next.cycles < best->cycles)
      best = std::move(next);
  }
  return best;
}
