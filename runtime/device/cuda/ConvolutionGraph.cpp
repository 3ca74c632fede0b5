#include "runtime/device/cuda/ConvolutionGraph.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <numeric>

namespace boostrt::cuda {
namespace {

std::array<int64_t, 4> arrayOf(const int64_t (&values)[4]) {
  return {values[0], values[1], values[2], values[3]};
}

/// Whether the strides are those of some order of the dimensions.
bool isDense(const DnnTensor &tensor) {
  std::array<size_t, 4> order;
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return tensor.strides[a] < tensor.strides[b];
  });
  int64_t next = 1;
  for (size_t dimension : order) {
    // The second of one does not matter.
    if (tensor.extents[dimension] > 1 && tensor.strides[dimension] != next)
      return false;
    next *= tensor.extents[dimension];
  }
  return true;
}

Status check(const char *name, const DnnTensor &tensor) {
  if (isDense(tensor))
    return Status();
  return Status(
      ExitCode::Input,
      fmt::format("{} [{}] has strides [{}]; cuDNN is given tensors without "
                  "gaps, whose elements do not share memory",
                  name, fmt::join(tensor.extents, ", "),
                  fmt::join(tensor.strides, ", ")));
}

/// Output pixels along `axis`; below 1 where nothing fits.
int64_t outputExtent(const ConvolutionGraph &graph, size_t axis) {
  int64_t reach =
      (graph.weight.extents[2 + axis] - 1) * graph.dilations[axis] + 1;
  int64_t room = graph.input.extents[2 + axis] + graph.paddingBefore[axis] +
                 graph.paddingAfter[axis] - reach;
  return room < 0 ? 0 : room / graph.strides[axis] + 1;
}

Status checkExtents(const ConvolutionGraph &graph) {
  const auto &x = graph.input.extents, &w = graph.weight.extents,
             &y = graph.output.extents;
  bool fits = x[1] % w[1] == 0 && w[0] % (x[1] / w[1]) == 0 && y[0] == x[0] &&
              y[1] == w[0] && y[2] == outputExtent(graph, 0) &&
              y[3] == outputExtent(graph, 1);
  if (fits)
    return Status();
  return Status(
      ExitCode::Input,
      fmt::format("no convolution of an input [{}] with a weight [{}] has an "
                  "output [{}] with strides {}, padding {} before and {} "
                  "after, and dilations {}",
                  fmt::join(x, ", "), fmt::join(w, ", "), fmt::join(y, ", "),
                  fmt::join(graph.strides, ", "),
                  fmt::join(graph.paddingBefore, ", "),
                  fmt::join(graph.paddingAfter, ", "),
                  fmt::join(graph.dilations, ", ")));
}

} // namespace

uint64_t DnnTensor::reach() const {
  int64_t last = 0;
  for (size_t i = 0; i < extents.size(); ++i)
    last += (extents[i] - 1) * strides[i];
  return static_cast<uint64_t>(last + 1);
}

const DnnTensor &ConvolutionGraph::tensor(DnnTensor::Number number) const {
  for (const DnnTensor *candidate : {&input, &weight, &output})
    if (candidate->number == number)
      return *candidate;
  return bias;
}

Result<ConvolutionGraph> describeConvolution(const BoostLibraryCall &call) {
  const BoostConvolution &c = call.convolution;
  ConvolutionGraph graph;
  graph.kind = call.kind;
  graph.input = {DnnTensor::A, arrayOf(c.input), arrayOf(c.input_strides)};
  graph.weight = {DnnTensor::B, arrayOf(c.weight), arrayOf(c.weight_strides)};
  graph.output = {DnnTensor::C, arrayOf(c.output), arrayOf(c.output_strides)};
  if (call.kind == BOOSTC_LIBRARY_CONVOLUTION_BACKWARD_DATA) {
    graph.output.number = DnnTensor::A;
    graph.input.number = DnnTensor::C;
  } else if (call.kind == BOOSTC_LIBRARY_CONVOLUTION_BACKWARD_WEIGHT) {
    graph.output.number = DnnTensor::A;
    graph.input.number = DnnTensor::B;
    graph.weight.number = DnnTensor::C;
  }
  for (DnnTensor *tensor : {&graph.input, &graph.weight, &graph.output})
    tensor->type = typeOfOperand(call, DnnTensor::operandOf(tensor->number));
  graph.hasBias = c.has_bias != 0;
  graph.allowsTf32 = call.precision == BOOSTC_PRECISION_TF32;
  int64_t filters = c.weight[0];
  graph.bias = {DnnTensor::Bias,
                {1, filters, 1, 1},
                {filters, 1, 1, 1},
                call.result_type};
  graph.strides = {c.strides[0], c.strides[1]};
  graph.dilations = {c.dilations[0], c.dilations[1]};
  graph.paddingBefore = {c.padding[0], c.padding[1]};
  graph.paddingAfter = {c.padding[2], c.padding[3]};
  BOOSTRT_RETURN_IF_ERROR(checkExtents(graph));
  BOOSTRT_RETURN_IF_ERROR(check("an input", graph.input));
  BOOSTRT_RETURN_IF_ERROR(check("a weight", graph.weight));
  BOOSTRT_RETURN_IF_ERROR(check("an output", graph.output));
  return graph;
}

} // namespace boostrt::cuda
