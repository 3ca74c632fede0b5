// CublasLt.h - matrix products by cuBLASLt, in the context of the driver.
//
// Results do not differ from run to run: of the ways to cut the terms of a sum
// into parts (split-k), only the one that leaves them in scratch memory and
// adds them up in a separate step, in a fixed order, is asked for. In place,
// parts are added to the output as they come, one at a time but in any order.
#pragma once

#include "runtime/device/cuda/CublasLtApi.h"
#include "runtime/device/cuda/LtProduct.h"

#include <memory>
#include <span>
#include <vector>

namespace boostrt::cuda {

/// The library, started.
class CublasLt {
public:
  /// Needs a current context.
  static Result<std::unique_ptr<CublasLt>> create(const CublasLtApi &api);
  ~CublasLt();
  CublasLt(const CublasLt &) = delete;
  CublasLt &operator=(const CublasLt &) = delete;

  const CublasLtApi &api() const { return api_; }
  LtHandle handle() const { return handle_; }
  size_t version() const { return api_.cublasLtGetVersion(); }
  /// "cuBLASLt 13.1.0"
  std::string name() const;

private:
  friend class LtMatmul;
  explicit CublasLt(const CublasLtApi &api) : api_(api) {}
  CublasLtApi api_;
  LtHandle handle_ = nullptr;
};

/// One product, described to the library.
class LtMatmul {
public:
  /// The candidates that are asked for.
  static constexpr int kMostCandidates = 8;

  /// `library` outlives it.
  static Result<std::unique_ptr<LtMatmul>> create(const CublasLt &library,
                                                  const BoostLibraryCall &call);
  /// Whether the library takes the description of `call`, which needs no GPU.
  static Status checkDescription(const CublasLtApi &api,
                                 const BoostLibraryCall &call);
  ~LtMatmul();
  LtMatmul(const LtMatmul &) = delete;
  LtMatmul &operator=(const LtMatmul &) = delete;

  /// What the library proposes, best first. Only addresses and alignment of
  /// `operands` count. Fails when the library has nothing.
  Result<std::vector<LtAlgorithm>>
  candidates(std::span<const uint64_t> operands);
  /// Whether `algorithm`, from a file, is one of this library for this product.
  bool accepts(const LtAlgorithm &algorithm,
               std::span<const uint64_t> operands);
  /// Asks for the product on `stream`, with the operands of BoostMatmul.
  Status run(const LtAlgorithm &algorithm, std::span<const uint64_t> operands,
             Stream stream);

private:
  explicit LtMatmul(const CublasLt &library) : library_(library) {}
  Status describe(const LtProduct &product, uint64_t scratchBytes);
  Status set(int attribute, const void *value, size_t bytes);
  Status prefer(int attribute, const void *value, size_t bytes);
  Status setBias(std::span<const uint64_t> operands);
  bool isFit(const LtHeuristic &found) const;

  const CublasLt &library_;
  bool hasBias_ = false;
  uint64_t scratchBytes_ = 0;
  LtDescription description_ = nullptr;
  LtLayout left_ = nullptr, right_ = nullptr, result_ = nullptr;
  LtPreference preference_ = nullptr;
};

} // namespace boostrt::cuda
