// Which ops call a library on a GPU; see Passes.td.

#include "compiler/lowering/cuda/Passes.h"
#include "compiler/lowering/kernels/KernelOps.h"
#include "compiler/lowering/target/CudaTarget.h"
#include "dialects/interfaces/LinalgHelpers.h"
#include "dialects/interfaces/Precision.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "runtime/abi/boost_call.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace boostc {
#define GEN_PASS_DEF_CHOOSEDEVICELIBRARYPASS
#include "compiler/lowering/cuda/Passes.h.inc"
} // namespace boostc

using namespace mlir;
using namespace boostc;

/// What a library may use of the device's memory besides the operands: what
/// cuBLASLt's manual recommends for sm_90. cuDNN 9.19, asked about 39
/// convolutions and gradients of ResNet-50 with 64 samples on an H200, puts the
/// same engine first with so much as with 16 GiB, but for one weight gradient.
/// Calls share it.
static constexpr int64_t kScratchBytes = int64_t{32} << 20;

/// Asked about a gradient of a convolution of 32 x 64 x 56 x 56 pixels in tf32,
/// cuDNN 9.19 proposes nothing on tensor cores within kScratchBytes alone, and
/// several ways where copies of the operands fit, too.
static int64_t countReorderedBytes(ContractionOpInterface op) {
  bool usesTensorCores = op.getPrecision() == rt::Precision::Tf32 ||
                         isLowPrecision(op.getA().getType());
  if (!usesTensorCores || !op.reordersForTensorCores())
    return 0;
  int64_t bytes = 0;
  for (Value operand : {op.getA(), op.getB(), op.getC()})
    bytes += countBytes(getViewedBuffer(operand).getType());
  return bytes;
}

/// Sums of fewer terms together stay kernels. A generated kernel needs some ten
/// microseconds for so many, which is what makes up for the launches that are
/// lost when a matmul does not share one with its bias, activation or
/// neighbours. An estimate, which no device has confirmed; what is a call is
/// measured where it runs, and its kernel taken where that is faster.
static constexpr int64_t kFewestTerms = int64_t{1} << 26;

/// With fewer rows, columns or terms than this a matmul is one of vectors,
/// which memory bounds: no tile of a library's is full.
static constexpr int64_t kSmallestExtent = 16;

static bool isProfitable(const MatmulShape &shape) {
  return shape.countMultiplyAdds() >= kFewestTerms &&
         std::min({shape.rows, shape.columns, shape.terms}) >= kSmallestExtent;
}

/// Whether libraries have the call: sums are rounded to the type of the factors
/// or not at all, and a bias is of the type of the result.
static bool hasLibraryTypes(ContractionOpInterface op) {
  Type factor = getElementTypeOrSelf(op.getA().getType());
  Type result = getElementTypeOrSelf(op.getC().getType());
  return (result == factor || result.isF32()) &&
         (!op.getBias() ||
          getElementTypeOrSelf(op.getBias().getType()) == result);
}

/// Has `op` round its result to the type of its factors where the library can
/// do nothing else, and an op of its own extend it: of a gradient of a weight,
/// which is to be of f32.
static void roundResult(ContractionOpInterface op) {
  Type factor = getElementTypeOrSelf(op.getA().getType());
  Value wide = op.getC();
  auto type = cast<MemRefType>(wide.getType());
  if (op.canWidenResult() || type.getElementType() == factor)
    return;
  OpBuilder builder(op);
  Value rounded = memref::AllocOp::create(
      builder, op.getLoc(), MemRefType::get(type.getShape(), factor));
  cast<DestinationStyleOpInterface>(*op).getDpsInitsMutable().assign(rounded);
  builder.setInsertionPointAfter(op);
  SmallVector<AffineMap> maps(2,
                              builder.getMultiDimIdentityMap(type.getRank()));
  SmallVector<utils::IteratorType> loops(type.getRank(),
                                         utils::IteratorType::parallel);
  linalg::GenericOp::create(
      builder, op.getLoc(), rounded, wide, maps, loops,
      [](OpBuilder &b, Location loc, ValueRange elements) {
        linalg::YieldOp::create(b, loc, buildExtension(b, loc, elements[0]));
      });
}

namespace {

struct ChooseDeviceLibrary
    : boostc::impl::ChooseDeviceLibraryPassBase<ChooseDeviceLibrary> {
  using ChooseDeviceLibraryPassBase::ChooseDeviceLibraryPassBase;

  void runOnOperation() override {
    if (library != "auto" && library != "always" && library != "never") {
      getOperation().emitError("library '")
          << library << "': expected auto, always or never";
      return signalPassFailure();
    }
    if (!getCudaTarget(getOperation()) || library == "never")
      return;
    getOperation().walk([&](LibraryOpInterface op) {
      if (isChosen(op))
        call(op);
    });
  }

  bool isChosen(LibraryOpInterface op) {
    if (op.getScratch() ||
        !llvm::all_of(op->getOperandTypes(), llvm::IsaPred<MemRefType>))
      return false;
    // What begins inside of a buffer is left to kernels, and a fallback
    // kernel has each buffer once.
    llvm::SmallPtrSet<Value, 8> buffers;
    for (Value operand : op->getOperands())
      if (cast<MemRefType>(operand.getType()).getStridesAndOffset().second !=
              0 ||
          !buffers.insert(getViewedBuffer(operand)).second)
        return false;
    auto contraction = dyn_cast<ContractionOpInterface>(*op);
    if ((contraction && !hasLibraryTypes(contraction)) ||
        !op.isLegalOn(BOOSTC_TARGET_CUDA))
      return false;
    return library == "always" || isProfitable(op.getMatmulShape());
  }

  void call(LibraryOpInterface op) {
    int64_t bytes = kScratchBytes;
    if (auto contraction = dyn_cast<ContractionOpInterface>(*op)) {
      roundResult(contraction);
      // What is of 16 bits has nothing to round.
      if (!isLowPrecision(contraction.getA().getType()))
        contraction.setPrecision(rt::getMatmulPrecision(getOperation()));
      bytes += countReorderedBytes(contraction);
    }
    OpBuilder builder(op);
    auto type = MemRefType::get({bytes}, builder.getI8Type());
    op.getScratchMutable().assign(memref::AllocOp::create(
        builder, op.getLoc(), type,
        builder.getI64IntegerAttr(BOOSTC_SCRATCH_ALIGNMENT)));
  }
};

} // namespace
