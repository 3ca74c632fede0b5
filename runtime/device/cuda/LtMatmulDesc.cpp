#include "runtime/device/cuda/LtMatmulDesc.h"

#include <algorithm>
#include <fmt/format.h>

namespace boostrt::cuda {
namespace {

/// The transposed of a matrix that is read through `strides`: as it is stored,
/// and whether it is to be transposed to be that.
Status transpose(const char *name, int64_t rows, int64_t columns,
                 const int64_t (&strides)[2], LtMatrix &stored,
                 bool &transposes) {
  auto describe = [&](int64_t inner, int64_t outer, int64_t leading) {
    // Where the next column begins does not matter for a single one.
    stored = {static_cast<uint64_t>(inner), static_cast<uint64_t>(outer),
              outer == 1 ? inner : leading, stored.type};
    return stored.leading >= inner;
  };
  transposes = false;
  if (strides[1] == 1 && describe(columns, rows, strides[0]))
    return Status();
  transposes = true;
  if (strides[0] == 1 && describe(rows, columns, strides[1]))
    return Status();
  return Status(ExitCode::Input,
                fmt::format("{} of {} x {} has strides {} and {}; cuBLASLt "
                            "reads matrices whose rows or columns are "
                            "contiguous and apart",
                            name, rows, columns, strides[0], strides[1]));
}

} // namespace

Result<LtMatmulDesc> describeMatmul(const BoostLibraryCall &libraryCall) {
  const BoostMatmul &call = libraryCall.matmul;
  LtMatmulDesc matmul;
  matmul.left.type = matmul.right.type = libraryCall.factor_type;
  BOOSTRT_RETURN_IF_ERROR(transpose("B", call.k, call.n, call.b_strides,
                                    matmul.left, matmul.transposesLeft));
  BOOSTRT_RETURN_IF_ERROR(transpose("A", call.m, call.k, call.a_strides,
                                    matmul.right, matmul.transposesRight));
  matmul.result = {static_cast<uint64_t>(call.n), static_cast<uint64_t>(call.m),
                   call.n, libraryCall.result_type};
  matmul.epilogue = call.has_bias ? kEpilogueBias : kEpilogueNone;
  matmul.compute = libraryCall.precision == BOOSTC_PRECISION_TF32
                       ? kLtComputeTf32
                       : kLtComputeF32;
  return matmul;
}

} // namespace boostrt::cuda
