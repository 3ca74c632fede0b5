#include "compiler/lowering/cpu/ChannelsLast.h"
#include "compiler/lowering/cpu/TapSumCost.h"
#include "compiler/lowering/cpu/VectorAccess.h"
#include "compiler/lowering/kernels/Strides.h"
#include <limits>

using namespace mlir;
using namespace boostc;

MemRefType boostc::getChannelsLast(MemRefType type) {
  return getOrdered(type, {0, 2, 3, 1});
}

/// [O, C, KH, KW] as taps of matrices, along whose innermost dimension vectors
/// of `kind` run, of `lanes` elements.
static MemRefType getPacked(MemRefType type, rt::ConvolutionKind kind,
                            int64_t lanes) {
  int64_t filters = type.getDimSize(0), channels = type.getDimSize(1);
  bool alongFilters = kind == rt::ConvolutionKind::Forward || channels == 1;
  // Gradients: whichever fills vectors; channels lie as in the file where there
  // is one tap.
  if (kind == rt::ConvolutionKind::BackwardWeight && channels > 1)
    alongFilters =
        channels % lanes != 0 ||
        (type.getDimSize(2) * type.getDimSize(3) > 1 && filters % lanes == 0);
  return alongFilters ? getOrdered(type, {2, 3, 1, 0})
                      : getOrdered(type, {2, 3, 0, 1});
}

namespace {

/// A form of a convolution, and the best plan of its kernel.
struct PlannedForm {
  ChannelsLastForm form;
  std::optional<TapSumPlan> plan;
  /// In the operations that could be done meanwhile; infinite without a plan.
  double cost = std::numeric_limits<double>::infinity();
};

} // namespace

/// Operations of a vector of `lanes` elements in a cycle: two multiply-adds.
static double countOperations(int64_t lanes) {
  return 4.0 * static_cast<double>(lanes);
}

/// The share of the multiplications' rate that kernels reach whose vectors are
/// samples. Measured on LeNet-5 and on nets of 64 and more channels: with few
/// samples no loop is one of vectors, and with many channels weights are read
/// from the second cache.
static double estimateBatchInnermost(int64_t samples, int64_t channels,
                                     int64_t lanes) {
  constexpr int64_t kMinBatch = 4, kManyChannels = 128;
  if (samples < kMinBatch)
    return 0.06;
  int64_t used = chooseLanes(samples, lanes);
  double filled = static_cast<double>(samples) /
                  static_cast<double>(llvm::divideCeil(samples, used) * used);
  return filled * estimateVectorRate(used, lanes) *
         (channels >= kManyChannels ? 0.5 : 0.65);
}

/// What it costs besides that a gradient of weights reads its images again for
/// every few taps, when caches cannot hold them: in the operations that could
/// be done meanwhile. Measured on LeNet-5 with large batches.
static double estimateReread(rt::ConvolutionOp op,
                             const ConvolutionTypes &types, int64_t lanes) {
  constexpr int64_t kCaches = 4 << 20, kTapsOfTile = 9;
  constexpr double kBytesPerCycle = 8.0;
  int64_t bytes = countBytes(types.input) + countBytes(types.output);
  if (op.getKind() != rt::ConvolutionKind::BackwardWeight || bytes <= kCaches)
    return 0.0;
  MemRefType weight = types.weight;
  int64_t taps = llvm::divideCeil(weight.getDimSize(1) * weight.getDimSize(2) *
                                      weight.getDimSize(3),
                                  kTapsOfTile);
  return static_cast<double>(taps * bytes) / kBytesPerCycle *
         countOperations(lanes);
}

static PlannedForm planForm(rt::ConvolutionOp op, const ChannelsLastForm &form,
                            VectorRegisters registers) {
  PlannedForm planned{form};
  TapSum sum = getTapSum(op, form.types, form.geometry);
  std::vector<TapSumPlan> plans =
      planTapSum(sum, registers, /*threads=*/1, /*count=*/1);
  if (plans.empty())
    return planned;
  planned.plan = plans.front();
  constexpr double kReached = 0.85; // of the estimate, by what it leaves out
  planned.cost =
      static_cast<double>(op.getFlops()) /
      (kReached * estimateEfficiency(sum, *planned.plan, registers.lanes));
  constexpr double kCopy = 0.5; // cycles for an element
  if (!form.border.isEmpty())
    planned.cost +=
        kCopy * countOperations(registers.lanes) *
        static_cast<double>(sum.parts.front().source.type.getNumElements());
  return planned;
}

/// `form` with a border around the rows of what it reads; none where that would
/// change nothing.
static std::optional<ChannelsLastForm> addBorder(rt::ConvolutionOp op,
                                                 const ChannelsLastForm &form) {
  std::optional<TapBorder> border =
      TapBorder::of(getTapSum(op, form.types, form.geometry));
  if (!border || border->isEmpty())
    return std::nullopt;
  ChannelsLastForm bordered = form;
  bordered.border = *border;
  auto widen = [&](MemRefType &type) {
    SmallVector<int64_t> shape(type.getShape());
    shape[3] += border->before + border->after;
    type = getChannelsLast(MemRefType::get(shape, type.getElementType()));
  };
  std::array<int64_t, 4> &padding = bordered.geometry.padding;
  bool readsOutput = op.getKind() == rt::ConvolutionKind::BackwardData;
  widen(readsOutput ? bordered.types.output : bordered.types.input);
  // A wider output is that of a wider padding, in steps of the stride.
  int64_t step = readsOutput ? form.geometry.strides[1] : -1;
  padding[1] += step * border->before;
  padding[3] += step * border->after;
  return bordered;
}

/// The cheaper one of the forms without a border and with one.
static PlannedForm chooseForm(rt::ConvolutionOp op, VectorRegisters registers) {
  ConvolutionTypes types = ConvolutionTypes::of(op);
  auto dense = [](MemRefType type) {
    return MemRefType::get(type.getShape(), type.getElementType());
  };
  ChannelsLastForm form{
      {getChannelsLast(dense(types.input)),
       getPacked(dense(types.weight), op.getKind(), registers.lanes),
       getChannelsLast(dense(types.output))},
      op.getGeometry(),
      {}};
  PlannedForm best = planForm(op, form, registers);
  if (std::optional<ChannelsLastForm> bordered = addBorder(op, form))
    if (PlannedForm other = planForm(op, *bordered, registers);
        other.cost < best.cost)
      return other;
  return best;
}

ChannelsLastForm boostc::getChannelsLast(rt::ConvolutionOp op,
                                         VectorRegisters registers) {
  return chooseForm(op, registers).form;
}

bool boostc::prefersChannelsLast(func::FuncOp function,
                                 VectorRegisters registers) {
  double channelsLast = 0.0, batchInnermost = 0.0;
  for (auto op : function.getOps<rt::ConvolutionOp>()) {
    channelsLast += chooseForm(op, registers).cost;
    ConvolutionTypes types = ConvolutionTypes::of(op);
    batchInnermost += static_cast<double>(op.getFlops()) /
                          estimateBatchInnermost(types.input.getDimSize(0),
                                                 types.weight.getDimSize(1),
                                                 registers.lanes) +
                      estimateReread(op, types, registers.lanes);
  }
  return channelsLast < batchInnermost;
}

bool boostc::multipliesBFloat16(ContractionOpInterface op,
                                VectorRegisters registers) {
  auto convolution = dyn_cast<rt::ConvolutionOp>(*op);
  if (!convolution)
    return false;
  std::optional<TapSumPlan> plan = chooseForm(convolution, registers).plan;
  return plan && plan->keepsBFloat16();
}
