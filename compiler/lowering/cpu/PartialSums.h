// PartialSums.h - sums that threads of a CPU share; see
// boostc-share-reductions.
#pragma once

#include "dialects/rt/RtDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace boostc {

/// `result` = the elements of `partials` at 0, 1, ... of its first dimension,
/// combined in this order by `combine`; after what `result` holds, if `adds`.
void combinePartials(
    mlir::OpBuilder &builder, mlir::Location loc, mlir::Value partials,
    mlir::Value result, bool adds,
    llvm::function_ref<mlir::Value(mlir::OpBuilder &, mlir::Value, mlir::Value)>
        combine);

/// After `op`, on planned buffers: writes the sum of its partial sums where its
/// result is. Nothing where it has none.
void addUpPartials(ContractionOpInterface op);

} // namespace boostc
