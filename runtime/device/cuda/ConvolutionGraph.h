// ConvolutionGraph.h - a convolution of the ABI as cuDNN is asked for it: a
// graph of one or two operations on tensors that are told apart by numbers. The
// simulated GPU executes convolutions from this description too, so that what
// the library is told is tested on machines that have none.
#pragma once

#include "runtime/device/cuda/CallShape.h"
#include "runtime/support/Status.h"

#include <array>

namespace boostrt::cuda {

/// A tensor as it is stored: N, C, H, W, or O, C, KH, KW of a weight.
struct DnnTensor {
  /// The tensors of a graph by their numbers there: the operands of a call, and
  /// what a convolution hands to the operation that adds the bias.
  enum Number : int64_t { A = 1, B = 2, Bias = 3, C = 4, Sums = 5 };
  /// For tensor `number`, which is not Sums.
  static CallOperands::Number operandOf(int64_t number) {
    return static_cast<CallOperands::Number>(number - A + CallOperands::A);
  }

  int64_t number = 0;
  std::array<int64_t, 4> extents{}, strides{};
  uint32_t type = BOOSTC_FLOAT_F32; ///< BoostFloatType

  int64_t elements() const {
    return extents[0] * extents[1] * extents[2] * extents[3];
  }
  /// From its first element to after its last.
  uint64_t reach() const;
};

/// C = A conv B (+ bias), where A, B and C are input, weight and output in the
/// order of the kind (BoostConvolution).
struct ConvolutionGraph {
  uint32_t kind = BOOSTC_LIBRARY_CONVOLUTION; ///< BoostLibraryCallKind
  DnnTensor input, weight, output;
  bool hasBias = false;
  DnnTensor bias; ///< [1, O, 1, 1]
  /// Whether A and B, of f32, may be rounded to tf32.
  bool allowsTf32 = false;
  /// Vertical, horizontal.
  std::array<int64_t, 2> strides{}, dilations{};
  std::array<int64_t, 2> paddingBefore{}, paddingAfter{};

  int64_t groups() const { return input.extents[1] / weight.extents[1]; }
  /// The tensors by operand of the call.
  const DnnTensor &tensor(DnnTensor::Number number) const;
};

/// Fails with ExitCode::Input where extents do not fit together, or strides put
/// two elements in one place or leave gaps.
Result<ConvolutionGraph> describeConvolution(const BoostLibraryCall &call);

} // namespace boostrt::cuda
