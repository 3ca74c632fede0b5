#include "compiler/lowering/cuda/ChosenBuffers.h"
#include "mlir/Conversion/LLVMCommon/MemRefBuilder.h"
#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace boostc;

static Value cast(OpBuilder &builder, Value value, Type type) {
  auto back = value.getDefiningOp<UnrealizedConversionCastOp>();
  if (back && back.getOperand(0).getType() == type)
    return back.getOperand(0);
  return UnrealizedConversionCastOp::create(builder, value.getLoc(), type,
                                            value)
      .getResult(0);
}

static void choosePointers(scf::IfOp choice) {
  MLIRContext *context = choice.getContext();
  OpBuilder builder(context);
  auto pointer = LLVM::LLVMPointerType::get(context);
  for (OpResult result : choice.getResults()) {
    auto buffer = dyn_cast<MemRefType>(result.getType());
    if (!buffer || buffer.getMemorySpace() || !buffer.getLayout().isIdentity())
      continue;
    for (Operation *yield : {choice.thenYield().getOperation(),
                             choice.elseYield().getOperation()}) {
      OpOperand &operand = yield->getOpOperand(result.getResultNumber());
      builder.setInsertionPoint(yield);
      operand.set(cast(builder, operand.get(), pointer));
    }
    builder.setInsertionPointAfter(choice);
    result.setType(pointer);
    Value whole = cast(builder, result, buffer);
    result.replaceAllUsesExcept(whole, whole.getDefiningOp());
  }
}

void boostc::choosePointers(Operation *module) {
  // Inner ones first: an outer one returns their pointers.
  module->walk([](scf::IfOp choice) { ::choosePointers(choice); });
}

namespace {

/// A buffer's pointer, or the buffer without gaps at a pointer.
struct LowerCast : ConvertOpToLLVMPattern<UnrealizedConversionCastOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult
  matchAndRewrite(UnrealizedConversionCastOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value input = adaptor.getInputs().front();
    auto buffer = dyn_cast<MemRefType>(op.getResult(0).getType());
    if (!buffer) {
      rewriter.replaceOp(op, MemRefDescriptor(input).alignedPtr(rewriter, loc));
      return success();
    }
    Type type = getTypeConverter()->convertType(buffer);
    auto descriptor = MemRefDescriptor::poison(rewriter, loc, type);
    descriptor.setAllocatedPtr(rewriter, loc, input);
    descriptor.setAlignedPtr(rewriter, loc, input);
    descriptor.setConstantOffset(rewriter, loc, 0);
    // The address of an element follows from strides, of which only that of the
    // outermost dimension could depend on a size that is not static.
    for (auto [dimension, stride] :
         llvm::enumerate(buffer.getStridesAndOffset().first))
      descriptor.setConstantStride(rewriter, loc, dimension, stride);
    rewriter.replaceOp(op, Value(descriptor));
    return success();
  }
};

} // namespace

/// Whether `op` is one of those that choosePointers() makes.
static bool isOfChoice(UnrealizedConversionCastOp op) {
  Type from = op.getOperand(0).getType(), to = op.getResult(0).getType();
  return (isa<MemRefType>(from) && isa<LLVM::LLVMPointerType>(to)) ||
         (isa<LLVM::LLVMPointerType>(from) && isa<MemRefType>(to));
}

void boostc::populateChosenBufferPatterns(const LLVMTypeConverter &converter,
                                          RewritePatternSet &patterns,
                                          ConversionTarget &target) {
  patterns.add<LowerCast>(converter);
  target.addDynamicallyLegalOp<UnrealizedConversionCastOp>(
      [](UnrealizedConversionCastOp op) { return !isOfChoice(op); });
}
