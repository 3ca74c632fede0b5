#include "dialects/rt/Convolution.h"

using namespace mlir;
using namespace boostc;

ConvolutionGeometry ConvolutionGeometry::get(ArrayRef<int64_t> strides,
                                             ArrayRef<int64_t> padding,
                                             ArrayRef<int64_t> dilations,
                                             int64_t groups) {
  return {{strides[0], strides[1]},
          {padding[0], padding[1], padding[2], padding[3]},
          {dilations[0], dilations[1]},
          groups};
}

int64_t ConvolutionGeometry::getOutputExtent(unsigned axis, int64_t input,
                                             int64_t kernel) const {
  int64_t reach = (kernel - 1) * dilations[axis] + 1;
  int64_t room = input + padding[axis] + padding[axis + 2] - reach;
  return room < 0 ? 0 : room / strides[axis] + 1;
}

FailureOr<SmallVector<int64_t>>
boostc::verifyConvolution(llvm::function_ref<InFlightDiagnostic()> emitError,
                          ShapedType input, ShapedType weight,
                          ArrayRef<int64_t> strides, ArrayRef<int64_t> padding,
                          ArrayRef<int64_t> dilations, int64_t groups) {
  if (input.getRank() != 4 || weight.getRank() != 4)
    return emitError() << "expected an input [N, C, H, W] and a weight "
                          "[O, C / groups, KH, KW], found "
                       << input << " and " << weight;
  auto isWithin = [](ArrayRef<int64_t> values, size_t size, int64_t least) {
    return values.size() == size && llvm::all_of(values, [&](int64_t value) {
             return value >= least && value <= kMaxWindowStep;
           });
  };
  if (!isWithin(strides, 2, 1))
    return emitError() << "expected two strides from 1 to " << kMaxWindowStep
                       << ", found [" << strides << "]";
  if (!isWithin(padding, 4, 0))
    return emitError() << "expected four paddings from 0 to " << kMaxWindowStep
                       << ", found [" << padding << "]";
  if (!isWithin(dilations, 2, 1))
    return emitError() << "expected two dilations from 1 to " << kMaxWindowStep
                       << ", found [" << dilations << "]";
  int64_t channels = input.getDimSize(1), filters = weight.getDimSize(0);
  if (groups < 1 || channels % groups != 0 || filters % groups != 0)
    return emitError() << "expected groups that divide " << channels
                       << " channels and " << filters << " filters, found "
                       << groups;
  if (weight.getDimSize(1) != channels / groups)
    return emitError() << "expected a weight with " << channels / groups
                       << " channels for input " << input << " in " << groups
                       << " groups, found " << weight;
  auto geometry = ConvolutionGeometry::get(strides, padding, dilations, groups);
  SmallVector<int64_t> output = {input.getDimSize(0), filters};
  for (unsigned axis : {0, 1}) {
    output.push_back(geometry.getOutputExtent(axis, input.getDimSize(2 + axis),
                                              weight.getDimSize(2 + axis)));
    if (output.back() < 1)
      return emitError() << "the kernel of " << weight
                         << " does not fit into the padded input " << input;
  }
  return output;
}

LogicalResult
boostc::verifyGradientShape(llvm::function_ref<InFlightDiagnostic()> emitError,
                            ShapedType gradient,
                            FailureOr<SmallVector<int64_t>> expected) {
  if (failed(expected))
    return failure();
  if (gradient.getShape() != ArrayRef<int64_t>(*expected))
    return emitError() << "expected a gradient of shape [" << *expected
                       << "], found " << gradient;
  return success();
}
