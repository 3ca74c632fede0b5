// Matmul.h - one BoostMatmul, ready to run: a oneDNN primitive with plain
// strided operands, so that no reorder hides inside a step. It runs on the
// thread that calls it.
//
// oneDNN reports failure by exceptions; none leaves this file.
#pragma once

#include "runtime/abi/boost_abi.h"
#include "runtime/support/Status.h"

#include <memory>
#include <string>
#include <string_view>

namespace boostrt {

/// oneDNN's CPU engine and stream, shared by all calls of a device.
class DnnlContext {
public:
  static Result<std::unique_ptr<DnnlContext>> create();
  ~DnnlContext();

  /// "oneDNN 2.6.3": the library found at run time.
  static std::string libraryVersion();

  /// Keeps the library within the instruction sets a program was compiled for
  /// (BoostProgram::cpu_features), so that compiler and runtime hear the same
  /// scratch sizes on every CPU. For the whole process, and only before its
  /// first primitive: for main() and for devices, which run one program.
  static void limitInstructionSet(std::string_view cpuFeatures);

private:
  friend class Matmul;
  struct Handles;
  explicit DnnlContext(std::unique_ptr<Handles> handles);
  std::unique_ptr<Handles> handles_;
};

/// BoostFloatTypes of a matmul; sums are of f32.
struct MatmulTypes {
  uint32_t factor = BOOSTC_FLOAT_F32; ///< of A and B
  uint32_t result = BOOSTC_FLOAT_F32; ///< of bias and C
};

class Matmul {
public:
  /// Creates the primitive; all allocation and code generation happens here.
  /// `rowStride`: elements from row to row of C; 0: n. Fails with
  /// ExitCode::Input when oneDNN has no such primitive, as of 16 bits on CPUs
  /// without AVX-512.
  static Result<std::unique_ptr<Matmul>> create(DnnlContext &context,
                                                const BoostMatmul &call,
                                                MatmulTypes types = {},
                                                int64_t rowStride = 0);
  ~Matmul();

  /// What scratchBytes() of the primitive would be, without generating code.
  static Result<uint64_t> queryScratchBytes(DnnlContext &context,
                                            const BoostMatmul &call,
                                            MatmulTypes types = {},
                                            int64_t rowStride = 0);

  /// Bytes of the scratch operand that execute() will use.
  uint64_t scratchBytes() const;

  /// "brg:avx512_core": what oneDNN chose, for `boost-run info`.
  const char *implementation() const;

  /// Operands as listed at BoostMatmul. Only the addresses change between
  /// calls; nothing is looked up. Returns a BoostCallStatus.
  int32_t execute(void *const *operands);

private:
  struct Prepared;
  explicit Matmul(std::unique_ptr<Prepared> prepared);
  std::unique_ptr<Prepared> prepared_;
};

} // namespace boostrt
