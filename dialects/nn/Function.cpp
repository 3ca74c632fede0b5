#include "dialects/nn/NnDialect.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/Verifier.h"

using namespace mlir;
using namespace boostc;
using namespace boostc::nn;

void FunctionAttr::visitOp(Location loc, TypeRange operands, TypeRange results,
                           llvm::function_ref<void(Operation *)> visit) {
  // A block of its own, so that nothing of the program gets another user.
  Block block;
  SmallVector<Location> locations(operands.size(), loc);
  block.addArguments(operands, locations);
  block.push_back(Operation::create(loc, getName(), results,
                                    ValueRange(block.getArguments()),
                                    getAttributes(), /*properties=*/nullptr,
                                    /*successors=*/{}, /*numRegions=*/0));
  visit(&block.front());
}

ScalarRule FunctionAttr::getGradientRule(TypeRange operands,
                                         TypeRange results) {
  ScalarRule rule;
  visitOp(UnknownLoc::get(getContext()), operands, results, [&](Operation *op) {
    rule = cast<ScalarFunctionOpInterface>(op).getGradientRule();
  });
  return rule;
}

LogicalResult FunctionAttr::verifyOp(Location loc, TypeRange operands,
                                     TypeRange results) {
  if (!getName().hasInterface<ScalarFunctionOpInterface>())
    return emitError(loc)
           << "expected the name of an op with a gradient rule after 'of', as "
              "nn.relu, found "
           << getName();
  LogicalResult isValid = success();
  visitOp(loc, operands, results,
          [&](Operation *op) { isValid = mlir::verify(op); });
  return isValid;
}

ParseResult boostc::nn::parseFunction(AsmParser &parser,
                                      FunctionAttr &function) {
  StringRef name;
  NamedAttrList attributes;
  if (parser.parseKeyword(&name) || parser.parseOptionalAttrDict(attributes))
    return failure();
  MLIRContext *context = parser.getContext();
  function = FunctionAttr::get(context, OperationName(name, context),
                               attributes.getDictionary(context));
  return success();
}

void boostc::nn::printFunction(AsmPrinter &printer, Operation *,
                               FunctionAttr function) {
  printer << function.getName().getStringRef();
  if (!function.getAttributes().empty())
    printer << ' ' << function.getAttributes();
}

Attribute FunctionAttr::parse(AsmParser &parser, Type) {
  FunctionAttr function;
  if (parser.parseLess() || parseFunction(parser, function) ||
      parser.parseGreater())
    return {};
  return function;
}

void FunctionAttr::print(AsmPrinter &printer) const {
  printer << '<';
  printFunction(printer, nullptr, *this);
  printer << '>';
}
