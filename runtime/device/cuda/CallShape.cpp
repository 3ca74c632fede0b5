#include "runtime/device/cuda/CallShape.h"
#include "runtime/abi/DescriptorSchema.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <iterator>

namespace boostrt::cuda {
namespace {

int64_t product(const int64_t (&extents)[4]) {
  return extents[0] * extents[1] * extents[2] * extents[3];
}

std::string describe(const BoostMatmul &m) {
  return fmt::format("{}x{}x{}:{},{}:{},{}:{}", m.m, m.n, m.k, m.a_strides[0],
                     m.a_strides[1], m.b_strides[0], m.b_strides[1],
                     m.has_bias ? "bias:" : "");
}

std::string describe(const BoostConvolution &c) {
  return fmt::format("{}:{}:{}:{}:{}:{}:stride{}:pad{}:dilation{}:{}",
                     fmt::join(c.input, "x"), fmt::join(c.weight, "x"),
                     fmt::join(c.output, "x"), fmt::join(c.input_strides, ","),
                     fmt::join(c.weight_strides, ","),
                     fmt::join(c.output_strides, ","),
                     fmt::join(c.strides, ","), fmt::join(c.padding, ","),
                     fmt::join(c.dilations, ","), c.has_bias ? "bias:" : "");
}

} // namespace

std::vector<uint64_t> fallbackOperands(std::span<const uint64_t> operands) {
  std::vector<uint64_t> present;
  std::ranges::copy_if(operands.first(CallOperands::Scratch),
                       std::back_inserter(present),
                       [](uint64_t operand) { return operand != 0; });
  return present;
}

const char *nameOfCall(uint32_t kind) {
  return boostabi::nameOf<BoostLibraryCallKind>(kind);
}

bool isMatmul(const BoostLibraryCall &call) {
  return call.kind == BOOSTC_LIBRARY_MATMUL;
}

bool isConvolution(const BoostLibraryCall &call) {
  return call.kind == BOOSTC_LIBRARY_CONVOLUTION ||
         call.kind == BOOSTC_LIBRARY_CONVOLUTION_BACKWARD_DATA ||
         call.kind == BOOSTC_LIBRARY_CONVOLUTION_BACKWARD_WEIGHT;
}

bool hasBias(const BoostLibraryCall &call) {
  return (isConvolution(call) ? call.convolution.has_bias
                              : call.matmul.has_bias) != 0;
}

uint32_t typeOfOperand(const BoostLibraryCall &call,
                       CallOperands::Number number) {
  using enum CallOperands::Number;
  return number == A || number == B ? call.factor_type : call.result_type;
}

const char *nameOfPrecision(const BoostLibraryCall &call) {
  return call.precision == BOOSTC_PRECISION_TF32
             ? "tf32"
             : boostabi::nameOf<BoostFloatType>(call.factor_type);
}

bool allowsTensorCores(const BoostLibraryCall &call) {
  return call.precision == BOOSTC_PRECISION_TF32 ||
         call.factor_type != BOOSTC_FLOAT_F32;
}

uint64_t countResults(const BoostLibraryCall &call) {
  const BoostConvolution &c = call.convolution;
  switch (call.kind) {
  case BOOSTC_LIBRARY_CONVOLUTION:
    return static_cast<uint64_t>(product(c.output));
  case BOOSTC_LIBRARY_CONVOLUTION_BACKWARD_DATA:
    return static_cast<uint64_t>(product(c.input));
  case BOOSTC_LIBRARY_CONVOLUTION_BACKWARD_WEIGHT:
    return static_cast<uint64_t>(product(c.weight));
  }
  return static_cast<uint64_t>(call.matmul.m * call.matmul.n);
}

int64_t countTerms(const BoostLibraryCall &call) {
  const BoostConvolution &c = call.convolution;
  switch (call.kind) {
  case BOOSTC_LIBRARY_CONVOLUTION:
    return product(c.weight) / c.weight[0];
  case BOOSTC_LIBRARY_CONVOLUTION_BACKWARD_DATA: // the filters of a group,
                                                 // every tap
    return product(c.weight) / c.input[1];
  case BOOSTC_LIBRARY_CONVOLUTION_BACKWARD_WEIGHT:
    return product(c.output) / c.output[1];
  }
  return call.matmul.k;
}

std::string describeCall(const BoostLibraryCall &call) {
  return fmt::format(
      "{}:{}{}{}scratch{}", nameOfCall(call.kind),
      isConvolution(call) ? describe(call.convolution) : describe(call.matmul),
      allowsTensorCores(call) ? fmt::format("{}:", nameOfPrecision(call)) : "",
      call.result_type != call.factor_type
          ? fmt::format("to-{}:",
                        boostabi::nameOf<BoostFloatType>(call.result_type))
          : "",
      call.scratch_bytes);
}

} // namespace boostrt::cuda
