// BuildProgram.h - a resolved model to phase `input`.
#pragma once

#include "compiler/frontend/ErrorList.h"
#include "compiler/frontend/ModelTable.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace boostc::frontend {

/// A module with one train.program, or null after errors. Functions @forward,
/// @micro,
/// @update and @eval exist; every argument and the results of all but
/// @forward are bound. Operations have the location of the layer they come
/// from, under its name. A micro-batch has `microBatch` samples, a divisor of
/// batch_size, and a step as many micro-batches more.
mlir::OwningOpRef<mlir::ModuleOp>
buildProgram(mlir::MLIRContext &context, const Node &model,
             const ModelTable &table, int64_t microBatch, ErrorList &errors);

} // namespace boostc::frontend
