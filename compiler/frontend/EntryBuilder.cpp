#include "compiler/frontend/EntryBuilder.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace boostc::frontend;
using llvm::StringRef;
using namespace mlir;

SmallVector<int64_t> EntryBuilder::getIntegers(StringRef key) {
  SmallVector<int64_t> integers;
  const Node &value = node.at(key);
  if (value.is(Node::Kind::Integer))
    return {value.integer};
  for (const Node &item : value.items)
    integers.push_back(item.integer);
  return integers;
}

FailureOr<Value> EntryBuilder::parameter(StringRef, ArrayRef<int64_t>, int64_t,
                                         int64_t) {
  llvm_unreachable("only layers own parameters");
}

Value EntryBuilder::statistic(StringRef, ArrayRef<int64_t>) {
  llvm_unreachable("only layers have statistics");
}

void EntryBuilder::trackMoments(const RunningMoments &) {
  llvm_unreachable("only layers have statistics");
}

FailureOr<Value> EntryBuilder::state(StringRef) {
  llvm_unreachable("only optimizers have state");
}

Value EntryBuilder::appliedSteps() {
  llvm_unreachable("only optimizers count steps");
}

InFlightDiagnostic EntryBuilder::emitError(StringRef key) {
  const Node *value = key.empty() ? nullptr : node.find(key);
  Extent extent = value ? value->extent : node.extent;
  errors.count(extent);
  InFlightDiagnostic diagnostic = mlir::emitError(extent.place());
  diagnostic << noun << ": ";
  for (const NamedValue &read : reads)
    diagnostic.attachNote(read.extent.place())
        << "'" << read.name << "' has shape " << describeShape(read.value);
  errors.attachCommonNote(*diagnostic.getUnderlyingDiagnostic());
  ErrorList::attachUses(*diagnostic.getUnderlyingDiagnostic(), extent);
  return diagnostic;
}

std::string boostc::frontend::describeShape(Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  std::vector<std::string> extents;
  for (int64_t extent : type.getShape().drop_front())
    extents.push_back(std::to_string(extent));
  return llvm::formatv("[{0}]", llvm::join(extents, ", "));
}

Location boostc::frontend::nameLocation(OpBuilder &builder, StringRef name,
                                        const Extent &extent) {
  return NameLoc::get(builder.getStringAttr(name), extent.location());
}
