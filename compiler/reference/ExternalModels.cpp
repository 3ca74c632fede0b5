// ExternalModels.cpp - foreign ops in the interpreter: those of arith, func,
// linalg, math and tensor that occur up to phase `linalg`.

#include "compiler/reference/Constants.h"
#include "compiler/reference/Interpreter.h"
#include "compiler/reference/LinalgModels.h"
#include "compiler/reference/ScalarTable.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include <limits>

using namespace mlir;
using namespace boostc;

namespace {

struct ConstantModel
    : ReferenceOpInterface::ExternalModel<ConstantModel, arith::ConstantOp> {
  LogicalResult evaluate(Operation *op, ReferenceContext &,
                         ArrayRef<ReferenceValue>,
                         SmallVectorImpl<ReferenceValue> &results) const {
    FailureOr<ReferenceValue> value =
        getConstant(cast<arith::ConstantOp>(op).getValue());
    if (failed(value))
      return op->emitOpError(
          "cannot be interpreted: expected numbers spelled out");
    results.push_back(std::move(*value));
    return success();
  }
};

struct CallModel
    : ReferenceOpInterface::ExternalModel<CallModel, func::CallOp> {
  LogicalResult evaluate(Operation *op, ReferenceContext &context,
                         ArrayRef<ReferenceValue> operands,
                         SmallVectorImpl<ReferenceValue> &results) const {
    auto callee = cast<func::CallOp>(op).getCalleeAttr();
    return context.call(SymbolTable::lookupNearestSymbolFrom(op, callee),
                        operands, results);
  }
};

struct EmptyModel
    : ReferenceOpInterface::ExternalModel<EmptyModel, tensor::EmptyOp> {
  LogicalResult evaluate(Operation *op, ReferenceContext &,
                         ArrayRef<ReferenceValue>,
                         SmallVectorImpl<ReferenceValue> &results) const {
    auto type = cast<tensor::EmptyOp>(op).getType();
    if (!type.hasStaticShape())
      return op->emitOpError("cannot be interpreted: expected a static shape");
    // Contents that were never written must not pass for numbers: reading them
    // shows in the result.
    bool isFloat = isa<FloatType>(type.getElementType());
    double fill = isFloat ? std::numeric_limits<double>::quiet_NaN() : -1.0;
    results.push_back(ReferenceValue(type.getShape(), fill));
    return success();
  }
};

/// Ops that give the same elements another shape.
template <typename Op>
struct ReshapeModel
    : ReferenceOpInterface::ExternalModel<ReshapeModel<Op>, Op> {
  LogicalResult evaluate(Operation *op, ReferenceContext &,
                         ArrayRef<ReferenceValue> operands,
                         SmallVectorImpl<ReferenceValue> &results) const {
    auto type = cast<RankedTensorType>(op->getResult(0).getType());
    if (!type.hasStaticShape())
      return op->emitOpError("cannot be interpreted: expected a static shape");
    ReferenceValue value = operands[0];
    value.shape = SmallVector<int64_t>(type.getShape());
    results.push_back(std::move(value));
    return success();
  }
};

struct ExtractModel
    : ReferenceOpInterface::ExternalModel<ExtractModel, tensor::ExtractOp> {
  LogicalResult evaluate(Operation *op, ReferenceContext &,
                         ArrayRef<ReferenceValue> operands,
                         SmallVectorImpl<ReferenceValue> &results) const {
    int64_t offset = 0;
    for (auto [dim, index] : llvm::enumerate(operands.drop_front())) {
      int64_t extent = operands[0].dim(dim),
              at = static_cast<int64_t>(index.item());
      if (at < 0 || at >= extent)
        return op->emitOpError("index ") << at << " of dimension " << dim
                                         << " is not in [0, " << extent << ")";
      offset = offset * extent + at;
    }
    results.push_back(ReferenceValue::scalar(operands[0].data[offset]));
    return success();
  }
};

struct FromElementsModel
    : ReferenceOpInterface::ExternalModel<FromElementsModel,
                                          tensor::FromElementsOp> {
  LogicalResult evaluate(Operation *op, ReferenceContext &,
                         ArrayRef<ReferenceValue> operands,
                         SmallVectorImpl<ReferenceValue> &results) const {
    ReferenceValue value = ReferenceValue::zeros(op->getResult(0).getType());
    llvm::transform(
        operands, value.data.begin(),
        [](const ReferenceValue &element) { return element.item(); });
    results.push_back(std::move(value));
    return success();
  }
};

/// Calls `visit` with the offsets of each element of a static slice: in the
/// whole and in the slice, whose type may lack dimensions of one element.
template <typename Op>
void forEachInPart(Op op, ArrayRef<int64_t> whole,
                   llvm::function_ref<void(int64_t, int64_t)> visit) {
  ArrayRef<int64_t> part = op.getStaticSizes();
  int64_t size = 1;
  for (int64_t extent : part)
    size *= extent;
  for (int64_t i = 0; i < size; ++i) {
    int64_t rest = i, at = 0, stride = 1;
    for (size_t dim = part.size(); dim-- > 0;) {
      at += (op.getStaticOffsets()[dim] +
             rest % part[dim] * op.getStaticStrides()[dim]) *
            stride;
      rest /= part[dim];
      stride *= whole[dim];
    }
    visit(at, i);
  }
}

/// Parts whose numbers are known.
template <typename Op> LogicalResult verifyPart(Op op) {
  if (!op.getOffsets().empty() || !op.getSizes().empty() ||
      !op.getStrides().empty())
    return op.emitOpError("cannot be interpreted: expected a static slice");
  return success();
}

struct ExtractSliceModel
    : ReferenceOpInterface::ExternalModel<ExtractSliceModel,
                                          tensor::ExtractSliceOp> {
  LogicalResult evaluate(Operation *op, ReferenceContext &,
                         ArrayRef<ReferenceValue> operands,
                         SmallVectorImpl<ReferenceValue> &results) const {
    auto slice = cast<tensor::ExtractSliceOp>(op);
    if (failed(verifyPart(slice)))
      return failure();
    ReferenceValue part = ReferenceValue::zeros(slice.getType());
    forEachInPart(slice, operands[0].shape, [&](int64_t whole, int64_t i) {
      part.data[i] = operands[0].data[whole];
    });
    results.push_back(std::move(part));
    return success();
  }
};

struct InsertSliceModel
    : ReferenceOpInterface::ExternalModel<InsertSliceModel,
                                          tensor::InsertSliceOp> {
  LogicalResult evaluate(Operation *op, ReferenceContext &,
                         ArrayRef<ReferenceValue> operands,
                         SmallVectorImpl<ReferenceValue> &results) const {
    auto slice = cast<tensor::InsertSliceOp>(op);
    if (failed(verifyPart(slice)))
      return failure();
    ReferenceValue value = operands[1];
    forEachInPart(slice, value.shape, [&](int64_t whole, int64_t i) {
      value.data[whole] = operands[0].data[i];
    });
    results.push_back(std::move(value));
    return success();
  }
};

struct SplatModel
    : ReferenceOpInterface::ExternalModel<SplatModel, tensor::SplatOp> {
  LogicalResult evaluate(Operation *op, ReferenceContext &,
                         ArrayRef<ReferenceValue> operands,
                         SmallVectorImpl<ReferenceValue> &results) const {
    auto type = cast<tensor::SplatOp>(op).getType();
    if (!type.hasStaticShape())
      return op->emitOpError("cannot be interpreted: expected a static shape");
    results.push_back(ReferenceValue(type.getShape(), operands[0].item()));
    return success();
  }
};

} // namespace

void boostc::registerReferenceExternalModels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, arith::ArithDialect *) {
    ScalarTable::get().attach(*context, "arith");
    arith::ConstantOp::attachInterface<ConstantModel>(*context);
  });
  registry.addExtension(+[](MLIRContext *context, math::MathDialect *) {
    ScalarTable::get().attach(*context, "math");
  });
  registry.addExtension(+[](MLIRContext *context, func::FuncDialect *) {
    func::CallOp::attachInterface<CallModel>(*context);
  });
  registry.addExtension(+[](MLIRContext *context, linalg::LinalgDialect *) {
    attachLinalgModels(*context);
  });
  registry.addExtension(+[](MLIRContext *context, tensor::TensorDialect *) {
    tensor::CollapseShapeOp::attachInterface<
        ReshapeModel<tensor::CollapseShapeOp>>(*context);
    tensor::EmptyOp::attachInterface<EmptyModel>(*context);
    tensor::ExpandShapeOp::attachInterface<ReshapeModel<tensor::ExpandShapeOp>>(
        *context);
    tensor::ExtractOp::attachInterface<ExtractModel>(*context);
    tensor::ExtractSliceOp::attachInterface<ExtractSliceModel>(*context);
    tensor::InsertSliceOp::attachInterface<InsertSliceModel>(*context);
    tensor::FromElementsOp::attachInterface<FromElementsModel>(*context);
    tensor::SplatOp::attachInterface<SplatModel>(*context);
  });
}
