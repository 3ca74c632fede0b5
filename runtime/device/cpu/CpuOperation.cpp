#include "runtime/device/cpu/CpuOperation.h"

#include "runtime/abi/DescriptorSchema.h"
#include "runtime/device/cpu/DampedInverse.h"
#include "runtime/device/cpu/PiecewiseMatmul.h"

#include <fmt/format.h>

namespace boostrt {
namespace {

/// How calls of a kind are made ready, and how much memory they ask for.
struct Kind {
  Result<std::unique_ptr<CpuOperation>> (*prepare)(DnnlContext &dnnl,
                                                   const BoostLibraryCall &call,
                                                   bool isStrict);
  Result<uint64_t> (*queryScratchBytes)(DnnlContext &dnnl,
                                        const BoostLibraryCall &call,
                                        bool isStrict);
};

MatmulTypes typesOf(const BoostLibraryCall &call) {
  return {call.factor_type, call.result_type};
}

constexpr Kind kMatmul = {
    [](DnnlContext &dnnl, const BoostLibraryCall &call,
       bool isStrict) -> Result<std::unique_ptr<CpuOperation>> {
      Result<std::unique_ptr<PiecewiseMatmul>> matmul =
          PiecewiseMatmul::create(dnnl, call.matmul, isStrict, typesOf(call));
      if (!matmul.ok())
        return matmul.status();
      return std::unique_ptr<CpuOperation>(std::move(matmul).value());
    },
    [](DnnlContext &dnnl, const BoostLibraryCall &call, bool isStrict) {
      return PiecewiseMatmul::queryScratchBytes(dnnl, call.matmul, isStrict,
                                                typesOf(call));
    }};

constexpr Kind kDampedInverse = {
    [](DnnlContext &, const BoostLibraryCall &call,
       bool) -> Result<std::unique_ptr<CpuOperation>> {
      const BoostDampedInverse &inverse = call.damped_inverse;
      if (inverse.matrices < 1 || inverse.extent < 1)
        return Status(
            ExitCode::Input,
            fmt::format("there is no inverse of {} matrices of {} rows",
                        inverse.matrices, inverse.extent));
      return std::unique_ptr<CpuOperation>(
          std::make_unique<DampedInverse>(inverse));
    },
    [](DnnlContext &, const BoostLibraryCall &call, bool) -> Result<uint64_t> {
      return DampedInverse(call.damped_inverse).scratchBytes();
    }};

/// Null: no library of a CPU computes such calls.
const Kind *findKind(uint32_t kind) {
  switch (kind) {
  case BOOSTC_LIBRARY_MATMUL:
    return &kMatmul;
  case BOOSTC_LIBRARY_DAMPED_INVERSE:
    return &kDampedInverse;
  }
  return nullptr;
}

Status noSuchKind(const BoostLibraryCall &call) {
  return Status(ExitCode::Input,
                fmt::format("no library of a CPU computes a '{}'; rebuild the "
                            "program with the boostc of this boost-run",
                            boostabi::nameOf<BoostLibraryCallKind>(call.kind)));
}

} // namespace

CpuLibraries::CpuLibraries(std::unique_ptr<DnnlContext> dnnl)
    : dnnl_(std::move(dnnl)) {}
CpuLibraries::~CpuLibraries() = default;

Result<std::unique_ptr<CpuLibraries>> CpuLibraries::create() {
  Result<std::unique_ptr<DnnlContext>> dnnl = DnnlContext::create();
  if (!dnnl.ok())
    return dnnl.status();
  return std::unique_ptr<CpuLibraries>(
      new CpuLibraries(std::move(dnnl).value()));
}

Result<std::unique_ptr<CpuOperation>>
CpuLibraries::prepare(const BoostLibraryCall &call, bool isStrict) {
  const Kind *kind = findKind(call.kind);
  if (!kind)
    return noSuchKind(call);
  return kind->prepare(*dnnl_, call, isStrict);
}

Result<uint64_t> CpuLibraries::queryScratchBytes(const BoostLibraryCall &call,
                                                 bool isStrict) {
  const Kind *kind = findKind(call.kind);
  if (!kind)
    return noSuchKind(call);
  return kind->queryScratchBytes(*dnnl_, call, isStrict);
}

} // namespace boostrt
