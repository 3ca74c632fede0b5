#include "sim/SimConvolution.h"

#include "sim/Floats.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace boostrt::sim {
namespace {

using cuda::ConvolutionGraph;
using cuda::DnnTensor;

/// Calls `action` with the place of every element, in row-major order.
template <class Action>
void forEachPlace(const DnnTensor &tensor, const Action &action) {
  const auto &e = tensor.extents, &s = tensor.strides;
  for (int64_t a = 0; a < e[0]; ++a)
    for (int64_t b = 0; b < e[1]; ++b)
      for (int64_t c = 0; c < e[2]; ++c)
        for (int64_t d = 0; d < e[3]; ++d)
          action(a * s[0] + b * s[1] + c * s[2] + d * s[3]);
}

std::vector<float> pack(const DnnTensor &tensor, std::span<const float> data) {
  std::vector<float> packed;
  packed.reserve(static_cast<size_t>(tensor.elements()));
  forEachPlace(tensor, [&](int64_t place) { packed.push_back(data[place]); });
  return packed;
}

std::string textOf(const char *name, const DnnTensor &tensor) {
  return fmt::format("{} [{}] with strides [{}]", name,
                     fmt::join(tensor.extents, ", "),
                     fmt::join(tensor.strides, ", "));
}

constexpr const char *kInput = "input", *kWeight = "weight",
                     *kOutput = "output";

/// What tensor `number` is in the convolution.
const char *nameOf(const ConvolutionGraph &graph, int64_t number) {
  return graph.input.number == number    ? kInput
         : graph.weight.number == number ? kWeight
                                         : kOutput;
}

/// The first and the last index below `count` whose position
/// index * stride + offset is in [0, extent): [first, end).
std::pair<int64_t, int64_t> inside(int64_t count, int64_t stride,
                                   int64_t offset, int64_t extent) {
  int64_t first = offset >= 0 ? 0 : (-offset + stride - 1) / stride;
  int64_t end = extent <= offset ? 0 : (extent - offset - 1) / stride + 1;
  end = std::min(end, count);
  return {std::min(first, end), end};
}

} // namespace

CallMemory::Description Convolution::describe(const BoostLibraryCall &call,
                                              const ConvolutionGraph &graph) {
  std::string text = fmt::format(
      "the {} from the {} and the {}{}: {}, {}, {}, steps [{}], padding [{}] "
      "before and [{}] after, dilations [{}]{}",
      nameOf(graph, DnnTensor::C), nameOf(graph, DnnTensor::A),
      nameOf(graph, DnnTensor::B), graph.hasBias ? " and a bias" : "",
      textOf(kInput, graph.input), textOf(kWeight, graph.weight),
      textOf(kOutput, graph.output), fmt::join(graph.strides, ", "),
      fmt::join(graph.paddingBefore, ", "), fmt::join(graph.paddingAfter, ", "),
      fmt::join(graph.dilations, ", "), describePrecision(call));
  auto operand = [&](DnnTensor::Number number) {
    return CallOperand{nameOf(graph, number), graph.tensor(number).reach()};
  };
  return {"convolution",
          std::move(text),
          {{operand(DnnTensor::A),
            operand(DnnTensor::B),
            {"bias", graph.bias.reach()},
            operand(DnnTensor::C)}}};
}

Status Convolution::checkContents() const {
  BOOSTRT_RETURN_IF_ERROR(memory_.requireWritten(
      CallMemory::A, 0, g_.tensor(DnnTensor::A).reach()));
  BOOSTRT_RETURN_IF_ERROR(memory_.requireWritten(
      CallMemory::B, 0, g_.tensor(DnnTensor::B).reach()));
  return memory_.requireWritten(CallMemory::Bias, 0, g_.bias.reach());
}

template <class Action>
void Convolution::forEachRows(const Action &action) const {
  const auto &x = g_.input.extents, &w = g_.weight.extents,
             &y = g_.output.extents;
  int64_t filters = w[0] / g_.groups();
  for (int64_t n = 0; n < y[0]; ++n)
    for (int64_t o = 0; o < y[1]; ++o)
      for (int64_t c = 0; c < w[1]; ++c)
        for (int64_t k = 0; k < w[2]; ++k)
          for (int64_t l = 0; l < w[3]; ++l) {
            int64_t column = l * g_.dilations[1] - g_.paddingBefore[1];
            auto [first, end] = inside(y[3], g_.strides[1], column, x[3]);
            if (first == end)
              continue;
            int64_t top = k * g_.dilations[0] - g_.paddingBefore[0];
            auto [i, rowEnd] = inside(y[2], g_.strides[0], top, x[2]);
            int64_t weight = ((o * w[1] + c) * w[2] + k) * w[3] + l;
            int64_t plane = n * x[1] + o / filters * w[1] + c;
            for (; i < rowEnd; ++i) {
              int64_t row = plane * x[2] + i * g_.strides[0] + top;
              int64_t output = ((n * y[1] + o) * y[2] + i) * y[3] + first;
              action(Rows{static_cast<size_t>(row * x[3] +
                                              first * g_.strides[1] + column),
                          static_cast<size_t>(output),
                          static_cast<size_t>(weight), end - first});
            }
          }
}

std::vector<float> Convolution::run() const {
  const DnnTensor &result = g_.tensor(DnnTensor::C);
  auto take = [&](const DnnTensor &tensor) {
    if (&tensor == &result)
      return std::vector<float>(static_cast<size_t>(tensor.elements()));
    std::vector<float> packed =
        pack(tensor, memory_.read(DnnTensor::operandOf(tensor.number)));
    if (g_.allowsTf32)
      std::transform(packed.begin(), packed.end(), packed.begin(), roundToTf32);
    return packed;
  };
  std::vector<float> x = take(g_.input), w = take(g_.weight),
                     y = take(g_.output);
  int64_t step = g_.strides[1];
  switch (g_.kind) {
  case BOOSTC_LIBRARY_CONVOLUTION:
    forEachRows([&](const Rows &rows) {
      const float *from = &x[rows.input], factor = w[rows.weight];
      float *to = &y[rows.output];
      for (int64_t j = 0; j < rows.count; ++j)
        to[j] = __builtin_fmaf(factor, from[j * step], to[j]);
    });
    break;
  case BOOSTC_LIBRARY_CONVOLUTION_BACKWARD_DATA:
    forEachRows([&](const Rows &rows) {
      const float *from = &y[rows.output], factor = w[rows.weight];
      float *to = &x[rows.input];
      for (int64_t j = 0; j < rows.count; ++j)
        to[j * step] = __builtin_fmaf(factor, from[j], to[j * step]);
    });
    break;
  default:
    forEachRows([&](const Rows &rows) {
      const float *a = &y[rows.output], *b = &x[rows.input];
      float &sum = w[rows.weight];
      for (int64_t j = 0; j < rows.count; ++j)
        sum = __builtin_fmaf(a[j], b[j * step], sum);
    });
  }

  const std::vector<float> &sums = &result == &g_.input    ? x
                                   : &result == &g_.weight ? w
                                                           : y;
  std::vector<float> bias = memory_.read(CallMemory::Bias),
                     stored(result.reach());
  size_t pixels = static_cast<size_t>(result.extents[2]) * result.extents[3],
         index = 0;
  forEachPlace(result, [&](int64_t place) {
    float value = sums[index];
    if (!bias.empty())
      value += bias[index / pixels % result.extents[1]];
    stored[static_cast<size_t>(place)] = value;
    ++index;
  });
  return stored;
}

} // namespace boostrt::sim
