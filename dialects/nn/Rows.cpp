#include "dialects/nn/Rows.h"

using namespace mlir;
using namespace boostc;

/// All dimensions but the last are one; the last stays.
static SmallVector<ReassociationIndices> groupRows(int64_t rank) {
  SmallVector<ReassociationIndices> groups(2);
  for (int64_t dim = 0; dim + 1 < rank; ++dim)
    groups[0].push_back(dim);
  groups[1].push_back(rank - 1);
  return groups;
}

RankedTensorType nn::getRowsType(RankedTensorType type) {
  int64_t columns = type.getShape().back();
  return RankedTensorType::get({type.getNumElements() / columns, columns},
                               type.getElementType());
}

Value nn::buildRows(OpBuilder &builder, Location loc, Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  if (type.getRank() <= 2)
    return value;
  return tensor::CollapseShapeOp::create(builder, loc, getRowsType(type), value,
                                         groupRows(type.getRank()));
}

Value nn::buildFromRows(OpBuilder &builder, Location loc, RankedTensorType type,
                        Value rows) {
  if (type.getRank() <= 2)
    return rows;
  return tensor::ExpandShapeOp::create(builder, loc, type, rows,
                                       groupRows(type.getRank()));
}

LogicalResult nn::verifyLabels(std::optional<Location> loc, Type logits,
                               Type labels) {
  auto rows = cast<RankedTensorType>(logits);
  auto given = cast<RankedTensorType>(labels);
  if (rows.getRank() < 2)
    return emitOptionalError(
        loc, "expected logits [batch, ..., classes], found ", logits);
  ArrayRef<int64_t> expected = rows.getShape().drop_back();
  if (given.getShape() != expected)
    return emitOptionalError(loc, "expected labels [", expected,
                             "], one per row of the logits, found ", labels);
  return success();
}

LogicalResult nn::checkLabels(LayerBuilder &layer) {
  auto outputs = cast<RankedTensorType>(layer.inputs[0].getType());
  auto labels = cast<RankedTensorType>(layer.inputs[1].getType());
  if (outputs.getRank() >= 2 &&
      outputs.getShape().drop_back() == labels.getShape())
    return success();
  if (labels.getRank() == 1)
    return layer.emitError("op")
           << layer.spec.name
           << " needs one output per class and sample, found " << outputs
           << " with the batch; add a flatten layer before it";
  return layer.emitError("op")
         << layer.spec.name
         << " needs one output per class for each label, found outputs "
         << outputs << " for labels " << labels << " with the batch";
}

int64_t nn::countRowsPerSample(ArrayRef<int64_t> shape) {
  return ShapedType::getNumElements(shape.drop_front().drop_back());
}

int64_t nn::countValidRows(const ReferenceValue &logits,
                           const ReferenceValue &valid) {
  return static_cast<int64_t>(valid.item()) * countRowsPerSample(logits.shape);
}

ReferenceValue nn::asRows(const ReferenceValue &value) {
  ReferenceValue rows = value;
  int64_t columns = value.shape.back();
  rows.shape = {value.size() / columns, columns};
  return rows;
}

Value nn::buildLabelVector(OpBuilder &builder, Location loc, Value labels) {
  auto type = cast<RankedTensorType>(labels.getType());
  if (type.getRank() == 1)
    return labels;
  SmallVector<ReassociationIndices> all(1);
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    all.front().push_back(dim);
  return tensor::CollapseShapeOp::create(
      builder, loc,
      RankedTensorType::get({type.getNumElements()}, type.getElementType()),
      labels, all);
}

Value nn::buildIsValidRow(OpBuilder &builder, Location loc, unsigned dim,
                          Value valid, int64_t rowsPerSample) {
  if (rowsPerSample == 1)
    return buildIsValid(builder, loc, dim, valid);
  Value row = linalg::IndexOp::create(builder, loc, dim);
  Value samples =
      arith::IndexCastOp::create(builder, loc, builder.getIndexType(), valid);
  Value perSample = arith::ConstantIndexOp::create(builder, loc, rowsPerSample);
  Value rows = arith::MulIOp::create(builder, loc, samples, perSample);
  return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt, row,
                               rows);
}

Value nn::buildRowCount(OpBuilder &builder, Location loc, Value valid,
                        int64_t rowsPerSample) {
  return buildElementwise(
      builder, loc, RankedTensorType::get({}, builder.getI64Type()), valid,
      [=](OpBuilder &b, Location nested, ValueRange args) -> Value {
        Value samples =
            arith::ExtSIOp::create(b, nested, b.getI64Type(), args[0]);
        if (rowsPerSample == 1)
          return samples;
        Value perSample = arith::ConstantOp::create(
            b, nested, b.getI64IntegerAttr(rowsPerSample));
        return arith::MulIOp::create(b, nested, samples, perSample);
      });
}
