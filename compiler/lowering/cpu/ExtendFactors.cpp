// Contractions on CPUs have factors in f32; see Passes.td.

#include "compiler/lowering/cpu/ChannelsLast.h"
#include "compiler/lowering/cpu/ContractionChoice.h"
#include "compiler/lowering/cpu/Passes.h"
#include "compiler/lowering/cpu/StoredElements.h"
#include "compiler/lowering/target/CpuTarget.h"
#include "compiler/lowering/target/CudaTarget.h"
#include "dialects/interfaces/LinalgHelpers.h"
#include "dialects/interfaces/Precision.h"

namespace boostc {
#define GEN_PASS_DEF_EXTENDFACTORSPASS
#include "compiler/lowering/cpu/Passes.h.inc"
} // namespace boostc

using namespace mlir;
using namespace boostc;

/// What rounds `value` last in the op that computes it, in memory of its own;
/// null when another one does.
static arith::TruncFOp getRounding(Value value) {
  Value stored = getStoredElement(value);
  return stored ? stored.getDefiningOp<arith::TruncFOp>() : arith::TruncFOp();
}

/// Whether `value` is what a function is given, rounded.
static bool isRoundedArgument(Value value) {
  if (!getRounding(value))
    return false;
  auto op = value.getDefiningOp<linalg::GenericOp>();
  return op.getInputs().size() == 1 &&
         isa<BlockArgument>(op.getInputs().front()) &&
         llvm::hasNItems(op.getBody()->without_terminator(), 1);
}

/// Whether `use` reads elements to extend them, and does nothing else.
static bool isExtended(OpOperand &use) {
  auto op = dyn_cast<linalg::GenericOp>(use.getOwner());
  return op && op.isDpsInput(&use) &&
         llvm::all_of(op.getMatchingBlockArgument(&use).getUsers(),
                      llvm::IsaPred<arith::ExtFOp>);
}

/// `value` is stored in f32, once it is rounded.
static void storeExtended(Value value) {
  arith::TruncFOp rounding = getRounding(value);
  OpBuilder builder(rounding->getBlock()->getTerminator());
  storeElement(value, buildExtension(builder, value.getLoc(), rounding));
}

namespace {

/// Rewrites one function.
class FactorExtension {
public:
  /// `isKept` says which contractions stay as they are.
  FactorExtension(func::FuncOp function,
                  llvm::function_ref<bool(ContractionOpInterface)> isKept) {
    function.walk([&](ContractionOpInterface op) {
      if (isKept(op))
        return;
      numbers[op] = contractions.size();
      contractions.push_back(op);
    });
  }

  void run() {
    for (ContractionOpInterface op : contractions)
      // Kernels round what they write, the library cannot.
      if (isForLibrary(op) && (isLowPrecision(op.getA().getType()) ||
                               isLowPrecision(op.getB().getType())))
        roundResult(op);
    for (ContractionOpInterface op : contractions)
      for (OpOperand &operand : op->getOpOperands())
        if (isFactor(operand) && isLowPrecision(operand.get().getType()))
          extend(operand);
  }

private:
  bool isFactor(OpOperand &use) const {
    return numbers.contains(use.getOwner()) &&
           use.get() != cast<ContractionOpInterface>(use.getOwner()).getC();
  }

  /// Sums in f32, rounded by an op of their own.
  static void roundResult(ContractionOpInterface op) {
    Value sums = op.getC(), result = op->getResult(0);
    auto type = cast<RankedTensorType>(result.getType());
    if (!isLowPrecision(type))
      return;
    OpBuilder builder(op);
    Value wide = tensor::EmptyOp::create(builder, op.getLoc(), type.getShape(),
                                         builder.getF32Type());
    for (OpOperand &operand : op->getOpOperands())
      if (operand.get() == sums)
        operand.set(wide);
    if (auto empty = sums.getDefiningOp<tensor::EmptyOp>();
        empty && empty->use_empty())
      empty.erase();
    result.setType(cast<RankedTensorType>(wide.getType()));
    builder.setInsertionPointAfter(op);
    Value rounded =
        buildConversion(builder, op.getLoc(), result, type.getElementType());
    result.replaceAllUsesExcept(rounded, rounded.getDefiningOp());
  }

  void extend(OpOperand &operand) {
    Value factor = operand.get();
    size_t number = numbers.at(operand.getOwner());
    if (!copies.contains(factor) && endsWithCopy(factor, number)) {
      storeExtended(factor);
      return;
    }
    Copy &copy = copies[factor];
    if (!copy.value || (!isRoundedArgument(factor) && copy.last + 1 < number)) {
      OpBuilder builder(operand.getOwner());
      copy.value = buildConversion(builder, operand.getOwner()->getLoc(),
                                   factor, builder.getF32Type());
    }
    copy.last = number;
    operand.set(copy.value);
  }

  /// Whether `factor`, which contraction `number` is the first to read, need
  /// not be kept any longer than its copy, so that the copy will do.
  bool endsWithCopy(Value factor, size_t number) const {
    if (!getRounding(factor))
      return false;
    size_t last = number;
    for (OpOperand &use : factor.getUses())
      if (isFactor(use))
        last = std::max(last, numbers.at(use.getOwner()));
    if (last > number + 1)
      return false;
    return llvm::all_of(factor.getUses(), [&](OpOperand &use) {
      return isFactor(use) ||
             (isExtended(use) &&
              (last + 1 == contractions.size() ||
               use.getOwner()->isBeforeInBlock(contractions[last + 1])));
    });
  }

  struct Copy {
    Value value;
    size_t last = 0; ///< contraction that reads it
  };
  SmallVector<ContractionOpInterface> contractions;
  llvm::DenseMap<Operation *, size_t> numbers;
  llvm::DenseMap<Value, Copy> copies; ///< by what they are copies of
};

struct ExtendFactors : boostc::impl::ExtendFactorsPassBase<ExtendFactors> {
  using ExtendFactorsPassBase::ExtendFactorsPassBase;

  void runOnOperation() override {
    if (getCudaTarget(getOperation()))
      return;
    auto target =
        getOperation()->getAttrOfType<rt::CpuTargetAttr>(kCpuTargetAttrName);
    StringRef features = target ? target.getFeatures() : StringRef();
    VectorRegisters registers;
    if (target)
      registers = getVectorRegisters(target);
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      bool hasPairs = registers.multipliesBFloat16 &&
                      prefersChannelsLast(function, registers);
      auto isKept = [&](ContractionOpInterface op) {
        Type factor = getElementTypeOrSelf(op.getA().getType());
        if (hasPairs && multipliesBFloat16(op, registers))
          return true;
        return isForLibrary(op) && factor.isBF16() &&
               (registers.multipliesBFloat16 ||
                (keepsBFloat16 && hasLibraryType(factor, features)));
      };
      FactorExtension(function, isKept).run();
    }
  }
};

} // namespace
