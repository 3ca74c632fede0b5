// The layers of the model file that are convolutions: conv2d is nn.conv2d,
// conv2d_transpose is nn.conv2d_grad_input.

#include "dialects/nn/NnDialect.h"
#include "dialects/nn/Window.h"

using namespace mlir;
using namespace boostc;
using namespace boostc::nn;

/// The keys and parameters of both layers.
static LayerSpec getConvolutionSpec(StringRef name, StringRef doc,
                                    StringRef weight) {
  LayerSpec spec{name, LayerSpec::Kind::Layer, doc};
  spec.keys = {{"filters",
                KeyType::Integer,
                "Number of output channels.",
                {},
                1.0,
                1 << 16}};
  llvm::append_range(spec.keys, getWindowKeys("1"));
  spec.keys.push_back({"dilation", KeyType::Extents,
                       "Distance of neighbouring taps.", "1", 1.0, 1 << 16});
  spec.keys.push_back({"groups", KeyType::Integer,
                       "Groups of channels that do not see each other; divides "
                       "channels and filters.",
                       "1", 1.0, 1 << 16});
  spec.keys.push_back(
      {"bias", KeyType::Boolean, "Whether a bias is added.", "true"});
  spec.parameters = {
      {"weight", BOOSTC_ROLE_WEIGHT, "uniform_fan_in", weight},
      {"bias", BOOSTC_ROLE_BIAS, "uniform_fan_in", "`[filters]`."}};
  return spec;
}

namespace {

struct ConvolutionParameters {
  Value weight, bias; ///< bias: null without one
  int64_t filters, groups;
};

} // namespace

/// The parameters of a layer that reads `channels` channels; fails with a
/// diagnostic. The weight is that of the convolution that `window` is of: from
/// the layer's input to its output, or `transposed` the other way.
static FailureOr<ConvolutionParameters> declareParameters(LayerBuilder &layer,
                                                          int64_t channels,
                                                          const Window &window,
                                                          bool transposed) {
  ConvolutionParameters made;
  made.filters = layer.getInteger("filters");
  made.groups = layer.getInteger("groups");
  if (channels % made.groups != 0 || made.filters % made.groups != 0)
    return layer.emitError("groups")
           << made.groups << " groups do not divide " << channels
           << " channels and " << made.filters << " filters";
  int64_t from = transposed ? made.filters : channels;
  int64_t to = transposed ? channels : made.filters;
  int64_t taps = window.kernel[0] * window.kernel[1];
  // As PyTorch counts them, from the weight's shape: `fanOut` does not know of
  // groups.
  int64_t fanIn = from / made.groups * taps, fanOut = to * taps;
  FailureOr<Value> weight = layer.parameter(
      "weight", {to, from / made.groups, window.kernel[0], window.kernel[1]},
      fanIn, fanOut);
  if (failed(weight))
    return failure();
  made.weight = *weight;
  if (!layer.getBoolean("bias"))
    return made;
  FailureOr<Value> bias =
      layer.parameter("bias", {made.filters}, fanIn, fanOut);
  if (failed(bias))
    return failure();
  made.bias = *bias;
  return made;
}

//===----------------------------------------------------------------------===//
// conv2d
//===----------------------------------------------------------------------===//

std::vector<LayerSpec> Conv2dOp::getLayerSpecs() {
  return {getConvolutionSpec(
      "conv2d",
      "Convolution, `y[n, o, i, j] = sum over c, k, l of x[n, c, i * "
      "stride + k * dilation - padding, ...] * weight[o, c, k, l] + "
      "bias[o]`.",
      "`[filters, channels / groups, height, width]`.")};
}

FailureOr<SmallVector<Value>> Conv2dOp::buildLayer(LayerBuilder &layer) {
  Value input = layer.inputs[0];
  auto type = cast<RankedTensorType>(input.getType());
  FailureOr<Window> window =
      getWindow(layer, type, getExtents(layer, "dilation"));
  if (failed(window))
    return failure();
  FailureOr<ConvolutionParameters> own = declareParameters(
      layer, type.getDimSize(1), *window, /*transposed=*/false);
  if (failed(own))
    return failure();
  const ConvolutionGeometry &geometry = window->geometry;
  return SmallVector<Value>{Conv2dOp::create(
      layer.builder, layer.loc, input, own->weight, own->bias, geometry.strides,
      geometry.padding, geometry.dilations, own->groups)};
}

//===----------------------------------------------------------------------===//
// conv2d_transpose
//===----------------------------------------------------------------------===//

std::vector<LayerSpec> Conv2dGradInputOp::getLayerSpecs() {
  LayerSpec spec = getConvolutionSpec(
      "conv2d_transpose",
      "Transposed convolution, the gradient of a `conv2d` with respect to its "
      "input: each input pixel adds its products with the kernel to the output "
      "pixels that a window of the convolution would see there. The output has "
      "`(input - 1) * stride + (kernel - 1) * dilation + 1 + output_padding` "
      "pixels along an axis, less the padding of both sides.",
      "`[channels, filters / groups, height, width]`.");
  auto padding = llvm::find_if(
      spec.keys, [](const KeySpec &key) { return key.name == "padding"; });
  padding->doc = "What is cut off the output's borders: a number for all "
                 "sides, [vertical, horizontal] or [top, left, bottom, right]; "
                 "`valid` = nothing; `same` = as much as leaves `input * "
                 "stride`, the odd row at the bottom and right; `same_lower` = "
                 "the odd one at the top and left.";
  spec.keys.insert(std::next(padding),
                   {"output_padding", KeyType::Extents,
                    "More pixels at the bottom and right, fewer than the "
                    "stride.",
                    "0", 0.0, 1 << 16});
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
  FailureOr<ConvolutionParameters> own = declareParameters(
      layer, type.getDimSize(1), *window, /*transposed=*/true);
  if (failed(own))
    return failure();
  const ConvolutionGeometry &geometry = window->geometry;
  auto output = RankedTensorType::get(
      {type.getDimSize(0), own->filters, window->output[0], window->output[1]},
      type.getElementType());
  Value result = Conv2dGradInputOp::create(
      layer.builder, layer.loc, output, input, own->weight, geometry.strides,
      geometry.padding, geometry.dilations, own->groups);
  if (own->bias)
    result = BiasOp::create(layer.builder, layer.loc, result, own->bias,
                            /*axis=*/1);
  return SmallVector<Value>{result};
}
