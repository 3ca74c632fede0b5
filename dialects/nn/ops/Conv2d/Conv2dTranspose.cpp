// nn.conv2d_grad_input as a layer: a transposed convolution.

#include "dialects/nn/NnDialect.h"
#include "dialects/nn/Window.h"

using namespace mlir;
using namespace boostc;
using namespace boostc::nn;

SmallVector<Value> Conv2dGradInputOp::savedForBackward() {
  return {getGradient(), getWeight()};
}

LogicalResult Conv2dGradInputOp::buildBackward(BackwardContext &context) {
  Value dx = context.gradResults[0];
  if (context.needed[0])
    context.gradOperands[0] = Conv2dOp::create(
        context.builder, context.loc, dx, getWeight(), /*bias=*/Value(),
        getStrides(), getPadding(), getDilations(), getGroups());
  if (context.needed[1]) // of f32, as it is a parameter's
    context.gradOperands[1] = Conv2dGradWeightOp::create(
        context.builder, context.loc, widen(getWeight().getType()),
        getGradient(), dx, getStrides(), getPadding(), getDilations(),
        getGroups(), /*transposed=*/true);
  return success();
}

std::vector<LayerSpec> Conv2dGradInputOp::getLayerSpecs() {
  constexpr double kMost = 1 << 16;
  LayerSpec spec{
      "conv2d_transpose", LayerSpec::Kind::Layer,
      "Transposed convolution, the gradient of a `conv2d` with respect to its "
      "input: each input pixel adds its products with the kernel to the output "
      "pixels that a window of the convolution would see there. The output has "
      "`(input - 1) * stride + (kernel - 1) * dilation + 1 + output_padding` "
      "pixels along an axis, less the padding of both sides."};
  spec.keys = {{"filters",
                KeyType::Integer,
                "Number of output channels.",
                {},
                1.0,
                1 << 16}};
  llvm::append_range(spec.keys, getWindowKeys("1"));
  KeySpec &padding = spec.keys.back();
  padding.doc =
      "What is cut off the output's borders: a number for all sides, "
      "[vertical, "
      "horizontal] or [top, left, bottom, right]; `valid` = nothing; `same` = "
      "as much as leaves `input * stride`, the odd row at the bottom and "
      "right; "
      "`same_lower` = the odd one at the top and left.";
  spec.keys.push_back({"output_padding", KeyType::Extents,
                       "More pixels at the bottom and right, fewer than the "
                       "stride.",
                       "0", 0.0, kMost});
  spec.keys.push_back({"dilation", KeyType::Extents,
                       "Distance of neighbouring taps.", "1", 1.0, kMost});
  spec.keys.push_back({"groups", KeyType::Integer,
                       "Groups of channels that do not see each other; divides "
                       "channels and filters.",
                       "1", 1.0, kMost});
  spec.keys.push_back(
      {"bias", KeyType::Boolean, "Whether a bias is added.", "true"});
  spec.parameters = {
      {"weight", BOOSTC_ROLE_WEIGHT, "uniform_fan_in",
       "`[channels, filters / groups, height, width]`."},
      {"bias", BOOSTC_ROLE_BIAS, "uniform_fan_in", "`[filters]`."}};
  return {spec};
}

FailureOr<SmallVector<Value>>
Conv2dGradInputOp::buildLayer(LayerBuilder &layer) {
  Value input = layer.inputs[0];
  auto type = cast<RankedTensorType>(input.getType());
  FailureOr<Window> window =
      getTransposedWindow(layer, type, getExtents(layer, "dilation"));
  if (failed(window))
    return failure();
  int64_t channels = type.getDimSize(1), groups = layer.getInteger("groups");
  int64_t filters = layer.getInteger("filters");
  if (channels % groups != 0 || filters % groups != 0)
    return layer.emitError("groups")
           << groups << " groups do not divide " << channels << " channels and "
           << filters << " filters";
  int64_t taps = window->kernel[0] * window->kernel[1];
  // As PyTorch counts them, from the weight's shape.
  int64_t fanIn = filters / groups * taps, fanOut = channels * taps;
  FailureOr<Value> weight = layer.parameter(
      "weight",
      {channels, filters / groups, window->kernel[0], window->kernel[1]}, fanIn,
      fanOut);
  if (failed(weight))
    return failure();
  const ConvolutionGeometry &geometry = window->geometry;
  auto output = RankedTensorType::get(
      {type.getDimSize(0), filters, window->output[0], window->output[1]},
      type.getElementType());
  Value result = Conv2dGradInputOp::create(
      layer.builder, layer.loc, output, input, *weight, geometry.strides,
      geometry.padding, geometry.dilations, groups);
  if (!layer.getBoolean("bias"))
    return SmallVector<Value>{result};
  FailureOr<Value> bias = layer.parameter("bias", {filters}, fanIn, fanOut);
  if (failed(bias))
    return failure();
  return SmallVector<Value>{
      BiasOp::create(layer.builder, layer.loc, result, *bias, /*axis=*/1)};
}
