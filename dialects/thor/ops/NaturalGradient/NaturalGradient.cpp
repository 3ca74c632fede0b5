#include "dialects/thor/ThorDialect.h"
#include "dialects/train/OptimizerHelpers.h"
#include "llvm/Support/Format.h"

using namespace mlir;
using namespace boostc;
using namespace boostc::thor;

/// Those of how far factors change.
static LogicalResult verifyLimits(NaturalGradientOp op) {
  auto toNumber = [](const APFloat &value) { return value.convertToDouble(); };
  std::optional<double> above = llvm::transformOptional(op.getRefreshAbove(),
                                                        toNumber),
                        below = llvm::transformOptional(op.getStopBelow(),
                                                        toNumber);
  if (above && op.getByRank())
    return op.emitOpError("expected no refresh_above of factors that are of "
                          "one rank");
  if (above && !(*above > 0.0 && std::isfinite(*above)))
    return op.emitOpError("expected a positive refresh_above, found ")
           << *above;
  double limit = above.value_or(0.0);
  if (below && !(*below > 0.0 && *below <= limit))
    return op.emitOpError("expected a stop_below above 0 and up to ")
           << limit << ", the refresh_above, found " << *below;
  return success();
}

LogicalResult NaturalGradientOp::verify() {
  if (std::optional<APFloat> decay = getFactorDecay();
      decay && failed(train::verifyDecay(*this, "a factor_decay",
                                         decay->convertToDouble())))
    return failure();
  if (getByRank() && getFactorDecay())
    return emitOpError("expected no averages of factors that are of one rank");
  if (std::optional<APFloat> limit = getKlClip();
      limit && !(limit->convertToDouble() > 0.0))
    return emitOpError("expected a positive kl_clip, found ")
           << limit->convertToDouble();
  if (getKlClip().has_value() != static_cast<bool>(getRate()))
    return emitOpError("expected a rate with kl_clip, and only there");
  if (failed(verifyLimits(*this)))
    return failure();
  return verifyPositive(*this, {{"a frequency", getFrequency()},
                                {"a block_size", getBlockSize()}});
}

/// An average that keeps more would hardly follow the weights in any run.
static constexpr double kMaxFactorDecay = 0.9999;

std::vector<LayerSpec> NaturalGradientOp::getLayerSpecs() {
  LayerSpec spec{
      "thor", LayerSpec::Kind::Optimizer,
      "[THOR](boosts.md#thor): `p = G^-1 g A^-1` for a weight of a layer that "
      "has Kronecker factors A and G, the gradient divided by its damped "
      "squares for layer normalisation, else `p = g`; then momentum, `v = "
      "momentum * v + p + weight_decay * w`, `w = w - lr * v`."};
  spec.keys = {
      {"learning_rate", KeyType::Rate, "Step size `lr`.", {}, 0.0},
      {"damping", KeyType::Rate,
       "What is added to the factors: its root, for convolutions over the "
       "root of the number of output pixels.",
       "0.03", 0.0},
      {"momentum", KeyType::Number, "Share of the velocity that is kept.",
       "0.9", 0.0, 1.0},
      {"nesterov", KeyType::Boolean,
       "Go along the gradient ahead, `w = w - lr * (p + weight_decay * w + "
       "momentum * v)`.",
       "false"},
      {"weight_decay", KeyType::Number,
       "Weight decay, which is not preconditioned.", "0.0", 0.0},
      {"frequency", KeyType::Integer,
       "Steps from one computation of factors and inverses to the next; in "
       "between those of the last one are used.",
       "100", 1, 1 << 30},
      {"block_size", KeyType::Integer,
       "Rows of the blocks on the diagonals of factors. What is between "
       "blocks counts as zero.",
       "128", 1, 2048},
      {"stagger", KeyType::Boolean,
       "Refresh the layers in up to 16 parts, each in a step of its own, and "
       "not all of them in the same step.",
       "true"},
      {"factor_decay", KeyType::Number,
       "Share of the average of the factors so far that a refresh keeps; at 0 "
       "it inverts the factors of its own step alone.",
       "0.0", 0.0, kMaxFactorDecay},
      {"damping_split",
       KeyType::Choice,
       "`equal`: damping adds the same to both factors; `trace`: its shares "
       "are to each other as the means of the diagonals are.",
       "\"equal\"",
       {},
       {},
       {"equal", "trace"}},
      {"kl_clip", KeyType::Number,
       "Limit of `lr^2 * p * g`, summed over all weights with factors, from "
       "which on their `p` are scaled down together; at 0 there is none.",
       "0.0", 0.0},
      {"refresh_above", KeyType::Number,
       "Relative change of the trace of a layer's damped factors since they "
       "were inverted, above which a refresh inverts them; at 0 each does.",
       "0.0", 0.0},
      {"stop_below", KeyType::Number,
       "The same change, below which the layer keeps its inverses from then "
       "on; not above refresh_above.",
       "0.0", 0.0},
      {"combine",
       KeyType::Choice,
       "`factors`: ranks invert the factors of all samples. `inverses`: each "
       "inverts the factors of its own, and the inverses are averaged, so that "
       "results depend on the number of ranks.",
       "\"factors\"",
       {},
       {},
       {"factors", "inverses"}},
      {"enable_clip_grad", KeyType::Boolean,
       "Scale `p + weight_decay * w` of each parameter to a norm of 1 where it "
       "is larger.",
       "false"}};
  spec.isSecondOrder = true;
  return {spec};
}

/// `gradient + decay * weight`, scaled to a norm of 1 where it is larger, in a
/// step that is applied.
static Value clip(LayerBuilder &layer, Value gradient, double decay) {
  OpBuilder &b = layer.builder;
  Location loc = layer.loc;
  if (decay != 0.0) {
    auto factor = DenseElementsAttr::get(
        RankedTensorType::get({}, b.getF32Type()), static_cast<float>(decay));
    Value share = train::ScaleGradientOp::create(
        b, loc, layer.inputs[0], arith::ConstantOp::create(b, loc, factor));
    gradient =
        train::ApplyDeltaOp::create(b, loc, share, gradient, layer.applied);
  }
  Value norm = train::GlobalNormOp::create(
      b, loc,
      ValueRange{train::SquaredNormOp::create(b, loc, gradient).getResult()});
  Value factor =
      train::ClipFactorOp::create(b, loc, norm, b.getF64FloatAttr(1.0));
  return train::ScaleGradientOp::create(b, loc, gradient, factor);
}

FailureOr<SmallVector<Value>>
NaturalGradientOp::buildLayer(LayerBuilder &layer) {
  OpBuilder &b = layer.builder;
  FailureOr<Value> velocity = layer.state("momentum");
  if (failed(velocity))
    return failure();
  Value gradient = layer.inputs[1];
  if (layer.role != BOOSTC_ROLE_BIAS && layer.role != BOOSTC_ROLE_MULTIPLIER) {
    auto getPositive = [&](StringRef key) {
      double value = layer.getNumber(key);
      return value > 0.0 ? b.getF64FloatAttr(value) : FloatAttr();
    };
    FloatAttr limit = getPositive("kl_clip");
    FloatAttr decay = getPositive("factor_decay");
    bool isByRank = layer.getChoice("combine") == "inverses";
    if (isByRank && decay)
      return layer.emitError("combine")
             << "with 'inverses' no rank has factors of all samples, which "
                "'factor_decay' averages; use 'factors', or a factor_decay of "
                "0";
    FloatAttr above = getPositive("refresh_above");
    FloatAttr below = getPositive("stop_below");
    if (isByRank && above)
      return layer.emitError("combine")
             << "with 'inverses' no rank has factors of all samples, whose "
                "trace 'refresh_above' looks at; use 'factors', or a "
                "refresh_above of 0";
    double upper = layer.getNumber("refresh_above"),
           lower = layer.getNumber("stop_below");
    if (lower > upper) {
      std::string limits;
      llvm::raw_string_ostream(limits)
          << llvm::format("%g, found %g", upper, lower);
      return layer.emitError("stop_below")
             << "expected at most refresh_above, " << limits
             << "; a change that stops refreshes must be one that needs none";
    }
    gradient = NaturalGradientOp::create(
        b, layer.loc, gradient.getType(), gradient, layer.parameterName,
        layer.inputs[3], limit ? layer.inputs[2] : Value(),
        static_cast<uint64_t>(layer.getInteger("frequency")),
        static_cast<uint64_t>(layer.getInteger("block_size")),
        layer.getBoolean("stagger"), decay,
        layer.getChoice("damping_split") == "trace", limit, isByRank, above,
        below);
  }
  double decay = layer.getNumber("weight_decay");
  if (layer.getBoolean("enable_clip_grad")) {
    gradient = clip(layer, gradient, decay);
    decay = 0.0;
  }
  auto step = train::MomentumOp::create(
      b, layer.loc, layer.inputs[0], gradient, layer.inputs[2], *velocity,
      layer.applied, b.getF64FloatAttr(layer.getNumber("momentum")),
      b.getF64FloatAttr(decay), UnitAttr(),
      layer.getBoolean("nesterov") ? b.getUnitAttr() : UnitAttr(), UnitAttr());
  return SmallVector<Value>(step.getResults());
}
