// CpuTarget.h - the attribute `rt.cpu_target` of a program.
#pragma once

#include "dialects/rt/RtDialect.h"
#include "dialects/train/TrainDialect.h"
#include <optional>
#include <string>

namespace boostc {

constexpr llvm::StringLiteral kCpuTargetAttrName = "rt.cpu_target";

/// Instructions that multiply bf16 in pairs, and in tiles.
constexpr llvm::StringLiteral kBFloat16Feature = "avx512bf16";
constexpr llvm::StringLiteral kTileFeature = "amx-bf16";
/// What a target may have that no level has.
constexpr llvm::StringLiteral kExtensions[] = {kBFloat16Feature, "amx-tile",
                                               kTileFeature};

/// More threads than any machine has; far more would be refused by the system.
constexpr unsigned kMaxThreads = 1024;

/// The target for `cpu` ("native", "x86-64-v3", "x86-64-v4") and `threads` (0 =
/// all cores, at most kMaxThreads). None, and a sentence in `error`, when the
/// CPU does not exist, this machine has less, or nothing has as many threads.
std::optional<rt::CpuTargetAttr> resolveCpuTarget(mlir::MLIRContext *context,
                                                  llvm::StringRef cpu,
                                                  unsigned threads,
                                                  std::string &error);

/// Whether this machine, if `cpu` is native, has kBFloat16Feature besides all
/// of its level. Levels do not have it.
bool computesBFloat16(llvm::StringRef cpu);

/// `target` with those of kExtensions that this machine has and its system lets
/// programs use.
rt::CpuTargetAttr withBFloat16(rt::CpuTargetAttr target);

/// Vector registers, the widest of the CPU: how many, of how many f32.
struct VectorRegisters {
  int64_t count = 0, lanes = 0;
  bool multipliesBFloat16 = false; ///< in pairs, by kBFloat16Feature
  bool hasTiles = false;           ///< of bf16, by kTileFeature
};
VectorRegisters getVectorRegisters(rt::CpuTargetAttr target);

/// In how many pieces plans for `target` cut the work of `op`, a program or an
/// op of one.
int64_t getShares(mlir::Operation *op, rt::CpuTargetAttr target);

/// The target of `program`. Emits a diagnostic when it has none.
llvm::FailureOr<rt::CpuTargetAttr> getCpuTarget(train::ProgramOp program);

} // namespace boostc
