#include "dialects/rt/RtDialect.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "runtime/abi/boost_abi.h"
#include "llvm/ADT/TypeSwitch.h"
#include <cmath>

using namespace mlir;
using namespace boostc::rt;

#include "dialects/rt/RtDialect.cpp.inc"
#include "dialects/rt/RtEnums.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "dialects/rt/RtAttrs.cpp.inc"
#define GET_OP_CLASSES
#include "dialects/rt/RtOps.cpp.inc"

void RtDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialects/rt/RtAttrs.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dialects/rt/RtOps.cpp.inc"
      >();
}

LogicalResult
InitializerAttr::verify(llvm::function_ref<InFlightDiagnostic()> emitError,
                        InitializerKind kind, FloatAttr a, FloatAttr b) {
  if (!a.getType().isF64() || !b.getType().isF64())
    return emitError() << "expected f64 numbers, found " << a.getType()
                       << " and " << b.getType();
  if (!std::isfinite(a.getValueAsDouble()) ||
      !std::isfinite(b.getValueAsDouble()))
    return emitError() << "expected finite numbers";
  if (kind == InitializerKind::Uniform &&
      a.getValueAsDouble() > b.getValueAsDouble())
    return emitError() << "expected a uniform range [a, b) with a <= b, found ["
                       << a.getValueAsDouble() << ", " << b.getValueAsDouble()
                       << ")";
  bool isNormal = kind == InitializerKind::Normal ||
                  kind == InitializerKind::TruncatedNormal;
  if (isNormal && b.getValueAsDouble() < 0.0)
    return emitError() << "expected a standard deviation of 0 or more, found "
                       << b.getValueAsDouble();
  return success();
}

Attribute BindingAttr::parse(AsmParser &parser, Type) {
  std::string name;
  StringRef keyword;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseLess() || parser.parseKeyword(&keyword))
    return {};
  std::optional<BindingKind> kind = symbolizeBindingKind(keyword);
  if (!kind) {
    parser.emitError(loc) << "unknown binding '" << keyword << "'";
    return {};
  }
  bool other = false;
  while (succeeded(parser.parseOptionalComma())) {
    if (succeeded(parser.parseOptionalString(&name)))
      continue;
    if (parser.parseKeyword("other"))
      return {};
    other = true;
  }
  if (parser.parseGreater())
    return {};
  return BindingAttr::get(parser.getContext(), *kind, name, other);
}

void BindingAttr::print(AsmPrinter &printer) const {
  printer << "<" << stringifyBindingKind(getKind());
  if (!getName().empty()) {
    printer << ", ";
    printer.printString(getName());
  }
  if (getOther())
    printer << ", other";
  printer << ">";
}

Reproducibility boostc::rt::getReproducibility(Operation *program) {
  auto attribute =
      program->getAttrOfType<ReproducibleAttr>(kReproducibleAttrName);
  return attribute ? attribute.getLevel() : Reproducibility::On;
}

Precision boostc::rt::getMatmulPrecision(Operation *program) {
  auto attribute =
      program->getAttrOfType<MatmulPrecisionAttr>(kMatmulPrecisionAttrName);
  return attribute ? attribute.getPrecision() : Precision::Float32;
}

WinogradUse boostc::rt::getWinogradUse(Operation *program) {
  auto attribute = program->getAttrOfType<WinogradAttr>(kWinogradAttrName);
  return attribute ? attribute.getUse() : WinogradUse::Off;
}

BindingAttr boostc::rt::getArgumentBinding(FunctionOpInterface function,
                                           unsigned index) {
  return function.getArgAttrOfType<BindingAttr>(index, kBindingAttrName);
}

BindingAttr boostc::rt::getResultBinding(FunctionOpInterface function,
                                         unsigned index) {
  return function.getResultAttrOfType<BindingAttr>(index, kBindingAttrName);
}

LogicalResult boostc::rt::verifyBindings(FunctionOpInterface function) {
  auto lacks = [&](StringRef what, unsigned number) {
    return function->emitOpError()
           << what << " " << number << " has no " << kBindingAttrName
           << " attribute, which says what it is to the step";
  };
  for (unsigned i = 0; i < function.getNumArguments(); ++i)
    if (!getArgumentBinding(function, i))
      return lacks("argument", i);
  for (unsigned i = 0; i < function.getNumResults(); ++i)
    if (!getResultBinding(function, i))
      return lacks("result", i);
  return success();
}

BindingAttr boostc::rt::getArgumentBinding(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  auto function =
      argument
          ? dyn_cast<FunctionOpInterface>(argument.getOwner()->getParentOp())
          : FunctionOpInterface();
  return function ? getArgumentBinding(function, argument.getArgNumber())
                  : BindingAttr();
}

static DictionaryAttr getBindingAttrs(BindingAttr binding) {
  return DictionaryAttr::get(binding.getContext(),
                             NamedAttribute(kBindingAttrName, binding));
}

BlockArgument boostc::rt::addArgument(FunctionOpInterface function, Type type,
                                      BindingAttr binding) {
  unsigned index = function.getNumArguments();
  [[maybe_unused]] LogicalResult inserted = function.insertArgument(
      index, type, getBindingAttrs(binding), function.getLoc());
  assert(succeeded(inserted) && "a function takes any argument");
  return function.getArgument(index);
}

void boostc::rt::addResult(FunctionOpInterface function, Value value,
                           BindingAttr binding) {
  unsigned index = function.getNumResults();
  [[maybe_unused]] LogicalResult inserted =
      function.insertResult(index, value.getType(), getBindingAttrs(binding));
  assert(succeeded(inserted) && "a function returns any value");
  function.getFunctionBody().front().getTerminator()->insertOperands(index,
                                                                     value);
}

bool boostc::rt::isAccumulator(BindingKind kind) {
  switch (kind) {
  case BindingKind::Gradient:
  case BindingKind::LossSum:
  case BindingKind::LossCount:
  case BindingKind::LossWeight:
  case BindingKind::Accumulator:
    return true;
  case BindingKind::Parameter:
  case BindingKind::State:
  case BindingKind::Input:
  case BindingKind::Valid:
  case BindingKind::Control:
  case BindingKind::Seed:
  case BindingKind::MetricSum:
  case BindingKind::MetricCount:
  case BindingKind::Applied:
  case BindingKind::Failed:
  case BindingKind::GradientNorm:
  case BindingKind::LossScale:
  case BindingKind::Overflows:
  case BindingKind::StepNumber:
  case BindingKind::Step:
  case BindingKind::RunLength:
  case BindingKind::Choice:
  case BindingKind::Repeat:
    return false;
  }
  llvm_unreachable("all kinds are listed");
}

LogicalResult
boostc::rt::verifyDestinationStyle(DestinationStyleOpInterface op) {
  ValueRange destinations = op.getDpsInits();
  bool onTensors = isa<TensorType>(destinations.front().getType());
  if (llvm::any_of(op->getOperandTypes(), [&](Type type) {
        return isa<TensorType>(type) != onTensors;
      }))
    return op->emitOpError("expected operands all tensors or all memrefs");
  TypeRange expected =
      onTensors ? TypeRange(destinations.getTypes()) : TypeRange();
  if (op->getResultTypes() != expected)
    return op->emitOpError("expected the destination's type as result on "
                           "tensors and no result on memrefs, found ")
           << op->getResultTypes();
  return success();
}

void boostc::rt::addEffects(
    DestinationStyleOpInterface op, ArrayRef<Value> workspace,
    SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  if (isa<TensorType>(op.getDpsInits().front().getType()))
    return;
  for (OpOperand &operand : op->getOpOperands())
    if (op.isDpsInit(&operand) || llvm::is_contained(workspace, operand.get()))
      effects.emplace_back(MemoryEffects::Write::get(), &operand);
    else
      effects.emplace_back(MemoryEffects::Read::get(), &operand);
}

/// In less than float32 only a library computes.
static LogicalResult verifyPrecision(boostc::ContractionOpInterface op) {
  if (op.getPrecision() == Precision::Float32 || op.getScratch())
    return success();
  return op->emitOpError("has precision ")
         << stringifyPrecision(op.getPrecision())
         << " and no scratch memory; kernels compute in float32, libraries "
            "alone in less";
}

/// `partials`, if given, can hold partial sums; a library has none.
static LogicalResult verifyPartials(boostc::ContractionOpInterface op) {
  if (!op.getPartials())
    return success();
  if (op.getScratch())
    return op->emitOpError("has scratch memory, for a library, and partials, "
                           "which kernels add up; expected one of them");
  auto result = dyn_cast<MemRefType>(op.getC().getType());
  if (!result || !result.hasStaticShape() || !isDense(result))
    return op->emitOpError(
               "has partials, which are added up in a dense memref; found ")
           << op.getC().getType();
  auto type = cast<MemRefType>(op.getPartials().getType());
  if (type.getRank() != 2 || !type.hasStaticShape() || type.getDimSize(0) < 2 ||
      !type.getLayout().isIdentity() ||
      type.getDimSize(1) != result.getNumElements())
    return op->emitOpError("expected two partials or more of ")
           << result.getNumElements() << " elements, found " << type;
  return success();
}

/// One type of factors, and a result of that type or of f32; of f32 factors a
/// result of any type. A bias of f32 or of the type of the result.
static LogicalResult verifyElements(boostc::ContractionOpInterface op) {
  Type a = op.getA().getType(), b = op.getB().getType();
  Type c = op.getC().getType(), element = getElementTypeOrSelf(a);
  if (getElementTypeOrSelf(b) != element)
    return op->emitOpError("expected factors with elements of one type, found ")
           << a << " and " << b;
  if (!element.isF32() && getElementTypeOrSelf(c) != element &&
      !getElementTypeOrSelf(c).isF32())
    return op->emitOpError("expected a result with elements of ")
           << element << " or f32, found " << c;
  if (Value bias = op.getBias()) {
    Type added = getElementTypeOrSelf(bias);
    if (!added.isF32() && added != getElementTypeOrSelf(c))
      return op->emitOpError("expected a bias with elements of f32 or as in ")
             << c << ", found " << bias.getType();
  }
  return success();
}

LogicalResult boostc::rt::verifyContraction(Operation *op) {
  auto contraction = cast<ContractionOpInterface>(op);
  if (failed(verifyElements(contraction)))
    return failure();
  if (failed(verifyPrecision(contraction)))
    return failure();
  return verifyPartials(contraction);
}

static BoostFloatType getFloatType(Value operand) {
  Type element = getElementTypeOrSelf(operand.getType());
  return element.isF32()   ? BOOSTC_FLOAT_F32
         : element.isF16() ? BOOSTC_FLOAT_F16
                           : BOOSTC_FLOAT_BF16;
}

void boostc::rt::describeContractionTypes(ContractionOpInterface op,
                                          BoostLibraryCall &call) {
  call.precision = static_cast<uint32_t>(op.getPrecision());
  call.factor_type = getFloatType(op.getA());
  call.result_type = getFloatType(op.getC());
}

bool boostc::rt::isDense(MemRefType type) {
  SmallVector<int64_t> strides;
  int64_t offset;
  if (failed(type.getStridesAndOffset(strides, offset)) || offset != 0)
    return false;
  auto dims = llvm::to_vector(llvm::seq<unsigned>(0, type.getRank()));
  llvm::sort(dims, [&](unsigned a, unsigned b) {
    return std::make_pair(strides[a], type.getDimSize(a)) <
           std::make_pair(strides[b], type.getDimSize(b));
  });
  int64_t expected = 1;
  for (unsigned dim : dims) {
    if (type.getDimSize(dim) != 1 && strides[dim] != expected)
      return false;
    expected *= type.getDimSize(dim);
  }
  return true;
}
