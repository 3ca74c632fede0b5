#include "runtime/device/sim/SimLibrary.h"

#include "runtime/device/cuda/LtProduct.h"

#include <fmt/format.h>

namespace boostrt::sim {
namespace {

using cuda::LtMatrix;
using cuda::LtProduct;

/// What the call reads or writes.
struct Operand {
  const char *name;
  uint64_t address, bytes;
  uint64_t planned;
};

class Product {
public:
  Product(Memory &memory, const BoostLibraryCall &call,
          std::span<const uint64_t> operands, const LtProduct &product)
      : memory_(memory), call_(call), p_(product),
        a_{"A", operands[0], p_.right.bytes(), call.operand_bytes[0]},
        b_{"B", operands[1], p_.left.bytes(), call.operand_bytes[1]},
        bias_{"bias", operands[2],
              static_cast<uint64_t>(call.matmul.n) * sizeof(float),
              call.operand_bytes[2]},
        c_{"C", operands[3], p_.result.bytes(), call.operand_bytes[3]},
        scratch_{"scratch", operands[4], call.scratch_bytes,
                 call.scratch_bytes} {}

  /// What keeps the host's memory safe, and the compiler's promises.
  Status check() const {
    BOOSTRT_RETURN_IF_ERROR(presence(bias_, call_.matmul.has_bias != 0));
    BOOSTRT_RETURN_IF_ERROR(presence(scratch_, call_.scratch_bytes != 0));
    for (const Operand *operand : {&a_, &b_, &bias_, &c_, &scratch_})
      if (isUsed(*operand))
        BOOSTRT_RETURN_IF_ERROR(bounds(*operand));
    for (const Operand *written : {&c_, &scratch_})
      for (const Operand *other : {&a_, &b_, &bias_, &c_})
        if (written != other && isUsed(*written) && isUsed(*other) &&
            written->address < other->address + other->bytes &&
            other->address < written->address + written->bytes)
          return fault("overlapping operands",
                       fmt::format("{} is written and shares memory with {}: "
                                   "{:#x} and {} bytes, {:#x} and {} bytes",
                                   written->name, other->name, written->address,
                                   written->bytes, other->address,
                                   other->bytes));
    return Status();
  }

  /// That everything which is read was written.
  Status checkContents() const {
    BOOSTRT_RETURN_IF_ERROR(contents(a_, p_.right));
    BOOSTRT_RETURN_IF_ERROR(contents(b_, p_.left));
    if (isUsed(bias_))
      return contents(bias_, {p_.result.rows, 1, 0});
    return Status();
  }

  Status run() {
    const float *left = at(b_), *right = at(a_), *bias = at(bias_);
    float *result = at(c_);
    uint64_t rows = p_.result.rows, terms = p_.terms();
    // op(left), column by column.
    std::vector<float> columns(rows * terms);
    for (uint64_t term = 0; term < terms; ++term)
      for (uint64_t row = 0; row < rows; ++row)
        columns[term * rows + row] =
            left[indexOf(p_.left, p_.transposesLeft, row, term)];
    std::vector<float> sums(rows);
    for (uint64_t column = 0; column < p_.result.columns; ++column) {
      std::fill(sums.begin(), sums.end(), 0.0f);
      for (uint64_t term = 0; term < terms; ++term) {
        float factor =
            right[indexOf(p_.right, p_.transposesRight, term, column)];
        const float *values = &columns[term * rows];
        for (uint64_t row = 0; row < rows; ++row)
          sums[row] = __builtin_fmaf(values[row], factor, sums[row]);
      }
      finish(sums, bias, result + indexOf(p_.result, false, 0, column));
    }
    memory_.find(c_.address, c_.bytes)->markWritten(offsetOf(c_), c_.bytes);
    // The library leaves there what it likes.
    return isUsed(scratch_) ? memory_.forget(scratch_.address, scratch_.bytes)
                            : Status();
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

  /// C, A and B always are; bias and scratch where they were asked for.
  static bool isUsed(const Operand &operand) { return operand.address != 0; }

  uint64_t offsetOf(const Operand &operand) const {
    return operand.address -
           memory_.find(operand.address, operand.bytes)->address;
  }
  float *at(const Operand &operand) const {
    if (!isUsed(operand))
      return nullptr;
    Allocation *allocation = memory_.find(operand.address, operand.bytes);
    return reinterpret_cast<float *>(allocation->data.get() +
                                     offsetOf(operand));
  }

  Status presence(const Operand &operand, bool isExpected) const {
    if (isUsed(operand) == isExpected)
      return Status();
    return fault(isExpected ? "missing operand" : "unexpected operand",
                 fmt::format("{} {}", operand.name,
                             isExpected ? "is needed and its address is 0"
                                        : "is given and the call has none"));
  }

  Status bounds(const Operand &operand) const {
    if (operand.address % BOOST_ALIGNMENT != 0)
      return fault("misaligned address",
                   fmt::format("{} lies at {:#x}; the library is promised "
                               "multiples of {}",
                               operand.name, operand.address, BOOST_ALIGNMENT));
    if (operand.bytes > operand.planned)
      return fault("out-of-bounds access",
                   fmt::format("{} reaches over {} bytes, and {} were planned "
                               "for it",
                               operand.name, operand.bytes, operand.planned));
    if (!memory_.find(operand.address, operand.bytes))
      return fault(
          "out-of-bounds access",
          fmt::format("{}: {} bytes at {:#x}, {}", operand.name, operand.bytes,
                      operand.address,
                      memory_.describe(operand.address, operand.bytes)));
    return Status();
  }

  Status contents(const Operand &operand, const LtMatrix &matrix) const {
    uint64_t bytes = matrix.rows * sizeof(float);
    for (uint64_t column = 0; column < matrix.columns; ++column) {
      uint64_t address =
          operand.address + indexOf(matrix, false, 0, column) * sizeof(float);
      if (!memory_.isWritten(address, bytes))
        return fault("uninitialised read",
                     fmt::format("{}: nobody wrote all of the {} bytes at "
                                 "{:#x}, {}",
                                 operand.name, bytes, address,
                                 memory_.describe(address, bytes)));
    }
    return Status();
  }

  Status fault(const char *kind, const std::string &detail) const {
    const BoostMatmul &m = call_.matmul;
    return Status(
        ExitCode::Internal,
        fmt::format("sim: {} in a library call (matrix product, {})\n"
                    "  C[{}, {}] = A[{}, {}] * B[{}, {}]{}{}, strides of A {} "
                    "and {}, of B {} and {}\n  {}",
                    kind, call_.location, m.m, m.n, m.m, m.k, m.k, m.n,
                    m.has_bias ? " + bias" : "",
                    m.post_op == BOOST_POST_RELU ? ", relu" : "",
                    m.a_strides[0], m.a_strides[1], m.b_strides[0],
                    m.b_strides[1], detail));
  }

  Memory &memory_;
  const BoostLibraryCall &call_;
  const LtProduct &p_;
  Operand a_, b_, bias_, c_, scratch_;
};

} // namespace

Status executeCall(Memory &memory, Checks checks, const BoostLibraryCall &call,
                   std::span<const uint64_t> operands) {
  Result<LtProduct> described = cuda::describeProduct(call.matmul);
  if (!described.ok())
    return Status(ExitCode::Internal,
                  fmt::format("sim: a library call that the library cannot "
                              "execute (matrix product, {})\n  {}",
                              call.location, described.status().message()));
  Product product(memory, call, operands, *described);
  BOOSTRT_RETURN_IF_ERROR(product.check());
  if (checks == Checks::All)
    BOOSTRT_RETURN_IF_ERROR(product.checkContents());
  return product.run();
}

} // namespace boostrt::sim
