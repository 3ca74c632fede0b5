// ConvolutionCall.h - library calls of convolutions, for tests.
#pragma once

#include "runtime/abi/boost_abi.h"

#include <algorithm>
#include <array>
#include <cstdint>

namespace boostrt {

using Extents = std::array<int64_t, 4>;

struct ConvolutionSteps {
  std::array<int64_t, 2> strides{1, 1};
  std::array<int64_t, 4> padding{}; ///< top, left, bottom, right
  std::array<int64_t, 2> dilations{1, 1};
};

inline void setTensor(const Extents &extents, int64_t *to, int64_t *strides) {
  std::copy(extents.begin(), extents.end(), to);
  int64_t stride = 1;
  for (size_t i = extents.size(); i-- > 0; stride *= extents[i])
    strides[i] = stride;
}

inline uint64_t bytesOf(const int64_t *extents) {
  uint64_t bytes = sizeof(float);
  for (int i = 0; i < 4; ++i)
    bytes *= static_cast<uint64_t>(extents[i]);
  return bytes;
}

/// On row-major tensors.
inline BoostLibraryCall convolutionCall(uint32_t kind, const Extents &input,
                                        const Extents &weight,
                                        const ConvolutionSteps &steps = {},
                                        bool hasBias = false) {
  BoostLibraryCall call{};
  call.kind = kind;
  call.location = "model.json:9:5";
  call.layers = "conv1";
  BoostConvolution &c = call.convolution;
  Extents output = {input[0], weight[0], 0, 0};
  for (size_t axis : {0, 1})
    output[2 + axis] =
        (input[2 + axis] + steps.padding[axis] + steps.padding[axis + 2] -
         (weight[2 + axis] - 1) * steps.dilations[axis] - 1) /
            steps.strides[axis] +
        1;
  setTensor(input, c.input, c.input_strides);
  setTensor(weight, c.weight, c.weight_strides);
  setTensor(output, c.output, c.output_strides);
  std::copy(steps.strides.begin(), steps.strides.end(), c.strides);
  std::copy(steps.padding.begin(), steps.padding.end(), c.padding);
  std::copy(steps.dilations.begin(), steps.dilations.end(), c.dilations);
  c.has_bias = hasBias;
  uint64_t x = bytesOf(c.input), w = bytesOf(c.weight), y = bytesOf(c.output);
  uint64_t *bytes = call.operand_bytes;
  if (kind == BOOSTC_LIBRARY_CONVOLUTION)
    bytes[0] = x, bytes[1] = w, bytes[3] = y;
  else if (kind == BOOSTC_LIBRARY_CONVOLUTION_BACKWARD_DATA)
    bytes[0] = y, bytes[1] = w, bytes[3] = x;
  else
    bytes[0] = y, bytes[1] = x, bytes[3] = w;
  if (hasBias)
    bytes[2] = static_cast<uint64_t>(weight[0]) * sizeof(float);
  return call;
}

/// Calls action(x, w, y) for every output pixel y and what it is made of, by
/// the definition in boost_abi.h: a pixel x of the input times a weight w, as
/// places in row-major tensors.
template <class Action>
void forEachTerm(const BoostConvolution &c, const Action &action) {
  int64_t groups = c.input[1] / c.weight[1], filters = c.weight[0] / groups;
  auto place = [](const int64_t *e, int64_t a, int64_t b, int64_t d,
                  int64_t f) {
    return static_cast<size_t>(((a * e[1] + b) * e[2] + d) * e[3] + f);
  };
  for (int64_t n = 0; n < c.output[0]; ++n)
    for (int64_t o = 0; o < c.output[1]; ++o)
      for (int64_t i = 0; i < c.output[2]; ++i)
        for (int64_t j = 0; j < c.output[3]; ++j)
          for (int64_t channel = 0; channel < c.weight[1]; ++channel)
            for (int64_t k = 0; k < c.weight[2]; ++k)
              for (int64_t l = 0; l < c.weight[3]; ++l) {
                int64_t row =
                    i * c.strides[0] + k * c.dilations[0] - c.padding[0];
                int64_t column =
                    j * c.strides[1] + l * c.dilations[1] - c.padding[1];
                if (row < 0 || row >= c.input[2] || column < 0 ||
                    column >= c.input[3])
                  continue;
                action(place(c.input, n, o / filters * c.weight[1] + channel,
                             row, column),
                       place(c.weight, o, channel, k, l),
                       place(c.output, n, o, i, j));
              }
}

/// Calls add(result, first, second) for every product of the first two operands
/// of a call of this kind, and where it is added up.
template <class Add>
void forEachProduct(uint32_t kind, const BoostConvolution &convolution,
                    const Add &add) {
  forEachTerm(convolution, [&](size_t x, size_t w, size_t y) {
    if (kind == BOOSTC_LIBRARY_CONVOLUTION)
      add(y, x, w);
    else if (kind == BOOSTC_LIBRARY_CONVOLUTION_BACKWARD_DATA)
      add(x, y, w);
    else
      add(w, y, x);
  });
}

} // namespace boostrt
