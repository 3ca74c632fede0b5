// Kernels from loops on memrefs to LLVM functions on bare pointers, by
// upstream's conversions. exp, log and their like become polynomials first:
// those vectorise, and their bits do not depend on the C library of the
// machine.

#include "compiler/lowering/kernels/ConvertInParallel.h"
#include "compiler/lowering/llvm/LowerToLLVM.h"
#include "compiler/lowering/target/CpuTarget.h"
#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVM.h"
#include "mlir/Conversion/LLVMCommon/ConversionTarget.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/MemRefToLLVM/MemRefToLLVM.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVM.h"
#include "mlir/Dialect/AMX/Transforms.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/MemRef/Transforms/Transforms.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/X86Vector/Transforms.h"
#include "mlir/Transforms/DialectConversion.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;
using namespace boostc;

/// `<name>.entry(operands, begin, end)`: unpacks the operands and calls the
/// kernel.
static void buildEntry(LLVM::LLVMFuncOp kernel) {
  OpBuilder builder(kernel.getContext());
  builder.setInsertionPointAfter(kernel);
  Location loc = kernel.getLoc();
  auto pointer = LLVM::LLVMPointerType::get(builder.getContext());
  Type i64 = builder.getI64Type();
  auto type = LLVM::LLVMFunctionType::get(
      LLVM::LLVMVoidType::get(builder.getContext()), {pointer, i64, i64});
  auto entry = LLVM::LLVMFuncOp::create(builder, loc,
                                        (kernel.getName() + kEntrySuffix).str(),
                                        type, LLVM::Linkage::Internal);
  entry.setTargetCpu(kernel.getTargetCpu());
  Block *block = entry.addEntryBlock(builder);
  builder.setInsertionPointToStart(block);
  SmallVector<Value> operands = {block->getArgument(1), block->getArgument(2)};
  for (unsigned i = 0; i + 2 < kernel.getNumArguments(); ++i) {
    Value slot = LLVM::GEPOp::create(builder, loc, pointer, pointer,
                                     block->getArgument(0), LLVM::GEPArg(i));
    operands.push_back(LLVM::LoadOp::create(builder, loc, pointer, slot));
  }
  LLVM::CallOp::create(builder, loc, kernel, operands);
  LLVM::ReturnOp::create(builder, loc, ValueRange{});
}

/// What loops are annotated with reaches their back edges as an attribute of
/// any name; LLVM reads its own.
static void adoptLoopAnnotations(LLVM::LLVMFuncOp kernel) {
  constexpr llvm::StringLiteral kName = "llvm.loop_annotation";
  kernel.walk([&](LLVM::BrOp edge) {
    if (auto annotation =
            edge->getAttrOfType<LLVM::LoopAnnotationAttr>(kName)) {
      edge->removeDiscardableAttr(kName);
      edge.setLoopAnnotationAttr(annotation);
    }
  });
}

/// bf16, or a vector of it, as integers of the same bits; null for other types.
static Type getBitsOfBf16(Type type) {
  if (!getElementTypeOrSelf(type).isBF16())
    return {};
  Type bits = IntegerType::get(type.getContext(), 16);
  if (auto vector = dyn_cast<VectorType>(type))
    return vector.clone(bits);
  return bits;
}

/// Reads and writes bf16 as integers. Where a CPU has no registers of bf16,
/// LLVM carries them as f32, and calls a function to round each back.
static void moveBf16AsBits(LLVM::LLVMFuncOp kernel) {
  OpBuilder builder(kernel.getContext());
  auto convert = [&](OpOperand &operand, Type type) {
    builder.setInsertionPoint(operand.getOwner());
    operand.set(LLVM::BitcastOp::create(builder, operand.getOwner()->getLoc(),
                                        type, operand.get()));
  };
  kernel.walk([&](Operation *op) {
    if (!isa<LLVM::LoadOp, LLVM::StoreOp, LLVM::MaskedLoadOp,
             LLVM::MaskedStoreOp>(op))
      return;
    for (OpOperand &operand : op->getOpOperands())
      if (Type bits = getBitsOfBf16(operand.get().getType()))
        convert(operand, bits);
    for (OpResult result : op->getResults()) {
      Type type = result.getType(), bits = getBitsOfBf16(type);
      if (!bits)
        continue;
      result.setType(bits);
      builder.setInsertionPointAfter(op);
      auto value = LLVM::BitcastOp::create(builder, op->getLoc(), type, result);
      result.replaceAllUsesExcept(value, value);
    }
  });
}

LogicalResult boostc::convertKernels(ArrayRef<func::FuncOp> kernels,
                                     rt::CpuTargetAttr cpu) {
  if (kernels.empty())
    return success();
  func::FuncOp first = kernels.front();
  MLIRContext *context = first.getContext();
  ModuleOp module = first->getParentOfType<ModuleOp>();
  SmallVector<std::string> names;
  for (func::FuncOp kernel : kernels)
    names.push_back(kernel.getName().str());

  RewritePatternSet mathPatterns(context);
  auto everyOp = [](StringRef) { return true; };
  populateMathPolynomialApproximationPatterns(mathPatterns, everyOp);
  memref::populateExpandStridedMetadataPatterns(mathPatterns);
  // Without AVX512-BF16, LLVM would call a function for each number.
  if (!cpu.getFeatures().contains(kBFloat16Feature))
    arith::populateExpandBFloat16Patterns(mathPatterns);
  FrozenRewritePatternSet frozenMath(std::move(mathPatterns));

  LowerToLLVMOptions options(context);
  options.useBarePtrCallConv = true;
  LLVMTypeConverter converter(context, options);
  RewritePatternSet loopPatterns(context), patterns(context);
  populateSCFToControlFlowConversionPatterns(loopPatterns);
  ConversionTarget noLoops(*context);
  noLoops.addIllegalDialect<scf::SCFDialect>();
  noLoops.markUnknownOpDynamicallyLegal([](Operation *) { return true; });
  arith::populateArithToLLVMConversionPatterns(converter, patterns);
  cf::populateControlFlowToLLVMConversionPatterns(converter, patterns);
  populateMathToLLVMConversionPatterns(converter, patterns);
  populateFinalizeMemRefToLLVMConversionPatterns(converter, patterns);
  populateFuncToLLVMConversionPatterns(converter, patterns);
  populateVectorToLLVMConversionPatterns(converter, patterns);
  populateX86VectorLegalizeForLLVMExportPatterns(converter, patterns);
  populateAMXLegalizeForLLVMExportPatterns(converter, patterns);
  LLVMConversionTarget target(*context);
  configureX86VectorLegalizeForExportTarget(target);
  configureAMXLegalizeForExportTarget(target);
  FrozenRewritePatternSet frozenLoops(std::move(loopPatterns));
  FrozenRewritePatternSet frozen(std::move(patterns));

  SmallVector<Operation *> operations(kernels.begin(), kernels.end());
  if (failed(convertInParallel(module, operations, [&](Operation *chunk) {
        SmallVector<Operation *> functions;
        for (Operation &function : chunk->getRegion(0).front()) {
          if (failed(applyPatternsGreedily(&function, frozenMath)))
            return failure();
          functions.push_back(&function);
        }
        return success(
            succeeded(
                applyPartialConversion(functions, noLoops, frozenLoops)) &&
            succeeded(applyFullConversion(functions, target, frozen)));
      })))
    return failure();
  SmallVector<std::string> extensions;
  for (StringRef extension : kExtensions)
    if (cpu.getFeatures().contains(extension))
      extensions.push_back(("+" + extension).str());
  for (const std::string &name : names) {
    auto kernel = module.lookupSymbol<LLVM::LLVMFuncOp>(name);
    kernel.setLinkage(LLVM::Linkage::Internal);
    kernel.setTargetCpu(cpu.getCpu());
    if (!extensions.empty())
      kernel.setTargetFeaturesAttr(
          LLVM::TargetFeaturesAttr::get(context, llvm::join(extensions, ",")));
    // Inlined into its entry, it would be optimised twice, and what it knows
    // of its arguments becomes metadata of every access.
    kernel.setNoInline(true);
    adoptLoopAnnotations(kernel);
    moveBf16AsBits(kernel);
    buildEntry(kernel);
  }
  return success();
}
