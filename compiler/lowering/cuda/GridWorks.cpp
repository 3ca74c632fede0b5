#include "compiler/lowering/cuda/GridWorks.h"
#include "compiler/lowering/kernels/Contraction.h"
#include "compiler/lowering/kernels/KernelLoops.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace boostc;

static Value load(OpBuilder &builder, Location loc, Value buffer,
                  const LinearIndex &offset, ArrayRef<Value> indices) {
  return memref::LoadOp::create(builder, loc, buffer,
                                emitLinear(builder, loc, offset, indices));
}

static void store(OpBuilder &builder, Location loc, Value value, Value buffer,
                  const LinearIndex &offset, ArrayRef<Value> indices) {
  memref::StoreOp::create(builder, loc, value, buffer,
                          emitLinear(builder, loc, offset, indices));
}

/// numerator / divisor, and whether that is exact and in [0, extent).
static std::pair<Value, Value> emitDivision(OpBuilder &builder, Location loc,
                                            Value numerator, int64_t divisor,
                                            int64_t extent) {
  auto constant = [&](int64_t value) {
    return arith::ConstantIndexOp::create(builder, loc, value);
  };
  // What is below 0 is large as an unsigned number.
  Value isInside =
      arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult, numerator,
                            constant(extent * divisor));
  if (divisor == 1)
    return {numerator, isInside};
  Value quotient =
      arith::DivUIOp::create(builder, loc, numerator, constant(divisor));
  Value rest =
      arith::RemUIOp::create(builder, loc, numerator, constant(divisor));
  Value isExact = arith::CmpIOp::create(
      builder, loc, arith::CmpIPredicate::eq, rest, constant(0));
  return {quotient, arith::AndIOp::create(builder, loc, isInside, isExact)};
}

namespace {

//===----------------------------------------------------------------------===//
// linalg.generic
//===----------------------------------------------------------------------===//

class GenericWork : public GridWork {
public:
  GenericWork(linalg::GenericOp op, const IRMapping &buffers)
      : op(op), buffers(buffers) {
    for (auto [extent, iterator] :
         llvm::zip_equal(op.getStaticLoopRanges(), op.getIteratorTypesArray()))
      loops.push_back({extent, iterator == utils::IteratorType::reduction});
    auto yield = cast<linalg::YieldOp>(op.getBody()->getTerminator());
    for (auto [output, value] :
         llvm::zip_equal(op.getRegionOutputArgs(), yield.getOperands()))
      combiners.push_back(findCombiner(output, value));
  }

  /// Finds where each operand lies; fails, with a diagnostic, when one is
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
      // What nobody reads need not be loaded, but needs a value.
      values.push_back(
          element.use_empty()
              ? arith::ConstantOp::create(
                    builder, op.getLoc(),
                    builder.getZeroAttr(element.getType()))
              : loadOperand(builder, output, indices));
    }
    return values;
  }

  SmallVector<Value> emitStep(OpBuilder &builder, ArrayRef<Value> indices,
                              ValueRange values) override {
    if (gathered.empty())
      return emitBody(builder, indices, values);
    SmallVector<Value> all(indices);
    Value isTerm;
    for (const Gathered &loop : gathered) {
      auto [index, condition] = emitDivision(
          builder, op.getLoc(),
          emitLinear(builder, op.getLoc(), loop.numerator, indices),
          loop.divisor, loop.extent);
      all[loop.number] = index;
      isTerm = isTerm ? arith::AndIOp::create(builder, op.getLoc(), isTerm,
                                              condition)
                      : condition;
    }
    auto choice = scf::IfOp::create(
        builder, op.getLoc(), isTerm,
        [&](OpBuilder &b, Location loc) {
          scf::YieldOp::create(b, loc, emitBody(b, all, values));
        },
        [&](OpBuilder &b, Location loc) {
          scf::YieldOp::create(b, loc, values);
        });
    return llvm::to_vector(ValueRange(choice.getResults()));
  }

private:
  /// A loop of the op that is no loop of the work: its index follows from
  /// others where numerator / divisor is exact and in [0, extent).
  struct Gathered {
    unsigned number;
    LinearIndex numerator;
    int64_t divisor, extent;
  };

  /// Windows that overlap add to the same elements. Threads that share the
  /// windows would meet there, so they share the elements instead, and each
  /// looks for its terms: for element i = divisor * window + place, the window
  /// that each place makes it belong to.
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
          llvm::count_if(map.getResults(), [&](AffineExpr other) {
            return getLinear(other)[*window] != 0;
          }) != 1)
        return op.emitOpError("adds to elements that no thread can be given "
                              "alone: ")
               << AffineMapAttr::get(map);
      Gathered loop{*window, {}, index[*window], loops[*window].extent};
      loop.numerator.constant = -index.constant;
      for (int64_t coefficient : index.coefficients)
        loop.numerator.coefficients.push_back(-coefficient);
      loop.numerator.coefficients[*window] = 0;
      loop.numerator.coefficients.resize(loops.size(), 0);
      loop.numerator.coefficients.push_back(1); // the element
      offset.constant -= strides[dim] * index.constant;
      for (unsigned number = 0; number < op.getNumLoops(); ++number)
        offset.coefficients[number] -= strides[dim] * index[number];
      offset.coefficients.resize(loops.size(), 0);
      offset.coefficients.push_back(strides[dim]);
      loops[*window].extent = 1;
      loops.push_back({type.getDimSize(dim), false});
      gathered.push_back(std::move(loop));
    }
    return success();
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

public:

  void emitStores(OpBuilder &builder, ArrayRef<Value> indices,
                  ValueRange values) override {
    for (auto [output, value] :
         llvm::zip_equal(op.getDpsInitsMutable(), values))
      store(builder, op.getLoc(), value, flatten(builder, output.get()),
            offsets[output.getOperandNumber()], indices);
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
  /// The op that adds one term to `output`, where it is one of those whose
  /// parts can be computed apart, in numbers that lanes can exchange; else
  /// null.
  static Operation *findCombiner(BlockArgument output, Value value) {
    Operation *combiner = value.getDefiningOp();
    if (!combiner || combiner->getNumOperands() != 2 || !output.hasOneUse() ||
        *output.user_begin() != combiner ||
        combiner->getOperand(0) == combiner->getOperand(1) ||
        output.getType().getIntOrFloatBitWidth() != 32 ||
        !arith::getNeutralElement(combiner))
      return nullptr;
    return combiner;
  }

  Value flatten(OpBuilder &builder, Value operand) {
    return flattenBuffer(builder, op.getLoc(), buffers.lookup(operand));
  }
  Value loadOperand(OpBuilder &builder, OpOperand &operand,
                    ArrayRef<Value> indices) {
    return load(builder, op.getLoc(), flatten(builder, operand.get()),
                offsets[operand.getOperandNumber()], indices);
  }

  linalg::GenericOp op;
  const IRMapping &buffers;
  SmallVector<LinearIndex> offsets; ///< by operand
  SmallVector<Operation *> combiners; ///< by output
  SmallVector<Gathered> gathered;
};

//===----------------------------------------------------------------------===//
// Sums of products
//===----------------------------------------------------------------------===//

class ContractionWork : public GridWork {
public:
  ContractionWork(Location loc, Contraction contraction,
                  const IRMapping &buffers)
      : loc(loc), c(std::move(contraction)), buffers(buffers) {
    for (const Contraction::Loop &loop : c.loops)
      loops.push_back({loop.extent, loop.isReduction});
  }

  SmallVector<Value> emitStart(OpBuilder &builder,
                               ArrayRef<Value> indices) override {
    if (c.bias)
      return {loadFrom(builder, c.bias, indices)};
    return {emitNeutral(builder, 0)};
  }

  SmallVector<Value> emitStep(OpBuilder &builder, ArrayRef<Value> indices,
                              ValueRange values) override {
    SmallVector<Value> all(indices);
    Value isInside;
    for (const Contraction::DerivedIndex &index : c.derived) {
      auto [quotient, condition] = emitDivision(
          builder, loc, emitLinear(builder, loc, index.numerator, indices),
          index.divisor, index.extent);
      isInside = isInside ? arith::AndIOp::create(builder, loc, isInside,
                                                  condition)
                          : condition;
      all.push_back(quotient);
    }
    auto addProduct = [&](OpBuilder &b) -> Value {
      return math::FmaOp::create(b, loc, loadFrom(b, c.a, all),
                                 loadFrom(b, c.b, all), values[0]);
    };
    if (!isInside)
      return {addProduct(builder)};
    auto choice = scf::IfOp::create(
        builder, loc, isInside,
        [&](OpBuilder &b, Location) { scf::YieldOp::create(b, loc, addProduct(b)); },
        [&](OpBuilder &b, Location) { scf::YieldOp::create(b, loc, values[0]); });
    return {choice.getResult(0)};
  }

  void emitStores(OpBuilder &builder, ArrayRef<Value> indices,
                  ValueRange values) override {
    store(builder, loc, values[0], flatten(builder, c.result), c.result.offset,
          indices);
  }

  bool isSplittable() const override { return true; }
  Value emitNeutral(OpBuilder &builder, unsigned) override {
    return arith::ConstantOp::create(builder, loc,
                                     builder.getF32FloatAttr(0.0f));
  }
  Value emitCombined(OpBuilder &builder, unsigned, Value a, Value b) override {
    return arith::AddFOp::create(builder, loc, a, b);
  }

private:
  Value flatten(OpBuilder &builder, const Contraction::Access &access) {
    return flattenBuffer(builder, loc, buffers.lookup(access.buffer));
  }
  Value loadFrom(OpBuilder &builder, const Contraction::Access &access,
                 ArrayRef<Value> indices) {
    return load(builder, loc, flatten(builder, access), access.offset, indices);
  }

  Location loc;
  Contraction c;
  const IRMapping &buffers;
};

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

/// rt.gather and rt.scatter_add. Their buffers are dense, so places count
/// through an index of any rank.
class RowsWork : public GridWork {
public:
  RowsWork(Operation *op, Value source, Value index, Value destination,
           const IRMapping &buffers)
      : loc(op->getLoc()), source(source), index(index),
        destination(destination), buffers(buffers) {}

protected:
  static int64_t count(Value buffer) {
    return cast<MemRefType>(buffer.getType()).getNumElements();
  }
  static int64_t countColumns(Value table) {
    return cast<MemRefType>(table.getType()).getShape().back();
  }
  Value flatten(OpBuilder &builder, Value buffer) {
    return flattenBuffer(builder, loc, buffers.lookup(buffer));
  }
  /// The row that place `place` names.
  Value loadRow(OpBuilder &builder, Value place) {
    Value row =
        memref::LoadOp::create(builder, loc, flatten(builder, index), place);
    return arith::IndexCastOp::create(builder, loc, builder.getIndexType(),
                                      row);
  }
  /// The place of (row, column) in a table.
  Value locate(OpBuilder &builder, Value row, Value column) {
    return emitLinear(builder, loc, {0, {countColumns(source), 1}},
                      {row, column});
  }
  Value loadElement(OpBuilder &builder, Value row, Value column) {
    return memref::LoadOp::create(builder, loc, flatten(builder, source),
                                  locate(builder, row, column));
  }

  Location loc;
  Value source, index, destination;
  const IRMapping &buffers;
};

class GatherWork : public RowsWork {
public:
  GatherWork(rt::GatherOp op, const IRMapping &buffers)
      : RowsWork(op, op.getSource(), op.getIndex(), op.getDestination(),
                 buffers) {
    loops = {{count(index), false}, {countColumns(source), false}};
  }

  SmallVector<Value> emitStart(OpBuilder &builder, ArrayRef<Value>) override {
    return {arith::ConstantOp::create(builder, loc,
                                      builder.getF32FloatAttr(0.0f))};
  }
  SmallVector<Value> emitStep(OpBuilder &builder, ArrayRef<Value> indices,
                              ValueRange) override {
    return {loadElement(builder, loadRow(builder, indices[0]), indices[1])};
  }
  void emitStores(OpBuilder &builder, ArrayRef<Value> indices,
                  ValueRange values) override {
    memref::StoreOp::create(builder, loc, values[0],
                            flatten(builder, destination),
                            locate(builder, indices[0], indices[1]));
  }
};

/// Every element looks for its terms, in the order of the places: no atomics,
/// and the same bits as on a CPU.
class ScatterAddWork : public RowsWork {
public:
  ScatterAddWork(rt::ScatterAddOp op, const IRMapping &buffers)
      : RowsWork(op, op.getSource(), op.getIndex(), op.getDestination(),
                 buffers) {
    loops = {{count(destination) / countColumns(destination), false},
             {countColumns(destination), false},
             {count(index), true}};
  }

  SmallVector<Value> emitStart(OpBuilder &builder, ArrayRef<Value>) override {
    return {arith::ConstantOp::create(builder, loc,
                                      builder.getF32FloatAttr(0.0f))};
  }
  SmallVector<Value> emitStep(OpBuilder &builder, ArrayRef<Value> indices,
                              ValueRange values) override {
    Value isMine = arith::CmpIOp::create(
        builder, loc, arith::CmpIPredicate::eq,
        loadRow(builder, indices[2]), indices[0]);
    auto choice = scf::IfOp::create(
        builder, loc, isMine,
        [&](OpBuilder &b, Location) {
          Value term = loadElement(b, indices[2], indices[1]);
          scf::YieldOp::create(
              b, loc,
              arith::AddFOp::create(b, loc, values[0], term).getResult());
        },
        [&](OpBuilder &b, Location) {
          scf::YieldOp::create(b, loc, values[0]);
        });
    return {choice.getResult(0)};
  }
  void emitStores(OpBuilder &builder, ArrayRef<Value> indices,
                  ValueRange values) override {
    memref::StoreOp::create(builder, loc, values[0],
                            flatten(builder, destination),
                            locate(builder, indices[0], indices[1]));
  }
};

} // namespace

//===----------------------------------------------------------------------===//
// Parts
//===----------------------------------------------------------------------===//

/// Neighbours that a thread computes along its last loop: 16 bytes.
static constexpr int64_t kVectorElements = 4;

static FailureOr<GridPart> buildGeneric(linalg::GenericOp op,
                                        const IRMapping &buffers) {
  auto work = std::make_unique<GenericWork>(op, buffers);
  if (failed(work->resolve()))
    return failure();
  SmallVector<unsigned> parallel, reductions;
  for (unsigned loop : chooseLoopOrder(op).loops)
    (work->loops[loop].isReduction ? reductions : parallel).push_back(loop);
  if (work->isGathered()) {
    for (unsigned loop = op.getNumLoops(); loop < work->loops.size(); ++loop)
      parallel.push_back(loop);
    const LinearIndex &offset = work->getOutputOffset();
    llvm::stable_sort(parallel, [&](unsigned a, unsigned b) {
      return offset[a] > offset[b];
    });
  }
  GridPlan plan = planGrid(*work, parallel, reductions);
  // Less work than this is spread over as many threads as there are outputs.
  constexpr int64_t kManyItems = 8192;
  if (reductions.empty() && !parallel.empty() && plan.items >= kManyItems &&
      work->loops[parallel.back()].extent % kVectorElements == 0)
    setTile(plan, *work, parallel.back(), kVectorElements);
  return GridPart{std::move(work), std::move(plan)};
}

/// Tiles of sums that share what they load: along one loop `a` is the same,
/// along the other `b`.
static void chooseTiles(const Contraction &c, const GridWork &work,
                        GridPlan &plan) {
  constexpr int64_t kManyItems = 16384, kLargestTile = 4;
  auto findLoop = [&](const LinearIndex &same, const LinearIndex &moves) {
    std::optional<unsigned> best;
    for (auto [number, loop] : llvm::enumerate(c.loops))
      // The last loop's neighbours belong to neighbouring threads.
      if (!loop.isReduction && !c.isGuarded(number) && same[number] == 0 &&
          moves[number] != 0 && number != plan.parallel.back() &&
          plan.tile[number] == 1 && loop.extent % 2 == 0 &&
          (!best || c.loops[*best].extent < loop.extent))
        best = number;
    return best;
  };
  for (auto [same, moves] : {std::pair(&c.a.offset, &c.b.offset),
                             std::pair(&c.b.offset, &c.a.offset)}) {
    std::optional<unsigned> loop = findLoop(*same, *moves);
    if (!loop)
      continue;
    int64_t extent = kLargestTile;
    while (extent > 1 && (c.loops[*loop].extent % extent != 0 ||
                          plan.items * plan.lanes / extent < kManyItems))
      extent /= 2;
    if (extent > 1)
      setTile(plan, work, *loop, extent);
  }
}

static GridPart buildContraction(Location loc, Contraction contraction,
                                 const IRMapping &buffers) {
  const Contraction c = contraction;
  auto work =
      std::make_unique<ContractionWork>(loc, std::move(contraction), buffers);
  // Neighbouring threads write neighbours; neighbouring terms are read along
  // the smallest steps.
  SmallVector<unsigned> parallel, reductions;
  for (unsigned loop = 0; loop < c.loops.size(); ++loop)
    (c.loops[loop].isReduction ? reductions : parallel).push_back(loop);
  auto stepOf = [](const LinearIndex &offset, unsigned loop) {
    return std::abs(offset[loop]);
  };
  llvm::stable_sort(parallel, [&](unsigned a, unsigned b) {
    return stepOf(c.result.offset, a) > stepOf(c.result.offset, b);
  });
  llvm::stable_sort(reductions, [&](unsigned a, unsigned b) {
    return stepOf(c.a.offset, a) + stepOf(c.b.offset, a) >
           stepOf(c.a.offset, b) + stepOf(c.b.offset, b);
  });
  GridPlan plan = planGrid(*work, parallel, reductions);
  if (!parallel.empty())
    chooseTiles(c, *work, plan);
  return {std::move(work), std::move(plan)};
}

FailureOr<GridPart> boostc::buildGridPart(Operation *op,
                                          const IRMapping &buffers) {
  if (auto generic = dyn_cast<linalg::GenericOp>(op))
    return buildGeneric(generic, buffers);
  if (auto convolution = dyn_cast<rt::ConvolutionOp>(op))
    return buildContraction(op->getLoc(), getContraction(convolution), buffers);
  if (auto matmul = dyn_cast<rt::MatmulOp>(op))
    return buildContraction(op->getLoc(), getContraction(matmul), buffers);
  auto inOrder = [](std::unique_ptr<GridWork> work) {
    SmallVector<unsigned> parallel, reductions;
    for (auto [number, loop] : llvm::enumerate(work->loops))
      (loop.isReduction ? reductions : parallel).push_back(number);
    GridPlan plan = planGrid(*work, parallel, reductions);
    return GridPart{std::move(work), std::move(plan)};
  };
  if (auto gather = dyn_cast<rt::GatherOp>(op))
    return inOrder(std::make_unique<GatherWork>(gather, buffers));
  if (auto scatter = dyn_cast<rt::ScatterAddOp>(op))
    return inOrder(std::make_unique<ScatterAddWork>(scatter, buffers));
  return op->emitOpError("has no kernel for a GPU");
}
