#include "compiler/lowering/kernels/LibraryCalls.h"

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
  call.post_op = BOOST_POST_NONE;
  return call;
}

Value boostc::getLibraryScratch(Operation *op) {
  auto matmul = dyn_cast<rt::MatmulOp>(op);
  return matmul ? matmul.getScratch() : Value();
}
