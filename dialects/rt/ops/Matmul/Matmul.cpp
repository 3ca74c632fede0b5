#include "dialects/rt/RtDialect.h"

using namespace mlir;
using namespace boostc;
using namespace boostc::rt;

static ShapedType shapeOf(Value value) {
  return cast<ShapedType>(value.getType());
}

int64_t MatmulOp::getM() { return shapeOf(getC()).getDimSize(0); }
int64_t MatmulOp::getN() { return shapeOf(getC()).getDimSize(1); }
int64_t MatmulOp::getK() {
  return shapeOf(getA()).getDimSize(getTransposeA() ? 0 : 1);
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

int64_t MatmulOp::getFlops() { return 2 * getM() * getN() * getK(); }

LogicalResult MatmulOp::evaluate(ReferenceContext &,
                                 ArrayRef<ReferenceValue> operands,
                                 SmallVectorImpl<ReferenceValue> &results) {
  const ReferenceValue &a = operands[0], &b = operands[1];
  ReferenceValue c({getM(), getN()});
  for (int64_t i = 0; i < getM(); ++i)
    for (int64_t j = 0; j < getN(); ++j) {
      double sum = getBias() ? operands[2].data[j] : 0.0;
      for (int64_t k = 0; k < getK(); ++k)
        sum += (getTransposeA() ? a.at(k, i) : a.at(i, k)) *
               (getTransposeB() ? b.at(j, k) : b.at(k, j));
      c.at(i, j) = sum;
    }
  results.push_back(std::move(c));
  return success();
}
