#include "dialects/rt/RtDialect.h"

using namespace mlir;
using namespace boostc;
using namespace boostc::rt;

static ShapedType shapeOf(Value value) {
  return cast<ShapedType>(value.getType());
}

MatmulShape MatmulOp::getMatmulShape() {
  ShapedType c = shapeOf(getC());
  return {c.getDimSize(0), c.getDimSize(1),
          shapeOf(getA()).getDimSize(getTransposeA() ? 0 : 1)};
}

/// Writes the strides with which op(matrix) is read: those of a transposed
/// matrix are exchanged.
static void describeStrides(int64_t (&strides)[2], Value matrix,
                            bool isTransposed) {
  auto [found, offset] =
      cast<MemRefType>(matrix.getType()).getStridesAndOffset();
  strides[isTransposed ? 1 : 0] = found[0];
  strides[isTransposed ? 0 : 1] = found[1];
}

void MatmulOp::describeCall(BoostLibraryCall &call) {
  MatmulShape shape = getMatmulShape();
  call.kind = BOOSTC_LIBRARY_MATMUL;
  call.matmul = {.m = shape.rows, .n = shape.columns, .k = shape.terms};
  describeStrides(call.matmul.a_strides, getA(), getTransposeA());
  describeStrides(call.matmul.b_strides, getB(), getTransposeB());
  call.matmul.has_bias = getBias() ? 1 : 0;
  describeContractionTypes(*this, call);
}

/// Rows of the result lie next to each other.
bool MatmulOp::takesSlice(OpOperand &operand) {
  if (operand.get() != getC())
    return operand.get() == getA() || operand.get() == getB();
  auto strides = cast<MemRefType>(getC().getType()).getStridesAndOffset().first;
  return strides[1] == 1 && strides[0] == getMatmulShape().columns;
}

/// oneDNN reads any strides; cuBLASLt matrices whose rows or columns have their
/// elements one after the other.
bool MatmulOp::isLegalOn(BoostTargetKind target) {
  if (target == BOOSTC_TARGET_CPU)
    return true;
  BoostLibraryCall call = {};
  describeCall(call);
  auto isReadable = [](const int64_t (&strides)[2], int64_t rows,
                       int64_t columns) {
    return (strides[1] == 1 && strides[0] >= columns) ||
           (strides[0] == 1 && strides[1] >= rows);
  };
  const BoostMatmul &m = call.matmul;
  return isReadable(m.a_strides, m.m, m.k) && isReadable(m.b_strides, m.k, m.n);
}

LogicalResult MatmulOp::verify() {
  ShapedType a = shapeOf(getA()), b = shapeOf(getB()), c = shapeOf(getC());
  if (a.getRank() != 2 || b.getRank() != 2 || c.getRank() != 2)
    return emitOpError("expected three matrices, found ")
           << a << ", " << b << ", " << c;
  if (!a.hasStaticShape() || !b.hasStaticShape() || !c.hasStaticShape())
    return emitOpError("expected static shapes, found ")
           << a << ", " << b << ", " << c;
  bool onTensors = isa<RankedTensorType>(c);
  for (Value operand : {getA(), getB(), getBias()})
    if (operand && isa<RankedTensorType>(operand.getType()) != onTensors)
      return emitOpError("expected operands all tensors or all memrefs");
  if (getResults().size() != (onTensors ? 1 : 0))
    return emitOpError(
               "expected one result on tensors and none on memrefs, found ")
           << getResults().size();
  if (onTensors && getResults().getTypes().front() != c)
    return emitOpError("expected the result to have the type of the output, ")
           << c << ", found " << getResults().getTypes().front();
  int64_t m = a.getDimSize(getTransposeA() ? 1 : 0);
  int64_t k = a.getDimSize(getTransposeA() ? 0 : 1);
  int64_t kOfB = b.getDimSize(getTransposeB() ? 1 : 0);
  int64_t n = b.getDimSize(getTransposeB() ? 0 : 1);
  if (k != kOfB || c.getDimSize(0) != m || c.getDimSize(1) != n)
    return emitOpError("shapes do not form a matmul: [")
           << m << ", " << k << "] times [" << kOfB << ", " << n << "] into "
           << c;
  if (getBias() && (shapeOf(getBias()).getRank() != 1 ||
                    shapeOf(getBias()).getDimSize(0) != n))
    return emitOpError("expected a bias of ")
           << n << " elements, found " << getBias().getType();
  return success();
}

void MatmulOp::getEffects(
    SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  addEffects(*this, {getScratch(), getPartials()}, effects);
}

int64_t MatmulOp::getFlops() {
  return 2 * getMatmulShape().countMultiplyAdds();
}

LogicalResult MatmulOp::evaluate(ReferenceContext &,
                                 ArrayRef<ReferenceValue> operands,
                                 SmallVectorImpl<ReferenceValue> &results) {
  const ReferenceValue &a = operands[0], &b = operands[1];
  auto [rows, columns, terms, count] = getMatmulShape();
  ReferenceValue c({rows, columns});
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < columns; ++j) {
      double sum = getBias() ? operands[2].data[j] : 0.0;
      for (int64_t k = 0; k < terms; ++k)
        sum += (getTransposeA() ? a.at(k, i) : a.at(i, k)) *
               (getTransposeB() ? b.at(j, k) : b.at(k, j));
      c.at(i, j) = sum;
    }
  results.push_back(std::move(c));
  return success();
}
