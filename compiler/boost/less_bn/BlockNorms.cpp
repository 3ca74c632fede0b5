#include "compiler/boost/less_bn/BlockNorms.h"
#include "dialects/interfaces/Interfaces.h"
#include "dialects/interfaces/ScalarRule.h"

using namespace mlir;
using namespace boostc;

namespace {

bool isKind(Operation *op, LayerKind kind) {
  auto layer = dyn_cast_or_null<LayerKindOpInterface>(op);
  return layer && layer.getLayerKind() == kind;
}

bool isNorm(Operation *op) { return isKind(op, LayerKind::BatchNorm); }
bool isContraction(Operation *op) { return isKind(op, LayerKind::Contraction); }

bool isActivation(Operation *op) {
  return isa_and_nonnull<ScalarFunctionOpInterface>(op) &&
         op->getNumOperands() == 1;
}

ArrayRef<int64_t> getWeightShape(Operation *contraction) {
  return cast<RankedTensorType>(contraction->getOperand(1).getType())
      .getShape();
}

/// Each filter reads one channel, of several.
bool isDepthwise(Operation *op) {
  if (!isContraction(op))
    return false;
  return cast<LayerKindOpInterface>(op).getChannelGroups() > 1 &&
         getWeightShape(op)[1] == 1;
}

/// A 1x1 convolution of all channels with more of them in its result.
bool isWidening(Operation *op) {
  if (!isContraction(op) ||
      cast<LayerKindOpInterface>(op).getChannelGroups() != 1)
    return false;
  ArrayRef<int64_t> shape = getWeightShape(op);
  return shape[0] > shape[1] &&
         llvm::all_of(shape.drop_front(2), [](int64_t k) { return k == 1; });
}

/// What computes the value that flows into `op`.
Operation *getSource(Operation *op) {
  return op->getOperand(0).getDefiningOp();
}

/// The only op that reads the value that flows out of `op`; null: there are
/// several or none.
Operation *getOnlyUser(Operation *op) {
  Value value = op->getResult(0);
  return value.hasOneUse() ? *value.user_begin() : nullptr;
}

/// Layers with one input that lead to a value, the last one first.
using Chain = SmallVector<Operation *>;

Chain getChain(Value value) {
  Chain chain;
  auto isLink = [](Operation *op) {
    return isContraction(op) || isNorm(op) || isActivation(op) ||
           isKind(op, LayerKind::Pool);
  };
  for (Operation *op = value.getDefiningOp(); op && isLink(op);
       op = getSource(op))
    chain.push_back(op);
  return chain;
}

/// Cuts the chains that lead to `a` and to `b` where they part.
bool cutAtFork(Value a, Value b, Chain &chainA, Chain &chainB) {
  auto findValue = [](Value end, const Chain &chain, Value value) -> int64_t {
    if (end == value)
      return 0;
    for (auto [i, op] : llvm::enumerate(chain))
      if (op->getOperand(0) == value)
        return i + 1;
    return -1;
  };
  for (size_t i = 0; i <= chainA.size(); ++i) {
    Value value = i == 0 ? a : chainA[i - 1]->getOperand(0);
    int64_t j = findValue(b, chainB, value);
    if (j < 0)
      continue;
    chainA.truncate(i);
    chainB.truncate(j);
    return true;
  }
  return false;
}

class NormFinder {
public:
  explicit NormFinder(func::FuncOp forward) : forward(forward) {}

  llvm::SetVector<Operation *> find() {
    for (Operation &op : forward.front()) {
      if (isKind(&op, LayerKind::Add) && op.getNumOperands() == 2)
        visitResidual(op.getOperand(0), op.getOperand(1));
      else if (isKind(&op, LayerKind::Concat))
        visitFirstDenseLayer(op);
      else if (isNorm(&op))
        visitNorm(&op);
    }
    return std::move(found);
  }

private:
  static int64_t countContractions(const Chain &chain) {
    return llvm::count_if(chain, isContraction);
  }

  /// Adds the norms of `branch` from number `from` on that follow a contraction
  /// which is not depthwise.
  void removeFrom(const Chain &branch, size_t from) {
    for (size_t i = from; i + 1 < branch.size(); ++i)
      if (isNorm(branch[i]) && isContraction(branch[i + 1]) &&
          !isDepthwise(branch[i + 1]))
        found.insert(branch[i]);
  }

  void visitResidual(Value a, Value b) {
    Chain main = getChain(a), shortcut = getChain(b);
    if (!cutAtFork(a, b, main, shortcut))
      return;
    if (countContractions(main) < countContractions(shortcut))
      std::swap(main, shortcut);
    if (countContractions(main) < 2 ||
        countContractions(main) == countContractions(shortcut) ||
        !isNorm(main.front()))
      return;
    removeFrom(main, 1);
    removeFrom(shortcut, 0);
  }

  /// Norms of linear bottlenecks, and of dense layers after a concatenation.
  void visitNorm(Operation *norm) {
    Operation *activation = getOnlyUser(norm), *source = getSource(norm);
    if (!isActivation(activation))
      return;
    Operation *next = getOnlyUser(activation);
    if (isKind(source, LayerKind::Concat)) {
      Operation *after = isContraction(next) ? getOnlyUser(next) : nullptr;
      if (isNorm(after) || isKind(after, LayerKind::Pool))
        found.insert(norm);
      return;
    }
    bool isLinear = source && isWidening(source) && getSource(source) &&
                    (isNorm(getSource(source)) ||
                     isKind(getSource(source), LayerKind::Add));
    if (isLinear && (isDepthwise(next) || isKind(next, LayerKind::Pool)))
      found.insert(norm);
  }

  /// norm, activation, contraction, norm, activation, contraction from a value
  /// that is joined to the result.
  void visitFirstDenseLayer(Operation &concat) {
    Chain layer = getChain(concat.getOperands().back());
    constexpr size_t kLength = 6;
    if (layer.size() < kLength)
      return;
    for (size_t i = 0; i < kLength; i += 3)
      if (!isContraction(layer[i]) || !isActivation(layer[i + 1]) ||
          !isNorm(layer[i + 2]))
        return;
    Value read = layer[kLength - 1]->getOperand(0);
    bool isJoined = llvm::is_contained(concat.getOperands().drop_back(), read);
    if (isJoined && !isKind(read.getDefiningOp(), LayerKind::Concat))
      found.insert(layer[2]);
  }

  func::FuncOp forward;
  llvm::SetVector<Operation *> found;
};

} // namespace

SmallVector<Operation *> boost::getBatchNorms(func::FuncOp function) {
  SmallVector<Operation *> norms;
  for (Operation &op : function.front())
    if (isNorm(&op))
      norms.push_back(&op);
  return norms;
}

llvm::SetVector<Operation *> boost::findBlockNorms(func::FuncOp forward) {
  return NormFinder(forward).find();
}
