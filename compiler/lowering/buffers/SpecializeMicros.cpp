// Functions of variants without what their update does not read; see
// Passes.td.

#include "compiler/lowering/buffers/Passes.h"
#include "compiler/lowering/kernels/KernelOps.h"
#include "dialects/train/TrainDialect.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

namespace boostc {
#define GEN_PASS_DEF_SPECIALIZEMICROSPASS
#include "compiler/lowering/buffers/Passes.h.inc"
} // namespace boostc

using namespace mlir;
using namespace boostc;

namespace {

using Buffers = llvm::DenseSet<Value>;

/// What an op does to buffers; whether that is all it does.
struct Accesses {
  SmallVector<Value> read, written;
  bool areKnown = true;

  explicit Accesses(Operation *op) {
    auto interface = dyn_cast<MemoryEffectOpInterface>(op);
    if (!interface) {
      areKnown = isMemoryEffectFree(op);
      return;
    }
    SmallVector<MemoryEffects::EffectInstance> effects;
    interface.getEffects(effects);
    for (const MemoryEffects::EffectInstance &effect : effects) {
      if (!effect.getValue()) {
        areKnown = false;
        continue;
      }
      Value buffer = getViewedBuffer(effect.getValue());
      if (isa<MemoryEffects::Read>(effect.getEffect()))
        read.push_back(buffer);
      else if (isa<MemoryEffects::Write>(effect.getEffect()))
        written.push_back(buffer);
    }
  }
};

/// Erases the ops of `function` that write buffers which nothing after them
/// reads. `wanted` are those that are read after the function.
void eraseUnread(func::FuncOp function, Buffers wanted) {
  for (Operation &op :
       llvm::make_early_inc_range(llvm::reverse(function.front()))) {
    if (op.hasTrait<OpTrait::IsTerminator>())
      continue;
    if (isOpTriviallyDead(&op)) {
      op.erase();
      continue;
    }
    if (isa<ViewLikeOpInterface>(op))
      continue;
    Accesses accesses(&op);
    bool isNeeded =
        !accesses.areKnown || llvm::any_of(accesses.written, [&](Value buffer) {
          return wanted.contains(buffer);
        });
    if (!isNeeded && !accesses.written.empty()) {
      op.erase();
      continue;
    }
    wanted.insert(accesses.read.begin(), accesses.read.end());
  }
}

struct SpecializeMicros
    : boostc::impl::SpecializeMicrosPassBase<SpecializeMicros> {
  void runOnOperation() override {
    train::ProgramOp program = getOperation();
    for (const train::StepVariant &variant : program.getVariants())
      if (auto op = cast_or_null<train::VariantOp>(variant.op);
          op && variant.micro && isShared(variant))
        specialize(op, variant);
  }

private:
  /// Whether another step has the micro, but not the update.
  bool isShared(const train::StepVariant &variant) {
    return llvm::any_of(
        getOperation().getVariants(), [&](const train::StepVariant &other) {
          return other.micro == variant.micro && other.update != variant.update;
        });
  }

  static bool isGradient(rt::BindingAttr binding) {
    return binding && binding.getKind() == rt::BindingKind::Gradient;
  }

  void specialize(train::VariantOp op, const train::StepVariant &variant) {
    llvm::DenseSet<StringAttr> read; // gradients, by parameter
    for (train::StepPhase phase : variant.getPhases())
      for (BlockArgument argument : phase.ending.getArguments())
        if (rt::BindingAttr binding = rt::getArgumentBinding(argument);
            isGradient(binding))
          read.insert(StringAttr::get(&getContext(), binding.getName()));
    auto isUnread = [&](BlockArgument argument) {
      rt::BindingAttr binding = rt::getArgumentBinding(argument);
      return isGradient(binding) &&
             !read.contains(StringAttr::get(&getContext(), binding.getName()));
    };
    func::FuncOp micro = variant.micro;
    if (llvm::none_of(micro.getArguments(), isUnread))
      return;
    op.setMicroAttr(cloneWithout(micro, variant.name, isUnread));
    if (variant.combine)
      op.setCombineAttr(cloneWithout(variant.combine, variant.name, isUnread));
  }

  FlatSymbolRefAttr
  cloneWithout(func::FuncOp function, StringRef variant,
               llvm::function_ref<bool(BlockArgument)> isUnread) {
    OpBuilder builder(function);
    auto clone = cast<func::FuncOp>(builder.clone(*function.getOperation()));
    clone.setName((function.getName() + "_" + variant).str());
    Buffers wanted;
    for (BlockArgument argument : clone.getArguments())
      if (!isUnread(argument))
        wanted.insert(argument);
    eraseUnread(clone, std::move(wanted));
    return FlatSymbolRefAttr::get(clone);
  }
};

} // namespace
