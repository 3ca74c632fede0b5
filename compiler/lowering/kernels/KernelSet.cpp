#include "compiler/lowering/kernels/KernelSet.h"
#include "compiler/lowering/kernels/KernelOps.h"
#include "mlir/IR/OperationSupport.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace boostc;

/// Attributes of a kernel but its name.
static SmallVector<NamedAttribute> getAttributes(Operation *kernel) {
  return llvm::to_vector(
      llvm::make_filter_range(kernel->getAttrs(), [](NamedAttribute attribute) {
        return attribute.getName() != SymbolTable::getSymbolAttrName();
      }));
}

llvm::hash_code boostc::hashOf(Operation *op) {
  llvm::hash_code hash(0);
  op->walk([&](Operation *inner) {
    auto types = inner->getOperandTypes();
    hash = llvm::hash_combine(
        hash,
        OperationEquivalence::computeHash(
            inner, OperationEquivalence::ignoreHashValue,
            OperationEquivalence::ignoreHashValue,
            OperationEquivalence::IgnoreLocations),
        llvm::hash_combine_range(types.begin(), types.end()));
  });
  return hash;
}

/// A hash of what equal kernels have in common.
static llvm::hash_code hashOfKernel(Operation *kernel) {
  SmallVector<NamedAttribute> attributes = getAttributes(kernel);
  llvm::hash_code hash =
      llvm::hash_combine_range(attributes.begin(), attributes.end());
  for (Operation &op : kernel->getRegion(0).getOps())
    hash = llvm::hash_combine(hash, hashOf(&op));
  return hash;
}

static bool areEqual(Operation *a, Operation *b) {
  return a->getName() == b->getName() && getAttributes(a) == getAttributes(b) &&
         OperationEquivalence::isRegionEquivalentTo(
             &a->getRegion(0), &b->getRegion(0),
             OperationEquivalence::IgnoreLocations);
}

Operation *KernelSet::add(Operation *kernel) {
  SmallVector<Operation *> &alike = kernels[hashOfKernel(kernel)];
  auto *equal = llvm::find_if(
      alike, [&](Operation *known) { return areEqual(known, kernel); });
  if (equal != alike.end())
    return *equal;
  return alike.emplace_back(kernel);
}

KernelSources::Kernel &KernelSources::get(ArrayRef<Operation *> ops,
                                          ArrayRef<Value> buffers,
                                          ArrayRef<int64_t> arrangement) {
  // Those that the kernel lacks are arguments, too: a source is complete.
  llvm::SetVector<Value> all(buffers.begin(), buffers.end());
  for (Operation *op : ops)
    for (Value operand : op->getOperands())
      if (rt::BufferOp base = getBase(operand))
        all.insert(base);
  MLIRContext *context = ops.front()->getContext();
  SmallVector<Type> types(ValueRange(all.getArrayRef()).getTypes());
  OwningOpRef<func::FuncOp> source = func::FuncOp::create(
      ops.front()->getLoc(), "source", FunctionType::get(context, types, {}));
  OpBuilder builder = OpBuilder::atBlockBegin(source->addEntryBlock());
  source.get()->setAttr("arrangement",
                        builder.getDenseI64ArrayAttr(arrangement));
  IRMapping mapping;
  mapping.map(all.getArrayRef(), source->getArguments());
  for (Operation *op : ops) {
    cloneViews(builder, op, mapping);
    builder.clone(*op, mapping);
  }
  Operation *first = set.add(*source);
  if (first == *source)
    sources.push_back(std::move(source));
  return kernels[first];
}
