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

class Product {
public:
  Product(CallMemory &memory, const LtMatmulDesc &product)
      : memory_(memory), p_(product) {}

  static CallMemory::Description describe(const BoostLibraryCall &call,
                                          const LtMatmulDesc &product);
  /// That everything which is read was written.
  Status checkContents() const {
    BOOSTRT_RETURN_IF_ERROR(contents(CallMemory::A, p_.right));
    BOOSTRT_RETURN_IF_ERROR(contents(CallMemory::B, p_.left));
    return contents(CallMemory::Bias, {p_.result.rows, 1, 0});
  }

  void run() {
    const float *left = memory_.data(CallMemory::B),
                *right = memory_.data(CallMemory::A),
                *bias = memory_.data(CallMemory::Bias);
    float *result = memory_.data(CallMemory::C);
    uint64_t rows = p_.result.rows, terms = p_.terms();
    // op(left), column by column.
    auto factor = [&](float value) {
      return p_.compute == cuda::kLtComputeTf32 ? roundToTf32(value) : value;
    };
    std::vector<float> columns(rows * terms);
    for (uint64_t term = 0; term < terms; ++term)
      for (uint64_t row = 0; row < rows; ++row)
        columns[term * rows + row] =
            factor(left[indexOf(p_.left, p_.transposesLeft, row, term)]);
    std::vector<float> sums(rows);
    for (uint64_t column = 0; column < p_.result.columns; ++column) {
      std::fill(sums.begin(), sums.end(), 0.0f);
      for (uint64_t term = 0; term < terms; ++term) {
        float other =
            factor(right[indexOf(p_.right, p_.transposesRight, term, column)]);
        const float *values = &columns[term * rows];
        for (uint64_t row = 0; row < rows; ++row)
          sums[row] = __builtin_fmaf(values[row], other, sums[row]);
      }
      finish(sums, bias, result + indexOf(p_.result, false, 0, column));
    }
  }

private:
  static uint64_t indexOf(const LtMatrix &matrix, bool transposes, uint64_t row,
                          uint64_t column) {
    if (transposes)
      std::swap(row, column);
    return column * static_cast<uint64_t>(matrix.leading) + row;
  }

  void finish(std::span<const float> sums, const float *bias,
              float *column) const {
    for (size_t row = 0; row < sums.size(); ++row) {
      float value = sums[row];
      if (p_.epilogue & cuda::kEpilogueBias)
        value += bias[row];
      // A NaN stays one.
      if (p_.epilogue & cuda::kEpilogueRelu)
        value = value <= 0 ? 0 : value;
      column[row] = value;
    }
  }

  Status contents(CallMemory::Number number, const LtMatrix &matrix) const {
    for (uint64_t column = 0; column < matrix.columns; ++column)
      BOOSTRT_RETURN_IF_ERROR(memory_.requireWritten(
          number, indexOf(matrix, false, 0, column) * sizeof(float),
          matrix.rows * sizeof(float)));
    return Status();
  }

  CallMemory &memory_;
  const LtMatmulDesc &p_;
};

CallMemory::Description Product::describe(const BoostLibraryCall &call,
                                          const LtMatmulDesc &product) {
  const BoostMatmul &m = call.matmul;
  return {
      "matmul",
      fmt::format("C[{}, {}] = A[{}, {}] * B[{}, {}]{}{}, strides of A {} "
                  "and {}, of B {} and {}{}",
                  m.m, m.n, m.m, m.k, m.k, m.n, m.has_bias ? " + bias" : "",
                  m.post_op == BOOSTC_POST_RELU ? ", relu" : "", m.a_strides[0],
                  m.a_strides[1], m.b_strides[0], m.b_strides[1],
                  product.compute == cuda::kLtComputeTf32 ? ", in tf32" : ""),
      {{{"A", product.right.bytes()},
        {"B", product.left.bytes()},
        {"bias", static_cast<uint64_t>(m.n) * sizeof(float)},
        {"C", product.result.bytes()}}}};
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
  work.run();
  return operandMemory.finish();
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
                                Convolution::describe(*graph));
  }
  Result<LtMatmulDesc> product = cuda::describeMatmul(call);
  if (!product.ok())
    return cannotExecute(call, "matmul", product.status());
  return execute<Product>(memory, checks, call, operands, *product,
                          Product::describe(call, *product));
}

} // namespace boostrt::sim
