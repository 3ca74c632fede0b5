#include "runtime/device/cuda/CublasLt.h"

#include "runtime/device/cuda/CallShape.h"

#include <charconv>
#include <fmt/format.h>

namespace boostrt::cuda {
namespace {

/// cudaDataType_t of a BoostFloatType.
int dataTypeOf(uint32_t type) {
  return type == BOOSTC_FLOAT_F32   ? kLtF32
         : type == BOOSTC_FLOAT_F16 ? kLtF16
                                    : kLtBf16;
}

std::string formatAlgorithm(const LtAlgorithm &algorithm) {
  std::string text;
  for (uint64_t word : algorithm.data)
    text += fmt::format("{:016x}", word);
  return text;
}

bool parseAlgorithm(const std::string &text, LtAlgorithm &algorithm) {
  constexpr size_t kDigits = 16;
  if (text.size() != std::size(algorithm.data) * kDigits)
    return false;
  const char *at = text.data();
  for (uint64_t &word : algorithm.data) {
    auto [end, error] = std::from_chars(at, at + kDigits, word, 16);
    if (error != std::errc() || end != at + kDigits)
      return false;
    at += kDigits;
  }
  return true;
}

} // namespace

Result<std::unique_ptr<CublasLt>> CublasLt::create(const CublasLtApi &api,
                                                   Stream stream) {
  std::unique_ptr<CublasLt> library(new CublasLt(api, stream));
  BOOSTRT_RETURN_IF_ERROR(
      api.check("cublasLtCreate", api.cublasLtCreate(&library->handle_)));
  return library;
}

CublasLt::~CublasLt() {
  if (handle_)
    api_.cublasLtDestroy(handle_);
}

std::string CublasLt::name() const {
  return "cuBLASLt " + versionText(api_.cublasLtGetVersion());
}

Result<std::unique_ptr<LibraryOperation>>
CublasLt::describe(const BoostLibraryCall &call) const {
  Result<std::unique_ptr<LtMatmul>> matmul = LtMatmul::create(*this, call);
  if (!matmul.ok())
    return matmul.status();
  return std::unique_ptr<LibraryOperation>(std::move(matmul).value());
}

Result<std::unique_ptr<LtMatmul>>
LtMatmul::create(const CublasLt &library, const BoostLibraryCall &call) {
  Result<LtMatmulDesc> desc = describeMatmul(call);
  if (!desc.ok())
    return desc.status();
  std::unique_ptr<LtMatmul> matmul(new LtMatmul(library));
  matmul->hasBias_ = call.matmul.has_bias != 0;
  BOOSTRT_RETURN_IF_ERROR(matmul->describe(*desc, call.scratch_bytes));
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

Status LtMatmul::describe(const LtMatmulDesc &matmul, uint64_t scratchBytes) {
  const CublasLtApi &api = library_.api();
  scratchBytes_ = scratchBytes;
  BOOSTRT_RETURN_IF_ERROR(api.check(
      "cublasLtMatmulDescCreate",
      api.cublasLtMatmulDescCreate(&description_, matmul.compute, kLtF32)));
  int32_t first = matmul.transposesLeft ? kLtTranspose : kLtNoTranspose,
          second = matmul.transposesRight ? kLtTranspose : kLtNoTranspose;
  BOOSTRT_RETURN_IF_ERROR(set(kLtTransposeFirst, &first, sizeof first));
  BOOSTRT_RETURN_IF_ERROR(set(kLtTransposeSecond, &second, sizeof second));
  BOOSTRT_RETURN_IF_ERROR(
      set(kLtEpilogue, &matmul.epilogue, sizeof matmul.epilogue));
  for (auto [layout, matrix] : {std::pair(&left_, &matmul.left),
                                {&right_, &matmul.right},
                                {&result_, &matmul.result}})
    BOOSTRT_RETURN_IF_ERROR(api.check(
        "cublasLtMatrixLayoutCreate",
        api.cublasLtMatrixLayoutCreate(layout, dataTypeOf(matrix->type),
                                       matrix->rows, matrix->columns,
                                       matrix->leading)));
  BOOSTRT_RETURN_IF_ERROR(
      api.check("cublasLtMatmulPreferenceCreate",
                api.cublasLtMatmulPreferenceCreate(&preference_)));
  BOOSTRT_RETURN_IF_ERROR(
      prefer(kLtMaxScratchBytes, &scratchBytes_, sizeof scratchBytes_));
  BOOSTRT_RETURN_IF_ERROR(prefer(kLtReductionSchemes, &kLtReduceSeparately,
                                 sizeof kLtReduceSeparately));
  // Else the library counts on multiples of 256.
  uint32_t alignment = BOOSTC_ALIGNMENT;
  for (int matrix = 0; matrix < 4; ++matrix)
    BOOSTRT_RETURN_IF_ERROR(
        prefer(kLtAlignmentFirst + matrix, &alignment, sizeof alignment));
  return Status();
}

Status LtMatmul::setBias(Operands operands) {
  if (!hasBias_)
    return Status();
  const void *bias =
      reinterpret_cast<const void *>(operands[CallOperands::Bias]);
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

Result<std::vector<std::string>> LtMatmul::candidates(Operands operands) {
  const CublasLtApi &api = library_.api();
  BOOSTRT_RETURN_IF_ERROR(setBias(operands));
  LtHeuristic found[kMaxCandidates] = {};
  int count = 0;
  BOOSTRT_RETURN_IF_ERROR(api.check(
      "cublasLtMatmulAlgoGetHeuristic",
      api.cublasLtMatmulAlgoGetHeuristic(library_.handle(), description_, left_,
                                         right_, result_, result_, preference_,
                                         kMaxCandidates, found, &count)));
  std::vector<std::string> fit;
  for (int i = 0; i < count; ++i)
    if (isFit(found[i]))
      fit.push_back(formatAlgorithm(found[i].algorithm));
  if (fit.empty())
    return Status(ExitCode::Internal,
                  fmt::format("{} proposes nothing that is deterministic and "
                              "needs {} bytes of scratch memory at most",
                              library_.name(), scratchBytes_));
  return fit;
}

Status LtMatmul::choose(const std::string &candidate, Operands operands) {
  LtHeuristic found{};
  if (!parseAlgorithm(candidate, algorithm_))
    return Status(ExitCode::Input,
                  fmt::format("'{}' is not an algorithm", candidate));
  BOOSTRT_RETURN_IF_ERROR(setBias(operands));
  BOOSTRT_RETURN_IF_ERROR(library_.api().check(
      "cublasLtMatmulAlgoCheck",
      library_.api().cublasLtMatmulAlgoCheck(library_.handle(), description_,
                                             left_, right_, result_, result_,
                                             &algorithm_, &found)));
  found.algorithm = algorithm_;
  if (!isFit(found))
    return Status(ExitCode::Input,
                  fmt::format("algorithm '{}' is not deterministic, or needs "
                              "more than {} bytes of scratch memory",
                              candidate, scratchBytes_));
  return Status();
}

Status LtMatmul::run(Operands operands) {
  const CublasLtApi &api = library_.api();
  BOOSTRT_RETURN_IF_ERROR(setBias(operands));
  using enum CallOperands::Number;
  auto at = [&](size_t i) { return reinterpret_cast<void *>(operands[i]); };
  const float one = 1, zero = 0;
  return api.check("cublasLtMatmul",
                   api.cublasLtMatmul(library_.handle(), description_, &one,
                                      at(B), left_, at(A), right_, &zero, at(C),
                                      result_, at(C), result_, &algorithm_,
                                      at(Scratch), scratchBytes_,
                                      library_.stream_));
}

} // namespace boostrt::cuda
