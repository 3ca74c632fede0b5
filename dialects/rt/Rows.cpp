#include "dialects/rt/Rows.h"

using namespace mlir;
using namespace boostc;

/// Whether the positions name rows of the table.
static LogicalResult checkIndex(Operation *op, const ReferenceValue &index,
                                int64_t rows) {
  for (double row : index.data)
    if (!(row >= 0.0 && row < static_cast<double>(rows)))
      return op->emitOpError("index ")
             << row << " is not in [0, " << rows << ")";
  return success();
}

LogicalResult boostc::rt::gatherRows(Operation *op, const ReferenceValue &table,
                                     const ReferenceValue &index,
                                     ReferenceValue &rows) {
  if (failed(checkIndex(op, index, table.dim(0))))
    return failure();
  int64_t columns = table.dim(1);
  for (int64_t i = 0; i < rows.size(); ++i)
    rows.data[i] =
        table.at(static_cast<int64_t>(index.data[i / columns]), i % columns);
  return success();
}

LogicalResult boostc::rt::scatterRows(Operation *op, const ReferenceValue &rows,
                                      const ReferenceValue &index,
                                      int64_t places, ReferenceValue &table) {
  if (failed(checkIndex(op, index, table.dim(0))))
    return failure();
  int64_t columns = table.dim(1);
  for (int64_t i = 0; i < places * columns; ++i)
    table.at(static_cast<int64_t>(index.data[i / columns]), i % columns) +=
        rows.data[i];
  return success();
}
