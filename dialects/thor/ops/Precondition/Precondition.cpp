#include "dialects/interfaces/Approximate.h"
#include "dialects/thor/ops/Precondition/BlockExtents.h"

using namespace mlir;
using namespace boostc;
using namespace boostc::thor;

LogicalResult PreconditionOp::verify() {
  RankedTensorType type = getType();
  if (type.getRank() < 2)
    return emitOpError("expected the gradient of a matrix or of more "
                       "dimensions, found ")
           << type;
  int64_t groups = getGroups();
  if (groups < 1 || type.getDimSize(0) % groups != 0)
    return emitOpError("expected groups that divide ")
           << type.getDimSize(0) << " outputs, found " << groups;
  if (failed(verifyPositive(*this, {{"positions", getPositions()}})))
    return failure();
  auto verifyBlocks = [&](StringRef name, RankedTensorType blocks,
                          int64_t extent) -> LogicalResult {
    int64_t size = blocks.getDimSize(1);
    if (blocks.getDimSize(2) == size && size <= extent &&
        blocks.getDimSize(0) == groups * ((extent + size - 1) / size))
      return success();
    return emitOpError("expected square blocks of ")
           << name << " that cover " << extent << " in each of " << groups
           << " groups, found " << blocks;
  };
  BlockExtents extents(*this);
  if (failed(verifyBlocks("a", getA().getType(), extents.inputs)))
    return failure();
  return verifyBlocks("g", getG().getType(), extents.outputs);
}

int64_t PreconditionOp::getFlops() {
  BlockExtents extents(*this);
  return 2 * getType().getNumElements() *
         (extents.inputBlockSize + extents.outputBlockSize);
}

/// Calls `visit(to, from, inverse)` for each term of each element of a side's
/// contraction with its inverse: with the offsets of the element, of the one
/// that it is a sum over, and of the element of the inverse: A^-1 is on the
/// right of the gradient, so that its rows are summed over, G^-1 on the left.
/// Elimination leaves inverses symmetric but for rounding.
template <typename Visit>
static void forEachTerm(const BlockExtents &e, bool alongInputs, Visit visit) {
  int64_t size = alongInputs ? e.inputBlockSize : e.outputBlockSize;
  int64_t extent = alongInputs ? e.inputs : e.outputs;
  int64_t blocks = alongInputs ? e.inputBlocks : e.outputBlocks;
  int64_t stride = alongInputs ? 1 : e.inputs;
  for (int64_t group = 0; group < e.groups; ++group)
    for (int64_t o = 0; o < e.outputs; ++o)
      for (int64_t i = 0; i < e.inputs; ++i) {
        int64_t own = alongInputs ? i : o, first = own / size * size;
        int64_t row = (group * e.outputs + o) * e.inputs + i;
        int64_t block = group * blocks + own / size;
        for (int64_t k = first; k < std::min(first + size, extent); ++k)
          visit(row, row + (k - own) * stride,
                alongInputs
                    ? (block * size + (k - first)) * size + own - first
                    : (block * size + (own - first)) * size + k - first);
      }
}

LogicalResult
PreconditionOp::evaluate(ReferenceContext &, ArrayRef<ReferenceValue> operands,
                         SmallVectorImpl<ReferenceValue> &results) {
  if (operands[3].item() == 0.0) {
    results.push_back(operands[0]);
    return success();
  }
  BlockExtents extents(*this);
  ReferenceValue right(operands[0].shape), both(operands[0].shape);
  forEachTerm(extents, true, [&](int64_t to, int64_t from, int64_t inverse) {
    right.data[to] += operands[0].data[from] * operands[1].data[inverse];
  });
  forEachTerm(extents, false, [&](int64_t to, int64_t from, int64_t inverse) {
    both.data[to] += right.data[from] * operands[2].data[inverse];
  });
  for (double &element : both.data)
    element /= static_cast<double>(getPositions());
  results.push_back(std::move(both));
  return success();
}

ErrorBounds PreconditionOp::boundErrors(ReferenceContext &,
                                        ArrayRef<Bounded> operands,
                                        ArrayRef<ReferenceValue>) {
  if (operands[3].value.item() == 0.0)
    return {operands[0].error};
  BlockExtents extents(*this);
  size_t size = operands[0].error.size();
  std::vector<ApproximateSum> right(size), both(size);
  forEachTerm(extents, true, [&](int64_t to, int64_t from, int64_t inverse) {
    right[to].addProduct(operands[0].at(from), operands[1].at(inverse));
  });
  forEachTerm(extents, false, [&](int64_t to, int64_t from, int64_t inverse) {
    both[to].addProduct(right[from].get(), operands[2].at(inverse));
  });
  std::vector<double> errors;
  auto positions = static_cast<double>(getPositions());
  for (const ApproximateSum &sum : both)
    errors.push_back(
        (sum.get() * Approximate::constant(1.0 / positions)).error);
  return {errors};
}
