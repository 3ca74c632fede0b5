// Computing values again instead of keeping them; see Passes.td.
//
// Bytes are counted on tensors, before bufferization decides what is computed
// in place. So the choice is a heuristic; whether it was enough is decided by
// who plans the memory.

#include "compiler/lowering/buffers/Passes.h"
#include "dialects/interfaces/Interfaces.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/MapVector.h"

namespace boostc {
#define GEN_PASS_DEF_RECOMPUTEPASS
#include "compiler/lowering/buffers/Passes.h.inc"
} // namespace boostc

using namespace mlir;
using namespace boostc;

/// Scalar ops per element above which a value is worth keeping.
constexpr int64_t kMaxOpsPerElement = 64;

static bool isView(Operation *op) {
  return isa<tensor::CollapseShapeOp, tensor::ExpandShapeOp>(op);
}

/// The value whose memory `value` shows.
static Value getRoot(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (!isView(op))
      break;
    value = op->getOperand(0);
  }
  return value;
}

/// Scalar ops of an op that may be computed twice, none for any other: a nest
/// of loops with one result that depends on its inputs only.
static std::optional<int64_t> getScalarOps(Operation *op) {
  auto generic = dyn_cast<linalg::GenericOp>(op);
  if (!generic || generic.getNumDpsInits() != 1)
    return std::nullopt;
  Operation *init = generic.getDpsInits()[0].getDefiningOp();
  if (!isa_and_nonnull<tensor::EmptyOp, linalg::FillOp>(init))
    return std::nullopt;
  int64_t ops = 0;
  for (Operation &scalar : generic.getBody()->without_terminator())
    ops += !scalar.hasTrait<OpTrait::ConstantLike>();
  for (int64_t extent : generic.getStaticLoopRanges())
    if (llvm::MulOverflow(ops, extent, ops))
      return std::nullopt;
  return ops;
}

namespace {

/// From where on a value is needed, and where.
struct Life {
  int64_t bytes = 0;
  SmallVector<int64_t> uses; ///< after `first`, ascending
  int64_t first = 0;

  int64_t getLast() const { return uses.empty() ? first : uses.back(); }
};

/// A value that is computed again before position `next`, so that its memory is
/// free from its use before until then.
struct Choice {
  linalg::GenericOp op;
  int64_t next = 0;
  int64_t bytes = 0, scalarOps = 0;

  /// Fewer operations for a byte.
  bool isCheaperThan(const Choice &other) const {
    return static_cast<double>(scalarOps) * static_cast<double>(other.bytes) <
           static_cast<double>(other.scalarOps) * static_cast<double>(bytes);
  }
};

/// The lives of what the body of a function computes.
class Lives {
public:
  explicit Lives(func::FuncOp function) {
    int64_t at = 0;
    for (Operation &op : function.front()) {
      for (Value operand : op.getOperands())
        if (auto life = lives.find(getRoot(operand));
            life != lives.end() && !isView(&op) &&
            (life->second.uses.empty() || life->second.uses.back() != at))
          life->second.uses.push_back(at);
      for (Value result : op.getResults())
        if (isa<RankedTensorType>(result.getType()) && !isView(&op) &&
            !isa<tensor::EmptyOp, linalg::FillOp>(op))
          lives.insert({result, Life{countBytes(result.getType()), {}, at}});
      operations.push_back(&op);
      ++at;
    }
    // What leaves the function has memory of its own.
    for (Value result : function.front().getTerminator()->getOperands())
      if (auto life = lives.find(getRoot(result)); life != lives.end())
        life->second.bytes = 0;
  }

  /// The cheapest value whose memory would be free at the fullest position.
  std::optional<Choice> choose() const {
    int64_t fullest = findFullest();
    std::optional<Choice> best;
    for (const auto &[value, life] : lives) {
      std::optional<Choice> choice = consider(value, life, fullest);
      if (choice && (!best || choice->isCheaperThan(*best)))
        best = choice;
    }
    return best;
  }

  Operation *getOperation(int64_t position) const {
    return operations[position];
  }

private:
  int64_t findFullest() const {
    SmallVector<int64_t> change(operations.size() + 1);
    for (const auto &[value, life] : lives) {
      change[life.first] += life.bytes;
      change[life.getLast() + 1] -= life.bytes;
    }
    int64_t alive = 0, most = -1, fullest = 0;
    for (auto [at, difference] : llvm::enumerate(change)) {
      alive += difference;
      if (alive > most) {
        most = alive;
        fullest = static_cast<int64_t>(at);
      }
    }
    return fullest;
  }

  std::optional<Choice> consider(Value value, const Life &life,
                                 int64_t fullest) const {
    auto next = llvm::lower_bound(life.uses, fullest);
    if (life.bytes == 0 || next == life.uses.begin() ||
        next == life.uses.end() || *next == fullest)
      return std::nullopt; // not needed then, or needed then
    std::optional<int64_t> scalarOps = getScalarOps(value.getDefiningOp());
    auto type = cast<RankedTensorType>(value.getType());
    if (!scalarOps || *scalarOps > kMaxOpsPerElement * type.getNumElements())
      return std::nullopt;
    // Keeping an operand longer for it would gain nothing.
    auto op = cast<linalg::GenericOp>(value.getDefiningOp());
    for (Value input : op.getDpsInputs())
      if (auto known = lives.find(getRoot(input));
          known != lives.end() && known->second.getLast() < *next)
        return std::nullopt;
    return Choice{op, *next, life.bytes, *scalarOps};
  }

  llvm::MapVector<Value, Life> lives;
  SmallVector<Operation *> operations;
};

struct Recompute : boostc::impl::RecomputePassBase<Recompute> {
  using RecomputePassBase::RecomputePassBase;

  void runOnOperation() override {
    uint64_t recomputed = 0;
    for (auto function : getOperation().getOps<func::FuncOp>())
      while (recomputed < most) {
        Lives lives(function);
        std::optional<Choice> choice = lives.choose();
        if (!choice)
          break;
        repeat(choice->op, lives.getOperation(choice->next));
        ++recomputed;
      }
    if (recomputed > 0)
      getOperation()->setAttr(
          kRecomputedAttrName,
          OpBuilder(&getContext()).getI64IntegerAttr(recomputed));
  }

  /// What is at `place` or after it reads a second copy of `op`, with
  /// views of its own.
  static void repeat(linalg::GenericOp op, Operation *place) {
    OpBuilder builder(place);
    IRMapping copies;
    builder.clone(*op, copies);
    SmallVector<Value> shown = {op->getResult(0)};
    while (!shown.empty()) {
      Value value = shown.pop_back_val();
      for (OpOperand &use : llvm::make_early_inc_range(value.getUses())) {
        Operation *user = use.getOwner();
        if (user != place && user->isBeforeInBlock(place)) {
          if (isView(user))
            shown.push_back(user->getResult(0));
          continue;
        }
        use.set(getCopy(builder, value, copies));
      }
    }
  }

  static Value getCopy(OpBuilder &builder, Value value, IRMapping &copies) {
    if (!copies.contains(value)) {
      Operation *view = value.getDefiningOp();
      getCopy(builder, view->getOperand(0), copies);
      builder.clone(*view, copies);
    }
    return copies.lookup(value);
  }
};

} // namespace
