// Computing values again instead of keeping them; see Passes.td.
//
// Bytes are counted on tensors, before bufferization decides what is computed
// in place. So the choice is a heuristic; whether it was enough is decided by
// who plans the memory.

#include "compiler/lowering/buffers/Recomputation.h"
#include "dialects/interfaces/Interfaces.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace boostc;

/// Scalar ops per element above which a value is worth keeping: a window of
/// pooling may have many elements.
constexpr int64_t kMaxOpsPerElement = 256;

/// An operand that is this much smaller than a value is kept longer for it: a
/// channel's mean for a normalised tensor.
constexpr int64_t kSmallOperand = 16;

/// The peak divided by this is too little to compute anything again for.
constexpr int64_t kNegligible = 1000;

/// Ops that are computed again, one after the other, for one value.
constexpr unsigned kMaxChain = 4;

ComputeCost &ComputeCost::operator+=(const ComputeCost &other) {
  auto add = [](int64_t &sum, int64_t term) {
    if (llvm::AddOverflow(sum, term, sum))
      sum = std::numeric_limits<int64_t>::max();
  };
  add(flops, other.flops);
  add(bytes, other.bytes);
  return *this;
}

double ComputeCost::weigh() const {
  return static_cast<double>(flops) + 16.0 * static_cast<double>(bytes);
}

uint64_t RecomputeTrace::findLowest() const {
  auto lowest = llvm::min_element(
      steps, [](const Step &a, const Step &b) { return a.peak < b.peak; });
  return lowest - steps.begin();
}

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

/// A nest of loops; none where 64 bits cannot count its operations.
static std::optional<ComputeCost> getLoopCost(linalg::GenericOp op) {
  ComputeCost cost;
  for (Operation &scalar : op.getBody()->without_terminator())
    cost.flops += !scalar.hasTrait<OpTrait::ConstantLike>();
  for (int64_t extent : op.getStaticLoopRanges())
    if (llvm::MulOverflow(cost.flops, extent, cost.flops))
      return std::nullopt;
  cost.bytes = countBytes(ValueRange(op.getDpsInputs()).getTypes()) +
               countBytes(op->getResultTypes());
  return cost;
}

/// The cost of an op that may be computed twice, none for any other: a nest of
/// loops whose results depend on its inputs only.
static std::optional<ComputeCost> getRepeatedCost(Operation *op) {
  auto generic = dyn_cast_or_null<linalg::GenericOp>(op);
  if (!generic)
    return std::nullopt;
  for (Value init : generic.getDpsInits())
    if (!isa_and_nonnull<tensor::EmptyOp, linalg::FillOp>(init.getDefiningOp()))
      return std::nullopt;
  std::optional<ComputeCost> cost = getLoopCost(generic);
  int64_t elements = countElements(op->getResultTypes());
  if (!cost || cost->flops / kMaxOpsPerElement > elements)
    return std::nullopt;
  return cost;
}

ComputeCost boostc::estimateCost(func::FuncOp function) {
  ComputeCost sum;
  for (Operation &op : function.front().without_terminator()) {
    if (auto cost = dyn_cast<CostOpInterface>(op))
      sum += {cost.getFlops(), cost.getBytesRead() + cost.getBytesWritten()};
    else if (auto generic = dyn_cast<linalg::GenericOp>(op))
      sum += getLoopCost(generic).value_or(ComputeCost());
  }
  return sum;
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
  SmallVector<Operation *> ops; ///< operands first, the value's own last
  SmallVector<Value> kept;      ///< operands that live longer for it
  int64_t previous = 0, next = 0;
  int64_t gain = 0; ///< bytes where the most are alive
  ComputeCost cost;

  /// Less work for a byte.
  bool isCheaperThan(const Choice &other) const {
    return cost.weigh() * static_cast<double>(other.gain) <
           other.cost.weigh() * static_cast<double>(gain);
  }
};

/// The lives of what the body of a function computes.
class Lives {
public:
  explicit Lives(func::FuncOp function) : function(function) { find(); }

  int64_t getPeak() const { return alive[fullest]; }

  /// The cheapest value whose memory would be free where the most bytes are
  /// alive, if nowhere else more than that become alive for it.
  std::optional<Choice> choose() const {
    std::optional<Choice> best;
    for (const auto &[value, life] : lives) {
      std::optional<Choice> choice = consider(value, life);
      if (choice && (!best || choice->isCheaperThan(*best)))
        best = std::move(choice);
    }
    return best;
  }

  /// What is at `choice.next` or after it reads a second copy of the value,
  /// with views of its own.
  void apply(const Choice &choice) {
    Operation *place = operations[choice.next];
    OpBuilder builder(place);
    IRMapping copies;
    for (Operation *op : choice.ops) {
      for (Value operand : op->getOperands())
        if (Operation *maker = getRoot(operand).getDefiningOp();
            maker && llvm::is_contained(choice.ops, maker))
          getCopy(builder, operand, copies);
      builder.clone(*op, copies);
    }
    for (Value result : choice.ops.back()->getResults())
      redirect(builder, result, place, copies);
    find();
  }

private:
  void find() {
    lives.clear();
    operations.clear();
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
    SmallVector<int64_t> change(operations.size() + 1);
    for (const auto &[value, life] : lives) {
      change[life.first] += life.bytes;
      change[life.getLast() + 1] -= life.bytes;
    }
    alive.clear();
    int64_t sum = 0;
    for (size_t i = 0; i < operations.size(); ++i)
      alive.push_back(sum += change[i]);
    fullest = llvm::max_element(alive) - alive.begin();
  }

  std::optional<Choice> consider(Value value, const Life &life) const {
    const auto *next = llvm::lower_bound(life.uses, fullest);
    if (life.bytes == 0 || next == life.uses.begin() ||
        next == life.uses.end() || *next == fullest)
      return std::nullopt; // not needed then, or needed then
    Choice choice;
    choice.previous = *std::prev(next);
    choice.next = *next;
    choice.gain = life.bytes;
    if (!addOp(value.getDefiningOp(), life.bytes, choice))
      return std::nullopt;
    for (Value operand : choice.kept)
      if (const Life &known = lives.find(operand)->second;
          known.getLast() < fullest)
        choice.gain -= known.bytes;
    if (choice.gain <= getPeak() / kNegligible || isTooMuch(choice, life.bytes))
      return std::nullopt;
    return choice;
  }

  /// Adds `op` to what is computed again, and before it what it reads that is
  /// not alive then. False where that cannot be.
  bool addOp(Operation *op, int64_t bytes, Choice &choice) const {
    if (llvm::is_contained(choice.ops, op))
      return true;
    std::optional<ComputeCost> cost = getRepeatedCost(op);
    if (!cost || choice.ops.size() == kMaxChain)
      return false;
    for (Value input : cast<linalg::GenericOp>(op).getDpsInputs()) {
      Value root = getRoot(input);
      auto known = lives.find(root);
      if (known == lives.end() || known->second.bytes == 0 ||
          known->second.getLast() >= choice.next)
        continue;
      if (known->second.bytes * kSmallOperand <= bytes) {
        if (!llvm::is_contained(choice.kept, root))
          choice.kept.push_back(root);
      } else if (!addOp(root.getDefiningOp(), bytes, choice)) {
        return false;
      }
    }
    choice.ops.push_back(op);
    choice.cost += *cost;
    return choice.ops.size() <= kMaxChain;
  }

  /// Whether as much as the peak would be alive somewhere else: operands that
  /// are kept longer, and what is computed on the way.
  bool isTooMuch(const Choice &choice, int64_t bytes) const {
    int64_t passing = 0;
    for (Operation *op : llvm::drop_end(choice.ops))
      passing += countBytes(op->getResultTypes());
    int64_t begin = choice.next;
    for (Value operand : choice.kept)
      begin = std::min(begin, lives.find(operand)->second.getLast() + 1);
    for (int64_t at = begin; at <= choice.next; ++at) {
      int64_t added = at == choice.next ? passing : 0;
      for (Value operand : choice.kept)
        if (const Life &known = lives.find(operand)->second;
            known.getLast() < at)
          added += known.bytes;
      bool isFree = choice.previous < at && at < choice.next;
      if (added > 0 && alive[at] + added - (isFree ? bytes : 0) >= getPeak())
        return true;
    }
    return false;
  }

  static void redirect(OpBuilder &builder, Value result, Operation *place,
                       IRMapping &copies) {
    SmallVector<Value> shown = {result};
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

  func::FuncOp function;
  llvm::MapVector<Value, Life> lives;
  SmallVector<Operation *> operations;
  SmallVector<int64_t> alive; ///< bytes at each position
  int64_t fullest = 0;        ///< where the most are
};

} // namespace

RecomputeTrace boostc::recompute(train::ProgramOp program, uint64_t most) {
  std::vector<Lives> functions;
  for (auto function : program.getOps<func::FuncOp>())
    functions.emplace_back(function);
  RecomputeTrace trace;
  trace.steps.emplace_back();
  if (functions.empty())
    return trace;
  // Functions share the arena, so the largest counts.
  auto getLargest = [&] {
    return llvm::max_element(functions, [](const Lives &a, const Lives &b) {
      return a.getPeak() < b.getPeak();
    });
  };
  trace.steps.front().peak = getLargest()->getPeak();
  while (trace.count() < most) {
    auto largest = getLargest();
    std::optional<Choice> choice = largest->choose();
    if (!choice)
      break;
    largest->apply(*choice);
    RecomputeTrace::Step step = trace.steps.back();
    step.cost += choice->cost;
    step.peak = getLargest()->getPeak();
    trace.steps.push_back(step);
  }
  return trace;
}
