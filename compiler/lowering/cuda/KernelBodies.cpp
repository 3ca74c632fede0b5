#include "compiler/lowering/cuda/KernelBodies.h"
#include "compiler/lowering/cuda/ReducePartials.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace boostc;

Value boostc::loadAt(OpBuilder &builder, Location loc, Value buffer,
                     const LinearIndex &offset, ArrayRef<Value> indices) {
  return memref::LoadOp::create(builder, loc, buffer,
                                emitLinear(builder, loc, offset, indices));
}

void boostc::storeAt(OpBuilder &builder, Location loc, Value value,
                     Value buffer, const LinearIndex &offset,
                     ArrayRef<Value> indices) {
  memref::StoreOp::create(builder, loc, value, buffer,
                          emitLinear(builder, loc, offset, indices));
}

Value boostc::emitBoth(OpBuilder &builder, Location loc, Value a, Value b) {
  return a ? arith::AndIOp::create(builder, loc, a, b) : b;
}

Value boostc::emitDerived(OpBuilder &builder, Location loc,
                          ArrayRef<Contraction::DerivedIndex> indices,
                          SmallVectorImpl<Value> &values) {
  auto constant = [&](int64_t value) {
    return arith::ConstantIndexOp::create(builder, loc, value);
  };
  Value all;
  auto require = [&](arith::CmpIPredicate predicate, Value a, int64_t b) {
    all = emitBoth(
        builder, loc, all,
        arith::CmpIOp::create(builder, loc, predicate, a, constant(b)));
  };
  SmallVector<Value> loops(values.begin(), values.end());
  for (const Contraction::DerivedIndex &index : indices) {
    Value numerator = emitLinear(builder, loc, index.numerator, loops);
    // What is below 0 is large as an unsigned number.
    require(arith::CmpIPredicate::ult, numerator, index.extent * index.divisor);
    values.push_back(numerator);
    if (index.divisor == 1)
      continue;
    values.back() = arith::DivUIOp::create(builder, loc, numerator,
                                           constant(index.divisor));
    require(arith::CmpIPredicate::eq,
            arith::RemUIOp::create(builder, loc, numerator,
                                   constant(index.divisor)),
            0);
  }
  return all;
}

SmallVector<Value>
boostc::emitWhere(OpBuilder &builder, Location loc, Value condition,
                  ValueRange values,
                  llvm::function_ref<SmallVector<Value>(OpBuilder &)> body) {
  if (!condition)
    return body(builder);
  auto choice = scf::IfOp::create(
      builder, loc, condition,
      [&](OpBuilder &b, Location) { scf::YieldOp::create(b, loc, body(b)); },
      [&](OpBuilder &b, Location) { scf::YieldOp::create(b, loc, values); });
  return llvm::to_vector(ValueRange(choice.getResults()));
}

PlannedBody boostc::planInOrder(std::unique_ptr<KernelBody> body) {
  GridPlan plan = planGrid(
      *body, llvm::to_vector(llvm::seq<unsigned>(0, body->loops.size())));
  return PlannedBody{std::move(body), std::move(plan)};
}

static FailureOr<std::vector<PlannedBody>>
buildContractionBodies(ContractionOpInterface op, const IRMapping &buffers,
                       TilingPolicy tilingPolicy) {
  Location loc = op.getLoc();
  Contraction whole = getContraction(op);
  std::vector<PlannedBody> built;
  Value partials = op.getPartials();
  if (!partials) {
    built.push_back(buildContractionBody(loc, whole, buffers, tilingPolicy));
    return built;
  }
  int64_t count = cast<MemRefType>(partials.getType()).getDimSize(0);
  std::optional<Contraction> cut = splitReduction(whole, count, partials);
  if (!cut)
    return op->emitOpError("has ") << count
                                   << " partial sums; expected a divisor of "
                                      "the extent of a loop that it sums over";
  built.push_back(buildContractionBody(loc, *cut, buffers, tilingPolicy));
  built.push_back(buildContractionBody(
      loc, reducePartials(whole, count, partials), buffers, tilingPolicy));
  return built;
}

FailureOr<std::vector<PlannedBody>>
boostc::buildKernelBodies(Operation *op, const IRMapping &buffers,
                          TilingPolicy tilingPolicy) {
  if (auto contraction = dyn_cast<ContractionOpInterface>(op))
    return buildContractionBodies(contraction, buffers, tilingPolicy);
  std::vector<PlannedBody> built;
  if (auto generic = dyn_cast<linalg::GenericOp>(op)) {
    FailureOr<PlannedBody> part = buildGenericBody(generic, buffers);
    if (failed(part))
      return failure();
    built.push_back(std::move(*part));
  } else if (auto gather = dyn_cast<rt::GatherOp>(op)) {
    built.push_back(buildGatherBody(gather, buffers));
  } else if (auto scatter = dyn_cast<rt::ScatterAddOp>(op)) {
    built.push_back(buildScatterAddBody(scatter, buffers));
  } else if (auto gram = dyn_cast<rt::GramOp>(op)) {
    built.push_back(buildGramBody(gram, buffers));
  } else if (auto inverse = dyn_cast<rt::DampedInverseOp>(op)) {
    built.push_back(buildDampedInverseBody(inverse, buffers));
  } else {
    return op->emitOpError("has no kernel for a GPU");
  }
  return built;
}
