#include "compiler/lowering/cpu/WeightPacking.h"
#include "compiler/lowering/cpu/IndexCode.h"
#include "compiler/lowering/cpu/VectorAccess.h"
#include "compiler/lowering/kernels/LinearIndex.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace boostc;

/// Windows of more taps would make long code.
constexpr int64_t kMaxTaps = 25;

namespace {

struct WeightPacking {
  int64_t filters, channels, taps, lanes;
  /// In a step. A row of bf16 is half as long as one of f32: two squares side
  /// by side fill the cache lines that they write.
  int64_t filtersOfStep;
  /// Are filters innermost, or channels, where taps are outermost?
  bool alongFilters;
  bool unpacks; ///< into the order of the file

  /// Threads have channels, not filters, where they would write neighbours in a
  /// row else: what one fetches ahead the other one is about to write. There
  /// are to be enough of them.
  bool sharesChannels() const {
    return alongFilters && !unpacks && channels > lanes &&
           4 * channels >= filters;
  }
};

} // namespace

/// Whether the dimensions of `type` lie in memory in `order`, the innermost
/// last.
static bool isOrdered(MemRefType type, ArrayRef<unsigned> order) {
  auto [strides, offset] = type.getStridesAndOffset();
  int64_t stride = 1;
  for (unsigned dim : llvm::reverse(order)) {
    if (type.getDimSize(dim) > 1 && strides[dim] != stride)
      return false;
    stride *= type.getDimSize(dim);
  }
  return offset == 0;
}

static std::optional<WeightPacking> describe(memref::CopyOp copy,
                                             int64_t maxLanes) {
  auto source = cast<MemRefType>(copy.getSource().getType());
  auto target = cast<MemRefType>(copy.getTarget().getType());
  if (source.getRank() != 4 || !source.hasStaticShape() ||
      source.getElementType() != target.getElementType() ||
      (source.getElementTypeBitWidth() != 32 &&
       source.getElementTypeBitWidth() != 16))
    return std::nullopt;
  WeightPacking packing;
  packing.unpacks = !isOrdered(source, {0, 1, 2, 3});
  MemRefType packed = packing.unpacks ? source : target;
  if (!isOrdered(packing.unpacks ? target : source, {0, 1, 2, 3}))
    return std::nullopt;
  packing.filters = source.getDimSize(0);
  packing.channels = source.getDimSize(1);
  packing.taps = source.getDimSize(2) * source.getDimSize(3);
  packing.alongFilters = isOrdered(packed, {2, 3, 1, 0});
  if (!packing.alongFilters && !isOrdered(packed, {2, 3, 0, 1}))
    return std::nullopt;
  packing.lanes = maxLanes;
  while (packing.filters % packing.lanes != 0 ||
         packing.channels % packing.lanes != 0)
    packing.lanes /= 2;
  if (packing.lanes < 4 || packing.taps == 1 || packing.taps > kMaxTaps)
    return std::nullopt;
  packing.filtersOfStep = packing.lanes;
  if (source.getElementTypeBitWidth() == 16 &&
      packing.filters % (2 * packing.lanes) == 0)
    packing.filtersOfStep *= 2;
  return packing;
}

namespace {

class PackingEmitter : IndexCode {
public:
  PackingEmitter(OpBuilder &builder, Location loc, const WeightPacking &packing,
                 Value source, Value target)
      : IndexCode(builder, loc), packing(packing),
        source(flattenBuffer(builder, loc, source)),
        target(flattenBuffer(builder, loc, target)),
        type(VectorType::get(
            {packing.lanes},
            cast<MemRefType>(source.getType()).getElementType())) {}

  void emit(Value begin, Value end) {
    int64_t filters = packing.filtersOfStep, lanes = packing.lanes;
    auto all = [&](int64_t extent, int64_t step) {
      return Range{constant(0), constant(extent / step)};
    };
    Range ofFilters{begin, end}, ofChannels = all(packing.channels, lanes);
    if (packing.sharesChannels()) {
      ofFilters = all(packing.filters, filters);
      ofChannels = {begin, end};
    }
    forEach(ofFilters.begin, ofFilters.end, [&](Value step) {
      Value first = times(step, filters);
      forEach(ofChannels.begin, ofChannels.end,
              [&](Value square) { emitStep(first, times(square, lanes)); });
    });
  }

private:
  /// `filtersOfStep` filters and `lanes` channels.
  void emitStep(Value first, Value channel) {
    Value last = plus(first, packing.filtersOfStep);
    if (packing.alongFilters)
      forEach(first, last, packing.lanes,
              [&](Value filter) { emitSquares(filter, channel); });
    else
      forEach(first, last, [&](Value filter) { emitRow(filter, channel); });
  }

  /// Elements of `lanes` channels of a filter are neighbours in the file,
  /// taps innermost: squares of them and of as many filters are transposed.
  void emitSquares(Value filter, Value channel) {
    int64_t lanes = packing.lanes, row = packing.channels * packing.taps;
    Value file = add(times(filter, row), times(channel, packing.taps));
    Value packed = add(times(channel, packing.filters), filter);
    // A loop: written out, it would be long for windows of many taps.
    forEach(constant(0), constant(packing.taps), [&](Value square) {
      Value first = times(square, lanes);
      Value inFile = add(file, first);
      SmallVector<Value> inPacked, vectors;
      for (int64_t number = 0; number < lanes; ++number) {
        Value element = plus(first, number);
        Value ofTap = times(remainder(element, packing.taps),
                            packing.channels * packing.filters);
        Value ofChannel =
            times(quotient(element, packing.taps), packing.filters);
        inPacked.push_back(add(packed, add(ofTap, ofChannel)));
      }
      for (int64_t number = 0; number < lanes; ++number)
        vectors.push_back(packing.unpacks ? load(inPacked[number], 0)
                                          : load(inFile, number * row));
      transposeVectors(builder, loc, vectors);
      for (int64_t number = 0; number < lanes; ++number)
        packing.unpacks ? store(vectors[number], inFile, number * row)
                        : store(vectors[number], inPacked[number], 0);
    });
  }

  /// The same elements of one filter, sorted by taps.
  void emitRow(Value filter, Value channel) {
    int64_t lanes = packing.lanes, taps = packing.taps;
    Value file = times(add(times(filter, packing.channels), channel), taps);
    Value packed = add(times(filter, packing.channels), channel);
    auto inFile = [&](int64_t number) { return number * lanes; };
    auto inPacked = [&](int64_t tap) {
      return tap * packing.filters * packing.channels;
    };
    SmallVector<Value> from, to;
    for (int64_t number = 0; number < taps; ++number)
      from.push_back(packing.unpacks ? load(packed, inPacked(number))
                                     : load(file, inFile(number)));
    // Element `lane` of vector `number` comes from element % lanes of vector
    // element / lanes.
    for (int64_t number = 0; number < taps; ++number) {
      SmallVector<int64_t> elements;
      for (int64_t lane = 0; lane < lanes; ++lane) {
        int64_t inRow = number * lanes + lane;
        elements.push_back(packing.unpacks ? inRow % taps * lanes + inRow / taps
                                           : lane * taps + number);
      }
      to.push_back(select(from, elements));
    }
    for (int64_t number = 0; number < taps; ++number)
      packing.unpacks ? store(to[number], file, inFile(number))
                      : store(to[number], packed, inPacked(number));
  }

  Value select(ArrayRef<Value> from, ArrayRef<int64_t> elements) {
    int64_t lanes = packing.lanes;
    Value chosen;
    for (auto [number, vector] : llvm::enumerate(from)) {
      SmallVector<int64_t> mask;
      bool isUsed = false;
      for (int64_t lane = 0; lane < lanes; ++lane) {
        bool isHere = elements[lane] / lanes == static_cast<int64_t>(number);
        isUsed |= isHere;
        mask.push_back(isHere ? lanes + elements[lane] % lanes : lane);
      }
      if (isUsed)
        chosen = vector::ShuffleOp::create(
            builder, loc, chosen ? chosen : vector, vector, mask);
    }
    return chosen;
  }

  Value load(Value offset, int64_t step) {
    return vector::LoadOp::create(builder, loc, type, source,
                                  plus(offset, step));
  }
  void store(Value vector, Value offset, int64_t step) {
    vector::StoreOp::create(builder, loc, vector, target, plus(offset, step));
  }

  const WeightPacking &packing;
  Value source, target;
  VectorType type;
};

} // namespace

std::optional<OpKernel> boostc::planWeightPacking(memref::CopyOp copy,
                                                  int64_t maxLanes) {
  std::optional<WeightPacking> packing = describe(copy, maxLanes);
  if (!packing)
    return std::nullopt;
  int64_t pieces = packing->sharesChannels()
                       ? packing->channels / packing->lanes
                       : packing->filters / packing->filtersOfStep;
  return makeCopyKernel<PackingEmitter>(
      copy, copy.getSource(), copy.getTarget(), *packing, pieces,
      packing->filters * packing->channels * packing->taps / pieces);
}
