// The headers that most passes need, compiled once: those that the files of
// dialects need, and those of the dialects that passes read and write.
#pragma once
#include "dialects/interfaces/Pch.h"

#include "dialects/rt/RtDialect.h"
#include "dialects/train/TrainDialect.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/FormatVariadic.h"
