#include "compiler/reference/ScalarTable.h"

using namespace mlir;
using namespace boostc;

ScalarTable::ScalarTable() {
  addArithOps(*this);
  addMathOps(*this);
}

const ScalarTable &ScalarTable::get() {
  static const ScalarTable table;
  return table;
}

ScalarFunction ScalarTable::find(Operation *op) const {
  auto factory = factories.find(op->getName().getTypeID());
  return factory == factories.end() ? ScalarFunction() : factory->second(op);
}

void ScalarTable::attach(MLIRContext &context, StringRef name) const {
  for (auto [operation, attachTo] : attachers)
    if (operation.split('.').first == name)
      attachTo(context);
}

void boostc::applyElementwise(const ScalarFunction &function, Type type,
                              ArrayRef<ReferenceValue> operands,
                              SmallVectorImpl<ReferenceValue> &results) {
  ReferenceValue result = ReferenceValue::zeros(type);
  SmallVector<double> element(operands.size());
  for (int64_t i = 0; i < result.size(); ++i) {
    for (auto [number, operand] : llvm::zip(element, operands))
      number = operand.data[operand.size() == 1 ? 0 : i];
    result.data[i] = function(element.data());
  }
  results.push_back(std::move(result));
}
