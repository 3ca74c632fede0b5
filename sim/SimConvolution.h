// SimConvolution.h - convolutions of a program on the simulated GPU, as cuDNN
// is told of them.
#pragma once

#include "runtime/device/cuda/ConvolutionGraph.h"
#include "sim/CallMemory.h"

namespace boostrt::sim {

class Convolution {
public:
  Convolution(CallMemory &memory, const cuda::ConvolutionGraph &graph)
      : memory_(memory), g_(graph) {}

  static CallMemory::Description describe(const BoostLibraryCall &call,
                                          const cuda::ConvolutionGraph &graph);
  /// That everything which is read was written.
  Status checkContents() const;
  std::vector<float> run() const;

private:
  /// One row of an output, and the pixels of a row of the input that it sees
  /// through one tap: elements of the tensors in row-major order.
  struct Rows {
    size_t input, output, weight;
    int64_t count;
  };
  template <class Action> void forEachRows(const Action &action) const;

  CallMemory &memory_;
  const cuda::ConvolutionGraph &g_;
};

} // namespace boostrt::sim
