#include "dialects/nn/NnDialect.h"
#include "dialects/nn/Reshape.h"

using namespace mlir;
using namespace boostc;
using namespace boostc::nn;

LogicalResult TransposeOp::inferReturnTypes(MLIRContext *,
                                            std::optional<Location> loc,
                                            Adaptor adaptor,
                                            SmallVectorImpl<Type> &inferred) {
  auto type = cast<RankedTensorType>(adaptor.getInput().getType());
  ArrayRef<int64_t> permutation = adaptor.getPermutation();
  SmallVector<int64_t> sorted(permutation);
  llvm::sort(sorted);
  if (sorted != llvm::to_vector(llvm::seq<int64_t>(0, type.getRank())))
    return emitOptionalError(loc, "expected each dimension of ", type,
                             " once, found [", permutation, "]");
  if (permutation[0] != 0)
    return emitOptionalError(
        loc, "expected dimension 0, the batch, to stay, found [", permutation,
        "]");
  SmallVector<int64_t> shape;
  for (int64_t dim : permutation)
    shape.push_back(type.getDimSize(dim));
  inferred.push_back(RankedTensorType::get(shape, type.getElementType()));
  return success();
}

static SmallVector<int64_t> invert(ArrayRef<int64_t> permutation) {
  SmallVector<int64_t> inverse(permutation.size());
  for (auto [to, from] : llvm::enumerate(permutation))
    inverse[from] = static_cast<int64_t>(to);
  return inverse;
}

LogicalResult TransposeOp::evaluate(ReferenceContext &,
                                    ArrayRef<ReferenceValue> operands,
                                    SmallVectorImpl<ReferenceValue> &results) {
  const ReferenceValue &x = operands[0];
  ReferenceValue result = ReferenceValue::zeros(getType());
  ArrayRef<int64_t> permutation = getPermutation();
  SmallVector<int64_t> strides(x.rank(), 1);
  for (int64_t dim = x.rank() - 1; dim-- > 0;)
    strides[dim] = strides[dim + 1] * x.dim(dim + 1);
  for (int64_t i = 0; i < result.size(); ++i) {
    int64_t rest = i, from = 0;
    for (int64_t dim = result.rank(); dim-- > 0;) {
      from += rest % result.dim(dim) * strides[permutation[dim]];
      rest /= result.dim(dim);
    }
    result.data[i] = x.data[from];
  }
  results.push_back(std::move(result));
  return success();
}

LogicalResult TransposeOp::buildBackward(BackwardContext &context) {
  context.gradOperands[0] =
      TransposeOp::create(context.builder, context.loc, context.gradResults[0],
                          invert(getPermutation()));
  return success();
}

FailureOr<SmallVector<Value>> TransposeOp::lowerToLinalg(OpBuilder &builder) {
  return SmallVector<Value>{
      lowerTranspose(builder, getLoc(), getInput(), getPermutation())};
}

std::vector<LayerSpec> TransposeOp::getLayerSpecs() {
  LayerSpec spec{"transpose", LayerSpec::Kind::Layer,
                 "Dimensions in another order; the batch stays first."};
  spec.keys = {{"permutation",
                KeyType::IntegerList,
                "For each dimension of the result the one of the input it is, "
                "counted without the batch.",
                {},
                0.0,
                7.0}};
  return {spec};
}

FailureOr<SmallVector<Value>> TransposeOp::buildLayer(LayerBuilder &layer) {
  auto type = cast<RankedTensorType>(layer.inputs[0].getType());
  SmallVector<int64_t> permutation = layer.getIntegers("permutation");
  SmallVector<int64_t> sorted(permutation);
  llvm::sort(sorted);
  if (sorted != llvm::to_vector(llvm::seq<int64_t>(0, type.getRank() - 1)))
    return layer.emitError("permutation")
           << "transpose needs each of the numbers 0 to " << type.getRank() - 2
           << " once, one for each dimension of a sample of its input " << type
           << ", found [" << permutation << "]";
  SmallVector<int64_t> dims = {0};
  for (int64_t dim : permutation)
    dims.push_back(dim + 1);
  return SmallVector<Value>{
      TransposeOp::create(layer.builder, layer.loc, layer.inputs[0], dims)};
}
