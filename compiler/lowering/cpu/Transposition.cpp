#include "compiler/lowering/cpu/Transposition.h"
#include "compiler/lowering/cpu/IndexCode.h"
#include "compiler/lowering/cpu/VectorAccess.h"
#include "compiler/lowering/kernels/KernelOps.h"
#include "compiler/lowering/kernels/LinearIndex.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace boostc;

/// Shorter rows or columns leave most of a square empty.
constexpr int64_t kMinExtent = 4;

namespace {

struct Transposition {
  LinearIndex source, target;
  SmallVector<int64_t> extents;  ///< of the loops
  SmallVector<unsigned> outside; ///< loops around the squares
  unsigned row, column; ///< loops whose elements are neighbours in the source
                        ///< and in the target
  int64_t lanes;

  int64_t countSquares(unsigned loop) const {
    return llvm::divideCeil(extents[loop], lanes);
  }
  /// One is a column of squares.
  int64_t countPieces() const {
    int64_t count = countSquares(column);
    for (unsigned loop : outside)
      count *= extents[loop];
    return count;
  }
};

class TranspositionEmitter : IndexCode {
public:
  TranspositionEmitter(OpBuilder &builder, Location loc,
                       const Transposition &copy, Value source, Value target)
      : IndexCode(builder, loc), copy(copy),
        source(flattenBuffer(builder, loc, source)),
        target(flattenBuffer(builder, loc, target)),
        type(VectorType::get(
            {copy.lanes},
            cast<MemRefType>(source.getType()).getElementType())) {}

  void emit(Value begin, Value end) {
    int64_t squares = copy.countSquares(copy.column);
    int64_t rest = copy.extents[copy.column] % copy.lanes;
    forEach(begin, end, [&](Value piece) {
      SmallVector<Value> loops(copy.extents.size());
      Value square = remainder(piece, squares);
      piece = quotient(piece, squares);
      for (unsigned loop : llvm::reverse(copy.outside)) {
        loops[loop] = remainder(piece, copy.extents[loop]);
        piece = quotient(piece, copy.extents[loop]);
      }
      loops[copy.column] = times(square, copy.lanes);
      if (rest == 0)
        return emitSquares(loops, copy.lanes);
      auto isLast = [&](arith::CmpIPredicate predicate) {
        return arith::CmpIOp::create(builder, loc, predicate, square,
                                     constant(squares - 1));
      };
      emitIf(isLast(arith::CmpIPredicate::ne),
             [&] { emitSquares(loops, copy.lanes); });
      emitIf(isLast(arith::CmpIPredicate::eq),
             [&] { emitSquares(loops, rest); });
    });
  }

private:
  /// The squares of `columns` columns from those of `loops` on.
  void emitSquares(SmallVector<Value> loops, int64_t columns) {
    int64_t rows = copy.extents[copy.row], rest = rows % copy.lanes;
    forEach(constant(0), constant(rows - rest), copy.lanes, [&](Value row) {
      loops[copy.row] = row;
      emitSquare(loops, copy.lanes, columns);
    });
    if (rest == 0)
      return;
    loops[copy.row] = constant(rows - rest);
    emitSquare(loops, rest, columns);
  }

  void emitSquare(ArrayRef<Value> loops, int64_t rows, int64_t columns) {
    Value from = emitLinear(builder, loc, copy.source, loops);
    Value to = emitLinear(builder, loc, copy.target, loops);
    Value ofRows = getFirstLanes(builder, loc, copy.lanes, rows);
    Value ofColumns = getFirstLanes(builder, loc, copy.lanes, columns);
    SmallVector<Value> vectors;
    Value zero =
        arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type));
    for (int64_t column = 0; column < copy.lanes; ++column)
      vectors.push_back(
          column < columns
              ? loadVector(builder, loc, type, source,
                           plus(from, column * copy.source[copy.column]),
                           ofRows)
              : zero);
    transposeVectors(builder, loc, vectors);
    for (int64_t row = 0; row < rows; ++row)
      storeVector(builder, loc, vectors[row], target,
                  plus(to, row * copy.target[copy.row]), ofColumns);
  }

  const Transposition &copy;
  Value source, target;
  VectorType type;
};

} // namespace

/// Makes one loop of two where elements follow each other in both buffers: rows
/// of pixels are one row of them. The other has one iteration then.
static void foldLoops(Transposition &copy) {
  auto isContinued = [&](unsigned outer, unsigned inner) {
    int64_t extent = copy.extents[inner];
    return copy.source.isContinued(outer, inner, extent) &&
           copy.target.isContinued(outer, inner, extent);
  };
  auto loops = llvm::seq<unsigned>(0, copy.extents.size());
  for (unsigned inner : llvm::reverse(loops))
    for (unsigned outer : llvm::reverse(loops))
      if (outer != inner && copy.extents[outer] > 1 &&
          copy.extents[inner] > 1 && isContinued(outer, inner)) {
        copy.extents[inner] *= copy.extents[outer];
        copy.extents[outer] = 1;
      }
}

static std::optional<Transposition> describe(linalg::GenericOp op,
                                             int64_t maxLanes) {
  if (op->getNumOperands() != 2 || op.getNumDpsInputs() != 1 ||
      op.getNumReductionLoops() != 0 ||
      op.getBody()->getTerminator()->getOperand(0) !=
          op.getBody()->getArgument(0))
    return std::nullopt;
  auto type = dyn_cast<MemRefType>(op.getDpsInputs()[0].getType());
  if (!type || !type.getElementType().isIntOrFloat() ||
      (type.getElementTypeBitWidth() != 32 &&
       type.getElementTypeBitWidth() != 16))
    return std::nullopt;
  if (getViewedBuffer(op.getDpsInputs()[0]) ==
      getViewedBuffer(op.getDpsInits()[0]))
    return std::nullopt;
  std::optional<LinearIndex> source = getOffset(op, *op.getDpsInputOperand(0)),
                             target = getOffset(op, *op.getDpsInitOperand(0));
  if (!source || !target)
    return std::nullopt;
  Transposition copy{std::move(*source),
                     std::move(*target),
                     op.getStaticLoopRanges(),
                     {},
                     0,
                     0,
                     0};
  foldLoops(copy);
  auto find = [&](const LinearIndex &index) {
    auto loops = llvm::seq<unsigned>(0, copy.extents.size());
    auto found = llvm::find_if(loops, [&](unsigned loop) {
      return index[loop] == 1 && copy.extents[loop] > 1;
    });
    return found == loops.end() ? std::nullopt : std::optional(*found);
  };
  std::optional<unsigned> row = find(copy.source), column = find(copy.target);
  if (!row || !column || *row == *column || copy.target[*row] == 0 ||
      copy.source[*column] == 0)
    return std::nullopt;
  copy.row = *row;
  copy.column = *column;
  int64_t shorter = std::min(copy.extents[*row], copy.extents[*column]);
  copy.lanes = chooseLanes(shorter, maxLanes);
  if (shorter < kMinExtent || copy.lanes < kMinExtent)
    return std::nullopt;
  for (unsigned loop : llvm::seq<unsigned>(0, copy.extents.size()))
    if (loop != copy.row && loop != copy.column && copy.extents[loop] > 1)
      copy.outside.push_back(loop);
  return copy;
}

std::optional<OpKernel> boostc::planTransposition(linalg::GenericOp op,
                                                  int64_t maxLanes) {
  std::optional<Transposition> copy = describe(op, maxLanes);
  if (!copy)
    return std::nullopt;
  return makeCopyKernel<TranspositionEmitter>(
      op, op.getDpsInputs()[0], op.getDpsInits()[0], *copy, copy->countPieces(),
      copy->lanes * copy->extents[copy->row]);
}
