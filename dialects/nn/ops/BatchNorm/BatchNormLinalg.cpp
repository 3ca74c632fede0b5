// Lowerings of batch_norm and its gradients. Where a channel is summed, one
// loop nest makes both of its sums, so that the tensors are read once for them.

#include "dialects/interfaces/LinalgHelpers.h"
#include "dialects/interfaces/Scalar.h"
#include "dialects/nn/NnDialect.h"
#include "dialects/nn/NormLinalg.h"

using namespace mlir;
using namespace boostc;
using namespace boostc::nn;

namespace {

/// Emits loops over a tensor [samples, channels, positions...] and over its
/// channels.
class ChannelBuilder {
public:
  ChannelBuilder(OpBuilder &builder, Location loc, RankedTensorType type,
                 Value valid, const APFloat &epsilon)
      : b(builder), loc(loc), type(type), valid(valid),
        epsilon(epsilon.convertToDouble()), rank(type.getRank()),
        all(b.getMultiDimIdentityMap(rank)), channel(projection(b, rank, {1})),
        scalar(projection(b, rank, {})), one(b.getMultiDimIdentityMap(1)),
        none(projection(b, 1, {})),
        vector(RankedTensorType::get({type.getDimSize(1)},
                                     type.getElementType())) {}

  /// Two terms for each element, summed over each channel of the samples below
  /// `valid`.
  std::array<Value, 2> sumChannels(
      ValueRange inputs, ArrayRef<AffineMap> maps,
      llvm::function_ref<std::array<Scalar, 2>(ArrayRef<Scalar>)> getTerms) {
    SmallVector<Value> operands(inputs);
    operands.push_back(valid);
    SmallVector<AffineMap> operandMaps(maps);
    operandMaps.push_back(scalar);
    SmallVector<Value> sums =
        buildSums(b, loc, vector, rank, {1}, operands, operandMaps, 2,
                  [&](OpBuilder &nested, Location at, ValueRange args) {
                    ScalarEmitter emitter(nested, at);
                    auto terms =
                        getTerms(getScalars(args.drop_back(), emitter));
                    Value isValid = buildIsValid(nested, at, 0, args.back());
                    Value nothing = emitter.constant(0.0);
                    SmallVector<Value> counted;
                    for (const Scalar &term : terms)
                      counted.push_back(arith::SelectOp::create(
                          nested, at, isValid, term.get(emitter), nothing));
                    return counted;
                  });
    return {sums[0], sums[1]};
  }

  /// A number for each channel from those of `inputs` and n, the number of its
  /// values, 1 where there are none.
  Value mapChannels(ValueRange inputs,
                    llvm::function_ref<Scalar(ArrayRef<Scalar>, Scalar)> body) {
    SmallVector<Value> operands(inputs);
    operands.push_back(valid);
    SmallVector<AffineMap> maps(inputs.size(), one);
    maps.push_back(none);
    return buildElementwise(
        b, loc, vector, operands, maps,
        [&](OpBuilder &nested, Location at, ValueRange args) -> Value {
          ScalarEmitter emitter(nested, at);
          Scalar n(buildCount(nested, at, args[inputs.size()]), emitter);
          return body(getScalars(args.take_front(inputs.size()), emitter), n)
              .get(emitter);
        });
  }

  /// An element of the tensor from those of `inputs`, tensors and channels.
  Value mapElements(ValueRange tensors, ValueRange channels,
                    llvm::function_ref<Scalar(ArrayRef<Scalar>)> body,
                    bool isOfValidAlone = false) {
    SmallVector<Value> operands(tensors);
    llvm::append_range(operands, channels);
    SmallVector<AffineMap> maps(tensors.size(), all);
    maps.append(channels.size(), channel);
    size_t count = operands.size();
    if (isOfValidAlone) {
      operands.push_back(valid);
      maps.push_back(scalar);
    }
    return buildElementwise(
        b, loc, type, operands, maps,
        [&](OpBuilder &nested, Location at, ValueRange args) -> Value {
          ScalarEmitter emitter(nested, at);
          Value element =
              body(getScalars(args.take_front(count), emitter)).get(emitter);
          if (!isOfValidAlone)
            return element;
          return arith::SelectOp::create(
              nested, at, buildIsValid(nested, at, 0, args[count]), element,
              emitter.constant(0.0));
        });
  }

  /// The mean of each channel in the first sample. The sample is read through
  /// an index of 0, not through a slice: x stays free to have any layout.
  Value buildPivot(Value x) {
    SmallVector<AffineExpr> first = {b.getAffineConstantExpr(0)};
    for (unsigned loop = 0; loop + 1 < rank; ++loop)
      first.push_back(b.getAffineDimExpr(loop));
    Value sum = buildSum(
        b, loc, vector, rank - 1, {0}, x,
        AffineMap::get(rank - 1, 0, first, b.getContext()),
        [](OpBuilder &, Location, ValueRange args) { return args[0]; });
    double positions = static_cast<double>(
        type.getNumElements() / (type.getDimSize(0) * type.getDimSize(1)));
    return buildElementwise(
        b, loc, vector, sum,
        [=](OpBuilder &nested, Location at, ValueRange args) -> Value {
          ScalarEmitter emitter(nested, at);
          return (Scalar(args[0], emitter) / Scalar(positions)).get(emitter);
        });
  }

  /// 1 / sqrt(variance + epsilon).
  Value buildScale(Value variance) {
    return buildElementwise(
        b, loc, vector, variance,
        [&](OpBuilder &nested, Location at, ValueRange args) -> Value {
          return buildNormScale(nested, at, args[0], epsilon);
        });
  }

  /// (x - mean) * weight * scale + bias.
  Value buildNormalized(Value x, Value weight, Value bias, Value mean,
                        Value variance) {
    Value factor = buildElementwise(
        b, loc, vector, {weight, buildScale(variance)},
        [](OpBuilder &nested, Location at, ValueRange args) -> Value {
          return arith::MulFOp::create(nested, at, args[0], args[1]);
        });
    return mapElements(x, {mean, factor, bias}, [](ArrayRef<Scalar> a) {
      Scalar product = (a[0] - a[1]) * a[2];
      return product + a[3];
    });
  }

  OpBuilder &b;
  Location loc;
  RankedTensorType type;
  Value valid; ///< null where nothing is summed
  double epsilon;
  unsigned rank;
  AffineMap all, channel, scalar; ///< loops of the tensor
  AffineMap one, none;            ///< loops of a vector
  RankedTensorType vector;

private:
  static SmallVector<Scalar> getScalars(ValueRange values,
                                        ScalarEmitter &emitter) {
    SmallVector<Scalar> scalars;
    for (Value value : values)
      scalars.emplace_back(value, emitter);
    return scalars;
  }

  /// The f32 of max(valid * positions, 1).
  Value buildCount(OpBuilder &nested, Location at, Value samples) {
    int64_t positions =
        type.getNumElements() / (type.getDimSize(0) * type.getDimSize(1));
    auto constant = [&](int64_t number) -> Value {
      return arith::ConstantOp::create(nested, at,
                                       nested.getI64IntegerAttr(number));
    };
    Value count = arith::MulIOp::create(
        nested, at,
        arith::ExtSIOp::create(nested, at, nested.getI64Type(), samples),
        constant(positions));
    return arith::SIToFPOp::create(
        nested, at, nested.getF32Type(),
        arith::MaxSIOp::create(nested, at, count, constant(1)));
  }
};

} // namespace

FailureOr<SmallVector<Value>> BatchNormOp::lowerToLinalg(OpBuilder &builder) {
  ChannelBuilder channels(builder, getLoc(), getInput().getType(), getValid(),
                          getEpsilon());
  Value x = getInput(), pivot = channels.buildPivot(x);
  auto [shifts, squares] =
      channels.sumChannels({x, pivot}, {channels.all, channels.channel},
                           [](ArrayRef<Scalar> a) -> std::array<Scalar, 2> {
                             Scalar distance = a[0] - a[1];
                             return {distance, distance * distance};
                           });
  Value mean =
      channels.mapChannels({pivot, shifts}, [](ArrayRef<Scalar> a, Scalar n) {
        Scalar shift = a[1] / n;
        return a[0] + shift;
      });
  Value variance =
      channels.mapChannels({shifts, squares}, [](ArrayRef<Scalar> a, Scalar n) {
        Scalar shift = a[0] / n;
        Scalar square = a[1] / n;
        Scalar drift = shift * shift;
        return max(square - drift, Scalar(0.0));
      });
  Value y = channels.buildNormalized(x, getWeight(), getBias(), mean, variance);
  return SmallVector<Value>{y, mean, variance};
}

FailureOr<SmallVector<Value>>
BatchNormGradOp::lowerToLinalg(OpBuilder &builder) {
  ChannelBuilder channels(builder, getLoc(), getInput().getType(), getValid(),
                          getEpsilon());
  Value dy = getGradient(), x = getInput();
  Value scale = channels.buildScale(getVariance());
  auto [weight, bias] = channels.sumChannels(
      {dy, x, getMean(), scale},
      {channels.all, channels.all, channels.channel, channels.channel},
      [](ArrayRef<Scalar> a) -> std::array<Scalar, 2> {
        Scalar z = (a[1] - a[2]) * a[3];
        return {a[0] * z, a[0]};
      });
  auto divide = [](ArrayRef<Scalar> a, Scalar n) { return a[0] / n; };
  Value slope = channels.mapChannels(weight, divide);
  Value shift = channels.mapChannels(bias, divide);
  Value factor = channels.mapChannels(
      {getWeight(), scale},
      [](ArrayRef<Scalar> a, Scalar) { return a[0] * a[1]; });
  Value dx = channels.mapElements(
      {dy, x}, {getMean(), scale, shift, slope, factor},
      [](ArrayRef<Scalar> a) {
        Scalar z = (a[1] - a[2]) * a[3];
        Scalar centred = a[0] - a[4];
        Scalar along = z * a[5];
        return (centred - along) * a[6];
      },
      /*isOfValidAlone=*/true);
  return SmallVector<Value>{dx, weight, bias};
}

FailureOr<SmallVector<Value>>
BatchNormInferenceOp::lowerToLinalg(OpBuilder &builder) {
  ChannelBuilder channels(builder, getLoc(), getInput().getType(), Value(),
                          getEpsilon());
  return SmallVector<Value>{channels.buildNormalized(
      getInput(), getWeight(), getBias(), getMean(), getVariance())};
}

FailureOr<SmallVector<Value>>
BatchNormSumsOp::lowerToLinalg(OpBuilder &builder) {
  RankedTensorType type = getMean().getType();
  auto positions = static_cast<int64_t>(getPositions());
  auto buildCount = [=](OpBuilder &b, Location at, Value valid) -> Value {
    return arith::MulIOp::create(
        b, at, arith::ExtSIOp::create(b, at, b.getI64Type(), valid),
        arith::ConstantOp::create(b, at, b.getI64IntegerAttr(positions)));
  };
  auto build = [&](ValueRange inputs,
                   llvm::function_ref<Scalar(ArrayRef<Scalar>)> body) {
    SmallVector<Value> operands(inputs);
    operands.push_back(getValid());
    SmallVector<AffineMap> maps(inputs.size(),
                                builder.getMultiDimIdentityMap(1));
    maps.push_back(projection(builder, 1, {}));
    return buildElementwise(
        builder, getLoc(), type, operands, maps,
        [&](OpBuilder &b, Location at, ValueRange args) -> Value {
          ScalarEmitter emitter(b, at);
          SmallVector<Scalar> a;
          for (Value element : args.take_front(inputs.size()))
            a.emplace_back(element, emitter);
          a.emplace_back(
              arith::SIToFPOp::create(b, at, b.getF32Type(),
                                      buildCount(b, at, args[inputs.size()])),
              emitter);
          return body(a).get(emitter);
        });
  };
  Value shifts = build({getMean(), getCenter()},
                       [](ArrayRef<Scalar> a) { return a[2] * (a[0] - a[1]); });
  Value squares =
      build({getMean(), getCenter(), getVariance()}, [](ArrayRef<Scalar> a) {
        Scalar distance = a[0] - a[1];
        Scalar square = distance * distance;
        return a[3] * (a[2] + square);
      });
  Value count = buildElementwise(
      builder, getLoc(), RankedTensorType::get({}, builder.getI64Type()),
      getValid(), [&](OpBuilder &b, Location at, ValueRange args) -> Value {
        return buildCount(b, at, args[0]);
      });
  return SmallVector<Value>{shifts, squares, count};
}
