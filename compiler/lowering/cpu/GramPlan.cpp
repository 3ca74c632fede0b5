#include "compiler/lowering/cpu/GramPlan.h"
#include "compiler/lowering/cpu/VectorAccess.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace boostc;

/// Elements of a packed column, and of all that is packed.
static constexpr int64_t kColumnLength = 512, kPackedElements = 1 << 16;

int64_t GramPlan::countPacked() const {
  int64_t channels = std::min(shape.channels / shape.geometry.groups,
                              (shape.blockSize - 2) / shape.getTaps() + 2);
  return static_cast<int64_t>(
      packsPixels
          ? llvm::alignTo(channels, lanes)
          : llvm::alignTo(shape.blockSize, kGramTileRows * kGramTileColumns));
}

/// Chooses how much is packed at once.
static void choosePart(GramPlan &plan) {
  const rt::GramShape &shape = plan.shape;
  int64_t pixels = shape.getPixels();
  int64_t length =
      std::clamp(kPackedElements / plan.countPacked(), 4 * plan.lanes,
                 plan.isContiguous() ? kColumnLength : 2 * kColumnLength);
  plan.samples = std::clamp<int64_t>(length / pixels, 1, shape.samples);
  plan.rows = plan.samples > 1 ? shape.outputHeight
                               : std::clamp<int64_t>(length / shape.outputWidth,
                                                     1, shape.outputHeight);
  plan.lines = plan.rows;
  plan.lineLength = shape.outputWidth;
  if (plan.packsPixels) {
    plan.lines += (shape.kernel[0] - 1) * shape.geometry.dilations[0];
    plan.lineLength += (shape.kernel[1] - 1) * shape.geometry.dilations[1];
  }
  plan.length = static_cast<int64_t>(
      llvm::alignTo(plan.samples * plan.lines * plan.lineLength, plan.lanes));
  // Columns a power of two apart would share a few sets of a cache.
  constexpr int64_t kManyBytes = 256;
  plan.distance = plan.length;
  if (plan.distance * 4 % kManyBytes == 0)
    plan.distance += BOOSTC_ALIGNMENT / 4;
}

/// Lanes of vectors that lines of pixels consist of; 0 where they would be too
/// narrow. Half of the widest vectors compute at least as much as columns that
/// are packed one by one.
static int64_t chooseLineLanes(int64_t width, int64_t maxLanes) {
  constexpr int64_t kMinLanes = 8;
  for (int64_t lanes : {maxLanes, maxLanes / 2})
    if (lanes >= std::min(kMinLanes, maxLanes) && width % lanes == 0)
      return lanes;
  return 0;
}

GramPlan GramPlan::get(const rt::GramShape &shape, int64_t maxLanes,
                       int64_t threads) {
  GramPlan plan{.shape = shape};
  const ConvolutionGeometry &geometry = shape.geometry;
  plan.lanes = chooseLanes(shape.samples * shape.getPixels(), maxLanes);
  if (shape.getTaps() == 1) {
    plan.packsPixels =
        llvm::all_of(geometry.padding, [](int64_t pixels) { return !pixels; });
  } else if (geometry.strides[0] == 1 && geometry.strides[1] == 1) {
    int64_t lanes = chooseLineLanes(shape.outputWidth, maxLanes);
    plan.packsPixels = lanes != 0;
    plan.lanes = lanes != 0 ? lanes : plan.lanes;
  }
  choosePart(plan);
  // Kernels far larger than a line.
  if (plan.packsPixels && plan.countPackedElements() > kPackedElements) {
    plan.packsPixels = false;
    choosePart(plan);
  }
  // A stripe packs its block again, so one for each thread only where there are
  // few blocks.
  int64_t tiles = shape.blockSize / kGramTileRows;
  plan.stripes =
      shape.countBlocks() < 4 * threads
          ? std::clamp<int64_t>(threads, 1, std::max<int64_t>(tiles / 4, 1))
          : 1;
  return plan;
}
