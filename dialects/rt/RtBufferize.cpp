// Bufferization of the library calls, which overwrite their output without
// reading it, and of collectives, which change theirs.
#include "dialects/rt/RtDialect.h"
#include "mlir/Dialect/Bufferization/IR/BufferizableOpInterface.h"
#include "mlir/Dialect/Bufferization/IR/DstBufferizableOpInterfaceImpl.h"

using namespace mlir;
using namespace mlir::bufferization;
using namespace boostc::rt;

namespace {
template <typename OpTy, bool readsDestination = false>
struct LibraryCallModel : DstBufferizableOpInterfaceExternalModel<
                              LibraryCallModel<OpTy, readsDestination>, OpTy> {
  bool bufferizesToMemoryRead(Operation *op, OpOperand &operand,
                              const AnalysisState &) const {
    return readsDestination ||
           !cast<DestinationStyleOpInterface>(op).isDpsInit(&operand);
  }

  LogicalResult bufferize(Operation *op, RewriterBase &rewriter,
                          const BufferizationOptions &options,
                          BufferizationState &state) const {
    IRMapping mapping;
    for (OpOperand &operand : op->getOpOperands()) {
      Value value = operand.get();
      if (isa<TensorType>(value.getType())) {
        FailureOr<Value> buffer = getBuffer(rewriter, value, options, state);
        if (failed(buffer))
          return failure();
        value = *buffer;
      }
      mapping.map(operand.get(), value);
    }
    SmallVector<Value> destinations;
    for (Value init : cast<DestinationStyleOpInterface>(op).getDpsInits())
      destinations.push_back(mapping.lookup(init));
    // The clone has the operands of the original and none of its results.
    OperationState cloned(op->getLoc(), op->getName());
    for (Value operand : op->getOperands())
      cloned.addOperands(mapping.lookup(operand));
    Operation *call = rewriter.create(cloned);
    call->setAttrs(op->getDiscardableAttrDictionary());
    if (op->getPropertiesStorageSize() != 0)
      call->copyProperties(op->getPropertiesStorage());
    replaceOpWithBufferizedValues(rewriter, op, destinations);
    return success();
  }
};
} // namespace

void boostc::rt::registerBufferizableOpInterfaceExternalModels(
    DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, RtDialect *) {
    CollectiveOp::attachInterface<LibraryCallModel<CollectiveOp, true>>(
        *context);
    DampedInverseOp::attachInterface<LibraryCallModel<DampedInverseOp>>(
        *context);
    GramOp::attachInterface<LibraryCallModel<GramOp>>(*context);
    ConvolutionOp::attachInterface<LibraryCallModel<ConvolutionOp>>(*context);
    GatherOp::attachInterface<LibraryCallModel<GatherOp>>(*context);
    MatmulOp::attachInterface<LibraryCallModel<MatmulOp>>(*context);
    FillOp::attachInterface<LibraryCallModel<FillOp>>(*context);
    ScatterAddOp::attachInterface<LibraryCallModel<ScatterAddOp>>(*context);
  });
}
