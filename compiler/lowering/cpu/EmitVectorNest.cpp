#include "compiler/lowering/cpu/VectorAccess.h"
#include "compiler/lowering/cpu/VectorNest.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include <cmath>

using namespace mlir;
using namespace boostc;

/// How many of `count` terms, more than kMaxTerms, are added up by themselves:
/// about as many as there are such sums, where those are many.
static int64_t chooseTerms(int64_t count) {
  auto root = static_cast<int64_t>(std::sqrt(static_cast<double>(count)));
  return std::max(kMaxTerms, root);
}

namespace {

class PartEmitter {
public:
  PartEmitter(OpBuilder &builder, const VectorNest::Part &part,
              const IRMapping &buffers, bool isSummed, int64_t lanes,
              int64_t vectors, unsigned folded)
      : builder(builder), part(part), op(part.op), loc(op.getLoc()),
        buffers(buffers), isSummed(isSummed), lanes(lanes), vectors(vectors),
        vectorExtent(part.getVectorExtent(folded)), reductions(part.reductions),
        loops(op.getNumLoops()), masks(vectors) {
    if (isSummed)
      reductions.erase(reductions.end() - 1 - folded, reductions.end() - 1);
  }

  /// `feeders` compute, one element in each iteration, what this op sums up.
  /// Where threads share the vector loop it ends at `end`.
  void emit(ArrayRef<Value> outer, Value end = {},
            MutableArrayRef<PartEmitter> feeders = {}) {
    OpBuilder::InsertionGuard guard(builder);
    setOuter(outer);
    flatten();
    fedBy = feeders;
    for (PartEmitter &feeder : fedBy)
      feeder.flatten();
    for (unsigned loop : part.inner) {
      auto forOp =
          scf::ForOp::create(builder, loc, constant(0),
                             constant(part.getExtent(loop)), constant(1));
      builder.setInsertionPointToStart(forOp.getBody());
      loops[loop] = forOp.getInductionVar();
    }
    // A vector loop that is summed along is a number of vectors.
    if (!isSummed)
      masks = end ? emitMasks(builder, loc, lanes, vectors, end,
                              loops[part.vectorLoop])
                  : emitMasks(builder, loc, lanes, vectors, vectorExtent,
                              loops[part.vectorLoop]);
    SmallVector<Value> results;
    if (part.reductions.empty())
      emitBodies({}, results);
    else if (part.hasPartialSums)
      results = combine(initialValues(), emitPartialSums(0));
    else
      results = emitReductions(0, initialValues());
    store(results);
  }

private:
  void setOuter(ArrayRef<Value> outer) {
    for (auto [loop, value] : llvm::zip_equal(part.outer, outer))
      loops[loop] = value;
  }

  void flatten() {
    for (OpOperand &operand : op->getOpOperands())
      flat.push_back(
          part.offsets[operand.getOperandNumber()]
              ? flattenBuffer(builder, loc, buffers.lookup(operand.get()))
              : Value());
  }

  Value constant(int64_t value) {
    return arith::ConstantIndexOp::create(builder, loc, value);
  }

  Value getOffset(OpOperand &operand, int64_t vector) {
    LinearIndex index = *part.offsets[operand.getOperandNumber()];
    index.constant += vector * lanes * index[part.vectorLoop];
    return emitLinear(builder, loc, index, loops);
  }

  Type getVectorType(Type element) { return VectorType::get({lanes}, element); }

  /// A vector, or one element where the operand does not move along the
  /// vectors.
  Value load(OpOperand &operand, int64_t vector) {
    unsigned number = operand.getOperandNumber();
    // A scalar operand is its own element.
    if (!part.offsets[number])
      return buffers.lookupOrDefault(operand.get());
    Value offset = getOffset(operand, vector);
    if ((*part.offsets[number])[part.vectorLoop] == 0)
      return memref::LoadOp::create(builder, loc, flat[number], offset);
    auto type = cast<MemRefType>(flat[number].getType());
    return loadVector(builder, loc,
                      cast<VectorType>(getVectorType(type.getElementType())),
                      flat[number], offset, masks[vector]);
  }

  Value toVector(Value value) {
    if (isa<VectorType>(value.getType()))
      return value;
    return vector::BroadcastOp::create(builder, loc,
                                       getVectorType(value.getType()), value);
  }

  /// The values of all outputs, for each vector of the iteration.
  SmallVector<Value> initialValues() {
    if (isSummed)
      return neutralValues();
    SmallVector<Value> values;
    for (int64_t vector = 0; vector < vectors; ++vector)
      for (OpOperand &output : op.getDpsInitsMutable())
        values.push_back(load(output, vector));
    return values;
  }

  unsigned getNumber(OpOperand &output) {
    return output.getOperandNumber() - op.getNumDpsInputs();
  }

  /// Elements of one iteration of a loop of a reduction, and those of all whole
  /// iterations.
  std::pair<int64_t, int64_t> getSteps(unsigned level) {
    unsigned loop = reductions[level];
    if (loop != part.vectorLoop)
      return {1, part.getExtent(loop)};
    int64_t step = lanes * vectors;
    return {step, vectorExtent / step * step};
  }

  /// Whole iterations of the loops from `level` on, 1 at least.
  int64_t countIterations(unsigned level) {
    int64_t count = 1;
    for (; level < reductions.size(); ++level) {
      auto [step, whole] = getSteps(level);
      count *= std::max<int64_t>(whole / step, 1);
    }
    return count;
  }

  /// `values` and the terms of the loops from `level` on. Sums along the
  /// vectors that are long are sums of sums.
  SmallVector<Value> emitReductions(unsigned level, SmallVector<Value> values) {
    if (level == reductions.size()) {
      SmallVector<Value> results;
      emitBodies(values, results);
      return results;
    }
    unsigned loop = reductions[level];
    auto emitInner = [&](ArrayRef<Value> carried) {
      return emitReductions(level + 1, SmallVector<Value>(carried));
    };
    auto [step, whole] = getSteps(level);
    if (int64_t count = countIterations(level); isSummed && count > kMaxTerms) {
      int64_t iterations = chooseTerms(count) / countIterations(level + 1);
      values = emitSumOfSums(loop, whole, step,
                             step * std::max<int64_t>(iterations, 1), values,
                             neutralValues(), emitInner);
    } else if (whole > 0) {
      values = emitLoop(loop, whole, step, values, emitInner);
    }
    bool isVector = loop == part.vectorLoop;
    return isVector && whole < vectorExtent ? emitTail(whole, values) : values;
  }

  using LoopBody = llvm::function_ref<SmallVector<Value>(ArrayRef<Value>)>;

  /// `values` and the terms of a loop: those of each `block` of its elements by
  /// themselves, from `none` on.
  SmallVector<Value> emitSumOfSums(unsigned loop, int64_t end, int64_t step,
                                   int64_t block, ArrayRef<Value> values,
                                   ArrayRef<Value> none, LoopBody body) {
    return emitLoop(loop, end, block, values, [&](ArrayRef<Value> sums) {
      if (block == step)
        return combine(sums, body(none));
      Value begin = loops[loop];
      Value past = emitLinear(builder, loc, LinearIndex{block, {1}}, begin);
      Value last = arith::MinSIOp::create(builder, loc, past, constant(end));
      return combine(sums, emitLoop(loop, begin, last, step, none, body));
    });
  }

  /// `values` and the terms from `first` on along the vectors, where lanes that
  /// are not there add nothing.
  SmallVector<Value> emitTail(int64_t first, ArrayRef<Value> values) {
    loops[part.vectorLoop] = constant(first);
    int64_t rest = vectorExtent - first, outputs = op.getNumDpsInits();
    SmallVector<Value> sums(values);
    for (int64_t vector = 0; vector * lanes < rest; ++vector) {
      Value mask = getFirstLanes(builder, loc, lanes, rest - vector * lanes);
      SmallVector<Value> results;
      emitFedBody(vector, mask, values.slice(vector * outputs, outputs),
                  results);
      masks[vector] = Value();
      for (auto [number, result] : llvm::enumerate(results)) {
        Value &sum = sums[vector * outputs + number];
        sum = mask ? arith::SelectOp::create(builder, loc, mask, result, sum)
                   : result;
      }
    }
    return sums;
  }

  SmallVector<Value> neutralValues() {
    SmallVector<Value> values;
    for (int64_t vector = 0; vector < vectors; ++vector)
      for (OpOperand &output : op.getDpsInitsMutable())
        values.push_back(toVector(arith::ConstantOp::create(
            builder, loc,
            *arith::getNeutralElement(findCombiner(op, getNumber(output))))));
    return values;
  }

  SmallVector<Value> combine(ArrayRef<Value> a, ArrayRef<Value> b) {
    SmallVector<Value> sums;
    int64_t outputs = op.getNumDpsInits();
    for (auto [number, pair] : llvm::enumerate(llvm::zip_equal(a, b))) {
      auto [x, y] = pair;
      vector::CombiningKind kind = *linalg::getCombinerOpKind(
          findCombiner(op, static_cast<int64_t>(number) % outputs));
      sums.push_back(vector::makeArithReduction(builder, loc, kind, x, y));
    }
    return sums;
  }

  /// The sums over the loops from `level` on: of an inner loop by itself, then
  /// of these. The innermost loop has several sums at a time, which do not wait
  /// for each other.
  SmallVector<Value> emitPartialSums(unsigned level) {
    unsigned loop = part.reductions[level];
    if (level + 1 < part.reductions.size())
      return emitLoop(loop, part.getExtent(loop), 1, neutralValues(),
                      [&](ArrayRef<Value> sums) {
                        return combine(sums, emitPartialSums(level + 1));
                      });
    constexpr int64_t kSums = 8;
    int64_t extent = part.getExtent(loop);
    int64_t chains =
        std::clamp<int64_t>(kSums / (vectors * op.getNumDpsInits()), 1, extent);
    int64_t whole = extent / chains * chains;
    auto emitTerm = [&](Value at, ArrayRef<Value> sums) {
      Value before = std::exchange(loops[loop], at);
      SmallVector<Value> results;
      emitBodies(sums, results);
      loops[loop] = before;
      return results;
    };
    int64_t width = vectors * op.getNumDpsInits();
    SmallVector<Value> none;
    for (int64_t chain = 0; chain < chains; ++chain)
      llvm::append_range(none, neutralValues());
    auto emitChains = [&](ArrayRef<Value> old) {
      SmallVector<Value> all;
      for (int64_t chain = 0; chain < chains; ++chain) {
        LinearIndex index{chain, {1}};
        llvm::append_range(
            all, emitTerm(emitLinear(builder, loc, index, loops[loop]),
                          old.slice(chain * width, width)));
      }
      return all;
    };
    SmallVector<Value> sums =
        whole <= kMaxTerms * chains
            ? emitLoop(loop, whole, chains, none, emitChains)
            : emitSumOfSums(loop, whole, chains,
                            chooseTerms(whole / chains) * chains, none, none,
                            emitChains);
    ArrayRef<Value> chained = sums;
    SmallVector<Value> total(chained.take_front(width));
    for (int64_t chain = 1; chain < chains; ++chain)
      total = combine(total, chained.slice(chain * width, width));
    for (int64_t at = whole; at < extent; ++at)
      total = emitTerm(constant(at), total);
    return total;
  }

  SmallVector<Value> emitLoop(unsigned loop, int64_t end, int64_t step,
                              ArrayRef<Value> carried, LoopBody body) {
    return emitLoop(loop, constant(0), constant(end), step, carried, body);
  }

  SmallVector<Value> emitLoop(unsigned loop, Value begin, Value end,
                              int64_t step, ArrayRef<Value> carried,
                              LoopBody body) {
    auto forOp =
        scf::ForOp::create(builder, loc, begin, end, constant(step), carried);
    disableUnrolling(forOp);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(forOp.getBody());
    loops[loop] = forOp.getInductionVar();
    scf::YieldOp::create(
        builder, loc,
        body(llvm::to_vector_of<Value>(forOp.getRegionIterArgs())));
    return forOp.getResults();
  }

  void emitBodies(ArrayRef<Value> carried, SmallVectorImpl<Value> &results) {
    int64_t outputs = op.getNumDpsInits();
    for (int64_t vector = 0; vector < vectors; ++vector)
      emitFedBody(vector, masks[vector],
                  carried.empty() ? carried
                                  : carried.slice(vector * outputs, outputs),
                  results);
  }

  /// One vector, after those of the ops that it reads.
  void emitFedBody(int64_t vector, Value mask, ArrayRef<Value> carried,
                   SmallVectorImpl<Value> &results) {
    SmallVector<Value> indices;
    for (unsigned loop :
         llvm::concat<const unsigned>(part.outer, part.reductions))
      indices.push_back(loops[loop]);
    masks[vector] = mask;
    for (PartEmitter &feeder : fedBy) {
      feeder.masks[vector] = mask;
      feeder.emitVector(indices, vector);
    }
    emitBody(vector, carried, results);
  }

  /// One vector of an elementwise op, in the loops of another.
  void emitVector(ArrayRef<Value> outer, int64_t vector) {
    setOuter(outer);
    SmallVector<Value> results;
    emitBody(vector, {}, results);
    storeVectors(results, vector);
  }

  void emitBody(int64_t vector, ArrayRef<Value> carried,
                SmallVectorImpl<Value> &results) {
    IRMapping mapping = buffers; // also maps what the body reads from outside
    for (OpOperand &operand : op->getOpOperands()) {
      BlockArgument element = op.getMatchingBlockArgument(&operand);
      if (element.use_empty())
        continue;
      mapping.map(element, op.isDpsInit(&operand) && !carried.empty()
                               ? carried[getNumber(operand)]
                               : load(operand, vector));
    }
    for (Operation &inner : op.getBody()->without_terminator())
      emitOperation(inner, vector, mapping);
    for (Value value : op.getBody()->getTerminator()->getOperands())
      results.push_back(toVector(mapping.lookupOrDefault(value)));
  }

  void emitOperation(Operation &inner, int64_t vector, IRMapping &mapping) {
    if (auto index = dyn_cast<linalg::IndexOp>(inner)) {
      mapping.map(index.getResult(), emitIndex(index.getDim(), vector));
      return;
    }
    SmallVector<Value> operands;
    for (Value operand : inner.getOperands())
      operands.push_back(mapping.lookupOrDefault(operand));
    auto isVector = [](Value value) {
      return isa<VectorType>(value.getType());
    };
    if (llvm::none_of(operands, isVector)) {
      builder.clone(inner, mapping);
      return;
    }
    SmallVector<Type> types;
    for (Type type : inner.getResultTypes())
      types.push_back(getVectorType(type));
    for (Value &operand : operands)
      operand = toVector(operand);
    Operation *whole =
        builder.create(inner.getLoc(), inner.getName().getIdentifier(),
                       operands, types, inner.getAttrs());
    mapping.map(inner.getResults(), whole->getResults());
  }

  Value emitIndex(unsigned loop, int64_t vector) {
    if (loop != part.vectorLoop)
      return loops[loop];
    LinearIndex first{vector * lanes, {1}};
    auto type = cast<VectorType>(getVectorType(builder.getIndexType()));
    Value lane = arith::ConstantOp::create(
        builder, loc,
        DenseElementsAttr::get(
            type, llvm::map_to_vector(llvm::seq(lanes), [&](int64_t number) {
              return Attribute(builder.getIndexAttr(number));
            })));
    return arith::AddIOp::create(
        builder, loc, toVector(emitLinear(builder, loc, first, loops[loop])),
        lane);
  }

  void storeVectors(ArrayRef<Value> results, int64_t vector) {
    for (OpOperand &output : op.getDpsInitsMutable())
      storeVector(builder, loc, results[getNumber(output)],
                  flat[output.getOperandNumber()], getOffset(output, vector),
                  masks[vector]);
  }

  void store(ArrayRef<Value> results) {
    int64_t outputs = op.getNumDpsInits();
    if (isSummed)
      return storeSums(results);
    for (int64_t vector = 0; vector < vectors; ++vector)
      storeVectors(results.slice(vector * outputs, outputs), vector);
  }

  void storeSums(ArrayRef<Value> results) {
    int64_t outputs = op.getNumDpsInits();
    for (OpOperand &output : op.getDpsInitsMutable()) {
      Value memory = flat[output.getOperandNumber()];
      unsigned number = getNumber(output);
      vector::CombiningKind kind =
          *linalg::getCombinerOpKind(findCombiner(op, number));
      Value sum = results[number];
      for (int64_t vector = 1; vector < vectors; ++vector)
        sum = vector::makeArithReduction(builder, loc, kind, sum,
                                         results[vector * outputs + number]);
      Value offset = getOffset(output, 0);
      Value old = memref::LoadOp::create(builder, loc, memory, offset);
      Value total = vector::ReductionOp::create(builder, loc, kind, sum, old,
                                                arith::FastMathFlags::reassoc);
      memref::StoreOp::create(builder, loc, total, memory, offset);
    }
  }

  OpBuilder &builder;
  const VectorNest::Part &part;
  linalg::GenericOp op;
  Location loc;
  const IRMapping &buffers;
  bool isSummed;
  int64_t lanes, vectors, vectorExtent;
  SmallVector<unsigned> reductions; ///< that are loops of their own
  SmallVector<Value> loops; ///< null outside their scope, or where folded
  SmallVector<Value> masks; ///< of the vectors; null: all lanes
  SmallVector<Value> flat;  ///< by operand; null where nothing is touched
  MutableArrayRef<PartEmitter> fedBy;
};

} // namespace

void VectorNest::emit(OpBuilder &builder, const IRMapping &buffers, Value begin,
                      Value end) const {
  OpBuilder::InsertionGuard guard(builder);
  Location loc = linalg::GenericOp(parts.front().op).getLoc();
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(builder, loc, value);
  };
  SmallVector<Value> outer;
  for (auto [number, extent] : llvm::enumerate(extents)) {
    bool isVector = !isSummed && number + 1 == extents.size();
    bool isCut = isSplit && number == 0;
    if (!isSummed && !isVector && number + 1 + folded >= extents.size()) {
      outer.emplace_back();
      continue;
    }
    int64_t count = isVector ? parts.front().getVectorExtent(folded) : extent;
    int64_t step = isVector ? lanes * vectors : 1;
    if (!isCut && count <= step) {
      outer.push_back(constant(0));
      continue;
    }
    auto loop =
        scf::ForOp::create(builder, loc, isCut ? begin : constant(0),
                           isCut ? end : constant(count), constant(step));
    disableUnrolling(loop);
    outer.push_back(loop.getInductionVar());
    builder.setInsertionPointToStart(loop.getBody());
  }
  if (!isSummed) {
    for (const Part &part : parts)
      PartEmitter(builder, part, buffers, isSummed, lanes, vectors, folded)
          .emit(outer, cutsVectors ? end : Value());
    return;
  }
  std::vector<PartEmitter> feeders;
  for (const Part &part : ArrayRef(parts).drop_back())
    feeders.emplace_back(builder, part, buffers, /*isSummed=*/false, lanes,
                         vectors, folded);
  PartEmitter(builder, parts.back(), buffers, isSummed, lanes, vectors, folded)
      .emit(outer, /*end=*/{}, feeders);
}
