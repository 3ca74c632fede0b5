#include "dialects/rt/Rows.h"
#include "dialects/rt/RtDialect.h"

using namespace mlir;
using namespace boostc;
using namespace boostc::rt;

/// `table` is [rows, d] and `rows` [i..., d] for `index` [i...].
static LogicalResult verifyRows(DestinationStyleOpInterface op, Value table,
                                Value rows, Value index) {
  auto tableType = cast<ShapedType>(table.getType());
  auto rowsType = cast<ShapedType>(rows.getType());
  auto indexType = cast<ShapedType>(index.getType());
  if (!tableType.hasStaticShape() || !rowsType.hasStaticShape() ||
      !indexType.hasStaticShape() || tableType.getRank() != 2 ||
      rowsType.getRank() != indexType.getRank() + 1 ||
      rowsType.getShape().drop_back() != indexType.getShape() ||
      rowsType.getShape().back() != tableType.getDimSize(1))
    return op->emitOpError("expected a table [rows, d], rows [i..., d] and an "
                           "index [i...] of static shape, found ")
           << tableType << ", " << rowsType << " and " << indexType;
  return verifyDestinationStyle(op);
}

//===----------------------------------------------------------------------===//
// rt.gather
//===----------------------------------------------------------------------===//

LogicalResult GatherOp::verify() {
  return verifyRows(*this, getSource(), getDestination(), getIndex());
}

void GatherOp::getEffects(
    SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  addEffects(*this, /*workspace=*/{}, effects);
}

int64_t GatherOp::getFlops() { return 0; }

/// The rows that are moved, which may be few of the table.
int64_t GatherOp::getBytesRead() {
  return countBytes(getIndex().getType()) +
         std::min(countBytes(getSource().getType()),
                  countBytes(getDestination().getType()));
}

int64_t GatherOp::getBytesWritten() {
  return countBytes(getDestination().getType());
}

LogicalResult GatherOp::evaluate(ReferenceContext &,
                                 ArrayRef<ReferenceValue> operands,
                                 SmallVectorImpl<ReferenceValue> &results) {
  ReferenceValue rows = ReferenceValue::zeros(getDestination().getType());
  if (failed(gatherRows(*this, operands[0], operands[1], rows)))
    return failure();
  results.push_back(std::move(rows));
  return success();
}

//===----------------------------------------------------------------------===//
// rt.scatter_add
//===----------------------------------------------------------------------===//

LogicalResult ScatterAddOp::verify() {
  return verifyRows(*this, getDestination(), getSource(), getIndex());
}

void ScatterAddOp::getEffects(
    SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  addEffects(*this, /*workspace=*/{}, effects);
}

int64_t ScatterAddOp::getFlops() {
  return cast<ShapedType>(getSource().getType()).getNumElements();
}

int64_t ScatterAddOp::getBytesRead() {
  return countBytes({getSource().getType(), getIndex().getType()});
}

int64_t ScatterAddOp::getBytesWritten() {
  return countBytes(getDestination().getType());
}

LogicalResult ScatterAddOp::evaluate(ReferenceContext &,
                                     ArrayRef<ReferenceValue> operands,
                                     SmallVectorImpl<ReferenceValue> &results) {
  ReferenceValue table = ReferenceValue::zeros(getDestination().getType());
  if (failed(scatterRows(*this, operands[0], operands[1], operands[1].size(),
                         table)))
    return failure();
  results.push_back(std::move(table));
  return success();
}
