#include "dialects/interfaces/LinalgHelpers.h"

using namespace mlir;
using namespace boostc;

AffineMap boostc::projection(OpBuilder &builder, unsigned rank,
                             ArrayRef<unsigned> dims) {
  SmallVector<AffineExpr> exprs;
  for (unsigned dim : dims)
    exprs.push_back(builder.getAffineDimExpr(dim));
  return AffineMap::get(rank, 0, exprs, builder.getContext());
}

static Value buildGeneric(OpBuilder &builder, Location loc, Value init,
                          ValueRange inputs, ArrayRef<AffineMap> maps,
                          ArrayRef<utils::IteratorType> iterators,
                          ElementBody body) {
  auto generic = linalg::GenericOp::create(
      builder, loc, TypeRange{init.getType()}, inputs, ValueRange{init}, maps,
      iterators, [&](OpBuilder &nested, Location nestedLoc, ValueRange args) {
        linalg::YieldOp::create(nested, nestedLoc,
                                body(nested, nestedLoc, args));
      });
  return generic.getResult(0);
}

Value boostc::buildElementwise(OpBuilder &builder, Location loc,
                               RankedTensorType type, ValueRange inputs,
                               ArrayRef<AffineMap> maps, ElementBody body) {
  Value init = tensor::EmptyOp::create(builder, loc, type.getShape(),
                                       type.getElementType());
  SmallVector<AffineMap> allMaps(maps);
  allMaps.push_back(builder.getMultiDimIdentityMap(type.getRank()));
  SmallVector<utils::IteratorType> iterators(type.getRank(),
                                             utils::IteratorType::parallel);
  return buildGeneric(builder, loc, init, inputs, allMaps, iterators, body);
}

Value boostc::buildElementwise(OpBuilder &builder, Location loc,
                               RankedTensorType type, ValueRange inputs,
                               ElementBody body) {
  SmallVector<AffineMap> maps(inputs.size(),
                              builder.getMultiDimIdentityMap(type.getRank()));
  return buildElementwise(builder, loc, type, inputs, maps, body);
}

Value boostc::buildReduction(OpBuilder &builder, Location loc,
                             RankedTensorType type, TypedAttr start,
                             unsigned loops, ArrayRef<unsigned> kept,
                             ValueRange inputs, ArrayRef<AffineMap> maps,
                             ElementBody body) {
  Value empty = tensor::EmptyOp::create(builder, loc, type.getShape(),
                                        type.getElementType());
  Value zero = arith::ConstantOp::create(builder, loc, start);
  SmallVector<utils::IteratorType> iterators(loops,
                                             utils::IteratorType::reduction);
  for (unsigned loop : kept)
    iterators[loop] = utils::IteratorType::parallel;
  SmallVector<AffineMap> allMaps(maps);
  allMaps.push_back(projection(builder, loops, kept));
  // Over no loop it is elementwise, and says so: one step from `start`.
  if (kept.size() == loops)
    return buildGeneric(builder, loc, empty, inputs, allMaps, iterators,
                        [&](OpBuilder &nested, Location at, ValueRange args) {
                          SmallVector<Value> step(args);
                          step.back() = zero;
                          return body(nested, at, step);
                        });
  Value init = linalg::FillOp::create(builder, loc, zero, empty).getResult(0);
  return buildGeneric(builder, loc, init, inputs, allMaps, iterators, body);
}

Value boostc::buildConstant(OpBuilder &builder, Location loc, double value) {
  return arith::ConstantOp::create(builder, loc,
                                   builder.getF32FloatAttr(value));
}

Value boostc::buildRoundedConstant(OpBuilder &builder, Location loc,
                                   double value) {
  if (static_cast<double>(static_cast<float>(value)) == value)
    return buildConstant(builder, loc, value);
  Value exact =
      arith::ConstantOp::create(builder, loc, builder.getF64FloatAttr(value));
  return arith::TruncFOp::create(builder, loc, builder.getF32Type(), exact);
}

Value boostc::buildSumStep(OpBuilder &builder, Location loc, Value a, Value b) {
  return arith::AddFOp::create(builder, loc, a, b,
                               arith::FastMathFlags::reassoc);
}

Value boostc::buildIsValid(OpBuilder &builder, Location loc, unsigned dim,
                           Value valid) {
  Value index = linalg::IndexOp::create(builder, loc, dim);
  Value sample =
      arith::IndexCastOp::create(builder, loc, builder.getI32Type(), index);
  return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt, sample,
                               valid);
}
