// Functions on tensors to procedures on buffers; see Passes.td.
//
//  1. Arguments become memrefs; each result finds or adds the memref argument
//     of its binding and is materialised there instead of being returned.
//  2. Empty and filled tensors get one copy per use: CSE has merged them, but
//     each is to become a buffer of its own. Sharing one would cost copies, and
//     a later step may give a shared one the memory of only one of its users.
//  3. Elementwise ops overwrite an operand that is not read again.
//  4. A result is not computed in the memory of an argument that is read later.
//  5. Long chains of sums get a buffer of their own (SumChains.h).
//  6. Empty tensors that end up in a destination are replaced by it, unless
//  they do so twice.
//  7. One-shot bufferization decides every copy; the rest is copied explicitly.
//  8. Ops that are executed as a whole, library calls and convolutions, take
//  whole buffers but where they say otherwise: a slice of one is copied for
//  them.

#include "compiler/lowering/buffers/Passes.h"
#include "compiler/lowering/buffers/SumChains.h"
#include "compiler/lowering/target/CudaTarget.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Bufferization/Transforms/OneShotAnalysis.h"
#include "mlir/Dialect/Bufferization/Transforms/Transforms.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

namespace boostc {
#define GEN_PASS_DEF_BUFFERIZEPASS
#include "compiler/lowering/buffers/Passes.h.inc"
} // namespace boostc

using namespace mlir;
using namespace boostc;
using bufferization::ToTensorOp;

static MemRefType getBufferType(Type type) {
  auto tensor = cast<RankedTensorType>(type);
  return MemRefType::get(tensor.getShape(), tensor.getElementType());
}

/// Step 1.
static LogicalResult bindResults(func::FuncOp function) {
  if (failed(rt::verifyBindings(function)))
    return failure();
  OpBuilder builder(function.getContext());
  Block &entry = function.front();
  auto returnOp = cast<func::ReturnOp>(entry.getTerminator());
  unsigned tensorArguments = entry.getNumArguments();
  auto bindingOf = [](DictionaryAttr attributes) {
    return attributes ? attributes.getAs<rt::BindingAttr>(rt::kBindingAttrName)
                      : rt::BindingAttr();
  };

  // The memory of each result: an argument of the same binding, or a new one.
  SmallVector<unsigned> destinations;
  SmallVector<Attribute> argumentAttrs;
  for (unsigned i = 0; i < tensorArguments; ++i)
    argumentAttrs.push_back(function.getArgAttrDict(i));
  for (unsigned i = 0; i < function.getNumResults(); ++i) {
    DictionaryAttr attributes = function.getResultAttrDict(i);
    rt::BindingAttr binding = bindingOf(attributes);
    unsigned index = 0;
    while (index < argumentAttrs.size() &&
           bindingOf(cast<DictionaryAttr>(argumentAttrs[index])) != binding)
      ++index;
    if (index == argumentAttrs.size()) {
      argumentAttrs.push_back(attributes);
      entry.addArgument(getBufferType(function.getResultTypes()[i]),
                        function.getLoc());
    } else if (llvm::is_contained(destinations, index)) {
      return function.emitOpError("binds two results to ") << binding;
    }
    destinations.push_back(index);
  }

  builder.setInsertionPointToStart(&entry);
  for (unsigned i = 0; i < tensorArguments; ++i) {
    BlockArgument argument = entry.getArgument(i);
    Type tensorType = argument.getType();
    argument.setType(getBufferType(tensorType));
    auto tensor = ToTensorOp::create(
        builder, function.getLoc(), tensorType, argument, /*restrict=*/true,
        /*writable=*/llvm::is_contained(destinations, i));
    argument.replaceAllUsesExcept(tensor.getResult(), tensor);
  }
  builder.setInsertionPoint(returnOp);
  for (auto [value, index] : llvm::zip(returnOp.getOperands(), destinations)) {
    auto store = bufferization::MaterializeInDestinationOp::create(
        builder, value.getLoc(), Type(), value, entry.getArgument(index));
    store.setRestrict(true);
    store.setWritable(true);
  }
  returnOp->setOperands({});
  function.setFunctionType(
      builder.getFunctionType(entry.getArgumentTypes(), {}));
  function.setResAttrsAttr(nullptr);
  function.setArgAttrsAttr(builder.getArrayAttr(argumentAttrs));
  return success();
}

/// Step 2.
static void separateInitialValues(func::FuncOp function) {
  auto giveEachUseItsOwn = [](Operation *op) {
    if (op->use_empty())
      return op->erase();
    // In the order of the text: the order of the list of uses is an accident of
    // how the IR came about, and code must not depend on it.
    SmallVector<OpOperand *> uses =
        llvm::to_vector(llvm::make_pointer_range(op->getResult(0).getUses()));
    llvm::sort(uses, [](OpOperand *a, OpOperand *b) {
      if (a->getOwner() != b->getOwner())
        return a->getOwner()->isBeforeInBlock(b->getOwner());
      return a->getOperandNumber() < b->getOperandNumber();
    });
    OpBuilder builder(op);
    for (OpOperand *use : llvm::drop_begin(uses))
      use->set(builder.clone(*op)->getResult(0));
  };
  // Fills first: their copies then share one empty tensor, which is split next.
  for (auto fill : llvm::to_vector(function.getOps<linalg::FillOp>()))
    giveEachUseItsOwn(fill);
  for (auto empty : llvm::to_vector(function.getOps<tensor::EmptyOp>()))
    giveEachUseItsOwn(empty);
}

/// Whether `op` is the last to use `value`, which no other name can reach.
static bool isLastUse(Value value, Operation *op) {
  auto maker = value.getDefiningOp<DestinationStyleOpInterface>();
  if (!maker || isa<tensor::TensorDialect>(maker->getDialect()))
    return false; // an argument, or a slice or a form of another value
  return llvm::all_of(value.getUses(), [&](OpOperand &use) {
    Operation *user = use.getOwner();
    return (user == op || user->isBeforeInBlock(op)) &&
           !isa<tensor::CollapseShapeOp, tensor::ExpandShapeOp>(user);
  });
}

/// Step 3: an elementwise op whose operand dies with it writes over it.
static void reuseDyingOperands(func::FuncOp function) {
  for (auto op : function.getOps<linalg::GenericOp>()) {
    if (op.getNumDpsInits() != 1 || op.getNumReductionLoops() != 0)
      continue;
    OpOperand *init = op.getDpsInitOperand(0);
    // A result that leaves the function is computed where it is to be.
    bool leaves = llvm::any_of(op.getResult(0).getUsers(), [](Operation *user) {
      return isa<bufferization::MaterializeInDestinationOp>(user);
    });
    if (leaves || !init->get().getDefiningOp<tensor::EmptyOp>() ||
        !op.getMatchingIndexingMap(init).isIdentity())
      continue;
    for (OpOperand *input : op.getDpsInputOperands())
      if (input->get().getType() == init->get().getType() &&
          op.getMatchingIndexingMap(input).isIdentity() &&
          isLastUse(input->get(), op)) {
        init->set(input->get());
        break;
      }
  }
}

/// What computes `value` and where: ops from the first that writes to it, and
/// the empty tensors that they write to.
struct Computation {
  SmallVector<Operation *> writers;
  SmallVector<tensor::EmptyOp> places;

  void add(Value value) {
    Operation *maker = value.getDefiningOp();
    if (auto empty = dyn_cast_or_null<tensor::EmptyOp>(maker))
      return places.push_back(empty);
    if (isa_and_nonnull<tensor::CollapseShapeOp, tensor::ExpandShapeOp,
                        tensor::CastOp>(maker))
      return add(maker->getOperand(0));
    auto writer = dyn_cast_or_null<DestinationStyleOpInterface>(maker);
    if (!writer)
      return;
    writers.push_back(maker);
    if (auto insert = dyn_cast<tensor::InsertSliceOp>(maker))
      add(insert.getSource());
    add(writer.getTiedOpOperand(cast<OpResult>(value))->get());
  }

  Operation *getFirst() const {
    return *llvm::min_element(writers, [](Operation *a, Operation *b) {
      return a->isBeforeInBlock(b);
    });
  }
};

/// Whether `op` reads an element of the operand only where it writes the same
/// one of its result.
static bool readsWhereItWrites(OpOperand &operand) {
  auto op = dyn_cast<linalg::GenericOp>(operand.getOwner());
  return op && op.getNumReductionLoops() == 0 && op.getNumDpsInits() == 1 &&
         op.getMatchingIndexingMap(&operand).isIdentity() &&
         op.getMatchingIndexingMap(op.getDpsInitOperand(0)).isIdentity();
}

/// Whether memory of `value` is read when `first` has begun to write there.
static bool isReadAfter(Value value, Operation *first) {
  return llvm::any_of(value.getUses(), [&](OpOperand &use) {
    Operation *user = use.getOwner();
    bool isView = isa<tensor::CollapseShapeOp, tensor::ExpandShapeOp,
                      tensor::ExtractSliceOp, tensor::CastOp>(user);
    if (isView && isReadAfter(user->getResult(0), first))
      return true;
    return user == first ? !readsWhereItWrites(use)
                         : !isView && first->isBeforeInBlock(user);
  });
}

/// Memory of its own, for `value` or with what `copied` has.
static Value reserve(OpBuilder builder, Value value, Value copied = {}) {
  return bufferization::AllocTensorOp::create(
      builder, value.getLoc(), cast<RankedTensorType>(value.getType()),
      ValueRange(), copied);
}

/// Step 4. That an argument and the destination of a result are one memory is
/// nothing that bufferization sees when it puts the destination in the place of
/// an empty tensor. Where it would be written too early, it is written last.
static void keepArgumentsThatAreRead(func::FuncOp function) {
  llvm::SmallDenseMap<Value, Value> arguments; // by memory
  for (auto tensor : function.getOps<ToTensorOp>())
    arguments[tensor.getBuffer()] = tensor.getResult();
  auto stores = llvm::to_vector(
      function.getOps<bufferization::MaterializeInDestinationOp>());
  for (auto store : stores) {
    Value argument = arguments.lookup(store.getDest());
    if (auto other = store.getSource().getDefiningOp<ToTensorOp>();
        other && other.getResult() != argument) {
      // What another result was before is stored before that one. Where this
      // destination is an argument, a third result may need that in turn.
      store->moveBefore(stores.front());
      OpBuilder builder(other->getContext());
      builder.setInsertionPointAfter(other);
      if (argument)
        store.getSourceMutable().assign(reserve(builder, other, other));
    }
    if (!argument)
      continue;
    Computation computation;
    computation.add(store.getSource());
    if (computation.places.empty() || computation.writers.empty() ||
        !isReadAfter(argument, computation.getFirst()))
      continue;
    for (tensor::EmptyOp empty : computation.places)
      empty->getResult(0).replaceAllUsesWith(reserve(OpBuilder(empty), empty));
  }
}

/// Step 6. What is inserted twice would be computed in its first destination,
/// found to conflict with the second insertion, and moved: by a copy of memory
/// without a value.
static void keepWhatIsInsertedTwice(func::FuncOp function) {
  llvm::DenseMap<Value, unsigned> insertions;
  for (auto insert : function.getOps<tensor::InsertSliceOp>()) {
    if (++insertions[insert.getSource()] != 2)
      continue;
    Value init = insert.getSource();
    while (auto writer = init.getDefiningOp<DestinationStyleOpInterface>())
      init = writer.getTiedOpOperand(cast<OpResult>(init))->get();
    if (auto empty = init.getDefiningOp<tensor::EmptyOp>())
      init.replaceAllUsesWith(reserve(OpBuilder(empty), init));
  }
}

/// Whether `value` is a slice of a buffer, through any views.
static bool isSlice(Value value) {
  while (auto view = value.getDefiningOp<ViewLikeOpInterface>()) {
    if (isa<memref::SubViewOp>(view))
      return true;
    value = view.getViewSource();
  }
  return false;
}

/// Step 8. Libraries of GPUs read no slices, and are worth copies.
static void copySlices(func::FuncOp function, bool isForCpu) {
  auto takes = [&](Operation &op, OpOperand &operand) {
    auto call = dyn_cast<LibraryOpInterface>(op);
    return isForCpu && call && call.takesSlice(operand);
  };
  for (Operation &op : llvm::make_early_inc_range(function.front())) {
    auto whole = dyn_cast<DestinationStyleOpInterface>(op);
    if (!whole || isa<linalg::LinalgOp>(op))
      continue;
    OpBuilder before(&op), after(function.getContext());
    after.setInsertionPointAfter(&op);
    for (OpOperand &operand : op.getOpOperands()) {
      Value part = operand.get();
      if (!isa<MemRefType>(part.getType()) || !isSlice(part) ||
          takes(op, operand))
        continue;
      auto type = cast<MemRefType>(part.getType());
      Value copy = memref::AllocOp::create(
          before, op.getLoc(),
          MemRefType::get(type.getShape(), type.getElementType()));
      bool isInit = whole.isDpsInit(&operand);
      if (isInit)
        memref::CopyOp::create(after, op.getLoc(), copy, part);
      if (!isInit || isa<CollectiveOpInterface>(op)) // reads it too
        memref::CopyOp::create(before, op.getLoc(), part, copy);
      operand.set(copy);
    }
  }
}

namespace {

struct Bufferize : boostc::impl::BufferizePassBase<Bufferize> {
  void runOnOperation() override {
    bufferization::OneShotBufferizationOptions options;
    options.allowReturnAllocsFromLoops = false;
    options.bufferAlignment = 64;
    options.memCpyFn = [](OpBuilder &builder, Location loc, Value from,
                          Value to) {
      memref::CopyOp::create(builder, loc, from, to);
      return success();
    };
    // Values are placed with the identity layout: everything here is
    // contiguous.
    options.unknownTypeConverterFn =
        [](TensorType type, Attribute space,
           const bufferization::BufferizationOptions &) {
          return cast<BaseMemRefType>(
              MemRefType::get(type.getShape(), type.getElementType(),
                              MemRefLayoutAttrInterface(), space));
        };
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      if (failed(bindResults(function)))
        return signalPassFailure();
      separateInitialValues(function);
      reuseDyingOperands(function);
      keepArgumentsThatAreRead(function);
      placeSumChains(function);
      keepWhatIsInsertedTwice(function);
      IRRewriter rewriter(&getContext());
      if (failed(bufferization::eliminateEmptyTensors(rewriter, function)))
        return signalPassFailure();
      bufferization::BufferizationState state;
      if (failed(bufferization::runOneShotBufferize(function, options, state)))
        return signalPassFailure();
      copySlices(function, !getCudaTarget(getOperation()));
    }
  }
};

} // namespace
