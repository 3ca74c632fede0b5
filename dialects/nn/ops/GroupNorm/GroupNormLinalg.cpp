// Lowerings of group_norm and its gradients. Loops over elements have the shape
// of the input, so that neighbours fuse with them; sums are taken per plane, a
// sample's channel, and what groups are to each other is settled on these. All
// start from mean and scale; CSE merges the copies when forward and backward
// meet in one function, and what the two gradients share.

#include "dialects/interfaces/LinalgHelpers.h"
#include "dialects/nn/NnDialect.h"
#include "dialects/nn/NormLinalg.h"

using namespace mlir;
using namespace boostc;
using namespace boostc::nn;

namespace {

/// Emits the loops over an input of `type`.
class GroupBuilder {
public:
  GroupBuilder(OpBuilder &builder, Location loc, RankedTensorType type,
               int64_t groups, APFloat epsilon)
      : b(builder), loc(loc), type(type), epsilon(epsilon.convertToDouble()),
        all(b.getMultiDimIdentityMap(type.getRank())),
        plane(projection(b, type.getRank(), {0, 1})),
        channel(projection(b, type.getRank(), {1})) {
    int64_t samples = type.getDimSize(0), channels = type.getDimSize(1);
    Type element = type.getElementType();
    planes = RankedTensorType::get({samples, channels}, element);
    members =
        RankedTensorType::get({samples, groups, channels / groups}, element);
    groupsType = RankedTensorType::get({samples, groups}, element);
    size = static_cast<double>(type.getNumElements() / (samples * groups));
  }

  /// `term` summed over each plane.
  Value sumPlanes(ValueRange inputs, ArrayRef<AffineMap> maps,
                  ElementBody term) {
    return buildSum(b, loc, planes, type.getRank(), {0, 1}, inputs, maps, term);
  }
  /// For each plane `finish` of the mean over its group of what `sums` are the
  /// planes' sums of, times the channels' `weight` if there is one.
  Value meanOfGroups(
      Value sums, Value weight,
      llvm::function_ref<Value(OpBuilder &, Location, Value)> finish =
          [](OpBuilder &, Location, Value mean) { return mean; }) {
    SmallVector<ReassociationIndices> groups = {{0}, {1, 2}};
    SmallVector<Value> inputs = {
        tensor::ExpandShapeOp::create(b, loc, members, sums, groups)};
    SmallVector<AffineMap> maps = {b.getMultiDimIdentityMap(3)};
    if (weight) {
      auto shape = RankedTensorType::get(members.getShape().drop_front(),
                                         type.getElementType());
      inputs.push_back(tensor::ExpandShapeOp::create(
          b, loc, shape, weight, SmallVector<ReassociationIndices>{{0, 1}}));
      maps.push_back(projection(b, 3, {1, 2}));
    }
    Value groupSums =
        buildSum(b, loc, groupsType, 3, {0, 1}, inputs, maps,
                 [&](OpBuilder &nested, Location at, ValueRange args) -> Value {
                   if (!weight)
                     return args[0];
                   return arith::MulFOp::create(nested, at, args[0], args[1]);
                 });
    Value means = buildElementwise(
        b, loc, members, groupSums, projection(b, 3, {0, 1}),
        [&](OpBuilder &nested, Location at, ValueRange args) -> Value {
          Value mean = arith::DivFOp::create(
              nested, at, args[0], buildRoundedConstant(nested, at, size));
          return finish(nested, at, mean);
        });
    return tensor::CollapseShapeOp::create(b, loc, planes, means, groups);
  }
  /// Sets `mean` and `scale` of the planes of `x`.
  void buildStatistics(Value x) {
    mean = meanOfGroups(
        sumPlanes(x, all,
                  [](OpBuilder &, Location, ValueRange args) -> Value {
                    return args[0];
                  }),
        Value());
    Value squares =
        sumPlanes({x, mean}, {all, plane},
                  [](OpBuilder &nested, Location at, ValueRange args) -> Value {
                    Value d =
                        arith::SubFOp::create(nested, at, args[0], args[1]);
                    return arith::MulFOp::create(nested, at, d, d);
                  });
    scale = meanOfGroups(squares, Value(),
                         [&](OpBuilder &nested, Location at, Value variance) {
                           return buildNormScale(nested, at, variance, epsilon);
                         });
  }
  /// Sums over each plane of dy and of dy z.
  std::pair<Value, Value> sumGradient(Value dy, Value x) {
    SmallVector<Value> sums = buildSums(
        b, loc, planes, type.getRank(), {0, 1}, {dy, x, mean, scale},
        {all, all, plane, plane}, 2,
        [](OpBuilder &nested, Location at, ValueRange args) {
          return SmallVector<Value>{
              args[0],
              arith::MulFOp::create(
                  nested, at, args[0],
                  buildNormalized(nested, at, args[1], args[2], args[3]))};
        });
    return {sums[0], sums[1]};
  }

  OpBuilder &b;
  Location loc;
  RankedTensorType type, planes, members, groupsType;
  double epsilon, size;
  AffineMap all, plane, channel;
  Value mean, scale;
};

} // namespace

FailureOr<SmallVector<Value>> GroupNormOp::lowerToLinalg(OpBuilder &builder) {
  GroupBuilder groups(builder, getLoc(), getInput().getType(), getGroups(),
                      getEpsilon());
  groups.buildStatistics(getInput());
  SmallVector<Value> inputs = {getInput(), groups.mean, groups.scale};
  SmallVector<AffineMap> maps = {groups.all, groups.plane, groups.plane};
  if (getWeight()) {
    inputs.append({getWeight(), getBias()});
    maps.append(2, groups.channel);
  }
  return SmallVector<Value>{buildElementwise(
      builder, getLoc(), groups.type, inputs, maps,
      [&](OpBuilder &b, Location loc, ValueRange args) -> Value {
        Value z = buildNormalized(b, loc, args[0], args[1], args[2]);
        if (!getWeight())
          return z;
        return buildAffine(b, loc, z, args[3], args[4]);
      })};
}

FailureOr<SmallVector<Value>>
GroupNormGradInputOp::lowerToLinalg(OpBuilder &builder) {
  GroupBuilder groups(builder, getLoc(), getInput().getType(), getGroups(),
                      getEpsilon());
  groups.buildStatistics(getInput());
  auto [sums, products] = groups.sumGradient(getGradient(), getInput());
  SmallVector<Value> inputs = {getGradient(),
                               getInput(),
                               groups.mean,
                               groups.scale,
                               groups.meanOfGroups(sums, getWeight()),
                               groups.meanOfGroups(products, getWeight())};
  SmallVector<AffineMap> maps = {groups.all, groups.all};
  maps.append(4, groups.plane);
  if (getWeight()) {
    inputs.push_back(getWeight());
    maps.push_back(groups.channel);
  }
  return SmallVector<Value>{buildElementwise(
      builder, getLoc(), groups.type, inputs, maps,
      [&](OpBuilder &b, Location loc, ValueRange args) -> Value {
        Value z = buildNormalized(b, loc, args[1], args[2], args[3]);
        Value g = args[0];
        if (getWeight())
          g = arith::MulFOp::create(b, loc, g, args[6]);
        return buildNormGradient(b, loc, g, z, args[4], args[5], args[3]);
      })};
}

FailureOr<SmallVector<Value>>
GroupNormGradParametersOp::lowerToLinalg(OpBuilder &builder) {
  GroupBuilder groups(builder, getLoc(), getInput().getType(), getGroups(),
                      getEpsilon());
  groups.buildStatistics(getInput());
  auto [sums, products] = groups.sumGradient(getGradient(), getInput());
  // Sums of real samples' planes.
  AffineMap all = builder.getMultiDimIdentityMap(2);
  return buildSums(
      builder, getLoc(), getWeight().getType(), 2, {1},
      {products, sums, getValid()}, {all, all, projection(builder, 2, {})}, 2,
      [](OpBuilder &b, Location loc, ValueRange args) {
        Value isValid = buildIsValid(b, loc, 0, args[2]);
        Value zero = buildConstant(b, loc, 0.0);
        return SmallVector<Value>{
            arith::SelectOp::create(b, loc, isValid, args[0], zero),
            arith::SelectOp::create(b, loc, isValid, args[1], zero)};
      });
}
