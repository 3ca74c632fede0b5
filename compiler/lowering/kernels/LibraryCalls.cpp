#include "compiler/lowering/kernels/LibraryCalls.h"
#include "compiler/lowering/kernels/KernelOps.h"

using namespace mlir;
using namespace boostc;

BoostMatmul boostc::describeMatmul(rt::MatmulOp op) {
  auto setStrides = [](int64_t *strides, Value matrix, bool isTransposed) {
    auto [found, offset] =
        cast<MemRefType>(matrix.getType()).getStridesAndOffset();
    strides[isTransposed ? 1 : 0] = found[0];
    strides[isTransposed ? 0 : 1] = found[1];
  };
  BoostMatmul call = {};
  call.m = op.getM();
  call.n = op.getN();
  call.k = op.getK();
  // A transposed operand is the stored matrix read with its strides exchanged.
  setStrides(call.a_strides, op.getA(), op.getTransposeA());
  setStrides(call.b_strides, op.getB(), op.getTransposeB());
  call.has_bias = op.getBias() ? 1 : 0;
  return call;
}

BoostConvolution boostc::describeConvolution(rt::ConvolutionOp op) {
  auto setTensor = [](int64_t *extents, int64_t *strides, Value tensor) {
    auto type = cast<MemRefType>(tensor.getType());
    llvm::copy(type.getShape(), extents);
    llvm::copy(type.getStridesAndOffset().first, strides);
  };
  BoostConvolution call = {};
  setTensor(call.input, call.input_strides, op.getInput());
  setTensor(call.weight, call.weight_strides, op.getWeight());
  setTensor(call.output, call.output_strides, op.getOutput());
  llvm::copy(op.getStrides(), call.strides);
  llvm::copy(op.getPadding(), call.padding);
  llvm::copy(op.getDilations(), call.dilations);
  call.has_bias = op.getBias() ? 1 : 0;
  return call;
}

static uint32_t kindOf(rt::ConvolutionKind kind) {
  switch (kind) {
  case rt::ConvolutionKind::Forward:
    return BOOSTC_LIBRARY_CONVOLUTION;
  case rt::ConvolutionKind::BackwardData:
    return BOOSTC_LIBRARY_CONVOLUTION_BACKWARD_DATA;
  case rt::ConvolutionKind::BackwardWeight:
    return BOOSTC_LIBRARY_CONVOLUTION_BACKWARD_WEIGHT;
  }
  llvm_unreachable("all kinds are listed");
}

static uint32_t floatTypeOf(Value operand) {
  Type element = getElementTypeOrSelf(operand.getType());
  return element.isF32()   ? BOOSTC_FLOAT_F32
         : element.isF16() ? BOOSTC_FLOAT_F16
                           : BOOSTC_FLOAT_BF16;
}

BoostLibraryCall boostc::describeLibraryCall(ContractionOpInterface op) {
  BoostLibraryCall call = {};
  call.precision = static_cast<uint32_t>(op.getPrecision());
  call.factor_type = floatTypeOf(op.getA());
  call.result_type = floatTypeOf(op.getC());
  if (auto matmul = dyn_cast<rt::MatmulOp>(*op)) {
    call.kind = BOOSTC_LIBRARY_MATMUL;
    call.matmul = describeMatmul(matmul);
  } else {
    auto convolution = cast<rt::ConvolutionOp>(*op);
    call.kind = kindOf(convolution.getKind());
    call.convolution = describeConvolution(convolution);
  }
  for (auto [i, operand] : llvm::enumerate(getLibraryOperands(op)))
    if (operand)
      (i < std::size(call.operand_bytes) ? call.operand_bytes[i]
                                         : call.scratch_bytes) =
          countBytes(getViewedBuffer(operand).getType());
  return call;
}

SmallVector<Value> boostc::getLibraryOperands(Operation *op) {
  auto call = dyn_cast<ContractionOpInterface>(op);
  if (!call)
    return {};
  return {call.getA(), call.getB(), call.getBias(), call.getC(),
          call.getScratch()};
}

Value boostc::getLibraryScratch(Operation *op) {
  auto call = dyn_cast<ContractionOpInterface>(op);
  return call ? call.getScratch() : Value();
}
