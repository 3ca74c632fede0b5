#include "compiler/lowering/cpu/MatrixSums.h"
#include "compiler/lowering/cpu/IndexCode.h"
#include "compiler/lowering/cpu/TapSumPlan.h"
#include "compiler/lowering/kernels/Contraction.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace boostc;

namespace {

/// A contraction as products of matrices:
///
///   result[.., i, v] = sum over t of broadcast[.., i, t] * vectors[.., t, v]
///
/// All loops but these three choose one of the products.
struct Matrices {
  Contraction contraction;
  bool hasVectorsInB = false;
  unsigned row = 0, column = 0, term = 0;
  SmallVector<unsigned> others;

  static std::optional<Matrices> get(linalg::GenericOp op);

  const Contraction::Access &vectors() const {
    return hasVectorsInB ? contraction.b : contraction.a;
  }
  const Contraction::Access &broadcast() const {
    return hasVectorsInB ? contraction.a : contraction.b;
  }
  int64_t countProducts() const {
    int64_t products = 1;
    for (unsigned loop : others)
      products *= contraction.loops[loop].extent;
    return products;
  }
  TapSum getSum() const;

private:
  std::optional<unsigned> findTerm() const;
  bool chooseRowAndColumn();
};

} // namespace

/// The longest of the loops along which `moves` moves and `stays` does not.
static std::optional<unsigned> findLongest(const Contraction &c,
                                           const Contraction::Access &moves,
                                           const Contraction::Access &stays) {
  std::optional<unsigned> longest;
  for (auto [number, loop] : llvm::enumerate(c.loops))
    if (!loop.isReduction && loop.extent > 1 && moves.offset[number] != 0 &&
        stays.offset[number] == 0 &&
        (!longest || loop.extent > c.loops[*longest].extent))
      longest = number;
  return longest;
}

/// The one loop that is summed over.
std::optional<unsigned> Matrices::findTerm() const {
  std::optional<unsigned> found;
  for (auto [number, loop] : llvm::enumerate(contraction.loops)) {
    if (!loop.isReduction || loop.extent == 1)
      continue;
    if (found)
      return std::nullopt;
    found = number;
  }
  return found;
}

bool Matrices::chooseRowAndColumn() {
  for (bool isB : {true, false}) {
    hasVectorsInB = isB;
    auto i = findLongest(contraction, broadcast(), vectors());
    auto v = findLongest(contraction, vectors(), broadcast());
    if (!i || !v || contraction.result.offset[*v] != 1 ||
        vectors().offset[*v] != 1)
      continue;
    row = *i;
    column = *v;
    return true;
  }
  return false;
}

std::optional<Matrices> Matrices::get(linalg::GenericOp op) {
  std::optional<Contraction> contraction = getContraction(op);
  if (!contraction || !contraction->derived.empty())
    return std::nullopt;
  Matrices matrices;
  matrices.contraction = std::move(*contraction);
  std::optional<unsigned> term = matrices.findTerm();
  if (!term || !matrices.chooseRowAndColumn())
    return std::nullopt;
  matrices.term = *term;
  for (auto [number, loop] : llvm::enumerate(matrices.contraction.loops))
    if (loop.extent > 1 && number != matrices.row &&
        number != matrices.column && number != matrices.term)
      matrices.others.push_back(number);
  return matrices;
}

/// An operand whose type tells what one matrix of it takes.
static TapOperand describe(const Contraction::Access &access, int64_t rows,
                           int64_t columns) {
  Type element = cast<MemRefType>(access.buffer.getType()).getElementType();
  return {access.buffer, MemRefType::get({rows, columns}, element),
          access.offset.constant};
}

/// The sum of one product. Where the broadcast factor lies along its terms it
/// is that of a convolution, whose pixels are rows; where it lies along its
/// rows, that of a gradient of weights, whose pixels are terms.
TapSum Matrices::getSum() const {
  int64_t rows = contraction.loops[row].extent;
  int64_t columns = contraction.loops[column].extent;
  int64_t terms = contraction.loops[term].extent;
  TapOperand source = describe(broadcast(), rows, terms);
  TapOperand factor = describe(vectors(), terms, columns);
  TapOperand result = describe(contraction.result, rows, columns);
  factor.vector = result.vector = 1;
  TapSum sum;
  sum.isWeightGradient =
      broadcast().offset[row] == 1 && broadcast().offset[term] != 1;
  sum.width = columns;
  int64_t pixels = terms;
  if (sum.isWeightGradient) {
    sum.terms = rows;
    source.term = broadcast().offset[row];
    source.column = broadcast().offset[term];
    factor.column = vectors().offset[term];
    result.term = contraction.result.offset[row];
  } else {
    sum.terms = terms;
    pixels = rows;
    source.column = broadcast().offset[row];
    source.term = broadcast().offset[term];
    factor.term = vectors().offset[term];
    result.column = contraction.result.offset[row];
  }
  for (TapOperand *operand : {&source, &factor, &result})
    operand->row = pixels * operand->column;
  sum.parts.push_back(
      {TapAxis(), {pixels, 1, 1, 1, 0, pixels}, source, factor, result});
  flattenPixels(sum);
  return sum;
}

namespace {

/// Emits pieces of all products, which have those of the plan each, one product
/// after the other.
class MatrixSumsEmitter : IndexCode {
public:
  MatrixSumsEmitter(OpBuilder &builder, Location loc, const Matrices &matrices,
                    const TapSumPlan &plan, const IRMapping &buffers)
      : IndexCode(builder, loc), matrices(matrices), plan(plan),
        buffers(buffers), indices(matrices.contraction.loops.size()) {}

  void emit(Value begin, Value end) {
    if (matrices.others.empty())
      return emitSum(begin, end);
    forEach(begin, end, [&](Value piece) {
      Value product = quotient(piece, plan.pieces);
      for (unsigned number : llvm::reverse(matrices.others)) {
        int64_t extent = matrices.contraction.loops[number].extent;
        indices[number] = remainder(product, extent);
        product = quotient(product, extent);
      }
      Value first = remainder(piece, plan.pieces);
      emitSum(first, plus(first, 1));
    });
  }

private:
  void emitSum(Value begin, Value end) {
    TapSum sum = matrices.getSum();
    Value source = find(matrices.broadcast());
    Value factor = find(matrices.vectors());
    Value result = find(matrices.contraction.result);
    for (TapPart &part : sum.parts) {
      part.source.buffer = source;
      part.weight.buffer = factor;
      part.result.buffer = result;
    }
    emitTapSum(builder, loc, sum, plan, begin, end);
  }

  /// The buffer as a row of elements from the product's first one on.
  Value find(const Contraction::Access &access) {
    Value flat = flattenBuffer(builder, loc, buffers.lookup(access.buffer));
    if (matrices.others.empty())
      return flat;
    LinearIndex index = access.offset;
    index.constant = 0; // operands of the sum have it
    auto type = cast<MemRefType>(flat.getType());
    auto layout =
        StridedLayoutAttr::get(type.getContext(), ShapedType::kDynamic, {1});
    return memref::ReinterpretCastOp::create(
        builder, loc,
        MemRefType::get(type.getShape(), type.getElementType(), layout), flat,
        OpFoldResult(emitLinear(builder, loc, index, indices)),
        ArrayRef<OpFoldResult>{builder.getIndexAttr(type.getDimSize(0))},
        ArrayRef<OpFoldResult>{builder.getIndexAttr(1)});
  }

  const Matrices &matrices;
  const TapSumPlan &plan;
  const IRMapping &buffers;
  SmallVector<Value> indices; ///< of the loops that choose a product
};

} // namespace

std::optional<OpKernel> boostc::planMatrixSums(linalg::GenericOp op,
                                               VectorRegisters registers,
                                               int64_t threads) {
  constexpr int64_t kMinMultiplications = int64_t{1} << 18;
  std::optional<Matrices> matrices = Matrices::get(op);
  if (!matrices ||
      matrices->contraction.countMultiplications() < kMinMultiplications)
    return std::nullopt;
  int64_t products = matrices->countProducts();
  std::vector<TapSumPlan> plans =
      planTapSum(matrices->getSum(), registers,
                 llvm::divideCeil(threads, products), /*count=*/1);
  if (plans.empty())
    return std::nullopt;
  int64_t pieces = products * plans.front().pieces;
  return OpKernel{
      .pieces = pieces,
      .workPerPiece = matrices->contraction.countMultiplications() / pieces,
      .emit = [loc = op.getLoc(), matrices = *matrices, plan = plans.front()](
                  OpBuilder &builder, const IRMapping &buffers, Value begin,
                  Value end) {
        MatrixSumsEmitter(builder, loc, matrices, plan, buffers)
            .emit(begin, end);
      }};
}

linalg::GenericOp boostc::getProductOfZero(linalg::FillOp fill) {
  Value buffer = fill.getOutputs().front();
  // Other views of a buffer might be met in between.
  Operation *memory = buffer.getDefiningOp();
  if (!memory || isa<ViewLikeOpInterface>(memory) ||
      !matchPattern(fill.getInputs().front(), m_AnyZeroFloat()))
    return {};
  Operation *next = nullptr;
  for (Operation *user : buffer.getUsers()) {
    if (user->getBlock() != fill->getBlock() || isa<ViewLikeOpInterface>(user))
      return {};
    if (fill->isBeforeInBlock(user) && (!next || user->isBeforeInBlock(next)))
      next = user;
  }
  auto product = dyn_cast_or_null<linalg::GenericOp>(next);
  return product && product.getNumDpsInits() == 1 &&
                 product.getDpsInits().front() == buffer
             ? product
             : linalg::GenericOp();
}
