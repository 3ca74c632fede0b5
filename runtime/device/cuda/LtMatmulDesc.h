// LtMatmulDesc.h - a matmul of the ABI as cuBLASLt is asked for it. The
// simulated GPU executes matmuls from this description too, so that what the
// library is told is tested on machines that have none.
//
// cuBLASLt's matrices lie column by column, ours row by row: a program's
// C = A * B is the library's D = left * right with C, B and A in the roles of
// D, left and right, each read as its transposed. The bias, one element for
// each column of C, is then one for each row of D, which is the one kind that
// the library adds.
#pragma once

#include "runtime/abi/boost_abi.h"
#include "runtime/support/Status.h"

namespace boostrt::cuda {

// cublasLtEpilogue_t.
inline constexpr uint32_t kEpilogueNone = 1;
inline constexpr uint32_t kEpilogueBias = 4;

// cublasComputeType_t.
inline constexpr int kLtComputeF32 = 68;  ///< no tf32
inline constexpr int kLtComputeTf32 = 77; ///< factors may be rounded to it

/// A matrix as it is stored, column by column.
struct LtMatrix {
  uint64_t rows = 0, columns = 0;
  int64_t leading = 0;              ///< elements from one column to the next
  uint32_t type = BOOSTC_FLOAT_F32; ///< BoostFloatType

  /// From its first element to after its last.
  uint64_t elements() const {
    return (columns - 1) * static_cast<uint64_t>(leading) + rows;
  }
};

/// D = op(left) * op(right), then the epilogue; op transposes where it is said.
/// A bias has the type of D.
struct LtMatmulDesc {
  LtMatrix left;   ///< operand 1 of the call, B
  LtMatrix right;  ///< operand 0, A
  LtMatrix result; ///< operand 3, C
  bool transposesLeft = false, transposesRight = false;
  uint32_t epilogue = kEpilogueNone;
  int compute = kLtComputeF32;

  uint64_t terms() const { return transposesLeft ? left.rows : left.columns; }
};

/// Fails with ExitCode::Input where neither rows nor columns of an operand are
/// neighbours in memory, which the library cannot read.
Result<LtMatmulDesc> describeMatmul(const BoostLibraryCall &call);

} // namespace boostrt::cuda
