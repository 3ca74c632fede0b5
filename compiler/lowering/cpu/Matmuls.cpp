#include "compiler/lowering/cpu/Matmuls.h"
#include "compiler/lowering/cpu/IndexCode.h"
#include "compiler/lowering/cpu/TapSumPlan.h"
#include "compiler/lowering/kernels/Contraction.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace boostc;

namespace {

/// A contraction as matmuls:
///
///   result[.., i, v] = sum over t of broadcast[.., i, t] * vectors[.., t, v]
///
/// All loops but these three choose one of the matmuls.
struct Matmuls {
  Contraction contraction;
  bool hasVectorsInB = false;
  unsigned row = 0, column = 0, term = 0;
  SmallVector<unsigned> others;

  /// With `turns`, as if boostc-transpose-factors had turned the factors over
  /// that have no neighbours along `v`.
  static std::optional<Matmuls> get(linalg::GenericOp op, bool turns = false);

  const Contraction::Access &vectors() const {
    return hasVectorsInB ? contraction.b : contraction.a;
  }
  const Contraction::Access &broadcast() const {
    return hasVectorsInB ? contraction.a : contraction.b;
  }
  int64_t countMatmuls() const {
    int64_t count = 1;
    for (unsigned loop : others)
      count *= contraction.loops[loop].extent;
    return count;
  }
  /// Whether every element of the result's buffer is a sum.
  bool writesAll() const {
    int64_t sums = 1;
    for (const Contraction::Loop &loop : contraction.loops)
      sums *= loop.isReduction ? 1 : loop.extent;
    auto type = cast<MemRefType>(contraction.result.buffer.getType());
    return sums == type.getNumElements();
  }
  /// With factors of type `factor`, if there is one.
  TapSum getSum(Type factor = {}) const;

private:
  std::optional<unsigned> findTerm() const;
  bool chooseRowAndColumn(bool turns);
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
std::optional<unsigned> Matmuls::findTerm() const {
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

bool Matmuls::chooseRowAndColumn(bool turns) {
  for (bool isB : {true, false}) {
    hasVectorsInB = isB;
    auto i = findLongest(contraction, broadcast(), vectors());
    auto v = findLongest(contraction, vectors(), broadcast());
    if (!i || !v || contraction.result.offset[*v] != 1)
      continue;
    LinearIndex &offset = (isB ? contraction.b : contraction.a).offset;
    if (turns && offset[*v] != 1 && offset[term] == 1) {
      offset.coefficients[term] = contraction.loops[*v].extent;
      offset.coefficients[*v] = 1;
    }
    if (offset[*v] != 1)
      continue;
    row = *i;
    column = *v;
    return true;
  }
  return false;
}

std::optional<Matmuls> Matmuls::get(linalg::GenericOp op, bool turns) {
  std::optional<Contraction> contraction = getContraction(op);
  if (!contraction || !contraction->derived.empty())
    return std::nullopt;
  Matmuls matmuls;
  matmuls.contraction = std::move(*contraction);
  std::optional<unsigned> term = matmuls.findTerm();
  if (!term)
    return std::nullopt;
  matmuls.term = *term;
  if (!matmuls.chooseRowAndColumn(turns))
    return std::nullopt;
  for (auto [number, loop] : llvm::enumerate(matmuls.contraction.loops))
    if (loop.extent > 1 && number != matmuls.row && number != matmuls.column &&
        number != matmuls.term)
      matmuls.others.push_back(number);
  return matmuls;
}

/// An operand whose type tells what one matrix of it takes, with elements of
/// its own type or of `element`.
static TapOperand describe(const Contraction::Access &access, int64_t rows,
                           int64_t columns, Type element) {
  if (!element)
    element = getElementTypeOrSelf(access.buffer.getType());
  return {access.buffer, MemRefType::get({rows, columns}, element),
          access.offset.constant};
}

/// The sum of one matmul. Where the broadcast factor lies along its terms it
/// is that of a convolution, whose pixels are rows; where it lies along its
/// rows, that of a gradient of weights, whose pixels are terms.
TapSum Matmuls::getSum(Type factorType) const {
  int64_t rows = contraction.loops[row].extent;
  int64_t columns = contraction.loops[column].extent;
  int64_t terms = contraction.loops[term].extent;
  TapOperand source = describe(broadcast(), rows, terms, factorType);
  TapOperand factor = describe(vectors(), terms, columns, factorType);
  TapOperand result = describe(contraction.result, rows, columns, {});
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

/// Emits pieces of all matmuls, which have those of the plan each, one matmul
/// after the other.
class MatmulsEmitter : IndexCode {
public:
  MatmulsEmitter(OpBuilder &builder, Location loc, const Matmuls &matmuls,
                 const TapSumPlan &plan, const IRMapping &buffers)
      : IndexCode(builder, loc), matmuls(matmuls), plan(plan), buffers(buffers),
        indices(matmuls.contraction.loops.size()) {}

  void emit(Value begin, Value end) {
    if (matmuls.others.empty())
      return emitSum(begin, end);
    forEach(begin, end, [&](Value piece) {
      Value number = quotient(piece, plan.pieces);
      for (unsigned loop : llvm::reverse(matmuls.others)) {
        int64_t extent = matmuls.contraction.loops[loop].extent;
        indices[loop] = remainder(number, extent);
        number = quotient(number, extent);
      }
      Value first = remainder(piece, plan.pieces);
      emitSum(first, plus(first, 1));
    });
  }

private:
  void emitSum(Value begin, Value end) {
    TapSum sum = matmuls.getSum();
    locate(sum, &TapPart::source, matmuls.broadcast());
    locate(sum, &TapPart::weight, matmuls.vectors());
    locate(sum, &TapPart::result, matmuls.contraction.result);
    emitTapSum(builder, loc, sum, plan, begin, end);
  }

  /// Gives `operand` the kernel's buffer, from the matmul's first element on.
  void locate(TapSum &sum, TapOperand TapPart::*operand,
              const Contraction::Access &access) {
    LinearIndex index = access.offset;
    index.constant = 0; // the operand has it
    Value start;
    if (!matmuls.others.empty())
      start = emitLinear(builder, loc, index, indices);
    for (TapPart &part : sum.parts) {
      (part.*operand).buffer = buffers.lookup(access.buffer);
      (part.*operand).start = start;
    }
  }

  const Matmuls &matmuls;
  const TapSumPlan &plan;
  const IRMapping &buffers;
  SmallVector<Value> indices; ///< of the loops that choose a matmul
};

} // namespace

std::optional<OpKernel> boostc::planMatmuls(linalg::GenericOp op,
                                            VectorRegisters registers,
                                            int64_t threads) {
  std::optional<Matmuls> matmuls = Matmuls::get(op);
  if (!matmuls || !isWorthKernel(matmuls->contraction) || !matmuls->writesAll())
    return std::nullopt;
  int64_t count = matmuls->countMatmuls();
  std::vector<TapSumPlan> plans =
      planTapSum(matmuls->getSum(), registers, llvm::divideCeil(threads, count),
                 /*count=*/1);
  if (plans.empty())
    return std::nullopt;
  int64_t pieces = count * plans.front().pieces;
  return OpKernel{
      .pieces = pieces,
      .workPerPiece =
          countIterations(matmuls->contraction.countMultiplications() / pieces),
      .emit = [loc = op.getLoc(), matmuls = *matmuls, plan = plans.front()](
                  OpBuilder &builder, const IRMapping &buffers, Value begin,
                  Value end) {
        MatmulsEmitter(builder, loc, matmuls, plan, buffers).emit(begin, end);
      }};
}

bool boostc::multipliesBFloat16(linalg::GenericOp op,
                                VectorRegisters registers) {
  std::optional<Matmuls> matmuls = Matmuls::get(op, /*turns=*/true);
  if (!registers.multipliesBFloat16 || !matmuls ||
      !isWorthKernel(matmuls->contraction))
    return false;
  std::vector<TapSumPlan> plans =
      planTapSum(matmuls->getSum(BFloat16Type::get(op.getContext())), registers,
                 /*threads=*/1, /*count=*/1);
  return !plans.empty() && plans.front().keepsBFloat16();
}

linalg::GenericOp boostc::findOverwritingGeneric(linalg::FillOp fill) {
  Value buffer = fill.getOutputs().front();
  Operation *memory = buffer.getDefiningOp();
  if (!memory || isa<ViewLikeOpInterface>(memory) ||
      !matchPattern(fill.getInputs().front(), m_AnyZeroFloat()))
    return {};
  Operation *next = nullptr;
  for (Operation *user : buffer.getUsers()) {
    if (user->getBlock() != fill->getBlock())
      return {};
    if (fill->isBeforeInBlock(user))
      next = !next || user->isBeforeInBlock(next) ? user : next;
    else if (isa<ViewLikeOpInterface>(user))
      return {}; // which may be read after the fill
  }
  auto generic = dyn_cast_or_null<linalg::GenericOp>(next);
  return generic && generic.getNumDpsInits() == 1 &&
                 generic.getDpsInits().front() == buffer
             ? generic
             : linalg::GenericOp();
}
