#include "compiler/lowering/cpu/ChannelsLast.h"
#include "compiler/lowering/cpu/TapSumPlan.h"
#include "compiler/lowering/cpu/VectorAccess.h"
#include "compiler/lowering/kernels/Strides.h"

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

ConvolutionTypes boostc::getChannelsLast(rt::ConvolutionOp op, int64_t lanes) {
  ConvolutionTypes types = ConvolutionTypes::of(op);
  auto dense = [](MemRefType type) {
    return MemRefType::get(type.getShape(), type.getElementType());
  };
  return {getChannelsLast(dense(types.input)),
          getPacked(dense(types.weight), op.getKind(), lanes),
          getChannelsLast(dense(types.output))};
}

namespace {

/// What convolutions would cost in cycles in either order.
struct Estimate {
  double channelsLast = 0.0, batchInnermost = 0.0;
  bool isPossible = true; ///< in channels-last order
};

} // namespace

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

/// The best plan for one thread; none where `sum` has no vectors.
static std::optional<TapSumPlan> planKernel(const TapSum &sum,
                                            VectorRegisters registers) {
  std::vector<TapSumPlan> plans =
      planTapSum(sum, registers, /*threads=*/1, /*count=*/1);
  return plans.empty() ? std::nullopt : std::optional(plans.front());
}

static void addCosts(rt::ConvolutionOp op, VectorRegisters registers,
                     Estimate &estimate) {
  int64_t lanes = registers.lanes;
  ConvolutionTypes types = getChannelsLast(op, lanes);
  TapSum sum = getTapSum(op, types);
  std::optional<TapSumPlan> plan = planKernel(sum, registers);
  if (!plan) {
    estimate.isPossible = false;
    return;
  }
  auto flops = static_cast<double>(op.getFlops());
  constexpr double kReached = 0.85; // of the estimate, by what it leaves out
  estimate.channelsLast +=
      flops / (kReached * estimateEfficiency(sum, *plan, lanes));
  estimate.batchInnermost +=
      flops / estimateBatchInnermost(types.input.getDimSize(0),
                                     types.weight.getDimSize(1), lanes);
}

bool boostc::prefersChannelsLast(func::FuncOp function,
                                 VectorRegisters registers) {
  Estimate estimate;
  bool isEmpty = true;
  for (auto convolution : function.getOps<rt::ConvolutionOp>()) {
    addCosts(convolution, registers, estimate);
    isEmpty = false;
  }
  return !isEmpty && estimate.isPossible &&
         estimate.channelsLast < estimate.batchInnermost;
}

bool boostc::multipliesBFloat16(ContractionOpInterface op,
                                VectorRegisters registers) {
  auto convolution = dyn_cast<rt::ConvolutionOp>(*op);
  if (!convolution)
    return false;
  std::optional<TapSumPlan> plan = planKernel(
      getTapSum(convolution, getChannelsLast(convolution, registers.lanes)),
      registers);
  return plan && plan->keepsBFloat16();
}
