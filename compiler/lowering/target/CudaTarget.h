// CudaTarget.h - the attribute `rt.cuda_target` of a program, and names in
// code for GPUs.
#pragma once

#include "dialects/rt/RtDialect.h"
#include "dialects/train/TrainDialect.h"

namespace boostc {

constexpr llvm::StringLiteral kCudaTargetAttrName = "rt.cuda_target";

/// The oldest architecture that programs are compiled for: sm_80.
constexpr unsigned kCudaArchitecture = 80;

/// The gpu.module that holds a program's kernels.
constexpr llvm::StringLiteral kKernelModuleName = "kernels";

/// Threads of a block. Four warps: enough to hide latencies inside of a
/// multiprocessor, few enough that small work spreads over many of them.
constexpr int64_t kBlockThreads = 128;
constexpr int64_t kWarpThreads = 32;

/// The target of `program`; null when it is for another kind of device.
inline rt::CudaTargetAttr getCudaTarget(train::ProgramOp program) {
  return program->getAttrOfType<rt::CudaTargetAttr>(kCudaTargetAttrName);
}

} // namespace boostc
