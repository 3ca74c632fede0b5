#include "runtime/device/cpu/CpuOperation.h"

#include "runtime/abi/DescriptorSchema.h"
#include "runtime/device/cpu/DampedInverse.h"
#include "runtime/device/cpu/PiecewiseMatmul.h"
#include "runtime/device/cpu/ThreadPool.h"

#include <fmt/format.h>

namespace boostrt {
namespace {

MatmulTypes typesOf(const BoostLibraryCall &call) {
  return {call.factor_type, call.result_type};
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
CpuLibraries::prepare(const BoostLibraryCall &call, uint32_t shares) {
  switch (call.kind) {
  case BOOSTC_LIBRARY_MATMUL:
    if (auto matmul =
            PiecewiseMatmul::create(*dnnl_, call.matmul, shares, typesOf(call));
        matmul.ok())
      return std::unique_ptr<CpuOperation>(std::move(matmul).value());
    else
      return matmul.status();
  case BOOSTC_LIBRARY_DAMPED_INVERSE:
    return DampedInverse::create(call.damped_inverse);
  }
  return noSuchKind(call);
}

/// Without the code that oneDNN generates for a matmul.
Result<uint64_t> CpuLibraries::queryScratchBytes(const BoostLibraryCall &call,
                                                 uint32_t threads,
                                                 bool isStrict) {
  uint32_t last = countShares(threads, isStrict), first = isStrict ? last : 1;
  if (call.kind == BOOSTC_LIBRARY_MATMUL)
    return PiecewiseMatmul::queryScratchBytes(*dnnl_, call.matmul, first, last,
                                              typesOf(call));
  Result<std::unique_ptr<CpuOperation>> operation = prepare(call, last);
  if (!operation.ok())
    return operation.status();
  return (*operation)->scratchBytes();
}

} // namespace boostrt
