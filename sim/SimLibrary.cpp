#include "sim/SimLibrary.h"

#include "runtime/device/cuda/CallShape.h"
#include "runtime/device/cuda/LtMatmulDesc.h"
#include "sim/CallMemory.h"
#include "sim/Floats.h"
#include "sim/SimConvolution.h"

#include <fmt/format.h>

namespace boostrt::sim {
namespace {

using cuda::LtMatmulDesc;
using cuda::LtMatrix;

class Matmul {
public:
  Matmul(CallMemory &memory, const LtMatmulDesc &matmul)
      : memory_(memory), m_(matmul) {}

  static CallMemory::Description describe(const BoostLibraryCall &call,
                                          const LtMatmulDesc &matmul);
  /// That everything which is read was written.
  Status checkContents() const {
    BOOSTRT_RETURN_IF_ERROR(contents(CallMemory::A, m_.right));
    BOOSTRT_RETURN_IF_ERROR(contents(CallMemory::B, m_.left));
    return memory_.requireWritten(CallMemory::Bias, 0, m_.result.rows);
  }

  std::vector<float> run() const {
    std::vector<float> left = memory_.read(CallMemory::B),
                       right = memory_.read(CallMemory::A),
                       bias = memory_.read(CallMemory::Bias),
                       result(m_.result.elements());
    uint64_t rows = m_.result.rows, terms = m_.terms();
    // op(left), column by column.
    auto factor = [&](float value) {
      return m_.compute == cuda::kLtComputeTf32 ? roundToTf32(value) : value;
    };
    std::vector<float> columns(rows * terms);
    for (uint64_t term = 0; term < terms; ++term)
      for (uint64_t row = 0; row < rows; ++row)
        columns[term * rows + row] =
            factor(left[indexOf(m_.left, m_.transposesLeft, row, term)]);
    std::vector<float> sums(rows);
    for (uint64_t column = 0; column < m_.result.columns; ++column) {
      std::fill(sums.begin(), sums.end(), 0.0f);
      for (uint64_t term = 0; term < terms; ++term) {
        float other =
            factor(right[indexOf(m_.right, m_.transposesRight, term, column)]);
        const float *values = &columns[term * rows];
        for (uint64_t row = 0; row < rows; ++row)
          sums[row] = __builtin_fmaf(values[row], other, sums[row]);
      }
      finish(sums, bias, &result[indexOf(m_.result, false, 0, column)]);
    }
    return result;
  }

private:
  static uint64_t indexOf(const LtMatrix &matrix, bool transposes, uint64_t row,
                          uint64_t column) {
    if (transposes)
      std::swap(row, column);
    return column * static_cast<uint64_t>(matrix.leading) + row;
  }

  void finish(std::span<const float> sums, std::span<const float> bias,
              float *column) const {
    bool hasBias = m_.epilogue == cuda::kEpilogueBias;
    for (size_t row = 0; row < sums.size(); ++row)
      column[row] = hasBias ? sums[row] + bias[row] : sums[row];
  }

  Status contents(CallMemory::Number number, const LtMatrix &matrix) const {
    for (uint64_t column = 0; column < matrix.columns; ++column)
      BOOSTRT_RETURN_IF_ERROR(memory_.requireWritten(
          number, indexOf(matrix, false, 0, column), matrix.rows));
    return Status();
  }

  CallMemory &memory_;
  const LtMatmulDesc &m_;
};

CallMemory::Description Matmul::describe(const BoostLibraryCall &call,
                                         const LtMatmulDesc &matmul) {
  const BoostMatmul &m = call.matmul;
  return {"matmul",
          fmt::format("C[{}, {}] = A[{}, {}] * B[{}, {}]{}, strides of A {} "
                      "and {}, of B {} and {}{}",
                      m.m, m.n, m.m, m.k, m.k, m.n, m.has_bias ? " + bias" : "",
                      m.a_strides[0], m.a_strides[1], m.b_strides[0],
                      m.b_strides[1], describePrecision(call)),
          {{{"A", matmul.right.elements()},
            {"B", matmul.left.elements()},
            {"bias", static_cast<uint64_t>(m.n)},
            {"C", matmul.result.elements()}}}};
}

/// `Work` computes what is described.
template <class Work, class Described>
Status execute(Memory &memory, Checks checks, const BoostLibraryCall &call,
               std::span<const uint64_t> operands, const Described &described,
               CallMemory::Description description) {
  CallMemory operandMemory(memory, call, operands, std::move(description));
  BOOSTRT_RETURN_IF_ERROR(operandMemory.check());
  Work work(operandMemory, described);
  if (checks == Checks::All)
    BOOSTRT_RETURN_IF_ERROR(work.checkContents());
  return operandMemory.finish(work.run());
}

Status cannotExecute(const BoostLibraryCall &call, const char *kind,
                     const Status &why) {
  return Status(ExitCode::Internal,
                fmt::format("sim: a library call that the library cannot "
                            "execute ({})\n  {}",
                            describeOrigin(kind, call), why.message()));
}

} // namespace

Status executeCall(Memory &memory, Checks checks, const BoostLibraryCall &call,
                   std::span<const uint64_t> operands) {
  if (cuda::isConvolution(call)) {
    Result<cuda::ConvolutionGraph> graph = cuda::describeConvolution(call);
    if (!graph.ok())
      return cannotExecute(call, "convolution", graph.status());
    return execute<Convolution>(memory, checks, call, operands, *graph,
                                Convolution::describe(call, *graph));
  }
  Result<LtMatmulDesc> matmul = cuda::describeMatmul(call);
  if (!matmul.ok())
    return cannotExecute(call, "matmul", matmul.status());
  return execute<Matmul>(memory, checks, call, operands, *matmul,
                         Matmul::describe(call, *matmul));
}

} // namespace boostrt::sim
