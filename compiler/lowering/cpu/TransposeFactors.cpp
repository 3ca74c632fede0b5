// Factors whose elements are neighbours along a contraction's vectors; see
// Passes.td.

#include "compiler/lowering/cpu/ContractionChoice.h"
#include "compiler/lowering/cpu/Passes.h"
#include "compiler/lowering/kernels/Strides.h"
#include "compiler/lowering/target/CpuTarget.h"
#include "compiler/lowering/target/CudaTarget.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace boostc {
#define GEN_PASS_DEF_TRANSPOSEFACTORSPASS
#include "compiler/lowering/cpu/Passes.h.inc"
} // namespace boostc

using namespace mlir;
using namespace boostc;

/// Times that an element of the factor has to be used for its copy to count
/// little, and elements that are worth a vector.
constexpr int64_t kMinUses = 8, kMinNeighbours = 8;

/// How often each element of `access` is a factor.
static int64_t countUses(const Contraction &c,
                         const Contraction::Access &access) {
  int64_t uses = 1;
  for (auto [number, loop] : llvm::enumerate(c.loops))
    if (access.offset[number] == 0)
      uses *= loop.extent;
  return uses;
}

/// The type of `operand` with its elements next to each other along `loop`,
/// and otherwise in the order that they have; none where they cannot be.
static MemRefType getTurned(linalg::GenericOp op, OpOperand &operand,
                            unsigned loop) {
  auto type = cast<MemRefType>(operand.get().getType());
  auto [strides, offset] = type.getStridesAndOffset();
  SmallVector<unsigned> order;
  std::optional<unsigned> innermost;
  AffineMap map = op.getMatchingIndexingMap(&operand);
  for (auto [dim, expr] : llvm::enumerate(map.getResults())) {
    auto position = dyn_cast<AffineDimExpr>(expr);
    if (!position)
      return {};
    if (position.getPosition() == loop)
      innermost = dim;
    else
      order.push_back(dim);
  }
  if (!innermost)
    return {};
  llvm::stable_sort(
      order, [&](unsigned a, unsigned b) { return strides[a] > strides[b]; });
  order.push_back(*innermost);
  return getOrdered(type, order);
}

namespace {

struct TransposeFactors
    : boostc::impl::TransposeFactorsPassBase<TransposeFactors> {
  void runOnOperation() override {
    train::ProgramOp program = getOperation();
    auto target = program->getAttrOfType<rt::CpuTargetAttr>(kCpuTargetAttrName);
    if (getCudaTarget(program) || !target)
      return;
    for (auto function : program.getOps<func::FuncOp>())
      for (auto op : function.getOps<linalg::GenericOp>())
        if (std::optional<ContractionPlan> plan = planContraction(op, target))
          transpose(op, *getContraction(op), *plan);
  }

  static void transpose(linalg::GenericOp op, const Contraction &c,
                        const ContractionPlan &plan) {
    // Vectors run along the result as it is.
    if (!c.loops[*plan.vectorLoop].isReduction)
      return;
    for (auto [number, loop] : llvm::enumerate(c.loops)) {
      if (c.result.offset[number] != 1 || loop.extent < kMinNeighbours)
        continue;
      bool isOfA = c.a.offset[number] != 0;
      const Contraction::Access &factor = isOfA ? c.a : c.b;
      const Contraction::Access &other = isOfA ? c.b : c.a;
      if (factor.offset[number] == 1 || other.offset[number] != 0 ||
          countUses(c, factor) < kMinUses)
        return;
      OpOperand &operand = op->getOpOperand(isOfA ? 0 : 1);
      MemRefType type = getTurned(op, operand, number);
      if (!type)
        return;
      OpBuilder builder(op);
      Value turned = memref::AllocOp::create(builder, op.getLoc(), type);
      memref::CopyOp::create(builder, op.getLoc(), operand.get(), turned);
      operand.set(turned);
      return;
    }
  }
};

} // namespace
