#include "runtime/device/cuda/CublasLt.h"

#include <fmt/format.h>

namespace boostrt::cuda {

Result<std::unique_ptr<CublasLt>> CublasLt::create(const CublasLtApi &api) {
  std::unique_ptr<CublasLt> library(new CublasLt(api));
  BOOSTRT_RETURN_IF_ERROR(
      api.check("cublasLtCreate", api.cublasLtCreate(&library->handle_)));
  return library;
}

CublasLt::~CublasLt() {
  if (handle_)
    api_.cublasLtDestroy(handle_);
}

std::string CublasLt::name() const {
  size_t number = version();
  return fmt::format("cuBLASLt {}.{}.{}", number / 10000, number % 10000 / 100,
                     number % 100);
}

Result<std::unique_ptr<LtMatmul>>
LtMatmul::create(const CublasLt &library, const BoostLibraryCall &call) {
  Result<LtProduct> product = describeProduct(call.matmul);
  if (!product.ok())
    return product.status();
  std::unique_ptr<LtMatmul> matmul(new LtMatmul(library));
  matmul->hasBias_ = call.matmul.has_bias != 0;
  BOOSTRT_RETURN_IF_ERROR(matmul->describe(*product, call.scratch_bytes));
  return matmul;
}

Status LtMatmul::checkDescription(const CublasLtApi &api,
                                  const BoostLibraryCall &call) {
  CublasLt notStarted(api);
  return create(notStarted, call).status();
}

LtMatmul::~LtMatmul() {
  const CublasLtApi &api = library_.api();
  if (preference_)
    api.cublasLtMatmulPreferenceDestroy(preference_);
  for (LtLayout layout : {left_, right_, result_})
    if (layout)
      api.cublasLtMatrixLayoutDestroy(layout);
  if (description_)
    api.cublasLtMatmulDescDestroy(description_);
}

Status LtMatmul::set(int attribute, const void *value, size_t bytes) {
  const CublasLtApi &api = library_.api();
  return api.check("cublasLtMatmulDescSetAttribute",
                   api.cublasLtMatmulDescSetAttribute(description_, attribute,
                                                      value, bytes));
}

Status LtMatmul::prefer(int attribute, const void *value, size_t bytes) {
  const CublasLtApi &api = library_.api();
  return api.check("cublasLtMatmulPreferenceSetAttribute",
                   api.cublasLtMatmulPreferenceSetAttribute(
                       preference_, attribute, value, bytes));
}

Status LtMatmul::describe(const LtProduct &product, uint64_t scratchBytes) {
  const CublasLtApi &api = library_.api();
  scratchBytes_ = scratchBytes;
  BOOSTRT_RETURN_IF_ERROR(api.check(
      "cublasLtMatmulDescCreate",
      api.cublasLtMatmulDescCreate(&description_, kLtComputeF32, kLtF32)));
  int32_t first = product.transposesLeft ? kLtTranspose : kLtNoTranspose,
          second = product.transposesRight ? kLtTranspose : kLtNoTranspose;
  BOOSTRT_RETURN_IF_ERROR(set(kLtTransposeFirst, &first, sizeof first));
  BOOSTRT_RETURN_IF_ERROR(set(kLtTransposeSecond, &second, sizeof second));
  BOOSTRT_RETURN_IF_ERROR(
      set(kLtEpilogue, &product.epilogue, sizeof product.epilogue));
  for (auto [layout, matrix] : {std::pair(&left_, &product.left),
                                {&right_, &product.right},
                                {&result_, &product.result}})
    BOOSTRT_RETURN_IF_ERROR(api.check(
        "cublasLtMatrixLayoutCreate",
        api.cublasLtMatrixLayoutCreate(layout, kLtF32, matrix->rows,
                                       matrix->columns, matrix->leading)));
  BOOSTRT_RETURN_IF_ERROR(
      api.check("cublasLtMatmulPreferenceCreate",
                api.cublasLtMatmulPreferenceCreate(&preference_)));
  BOOSTRT_RETURN_IF_ERROR(
      prefer(kLtMaxScratchBytes, &scratchBytes_, sizeof scratchBytes_));
  BOOSTRT_RETURN_IF_ERROR(prefer(kLtReductionSchemes, &kLtReduceSeparately,
                                 sizeof kLtReduceSeparately));
  // Else the library counts on multiples of 256.
  uint32_t alignment = BOOST_ALIGNMENT;
  for (int matrix = 0; matrix < 4; ++matrix)
    BOOSTRT_RETURN_IF_ERROR(
        prefer(kLtAlignmentFirst + matrix, &alignment, sizeof alignment));
  return Status();
}

Status LtMatmul::setBias(std::span<const uint64_t> operands) {
  if (!hasBias_)
    return Status();
  const void *bias = reinterpret_cast<const void *>(operands[2]);
  return set(kLtBiasPointer, &bias, sizeof bias);
}

bool LtMatmul::isFit(const LtHeuristic &found) const {
  const CublasLtApi &api = library_.api();
  uint32_t scheme = kLtReduceNot;
  size_t written = 0;
  return found.state == 0 && found.scratchBytes <= scratchBytes_ &&
         api.cublasLtMatmulAlgoConfigGetAttribute(
             &found.algorithm, kLtConfigReduction, &scheme, sizeof scheme,
             &written) == 0 &&
         (scheme == kLtReduceNot || scheme == kLtReduceSeparately);
}

Result<std::vector<LtAlgorithm>>
LtMatmul::candidates(std::span<const uint64_t> operands) {
  const CublasLtApi &api = library_.api();
  BOOSTRT_RETURN_IF_ERROR(setBias(operands));
  LtHeuristic found[kMostCandidates] = {};
  int count = 0;
  BOOSTRT_RETURN_IF_ERROR(api.check(
      "cublasLtMatmulAlgoGetHeuristic",
      api.cublasLtMatmulAlgoGetHeuristic(library_.handle(), description_, left_,
                                         right_, result_, result_, preference_,
                                         kMostCandidates, found, &count)));
  std::vector<LtAlgorithm> fit;
  for (int i = 0; i < count; ++i)
    if (isFit(found[i]))
      fit.push_back(found[i].algorithm);
  if (fit.empty())
    return Status(ExitCode::Internal,
                  fmt::format("{} proposes nothing that is deterministic and "
                              "needs {} bytes of scratch memory at most",
                              library_.name(), scratchBytes_));
  return fit;
}

bool LtMatmul::accepts(const LtAlgorithm &algorithm,
                       std::span<const uint64_t> operands) {
  LtHeuristic found{};
  if (!setBias(operands).ok() ||
      library_.api().cublasLtMatmulAlgoCheck(library_.handle(), description_,
                                             left_, right_, result_, result_,
                                             &algorithm, &found) != 0)
    return false;
  found.algorithm = algorithm;
  return isFit(found);
}

Status LtMatmul::run(const LtAlgorithm &algorithm,
                     std::span<const uint64_t> operands, Stream stream) {
  const CublasLtApi &api = library_.api();
  BOOSTRT_RETURN_IF_ERROR(setBias(operands));
  auto at = [&](size_t i) { return reinterpret_cast<void *>(operands[i]); };
  const float one = 1, zero = 0;
  return api.check("cublasLtMatmul",
                   api.cublasLtMatmul(library_.handle(), description_, &one,
                                      at(1), left_, at(0), right_, &zero, at(3),
                                      result_, at(3), result_, &algorithm,
                                      at(4), scratchBytes_, stream));
}

} // namespace boostrt::cuda
