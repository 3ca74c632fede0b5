#include "dialects/interfaces/LinalgHelpers.h"
#include "dialects/interfaces/Precision.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace boostc;

AffineMap boostc::projection(OpBuilder &builder, unsigned rank,
                             ArrayRef<unsigned> dims) {
  SmallVector<AffineExpr> exprs;
  for (unsigned dim : dims)
    exprs.push_back(builder.getAffineDimExpr(dim));
  return AffineMap::get(rank, 0, exprs, builder.getContext());
}

static SmallVector<Value> buildGeneric(OpBuilder &builder, Location loc,
                                       ValueRange inits, ValueRange inputs,
                                       ArrayRef<AffineMap> maps,
                                       ArrayRef<utils::IteratorType> iterators,
                                       ElementsBody body) {
  auto generic = linalg::GenericOp::create(
      builder, loc, inits.getTypes(), inputs, inits, maps, iterators,
      [&](OpBuilder &nested, Location nestedLoc, ValueRange args) {
        linalg::YieldOp::create(nested, nestedLoc,
                                body(nested, nestedLoc, args));
      });
  return llvm::to_vector_of<Value>(generic.getResults());
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
  return buildGeneric(builder, loc, init, inputs, allMaps, iterators,
                      [&](OpBuilder &nested, Location at, ValueRange args) {
                        return SmallVector<Value>{body(nested, at, args)};
                      })[0];
}

Value boostc::buildElementwise(OpBuilder &builder, Location loc,
                               RankedTensorType type, ValueRange inputs,
                               ElementBody body) {
  SmallVector<AffineMap> maps(inputs.size(),
                              builder.getMultiDimIdentityMap(type.getRank()));
  return buildElementwise(builder, loc, type, inputs, maps, body);
}

/// `count` reductions of the same inputs; see buildReduction().
static SmallVector<Value>
buildReductions(OpBuilder &builder, Location loc, RankedTensorType type,
                TypedAttr start, unsigned loops, ArrayRef<unsigned> kept,
                ValueRange inputs, ArrayRef<AffineMap> maps, unsigned count,
                ElementsBody body) {
  Value empty = tensor::EmptyOp::create(builder, loc, type.getShape(),
                                        type.getElementType());
  Value zero = arith::ConstantOp::create(builder, loc, start);
  SmallVector<utils::IteratorType> iterators(loops,
                                             utils::IteratorType::reduction);
  for (unsigned loop : kept)
    iterators[loop] = utils::IteratorType::parallel;
  SmallVector<AffineMap> allMaps(maps);
  allMaps.append(count, projection(builder, loops, kept));
  // Over no loop it is elementwise, and says so: one step from `start`.
  if (kept.size() == loops)
    return buildGeneric(builder, loc, SmallVector<Value>(count, empty), inputs,
                        allMaps, iterators,
                        [&](OpBuilder &nested, Location at, ValueRange args) {
                          SmallVector<Value> step(args.drop_back(count));
                          step.append(count, zero);
                          return body(nested, at, step);
                        });
  Value init = linalg::FillOp::create(builder, loc, zero, empty).getResult(0);
  return buildGeneric(builder, loc, SmallVector<Value>(count, init), inputs,
                      allMaps, iterators, body);
}

Value boostc::buildReduction(OpBuilder &builder, Location loc,
                             RankedTensorType type, TypedAttr start,
                             unsigned loops, ArrayRef<unsigned> kept,
                             ValueRange inputs, ArrayRef<AffineMap> maps,
                             ElementBody body) {
  return buildReductions(builder, loc, type, start, loops, kept, inputs, maps,
                         1,
                         [&](OpBuilder &nested, Location at, ValueRange args) {
                           return SmallVector<Value>{body(nested, at, args)};
                         })[0];
}

SmallVector<Value> boostc::buildSums(OpBuilder &builder, Location loc,
                                     RankedTensorType type, unsigned loops,
                                     ArrayRef<unsigned> kept, ValueRange inputs,
                                     ArrayRef<AffineMap> maps, unsigned count,
                                     ElementsBody terms) {
  return buildReductions(
      builder, loc, type, builder.getF32FloatAttr(0.0), loops, kept, inputs,
      maps, count, [&](OpBuilder &nested, Location at, ValueRange args) {
        SmallVector<Value> sums;
        for (auto [term, sum] :
             llvm::zip_equal(terms(nested, at, args.drop_back(count)),
                             args.take_back(count)))
          sums.push_back(buildSumStep(nested, at, sum, term));
        return sums;
      });
}

Value boostc::buildSum(OpBuilder &builder, Location loc, RankedTensorType type,
                       unsigned loops, ArrayRef<unsigned> kept,
                       ValueRange inputs, ArrayRef<AffineMap> maps,
                       ElementBody term) {
  return buildSums(builder, loc, type, loops, kept, inputs, maps, 1,
                   [&](OpBuilder &nested, Location at, ValueRange args) {
                     return SmallVector<Value>{term(nested, at, args)};
                   })[0];
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

/// `type`, a number's or a vector's, with elements of `element`.
static Type withElement(Type type, Type element) {
  if (auto vector = dyn_cast<VectorType>(type))
    return vector.clone(element);
  return element;
}

Value boostc::buildExtension(OpBuilder &builder, Location loc, Value value) {
  if (!isLowPrecision(value.getType()))
    return value;
  return arith::ExtFOp::create(
      builder, loc, withElement(value.getType(), builder.getF32Type()), value);
}

Value boostc::buildRounding(OpBuilder &builder, Location loc, Value value,
                            Type element) {
  if (getElementTypeOrSelf(value.getType()) == element)
    return value;
  return arith::TruncFOp::create(builder, loc,
                                 withElement(value.getType(), element), value);
}

Value boostc::buildConversion(OpBuilder &builder, Location loc, Value tensor,
                              Type element) {
  if (getElementTypeOrSelf(tensor.getType()) == element)
    return tensor;
  return buildElementwise(
      builder, loc, withElements(tensor.getType(), element), tensor,
      [&](OpBuilder &b, Location nested, ValueRange args) {
        return buildRounding(b, nested, buildExtension(b, nested, args[0]),
                             element);
      });
}
