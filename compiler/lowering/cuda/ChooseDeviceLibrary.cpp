// Which matmuls and convolutions call a library on a GPU; see Passes.td.

#include "compiler/lowering/cuda/Passes.h"
#include "compiler/lowering/kernels/KernelOps.h"
#include "compiler/lowering/kernels/LibraryCalls.h"
#include "compiler/lowering/target/CudaTarget.h"
#include "dialects/interfaces/LinalgHelpers.h"
#include "dialects/interfaces/Precision.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "runtime/abi/boost_call.h"

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

static int64_t getScratchBytes(rt::MatmulOp, rt::Precision) {
  return kScratchBytes;
}

/// Tensor cores read the channels of a pixel together, and cuDNN turns
/// row-major tensors round for them, in scratch memory. Asked about a gradient
/// of a convolution of 32 x 64 x 56 x 56 pixels in tf32, cuDNN 9.19 proposes
/// nothing on tensor cores within kScratchBytes alone, and several ways where
/// copies of the operands fit, too.
static int64_t getScratchBytes(rt::ConvolutionOp op, rt::Precision precision) {
  int64_t bytes = kScratchBytes;
  if (precision == rt::Precision::Tf32 || isLowPrecision(op.getA().getType()))
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

static bool isProfitableForLibrary(int64_t m, int64_t n, int64_t k,
                                   int64_t count = 1) {
  return m * n * k * count >= kFewestTerms &&
         std::min({m, n, k}) >= kSmallestExtent;
}

static bool isProfitableForLibrary(rt::MatmulOp op) {
  return isProfitableForLibrary(op.getM(), op.getN(), op.getK());
}

/// All three forms are matmuls of what the groups have: pixels of the output,
/// filters, and taps of the channels that a filter sees.
static bool isProfitableForLibrary(rt::ConvolutionOp op) {
  auto output = cast<MemRefType>(op.getOutput().getType());
  auto weight = cast<MemRefType>(op.getWeight().getType());
  auto groups = static_cast<int64_t>(op.getGroups());
  return isProfitableForLibrary(output.getNumElements() / output.getDimSize(1),
                                weight.getDimSize(0) / groups,
                                weight.getNumElements() / weight.getDimSize(0),
                                groups);
}

/// Whether the library can read a matrix: the elements of its rows or of its
/// columns are neighbours.
static bool isReadable(const int64_t *strides, int64_t rows, int64_t columns) {
  return (strides[1] == 1 && strides[0] >= columns) ||
         (strides[0] == 1 && strides[1] >= rows);
}

static bool isReadable(rt::MatmulOp op) {
  BoostMatmul call = describeMatmul(op);
  return isReadable(call.a_strides, call.m, call.k) &&
         isReadable(call.b_strides, call.k, call.n);
}

/// cuDNN's kernels of f32 read row-major tensors as they lie.
static bool isReadable(rt::ConvolutionOp op) {
  return llvm::all_of(op->getOperandTypes(), [](Type type) {
    return cast<MemRefType>(type).getLayout().isIdentity();
  });
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

/// cuDNN 9.19 proposes tensor cores for 16-bit factors only where the result is
/// of 16 bits, too, whatever the layouts: what is to be of f32, a gradient of a
/// weight, is rounded and extended by an op of its own.
static void roundResult(rt::ConvolutionOp op) {
  Type factor = getElementTypeOrSelf(op.getA().getType());
  auto type = cast<MemRefType>(op.getC().getType());
  if (type.getElementType() == factor)
    return;
  OpBuilder builder(op);
  Value wide = op.getC();
  Value rounded = memref::AllocOp::create(
      builder, op.getLoc(), MemRefType::get(type.getShape(), factor));
  op.getCMutable().assign(rounded);
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
static void roundResult(rt::MatmulOp) {}

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
    getOperation().walk([&](rt::MatmulOp op) { choose(op); });
    getOperation().walk([&](rt::ConvolutionOp op) { choose(op); });
  }

  template <typename OpTy> void choose(OpTy op) {
    if (!isa<MemRefType>(op.getC().getType()) || op.getScratch() ||
        !hasLibraryTypes(op))
      return;
    // What begins inside of a buffer is left to kernels, and a fallback
    // kernel has each buffer once.
    for (Value operand : op->getOperands())
      if (cast<MemRefType>(operand.getType()).getStridesAndOffset().second != 0)
        return;
    if (getViewedBuffer(op.getA()) == getViewedBuffer(op.getB()) ||
        !isReadable(op) || (library == "auto" && !isProfitableForLibrary(op)))
      return;
    roundResult(op);
    OpBuilder builder(op);
    // What is of 16 bits has nothing to round.
    rt::Precision precision = isLowPrecision(op.getA().getType())
                                  ? rt::Precision::Float32
                                  : rt::getMatmulPrecision(getOperation());
    auto type =
        MemRefType::get({getScratchBytes(op, precision)}, builder.getI8Type());
    op.getScratchMutable().assign(memref::AllocOp::create(
        builder, op.getLoc(), type,
        builder.getI64IntegerAttr(BOOSTC_SCRATCH_ALIGNMENT)));
    op.setPrecision(precision);
  }
};

} // namespace
