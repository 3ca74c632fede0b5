// Lowers every op through its own interface. The pass is a driver: it names no
// op.

#include "compiler/lowering/linalg/Passes.h"
#include "dialects/interfaces/LinalgHelpers.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace boostc {
#define GEN_PASS_DEF_LOWERTOLINALGPASS
#include "compiler/lowering/linalg/Passes.h.inc"
} // namespace boostc

using namespace mlir;
using namespace boostc;

namespace {

struct LowerToLinalg : boostc::impl::LowerToLinalgPassBase<LowerToLinalg> {
  using LowerToLinalgPassBase::LowerToLinalgPassBase;

  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (failed(lowerFunction(function)))
        return signalPassFailure();
  }

  LogicalResult lowerFunction(func::FuncOp function) {
    // Users first: one may take over what computes its operands, which then has
    // no use left.
    for (Operation &op : llvm::make_early_inc_range(
             llvm::reverse(function.front().getOperations()))) {
      if (isOpTriviallyDead(&op)) {
        op.erase();
      } else if (isa<LibraryCallOpInterface, LowerToLinalgOpInterface>(op)) {
        if (failed(lowerOp(&op)))
          return failure();
      } else if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
        lowerSplat(constant);
      }
    }
    return success();
  }

  LogicalResult lowerOp(Operation *op) {
    OpBuilder builder(op);
    FailureOr<SmallVector<Value>> values = failure();
    auto library = dyn_cast<LibraryCallOpInterface>(op);
    auto generated = dyn_cast<LowerToLinalgOpInterface>(op);
    // An op without a lowering of its own is a library call in any case.
    if (library && (useLibrary || !generated))
      values = library.buildLibraryCall(builder);
    if (failed(values) && generated)
      values = lowerWidened(generated, builder);
    // It has said why.
    if (failed(values))
      return failure();
    op->replaceAllUsesWith(*values);
    op->erase();
    return success();
  }

  /// Arithmetic is in f32: operands of a low type are extended, and results are
  /// rounded. What only moves elements does so whatever their type is.
  FailureOr<SmallVector<Value>> lowerWidened(LowerToLinalgOpInterface op,
                                             OpBuilder &builder) {
    auto isLow = [](Type type) { return isLowPrecision(type); };
    auto precision = dyn_cast<PrecisionOpInterface>(*op);
    if ((llvm::none_of(op->getOperandTypes(), isLow) &&
         llvm::none_of(op->getResultTypes(), isLow)) ||
        (precision && precision.getPrecision().kind == PrecisionKind::Move))
      return op.lowerToLinalg(builder);
    IRMapping operands;
    for (Value operand : op->getOperands())
      if (isLowPrecision(operand.getType()) && !operands.contains(operand))
        operands.map(operand, buildConversion(builder, op.getLoc(), operand,
                                              builder.getF32Type()));
    Operation *wide = builder.clone(*op, operands);
    for (OpResult result : wide->getResults())
      result.setType(widen(result.getType()));
    OpBuilder before(wide);
    FailureOr<SmallVector<Value>> values =
        cast<LowerToLinalgOpInterface>(wide).lowerToLinalg(before);
    wide->erase();
    if (failed(values))
      return failure();
    for (auto [value, type] : llvm::zip_equal(*values, op->getResultTypes()))
      value = buildConversion(builder, op.getLoc(), value,
                              getElementTypeOrSelf(type));
    return values;
  }

  /// A tensor constant would become a global buffer; a splat is a fill instead.
  void lowerSplat(arith::ConstantOp constant) {
    auto splat = dyn_cast<SplatElementsAttr>(constant.getValue());
    if (!splat)
      return;
    OpBuilder builder(constant);
    auto type = cast<RankedTensorType>(constant.getType());
    Value scalar = arith::ConstantOp::create(builder, constant.getLoc(),
                                             splat.getSplatValue<TypedAttr>());
    Value empty = tensor::EmptyOp::create(
        builder, constant.getLoc(), type.getShape(), type.getElementType());
    Value filled =
        linalg::FillOp::create(builder, constant.getLoc(), scalar, empty)
            .getResult(0);
    constant.replaceAllUsesWith(filled);
    constant.erase();
  }
};

} // namespace
