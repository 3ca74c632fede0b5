// Kernels for GPUs from loops to LLVM's dialect, by upstream's conversions; see
// Passes.td. exp, log and their like become the polynomials that CPUs compute
// too: no library is needed, and its absence changes no bit.

#include "compiler/lowering/cuda/ChosenBuffers.h"
#include "compiler/lowering/cuda/Passes.h"
#include "compiler/lowering/kernels/ConvertInParallel.h"
#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/GPUToNVVM/GPUToNVVMPass.h"
#include "mlir/Conversion/LLVMCommon/ConversionTarget.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/MemRefToLLVM/MemRefToLLVM.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVM.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/MemRef/Transforms/Transforms.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Iterators.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/DialectConversion.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace boostc {
#define GEN_PASS_DEF_LOWERDEVICEKERNELSPASS
#include "compiler/lowering/cuda/Passes.h.inc"
} // namespace boostc

using namespace mlir;
using namespace boostc;

/// Whether no offset into a buffer of a kernel, and no number of a thread,
/// needs more than 31 bits.
static bool fitsInt32(gpu::GPUModuleOp module) {
  return llvm::all_of(module.getOps<gpu::GPUFuncOp>(), [](gpu::GPUFuncOp op) {
    return llvm::all_of(op.getArgumentTypes(), [](Type type) {
      auto buffer = dyn_cast<MemRefType>(type);
      return !buffer ||
             buffer.getNumElements() < std::numeric_limits<int32_t>::max() / 2;
    });
  });
}

/// Takes what descriptors were made of instead of asking them, which leaves
/// most of them dead.
static void foldDescriptors(Operation *module) {
  module->walk([](LLVM::ExtractValueOp op) {
    SmallVector<OpFoldResult> folded;
    if (failed(op->fold(folded)) || folded.empty())
      return;
    if (Value value = dyn_cast<Value>(folded.front())) {
      op.replaceAllUsesWith(value);
      op.erase();
    }
  });
  module->walk<WalkOrder::PostOrder, ReverseIterator>([](Operation *op) {
    if (isOpTriviallyDead(op))
      op->erase();
  });
}

namespace {

/// The patterns and targets of the conversions, made once for all kernels.
class KernelConversion {
public:
  KernelConversion(MLIRContext *context, const LowerToLLVMOptions &options)
      : converter(context, options), noLoops(*context), noMath(*context),
        target(*context) {
    RewritePatternSet mathPatterns(context);
    populateMathPolynomialApproximationPatterns(mathPatterns,
                                                [](StringRef) { return true; });
    memref::populateExpandStridedMetadataPatterns(mathPatterns);
    math = std::move(mathPatterns);

    RewritePatternSet loopPatterns(context);
    populateSCFToControlFlowConversionPatterns(loopPatterns);
    loops = std::move(loopPatterns);
    noLoops.addIllegalDialect<scf::SCFDialect>();
    noLoops.markUnknownOpDynamicallyLegal([](Operation *) { return true; });

    configureGpuToNVVMTypeConverter(converter);
    // Apart from the rest, whose patterns call a library of NVIDIA's instead.
    RewritePatternSet intrinsicPatterns(context);
    populateMathToLLVMConversionPatterns(converter, intrinsicPatterns);
    intrinsics = std::move(intrinsicPatterns);
    noMath.addIllegalDialect<math::MathDialect>();
    noMath.markUnknownOpDynamicallyLegal([](Operation *) { return true; });

    RewritePatternSet patterns(context);
    arith::populateArithToLLVMConversionPatterns(converter, patterns);
    cf::populateControlFlowToLLVMConversionPatterns(converter, patterns);
    populateFinalizeMemRefToLLVMConversionPatterns(converter, patterns);
    populateVectorToLLVMConversionPatterns(converter, patterns);
    populateGpuToNVVMConversionPatterns(converter, patterns);
    populateChosenBufferPatterns(converter, patterns, target);
    rest = std::move(patterns);
    target.addIllegalDialect<arith::ArithDialect, cf::ControlFlowDialect,
                             gpu::GPUDialect, memref::MemRefDialect,
                             vector::VectorDialect>();
    target.addLegalDialect<NVVM::NVVMDialect>();
    target.addLegalOp<gpu::GPUModuleOp>();
  }

  LogicalResult convert(Operation *module) const {
    if (failed(applyPatternsGreedily(module, math)))
      return failure();
    choosePointers(module);
    if (failed(applyPartialConversion(module, noLoops, loops)) ||
        failed(applyPartialConversion(module, noMath, intrinsics)) ||
        failed(applyPartialConversion(module, target, rest)))
      return failure();
    foldDescriptors(module);
    return success();
  }

private:
  LLVMTypeConverter converter;
  FrozenRewritePatternSet math, loops, intrinsics, rest;
  ConversionTarget noLoops, noMath;
  LLVMConversionTarget target;
};

struct LowerDeviceKernels
    : boostc::impl::LowerDeviceKernelsPassBase<LowerDeviceKernels> {
  void runOnOperation() override {
    gpu::GPUModuleOp module = getOperation();
    LowerToLLVMOptions options(&getContext());
    options.useBarePtrCallConv = true;
    // 32-bit arithmetic costs a GPU half as much, or less.
    if (fitsInt32(module))
      options.overrideIndexBitwidth(32);
    KernelConversion conversion(&getContext(), options);
    SmallVector<Operation *> kernels;
    for (auto kernel : module.getOps<gpu::GPUFuncOp>())
      kernels.push_back(kernel);
    if (failed(convertInParallel(module, kernels, [&](Operation *chunk) {
          return conversion.convert(chunk);
        })))
      return signalPassFailure();
    // Four blocks fit on a multiprocessor with 128 registers for each thread.
    // Asked for nothing, ptxas spills to have more of them.
    Builder builder(&getContext());
    for (auto function : module.getOps<LLVM::LLVMFuncOp>())
      if (function->hasAttr(NVVM::NVVMDialect::getKernelFuncAttrName()))
        function->setAttr(NVVM::NVVMDialect::getMinctasmAttrName(),
                          builder.getI32IntegerAttr(4));
  }
};

} // namespace
