#include "dialects/train/TrainDialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "runtime/abi/boost_abi.h"
#include "llvm/ADT/TypeSwitch.h"
#include <cmath>

using namespace mlir;
using namespace boostc::train;

#include "dialects/train/TrainDialect.cpp.inc"
#include "dialects/train/TrainEnums.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "dialects/train/TrainAttrs.cpp.inc"
#define GET_OP_CLASSES
#include "dialects/train/TrainOps.cpp.inc"

void TrainDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialects/train/TrainAttrs.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dialects/train/TrainOps.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// #train.schedule
//===----------------------------------------------------------------------===//

/// Names of the numbers after the first.
static constexpr StringLiteral kNumberNames[] = {"initial", "end",   "factor",
                                                 "warmup",  "every", "length"};

Attribute ScheduleAttr::parse(AsmParser &parser, Type) {
  StringRef keyword;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseLess() || parser.parseKeyword(&keyword))
    return {};
  std::optional<ScheduleKind> kind = symbolizeScheduleKind(keyword);
  if (!kind) {
    parser.emitError(loc) << "unknown schedule '" << keyword << "'";
    return {};
  }
  double numbers[NumberCount] = {};
  if (parser.parseComma() || parser.parseFloat(numbers[Value]))
    return {};
  ScheduleUnit unit = ScheduleUnit::Epochs;
  while (succeeded(parser.parseOptionalComma())) {
    loc = parser.getCurrentLocation();
    if (parser.parseKeyword(&keyword))
      return {};
    if (keyword == "steps") {
      unit = ScheduleUnit::Steps;
      continue;
    }
    const auto *name = llvm::find(kNumberNames, keyword);
    if (name == std::end(kNumberNames)) {
      parser.emitError(loc)
          << "unknown number '" << keyword << "' of a schedule";
      return {};
    }
    size_t index = Initial + (name - std::begin(kNumberNames));
    if (parser.parseEqual() || parser.parseFloat(numbers[index]))
      return {};
  }
  if (parser.parseGreater())
    return {};
  return ScheduleAttr::getChecked(
      [&] { return parser.emitError(loc); }, parser.getContext(), *kind, unit,
      DenseF64ArrayAttr::get(parser.getContext(), numbers));
}

void ScheduleAttr::print(AsmPrinter &printer) const {
  printer << "<" << stringifyScheduleKind(getKind()) << ", ";
  printer.printFloat(APFloat(get(Value)));
  for (auto [i, name] : llvm::enumerate(kNumberNames))
    if (double number = getNumbers()[Initial + i]; number != 0.0) {
      printer << ", " << name << " = ";
      printer.printFloat(APFloat(number));
    }
  if (getUnit() == ScheduleUnit::Steps)
    printer << ", steps";
  printer << ">";
}

LogicalResult
AmpAttr::verify(llvm::function_ref<InFlightDiagnostic()> emitError, AmpLevel,
                FloatType type, bool) {
  if (isLowPrecision(type))
    return success();
  return emitError() << "expected bf16 or f16, found " << type;
}

LogicalResult
FreezeAttr::verify(llvm::function_ref<InFlightDiagnostic()> emitError,
                   int64_t groups, FreezeSchedule, FloatAttr fullShare,
                   int64_t length) {
  double share = fullShare.getValueAsDouble();
  if (groups >= 1 && groups <= kMaxFreezeGroups && share >= 0.0 &&
      share <= 1.0 && length >= 0)
    return success();
  return emitError() << "expected 1 to " << kMaxFreezeGroups
                     << " groups, a share from 0 to 1 and a length of 0 or "
                        "more, found "
                     << groups << ", " << share << " and " << length;
}

LogicalResult
SubspaceAttr::verify(llvm::function_ref<InFlightDiagnostic()> emitError,
                     int64_t components, FloatAttr rho, FloatAttr sigma,
                     FloatAttr alpha, FloatAttr gamma, int64_t shards) {
  auto isBetween = [](FloatAttr number, double low, double high) {
    double value = number.getValueAsDouble();
    return value >= low && value <= high;
  };
  if (components < 1 || components > kMaxComponents ||
      !isBetween(rho, 0.0, 1.0) || !isBetween(sigma, 0.0, 1.0) ||
      !isBetween(gamma, 0.0, 1.0) ||
      !isBetween(alpha, 0.0, std::numeric_limits<float>::max()))
    return emitError() << "expected 1 to " << kMaxComponents
                       << " components, rho, sigma and gamma from 0 to 1 and "
                          "alpha of 0 or more";
  if (shards < 1 || components % shards != 0)
    return emitError() << "expected shards that divide " << components
                       << " components, found " << shards;
  return success();
}

LogicalResult
LossScaleGroupsAttr::verify(llvm::function_ref<InFlightDiagnostic()> emitError,
                            ArrayAttr initial, DenseI64ArrayAttr cuts) {
  auto count = static_cast<int64_t>(initial.size());
  if (count < 1 || count > kMaxLossScaleGroups || cuts.size() + 1 != count)
    return emitError() << "expected 1 to " << kMaxLossScaleGroups
                       << " scales and a cut between any two, found " << count
                       << " and " << cuts.size();
  for (Attribute attribute : initial) {
    auto scale = dyn_cast<FloatAttr>(attribute);
    double value = scale ? scale.getValueAsDouble() : NAN;
    if (!(value >= kMinGroupScale && value <= kMaxGroupScale))
      return emitError() << "expected scales from 1 to 2^24, found " << value;
  }
  int64_t last = 0;
  for (int64_t cut : cuts.asArrayRef()) {
    if (cut <= last)
      return emitError() << "expected cuts that rise from 1 on, found " << cut
                         << " after " << last;
    last = cut;
  }
  return success();
}

int64_t LossScaleGroupsAttr::getGroup(int64_t index) const {
  return llvm::count_if(getCuts().asArrayRef(),
                        [&](int64_t cut) { return cut <= index; });
}

LogicalResult
ScheduleAttr::verify(llvm::function_ref<InFlightDiagnostic()> emitError,
                     ScheduleKind, ScheduleUnit, DenseF64ArrayAttr numbers) {
  if (numbers.size() != NumberCount)
    return emitError() << "expected " << int(NumberCount) << " numbers, found "
                       << numbers.size();
  for (double number : numbers.asArrayRef())
    if (!std::isfinite(number))
      return emitError() << "expected finite numbers";
  for (Number length : {Warmup, Every, Length})
    if (numbers[length] < 0.0)
      return emitError() << "expected lengths of 0 or more, found "
                         << numbers[length];
  return success();
}

BoostSchedule ScheduleAttr::getDescriptor() const {
  BoostSchedule schedule = {};
  schedule.kind = static_cast<uint32_t>(getKind());
  schedule.unit = static_cast<uint32_t>(getUnit());
  schedule.value = get(Value);
  schedule.initial = get(Initial);
  schedule.end = get(End);
  schedule.factor = get(Factor);
  schedule.warmup = get(Warmup);
  schedule.every = get(Every);
  schedule.length = get(Length);
  return schedule;
}
