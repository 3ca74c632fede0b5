// CublasLt.h - matmuls by cuBLASLt, in the context of the driver.
//
// Results do not differ from run to run: of the ways to cut the terms of a sum
// into parts (split-k), only the one that leaves them in scratch memory and
// adds them up in a separate step, in a fixed order, is asked for. In place,
// parts are added to the output as they come, one at a time but in any order.
// Factors are rounded to tf32 where the call says so, and nothing else is.
#pragma once

#include "runtime/device/cuda/CublasLtApi.h"
#include "runtime/device/cuda/LibraryOperation.h"
#include "runtime/device/cuda/LtMatmulDesc.h"

#include <memory>

namespace boostrt::cuda {

class CublasLt : public GpuLibrary {
public:
  /// Its work runs on `stream`. Needs a current context.
  static Result<std::unique_ptr<CublasLt>> create(const CublasLtApi &api,
                                                  Stream stream);
  ~CublasLt() override;
  CublasLt(const CublasLt &) = delete;
  CublasLt &operator=(const CublasLt &) = delete;

  const CublasLtApi &api() const { return api_; }
  LtHandle handle() const { return handle_; }
  std::string name() const override;
  Result<std::unique_ptr<LibraryOperation>>
  describe(const BoostLibraryCall &call) const override;

private:
  friend class LtMatmul;
  explicit CublasLt(const CublasLtApi &api, Stream stream = nullptr)
      : api_(api), stream_(stream) {}
  CublasLtApi api_;
  Stream stream_;
  LtHandle handle_ = nullptr;
};

/// One matmul, described to the library.
class LtMatmul : public LibraryOperation {
public:
  /// `library` outlives it.
  static Result<std::unique_ptr<LtMatmul>> create(const CublasLt &library,
                                                  const BoostLibraryCall &call);
  /// Whether the library takes the description of `call`, which needs no GPU.
  static Status checkDescription(const CublasLtApi &api,
                                 const BoostLibraryCall &call);
  ~LtMatmul() override;
  LtMatmul(const LtMatmul &) = delete;
  LtMatmul &operator=(const LtMatmul &) = delete;

  Result<std::vector<std::string>> candidates(Operands operands) override;
  Status choose(const std::string &candidate, Operands operands) override;
  Status run(Operands operands) override;

private:
  explicit LtMatmul(const CublasLt &library) : library_(library) {}
  Status describe(const LtMatmulDesc &matmul, uint64_t scratchBytes);
  Status set(int attribute, const void *value, size_t bytes);
  Status prefer(int attribute, const void *value, size_t bytes);
  Status setBias(Operands operands);
  bool isFit(const LtHeuristic &found) const;

  const CublasLt &library_;
  bool hasBias_ = false;
  uint64_t scratchBytes_ = 0;
  LtDescription description_ = nullptr;
  LtLayout left_ = nullptr, right_ = nullptr, result_ = nullptr;
  LtPreference preference_ = nullptr;
  LtAlgorithm algorithm_{}; ///< the one that is chosen
};

} // namespace boostrt::cuda
