// linalg.generic as a kernel body.

#include "compiler/lowering/cuda/KernelBodies.h"
#include "compiler/lowering/kernels/KernelLoops.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace boostc;

namespace {

class GenericBody : public KernelBody {
public:
  GenericBody(linalg::GenericOp op, const IRMapping &buffers)
      : op(op), buffers(buffers) {
    for (auto [extent, iterator] :
         llvm::zip_equal(op.getStaticLoopRanges(), op.getIteratorTypesArray()))
      loops.push_back({extent, iterator == utils::IteratorType::reduction});
    auto yield = cast<linalg::YieldOp>(op.getBody()->getTerminator());
    for (auto [output, value] :
         llvm::zip_equal(op.getRegionOutputArgs(), yield.getOperands()))
      combiners.push_back(findCombiner(output, value));
  }

  /// Finds the address of each operand; fails, with a diagnostic, when one is
  /// indexed otherwise than by sums.
  LogicalResult resolve() {
    for (OpOperand &operand : op->getOpOperands()) {
      offsets.emplace_back();
      if (!isa<MemRefType>(operand.get().getType()))
        continue;
      std::optional<LinearIndex> offset = getOffset(op, operand);
      if (!offset)
        return op.emitOpError("indexes an operand by the map ")
               << AffineMapAttr::get(op.getMatchingIndexingMap(&operand))
               << "; kernels index by sums of loops, factors and constants";
      offsets.back() = *offset;
    }
    for (auto [i, output] : llvm::enumerate(op.getDpsInitsMutable()))
      if (failed(gatherTerms(output, i == 0)))
        return failure();
    for (OpOperand &operand : op->getOpOperands())
      if (isa<MemRefType>(operand.get().getType())) {
        // Where gathered terms come from is not a sum of the body's own loops.
        bool isKnown = gathered.empty() || op.isDpsInit(&operand);
        const LinearIndex &offset = offsets[operand.getOperandNumber()];
        accesses.push_back({operand.get(),
                            isKnown ? std::optional(offset) : std::nullopt,
                            op.isDpsInit(&operand)});
      }
    return success();
  }

  bool isGathered() const { return !gathered.empty(); }
  const LinearIndex &getOutputOffset() {
    return offsets[op.getDpsInitOperand(0)->getOperandNumber()];
  }

  SmallVector<Value> emitStart(OpBuilder &builder,
                               ArrayRef<Value> indices) override {
    SmallVector<Value> values;
    for (OpOperand &output : op.getDpsInitsMutable()) {
      BlockArgument element = op.getMatchingBlockArgument(&output);
      // What is never read need not be loaded, but needs a value.
      values.push_back(element.use_empty()
                           ? arith::ConstantOp::create(
                                 builder, op.getLoc(),
                                 builder.getZeroAttr(element.getType()))
                           : loadOperand(builder, output, indices));
    }
    return values;
  }

  SmallVector<Value> emitStep(OpBuilder &builder, ArrayRef<Value> indices,
                              ValueRange values) override {
    SmallVector<Value> all(indices), windows(indices);
    Value isTerm = emitDerived(builder, op.getLoc(), gathered, windows);
    for (auto [number, loop] : llvm::enumerate(gatheredLoops))
      all[loop] = windows[indices.size() + number];
    return emitWhere(builder, op.getLoc(), isTerm, values,
                     [&](OpBuilder &b) { return emitBody(b, all, values); });
  }

  void emitStores(OpBuilder &builder, ArrayRef<Value> indices,
                  ValueRange values) override {
    for (auto [output, value] :
         llvm::zip_equal(op.getDpsInitsMutable(), values))
      storeAt(builder, op.getLoc(), value, flatten(builder, output.get()),
              offsets[output.getOperandNumber()], indices);
  }

  size_t countOutputs() const override { return combiners.size(); }

  bool isFlattenable() const override {
    linalg::GenericOp generic = op;
    return gathered.empty() &&
           generic.getBody()->getOps<linalg::IndexOp>().empty();
  }
  void flatten(int64_t elements) override {
    for (LinearIndex &offset : offsets)
      offset = flattenOffset(offset);
    for (Access &access : accesses)
      access.offset = flattenOffset(*access.offset);
    loops.assign(1, {elements, false});
  }

  bool isSplittable() const override {
    return llvm::all_of(combiners, [](Operation *op) { return op; });
  }
  Value emitNeutral(OpBuilder &builder, unsigned output) override {
    return arith::ConstantOp::create(
        builder, op.getLoc(), *arith::getNeutralElement(combiners[output]));
  }
  Value emitCombined(OpBuilder &builder, unsigned output, Value a,
                     Value b) override {
    IRMapping mapping;
    mapping.map(combiners[output]->getOperand(0), a);
    mapping.map(combiners[output]->getOperand(1), b);
    return builder.clone(*combiners[output], mapping)->getResult(0);
  }

private:
  /// Windows that overlap add to the same elements. Threads that share the
  /// windows would meet there, so they share the elements instead, and each
  /// looks for its terms: for element i = divisor * window + tap, the window
  /// that each tap makes it belong to.
  LogicalResult gatherTerms(OpOperand &output, bool isFirst) {
    AffineMap map = op.getMatchingIndexingMap(&output);
    LinearIndex &offset = offsets[output.getOperandNumber()];
    auto type = cast<MemRefType>(output.get().getType());
    SmallVector<int64_t> strides = type.getStridesAndOffset().first;
    for (auto [dim, expr] : llvm::enumerate(map.getResults())) {
      LinearIndex index = getLinear(expr);
      std::optional<unsigned> window;
      bool isReduced = false;
      for (unsigned loop = 0; loop < op.getNumLoops(); ++loop) {
        if (index[loop] == 0)
          continue;
        isReduced |= loops[loop].isReduction;
        if (!window || index[loop] > index[*window])
          window = loop;
      }
      if (!isReduced)
        continue;
      if (!isFirst || op.getNumDpsInits() != 1 || index[*window] < 1 ||
          llvm::count_if(
              map.getResults(),
              [&](AffineExpr other) {
                return getLinear(other)[*window] != 0;
              }) != 1)
        return op.emitOpError(
                   "adds to elements that cannot be split among threads: ")
               << AffineMapAttr::get(map);
      LinearIndex numerator{-index.constant, {}};
      for (int64_t coefficient : index.coefficients)
        numerator.coefficients.push_back(-coefficient);
      numerator.coefficients[*window] = 0;
      numerator.coefficients.resize(loops.size(), 0);
      numerator.coefficients.push_back(1); // the element
      gathered.push_back({numerator, index[*window], loops[*window].extent});
      gatheredLoops.push_back(*window);
      offset.constant -= strides[dim] * index.constant;
      for (unsigned number = 0; number < op.getNumLoops(); ++number)
        offset.coefficients[number] -= strides[dim] * index[number];
      offset.coefficients.resize(loops.size(), 0);
      offset.coefficients.push_back(strides[dim]);
      loops[*window].extent = 1;
      loops.push_back({type.getDimSize(dim), false});
    }
    return success();
  }

  /// `offset` by the number of the element, which it moves with or not at all.
  LinearIndex flattenOffset(const LinearIndex &offset) const {
    bool moves = llvm::any_of(llvm::zip(loops, offset.coefficients),
                              [](const auto &pair) {
                                const auto &[loop, coefficient] = pair;
                                return loop.extent > 1 && coefficient != 0;
                              });
    return {offset.constant, {moves ? 1 : 0}};
  }

  /// `expr` by the op's loops; it is linear.
  LinearIndex getLinear(AffineExpr expr) {
    AffineMap map = AffineMap::get(op.getNumLoops(), 0, expr);
    SmallVector<int64_t> at(op.getNumLoops(), 0);
    LinearIndex index{map.compose(at).front(), {}};
    for (int64_t &loop : at) {
      loop = 1;
      index.coefficients.push_back(map.compose(at).front() - index.constant);
      loop = 0;
    }
    return index;
  }

  SmallVector<Value> emitBody(OpBuilder &builder, ArrayRef<Value> indices,
                              ValueRange values) {
    IRMapping mapping = buffers; // also maps what the body reads from outside
    mapping.map(op.getRegionOutputArgs(), values);
    for (OpOperand *operand : op.getDpsInputOperands()) {
      BlockArgument element = op.getMatchingBlockArgument(operand);
      if (!element.use_empty())
        mapping.map(element, isa<MemRefType>(operand->get().getType())
                                 ? loadOperand(builder, *operand, indices)
                                 : buffers.lookup(operand->get()));
    }
    for (Operation &inner : op.getBody()->without_terminator()) {
      if (auto index = dyn_cast<linalg::IndexOp>(inner))
        mapping.map(index.getResult(), indices[index.getDim()]);
      else
        builder.clone(inner, mapping);
    }
    SmallVector<Value> next;
    for (Value value : op.getBody()->getTerminator()->getOperands())
      next.push_back(mapping.lookupOrDefault(value));
    return next;
  }

  /// The op that adds one term to `output`, where it is one of those whose
  /// partial results can be computed apart, in numbers that lanes can exchange;
  /// else null.
  static Operation *findCombiner(BlockArgument output, Value value) {
    Operation *combiner = value.getDefiningOp();
    if (!combiner || combiner->getNumOperands() != 2 || !output.hasOneUse() ||
        *output.user_begin() != combiner ||
        combiner->getOperand(0) == combiner->getOperand(1) ||
        output.getType().getIntOrFloatBitWidth() != 32 ||
        !arith::getNeutralElement(combiner))
      return nullptr;
    // Floating-point sums in another order are other sums, unless they say that
    // any will do.
    if (isa<arith::AddFOp, arith::MulFOp>(combiner) &&
        !bitEnumContainsAll(cast<arith::ArithFastMathInterface>(combiner)
                                .getFastMathFlagsAttr()
                                .getValue(),
                            arith::FastMathFlags::reassoc))
      return nullptr;
    return combiner;
  }

  Value flatten(OpBuilder &builder, Value operand) {
    return flattenBuffer(builder, op.getLoc(), buffers.lookup(operand));
  }
  Value loadOperand(OpBuilder &builder, OpOperand &operand,
                    ArrayRef<Value> indices) {
    return loadAt(builder, op.getLoc(), flatten(builder, operand.get()),
                  offsets[operand.getOperandNumber()], indices);
  }

  linalg::GenericOp op;
  const IRMapping &buffers;
  SmallVector<LinearIndex> offsets;   ///< by operand
  SmallVector<Operation *> combiners; ///< by output
  /// Loops of the op that the kernel body does not have: their indices follow
  /// from the others, where they count.
  SmallVector<unsigned> gatheredLoops;
  SmallVector<Contraction::DerivedIndex> gathered;
};

} // namespace

FailureOr<PlannedBody> boostc::buildGenericBody(linalg::GenericOp op,
                                                const IRMapping &buffers) {
  auto body = std::make_unique<GenericBody>(op, buffers);
  if (failed(body->resolve()))
    return failure();
  SmallVector<unsigned> order = chooseLoopOrder(op).loops;
  if (body->isGathered()) {
    for (unsigned loop = op.getNumLoops(); loop < body->loops.size(); ++loop)
      order.push_back(loop);
    const LinearIndex &offset = body->getOutputOffset();
    llvm::stable_sort(
        order, [&](unsigned a, unsigned b) { return offset[a] > offset[b]; });
  }
  GridPlan plan = planGrid(*body, order);
  setVectorTile(plan, *body);
  return PlannedBody{std::move(body), std::move(plan)};
}
