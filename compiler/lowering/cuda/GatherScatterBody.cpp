// Walks over rows as kernel bodies.

#include "compiler/lowering/cuda/KernelBodies.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace boostc;

namespace {

/// rt.gather and rt.scatter_add. Their buffers are dense, so positions count
/// through an index of any rank.
class GatherScatterBody : public KernelBody {
public:
  GatherScatterBody(Operation *op, Value source, Value index, Value destination,
                    const IRMapping &buffers)
      : loc(op->getLoc()), source(source), index(index),
        destination(destination), buffers(buffers) {}

  SmallVector<Value> emitStart(OpBuilder &builder, ArrayRef<Value>) override {
    return {
        arith::ConstantOp::create(builder, loc, builder.getF32FloatAttr(0.0f))};
  }
  void emitStores(OpBuilder &builder, ArrayRef<Value> indices,
                  ValueRange values) override {
    memref::StoreOp::create(builder, loc, values[0],
                            flatten(builder, destination),
                            locate(builder, indices[0], indices[1]));
  }

protected:
  static int64_t count(Value buffer) {
    return cast<MemRefType>(buffer.getType()).getNumElements();
  }
  static int64_t countColumns(Value table) {
    return cast<MemRefType>(table.getType()).getShape().back();
  }
  Value flatten(OpBuilder &builder, Value buffer) {
    return flattenBuffer(builder, loc, buffers.lookup(buffer));
  }
  /// The row that the index at `position` names.
  Value loadRow(OpBuilder &builder, Value position) {
    Value row =
        memref::LoadOp::create(builder, loc, flatten(builder, index), position);
    return arith::IndexCastOp::create(builder, loc, builder.getIndexType(),
                                      row);
  }
  /// The offset of (row, column) in a table.
  Value locate(OpBuilder &builder, Value row, Value column) {
    return emitLinear(builder, loc, {0, {countColumns(source), 1}},
                      {row, column});
  }
  Value loadElement(OpBuilder &builder, Value row, Value column) {
    return memref::LoadOp::create(builder, loc, flatten(builder, source),
                                  locate(builder, row, column));
  }

  Location loc;
  Value source, index, destination;
  const IRMapping &buffers;
};

class GatherBody : public GatherScatterBody {
public:
  GatherBody(rt::GatherOp op, const IRMapping &buffers)
      : GatherScatterBody(op, op.getSource(), op.getIndex(),
                          op.getDestination(), buffers) {
    loops = {{count(index), false}, {countColumns(source), false}};
    accesses = {{source, std::nullopt, false},
                {index, LinearIndex{0, {1, 0}}, false},
                {destination, LinearIndex{0, {countColumns(source), 1}}, true}};
  }

  SmallVector<Value> emitStep(OpBuilder &builder, ArrayRef<Value> indices,
                              ValueRange) override {
    return {loadElement(builder, loadRow(builder, indices[0]), indices[1])};
  }
};

/// Every element looks for its terms, in the order of the positions: no
/// atomics, and the same bits as on a CPU.
class ScatterAddBody : public GatherScatterBody {
public:
  ScatterAddBody(rt::ScatterAddOp op, const IRMapping &buffers)
      : GatherScatterBody(op, op.getSource(), op.getIndex(),
                          op.getDestination(), buffers) {
    loops = {{count(destination) / countColumns(destination), false},
             {countColumns(destination), false},
             {count(index), true}};
    int64_t columns = countColumns(destination);
    accesses = {{source, LinearIndex{0, {0, 1, columns}}, false},
                {index, LinearIndex{0, {0, 0, 1}}, false},
                {destination, LinearIndex{0, {columns, 1, 0}}, true}};
  }

  SmallVector<Value> emitStep(OpBuilder &builder, ArrayRef<Value> indices,
                              ValueRange values) override {
    Value isMine =
        arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                              loadRow(builder, indices[2]), indices[0]);
    return emitWhere(builder, loc, isMine, values,
                     [&](OpBuilder &b) -> SmallVector<Value> {
                       Value term = loadElement(b, indices[2], indices[1]);
                       return {arith::AddFOp::create(b, loc, values[0], term)};
                     });
  }
};

} // namespace

PlannedBody boostc::buildGatherBody(rt::GatherOp op, const IRMapping &buffers) {
  return planInOrder(std::make_unique<GatherBody>(op, buffers));
}

PlannedBody boostc::buildScatterAddBody(rt::ScatterAddOp op,
                                        const IRMapping &buffers) {
  return planInOrder(std::make_unique<ScatterAddBody>(op, buffers));
}
