#include "test/e2e/ErrorAnalysis.h"
#include "dialects/interfaces/Interfaces.h"
#include "dialects/rt/RtDialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "test/e2e/WinogradBound.h"
#include <cmath>
#include <gtest/gtest.h>

using namespace mlir;
using namespace boostc;
using namespace boostc::e2e;

/// Covers terms of second order: relative errors stay far below 1e-2 here.
static constexpr double kSecondOrder = 0.01;

static void roundToTf32(Bounded &factor) {
  for (auto [value, error] : llvm::zip_equal(factor.value.data, factor.error))
    error += kTf32Roundoff * (std::abs(value) + error) + kTf32Underflow;
}

/// Both sides round to a low type: numbers that are equal stay so, others move
/// by a rounding each.
static void roundErrors(Type type, Bounded &value) {
  if (!isLowPrecision(type))
    return;
  Roundoff roundoff = getRoundoff(cast<FloatType>(getElementTypeOrSelf(type)));
  for (auto [number, error] : llvm::zip_equal(value.value.data, value.error))
    if (error > 0.0)
      error += std::max(roundoff.relative * (2.0 * std::abs(number) + error),
                        2.0 * roundoff.underflow);
}

/// One side rounds.
static void roundResult(Type type, Bounded &value) {
  Roundoff roundoff = getRoundoff(cast<FloatType>(type));
  for (auto [number, error] : llvm::zip_equal(value.value.data, value.error))
    error += std::max(roundoff.relative * (std::abs(number) + error),
                      roundoff.underflow);
}

/// Integers that are computed of exact values are exact: flags and counts of
/// steps.
static bool computesIntegers(Operation &op, ArrayRef<Bounded> operands) {
  auto isInteger = [](Type type) {
    return isa<IntegerType>(getElementTypeOrSelf(type));
  };
  return isa<arith::ArithDialect>(op.getDialect()) &&
         llvm::all_of(op.getResultTypes(), isInteger) &&
         llvm::all_of(operands, [](const Bounded &operand) {
           return llvm::all_of(operand.error,
                               [](double error) { return error == 0.0; });
         });
}

bool ErrorAnalysis::visit(Operation &op, bool isTf32, bool isWinograd) {
  SmallVector<Bounded> in;
  SmallVector<ReferenceValue> exact, out;
  for (Value operand : op.getOperands()) {
    in.push_back(values.at(operand));
    exact.push_back(in.back().value);
  }
  std::string name = op.getName().getStringRef().str();
  if (failed(
          cast<ReferenceOpInterface>(op).evaluate(interpreter, exact, out))) {
    ADD_FAILURE() << "cannot evaluate " << name;
    return false;
  }
  if (isTf32 && op.hasTrait<ContractionTrait>())
    for (Bounded &factor : MutableArrayRef(in).take_front(2))
      roundToTf32(factor);
  ErrorBounds errors; // a constant is exact
  if (auto bounded = dyn_cast<ErrorBoundOpInterface>(op)) {
    errors = bounded.boundErrors(interpreter, in, out);
  } else if (!isa<arith::ConstantOp>(op) && !computesIntegers(op, in)) {
    ADD_FAILURE() << "no bound for " << name;
    return false;
  }
  if (isWinograd)
    addWinogradErrors(op, in, errors);
  roundToTypes(op.getResultTypes(), out);
  for (auto [i, result] : llvm::enumerate(op.getResults())) {
    Bounded bounded(out[i]);
    if (i < errors.size())
      for (auto [bound, error] : llvm::zip_equal(bounded.error, errors[i]))
        // Where a bound has overflowed nothing is known of the result.
        bound = std::isnan(error) ? INFINITY : error * (1.0 + secondOrder);
    roundErrors(result.getType(), bounded);
    if (auto rounded = op.getAttrOfType<TypeAttr>(kRoundedToAttrName))
      roundResult(rounded.getValue(), bounded);
    set(result, std::move(bounded));
  }
  return true;
}

std::vector<Bounded> e2e::analyze(func::FuncOp function,
                                  ArrayRef<Bounded> arguments,
                                  bool *overflows) {
  ErrorAnalysis analysis(kSecondOrder);
  bool isTf32 =
      rt::getMatmulPrecision(function->getParentOp()) == rt::Precision::Tf32;
  bool isWinograd =
      rt::getWinogradUse(function->getParentOp()) != rt::WinogradUse::Off;
  for (auto [argument, value] :
       llvm::zip_equal(function.getArguments(), arguments))
    analysis.set(argument, value);
  for (Operation &op : function.front().without_terminator()) {
    if (!analysis.visit(op, isTf32, isWinograd))
      return {};
    for (Value result : op.getResults())
      if (overflows)
        *overflows |=
            llvm::any_of(analysis.get(result).value.data, [](double x) {
              return std::isfinite(x) &&
                     std::abs(x) > std::numeric_limits<float>::max();
            });
  }
  std::vector<Bounded> results;
  for (Value value : function.front().getTerminator()->getOperands())
    results.push_back(analysis.get(value));
  return results;
}
