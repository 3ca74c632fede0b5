// Rows.h - rows of a table by their number, what nn.embedding and rt.gather
// share.
#pragma once

#include "dialects/interfaces/Interfaces.h"

namespace boostc::rt {

/// rows[i..., :] = table[index[i...], :], for a table [n, d] and rows [i...,
/// d]. Emits a diagnostic at `op` when an index is not a row of the table.
llvm::LogicalResult gatherRows(mlir::Operation *op, const ReferenceValue &table,
                               const ReferenceValue &index,
                               ReferenceValue &rows);

/// table[index[i...], :] += rows[i..., :] for the first `places` positions of
/// the index.
llvm::LogicalResult scatterRows(mlir::Operation *op, const ReferenceValue &rows,
                                const ReferenceValue &index, int64_t places,
                                ReferenceValue &table);

} // namespace boostc::rt
