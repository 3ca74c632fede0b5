#include "compiler/lowering/cpu/TapSumCode.h"
#include "compiler/lowering/cpu/VectorAccess.h"
#include "compiler/lowering/kernels/KernelLoops.h"
#include "compiler/lowering/kernels/LinearIndex.h"
#include "dialects/interfaces/LinalgHelpers.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Dialect/X86Vector/X86VectorDialect.h"

using namespace mlir;
using namespace boostc;

TapSumCode::TapSumCode(OpBuilder &builder, Location loc, const TapSum &sum,
                       const TapSumPlan &plan)
    : IndexCode(builder, loc), sum(sum), plan(plan),
      vectorType(VectorType::get({plan.lanes}, builder.getF32Type())) {
  // Before all loops.
  if (sum.bias)
    getFlat(sum.bias.buffer);
  for (const TapPart &part : sum.parts)
    for (const TapOperand *operand : {&part.source, &part.weight, &part.result})
      getFlat(operand->buffer);
}

Value TapSumCode::getFlat(Value buffer) {
  Value &row = flat[buffer];
  if (!row)
    row = flattenBuffer(builder, loc, buffer);
  return row;
}

Value TapSumCode::reserve(int64_t elements, Type type) {
  // Once for a call of the kernel, whatever loop this is in.
  OpBuilder::InsertionGuard guard(builder);
  Operation *parent = builder.getInsertionBlock()->getParentOp();
  if (auto kernel = parent->getParentOfType<func::FuncOp>())
    builder.setInsertionPointToStart(&kernel.front());
  return memref::AllocaOp::create(builder, loc,
                                  MemRefType::get({elements}, type),
                                  builder.getI64IntegerAttr(64));
}

TapOperand TapSumCode::reserveBlock(int64_t elements, Type type) {
  Value buffer = reserve(elements, type);
  packed.insert(buffer);
  return {buffer, cast<MemRefType>(buffer.getType())};
}

TapOperand TapSumCode::reservePairs(int64_t elements) {
  TapOperand operand = reserveBlock(elements, builder.getBF16Type());
  paired.insert(operand.buffer);
  return operand;
}

void TapSumCode::storePacked(Value vector, const TapOperand &operand,
                             Value offset) {
  storeVector(builder, loc, vector, getFlat(operand.buffer), offset,
              /*mask=*/Value());
}

Value TapSumCode::isEqual(Value a, int64_t b) {
  return builder.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::eq, a,
                                             constant(b));
}

TapSumCode::Range TapSumCode::upTo(int64_t end, int64_t step) {
  return end == step ? Range{} : Range{constant(0), constant(end)};
}

SmallVector<Value>
TapSumCode::reduce(Range range, List<Value> sums,
                   llvm::function_ref<List<Value>(Value, List<Value>)> body,
                   int64_t step) {
  if (!range.begin)
    return body(Value(), std::move(sums));
  auto loop = scf::ForOp::create(builder, loc, range.begin, range.end,
                                 constant(step), sums);
  disableUnrolling(loop);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  scf::YieldOp::create(
      builder, loc,
      body(loop.getInductionVar(),
           llvm::to_vector_of<Value>(loop.getRegionIterArgs())));
  return loop.getResults();
}

void TapSumCode::forEachPartial(
    Value begin, Value end, int64_t piecesOfPartial,
    llvm::function_ref<void(Value partial, Value begin, Value end)> act) {
  if (sum.partials == 1)
    return act(Value(), begin, end);
  Value last = quotient(plus(end, piecesOfPartial - 1), piecesOfPartial);
  forEach(quotient(begin, piecesOfPartial), last, [&](Value partial) {
    Value first = times(partial, piecesOfPartial);
    act(partial, subtract(maximum(begin, first), first),
        minimum(subtract(end, first), constant(piecesOfPartial)));
  });
}

TapSumCode::Range TapSumCode::getShare(int64_t extent, Value partial) {
  return {quotient(times(partial, extent), sum.partials),
          quotient(times(plus(partial, 1), extent), sum.partials)};
}

TapSumCode::Range TapSumCode::getSamples(Value partial) {
  if (!partial || !sum.cutsSamples())
    return {constant(0), constant(sum.samples)};
  return getShare(sum.samples, partial);
}

TapSumCode::Range TapSumCode::getRows(const TapPart &part, Value partial) {
  if (!partial || sum.cutsSamples())
    return {constant(0), constant(part.rows.pixels)};
  return getShare(part.rows.pixels, partial);
}

TapSumCode::Range TapSumCode::getInsideTaps(const TapAxis &axis, Value pixel) {
  if (!axis.isGuarded())
    return upTo(axis.taps);
  return solve(plus(times(pixel, axis.pixelStep), axis.constant), axis.tapStep,
               axis.extent, axis.taps);
}

TapSumCode::Range TapSumCode::getInsidePixels(const TapAxis &axis, Value tap) {
  if (!axis.isGuarded())
    return {constant(0), constant(axis.pixels)};
  return solve(plus(times(tap, axis.tapStep), axis.constant), axis.pixelStep,
               axis.extent, axis.pixels);
}

TapSumCode::Block TapSumCode::decodeBlock(Value number) {
  int64_t blocks = plan.countBlocks(sum) / sum.groups;
  Block decoded;
  decoded.group = quotient(number, blocks);
  decoded.first = times(remainder(number, blocks), plan.lanes * plan.vectors);
  masks = emitMasks(builder, loc, plan.lanes, plan.vectors, sum.width,
                    decoded.first);
  return decoded;
}

Value TapSumCode::offsetOf(const TapOperand &operand, Value group) {
  Value offset = plus(times(group, operand.group), operand.constant);
  return operand.start ? add(offset, operand.start) : offset;
}

Value TapSumCode::offsetOf(const TapOperand &operand, const Block &block,
                           Value sample) {
  if (packed.contains(operand.buffer))
    return constant(operand.constant);
  Value offset =
      add(offsetOf(operand, block.group), times(block.first, operand.vector));
  return sample ? add(offset, times(sample, operand.sample)) : offset;
}

Value TapSumCode::loadStored(const TapOperand &operand, Value offset,
                             int64_t step, int64_t vector) {
  auto type = VectorType::get({plan.lanes}, operand.type.getElementType());
  return loadVector(builder, loc, type, getFlat(operand.buffer),
                    plus(offset, step + vector * plan.lanes), masks[vector]);
}

Value TapSumCode::load(const TapOperand &operand, Value offset, int64_t step,
                       int64_t vector) {
  if (operand.vector == 0)
    return vector::BroadcastOp::create(
        builder, loc, vectorType,
        buildExtension(builder, loc,
                       memref::LoadOp::create(builder, loc,
                                              getFlat(operand.buffer),
                                              plus(offset, step))));
  return buildExtension(builder, loc,
                        loadStored(operand, offset, step, vector));
}

Value TapSumCode::load(const TapOperand &operand, Value offset, int64_t step,
                       int64_t vector, Loads &loads, int64_t partner) {
  int64_t number = operand.vector == 0 ? 0 : vector;
  Value &value = loads[step + number * plan.lanes];
  if (!value)
    value = partner ? loadPairs(operand, offset, step, vector, partner)
                    : load(operand, offset, step, vector);
  return value;
}

void TapSumCode::prefetch(const TapOperand &operand, Value offset) {
  constexpr uint32_t kSecondLevel = 2; // of 3, the nearest
  memref::PrefetchOp::create(builder, loc, getFlat(operand.buffer), offset,
                             /*isWrite=*/false, kSecondLevel,
                             /*isDataCache=*/true);
}

Value TapSumCode::loadPairs(const TapOperand &operand, Value offset,
                            int64_t step, int64_t vector, int64_t partner) {
  Value buffer = getFlat(operand.buffer);
  Type element = builder.getBF16Type();
  if (isPaired(operand) && operand.vector != 0)
    return loadVector(builder, loc, VectorType::get({2 * plan.lanes}, element),
                      buffer, plus(offset, step + vector * 2 * plan.lanes),
                      /*mask=*/Value());
  if (operand.vector != 0) {
    Value first = loadStored(operand, offset, step, vector);
    return interleave(first,
                      loadStored(operand, offset, step + partner, vector));
  }
  assert(partner == 1 && "expected the pair side by side");
  Value pair = loadVector(builder, loc, VectorType::get({2}, element), buffer,
                          plus(offset, step), /*mask=*/Value());
  Type whole = builder.getI32Type();
  pair = vector::BitCastOp::create(builder, loc, VectorType::get({1}, whole),
                                   pair);
  pair = vector::ExtractOp::create(builder, loc, pair, 0);
  pair = vector::BroadcastOp::create(
      builder, loc, VectorType::get({plan.lanes}, whole), pair);
  return vector::BitCastOp::create(
      builder, loc, VectorType::get({2 * plan.lanes}, element), pair);
}

Value TapSumCode::interleave(Value a, Value b) {
  int64_t lanes = cast<VectorType>(a.getType()).getDimSize(0);
  SmallVector<int64_t> order;
  for (int64_t lane = 0; lane < lanes; ++lane)
    llvm::append_values(order, lane, lanes + lane);
  return vector::ShuffleOp::create(builder, loc, a, b, order);
}

void TapSumCode::packWeights(const TapPart &part, const TapOperand &packed,
                             const Block &block, Value base) {
  const TapOperand &weight = part.weight;
  Value source = offsetOf(weight, block, Value());
  Value target = add(offsetOf(packed, block, Value()), base);
  int64_t step = isPaired(packed) ? 2 : 1;
  Value zero = constant(0);
  forEach(zero, constant(part.rows.taps), [&](Value row) {
    forEach(zero, constant(part.columns.taps), [&](Value column) {
      forEach(zero, constant(sum.terms), step, [&](Value term) {
        auto at = [&](Value offset, const TapOperand &operand) {
          offset = add(offset, times(row, operand.row));
          offset = add(offset, times(column, operand.column));
          return add(offset, times(term, operand.term));
        };
        Value from = at(source, weight), to = at(target, packed);
        Loads loads;
        for (int64_t vector = 0; vector < plan.vectors; ++vector) {
          Value loaded = load(weight, from, 0, vector, loads,
                              isPaired(packed) ? weight.term : 0);
          storePacked(loaded, packed, plus(to, vector * step * plan.lanes));
        }
      });
    });
  });
}

void TapSumCode::storeSum(Value sum, const TapOperand &operand, Value offset,
                          int64_t step, int64_t vector) {
  Value buffer = getFlat(operand.buffer);
  Value rounded =
      buildRounding(builder, loc, sum, operand.type.getElementType());
  storeVector(builder, loc, rounded, buffer,
              plus(offset, step + vector * plan.lanes), masks[vector]);
}

Value TapSumCode::multiplyAdd(Value a, Value b, Value sum) {
  if (getElementTypeOrSelf(a.getType()).isBF16())
    return x86vector::DotBF16Op::create(builder, loc, sum.getType(), sum, a, b);
  return vector::FMAOp::create(builder, loc, a, b, sum);
}

Value TapSumCode::getZeros(VectorType type) {
  return arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type));
}

void TapSumCode::clear(Value target, VectorType type, Value to,
                       Value elements) {
  Value zeros = getZeros(type);
  forEach(constant(0), elements, type.getNumElements(), [&](Value element) {
    storeVector(builder, loc, zeros, target, add(to, element),
                /*mask=*/Value());
  });
}
