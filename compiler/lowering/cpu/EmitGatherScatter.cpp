#include "compiler/lowering/cpu/OpKernels.h"
#include "compiler/lowering/kernels/KernelLoops.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace boostc;

static MemRefType typeOf(Value buffer) {
  return cast<MemRefType>(buffer.getType());
}

/// `buffer` with its first `leading` dimensions as one.
static Value collapse(OpBuilder &builder, Location loc, Value buffer,
                      unsigned leading) {
  unsigned rank = typeOf(buffer).getRank();
  if (leading == 1)
    return buffer;
  SmallVector<ReassociationIndices> groups(1);
  for (unsigned dim = 0; dim < rank; ++dim) {
    if (dim >= leading)
      groups.emplace_back();
    groups.back().push_back(dim);
  }
  return memref::CollapseShapeOp::create(builder, loc, buffer, groups);
}

namespace {

/// The loops of one kernel.
class RowsEmitter {
public:
  RowsEmitter(OpBuilder &builder, Location loc) : builder(builder), loc(loc) {}

  Value constant(int64_t value) {
    return arith::ConstantIndexOp::create(builder, loc, value);
  }

  void forEach(Value begin, Value end, bool isInnermost,
               llvm::function_ref<void(Value)> body) {
    auto loop = scf::ForOp::create(builder, loc, begin, end, constant(1));
    if (!isInnermost)
      disableUnrolling(loop);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    body(loop.getInductionVar());
  }

  /// The row that position `place` names.
  Value loadRow(Value index, Value place) {
    Value row = memref::LoadOp::create(builder, loc, index, place);
    return arith::IndexCastOp::create(builder, loc, builder.getIndexType(),
                                      row);
  }

  Value load(Value buffer, Value row, Value column) {
    return memref::LoadOp::create(builder, loc, buffer,
                                  ValueRange{row, column});
  }
  void store(Value value, Value buffer, Value row, Value column) {
    memref::StoreOp::create(builder, loc, value, buffer,
                            ValueRange{row, column});
  }

private:
  OpBuilder &builder;
  Location loc;
};

} // namespace

static void emitGather(OpBuilder &builder, Location loc, Value source,
                       Value index, Value destination, Value begin, Value end) {
  RowsEmitter emit(builder, loc);
  unsigned places = typeOf(index).getRank();
  index = collapse(builder, loc, index, places);
  destination = collapse(builder, loc, destination, places);
  Value columns = emit.constant(typeOf(source).getDimSize(1));
  emit.forEach(begin, end, /*isInnermost=*/false, [&](Value place) {
    Value row = emit.loadRow(index, place);
    emit.forEach(emit.constant(0), columns, true, [&](Value column) {
      emit.store(emit.load(source, row, column), destination, place, column);
    });
  });
}

static void emitScatterAdd(OpBuilder &builder, Location loc, Value source,
                           Value index, Value destination, Value begin,
                           Value end) {
  RowsEmitter emit(builder, loc);
  unsigned places = typeOf(index).getRank();
  index = collapse(builder, loc, index, places);
  source = collapse(builder, loc, source, places);
  Value zero = emit.constant(0);
  Value nothing =
      arith::ConstantOp::create(builder, loc, builder.getF32FloatAttr(0.0f));
  emit.forEach(zero, emit.constant(typeOf(destination).getDimSize(0)), false,
               [&](Value row) {
                 emit.forEach(begin, end, true, [&](Value column) {
                   emit.store(nothing, destination, row, column);
                 });
               });
  emit.forEach(zero, emit.constant(typeOf(index).getDimSize(0)), false,
               [&](Value place) {
                 Value row = emit.loadRow(index, place);
                 emit.forEach(begin, end, true, [&](Value column) {
                   Value sum = arith::AddFOp::create(
                       builder, loc, emit.load(destination, row, column),
                       emit.load(source, place, column));
                   emit.store(sum, destination, row, column);
                 });
               });
}

/// `emit` on the kernel's buffers.
template <typename Op> static auto onBuffers(Op op, decltype(emitGather) emit) {
  return [op, emit](OpBuilder &builder, const IRMapping &buffers, Value begin,
                    Value end) mutable {
    emit(builder, op.getLoc(), buffers.lookup(op.getSource()),
         buffers.lookup(op.getIndex()), buffers.lookup(op.getDestination()),
         begin, end);
  };
}

/// Threads share the positions.
OpKernel boostc::planGather(rt::GatherOp op) {
  return {.pieces = typeOf(op.getIndex()).getNumElements(),
          .workPerPiece = typeOf(op.getSource()).getDimSize(1),
          .emit = onBuffers(op, emitGather)};
}

/// Threads share the columns.
OpKernel boostc::planScatterAdd(rt::ScatterAddOp op) {
  MemRefType table = typeOf(op.getDestination());
  return {.pieces = table.getDimSize(1),
          .workPerPiece =
              table.getDimSize(0) + typeOf(op.getIndex()).getNumElements(),
          .minGrain = BOOSTC_ALIGNMENT / 4,
          .emit = onBuffers(op, emitScatterAdd)};
}
