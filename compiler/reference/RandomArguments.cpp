#include "compiler/reference/RandomArguments.h"
#include "dialects/train/TrainDialect.h"
#include "runtime/abi/boost_random.h"
#include <cmath>
#include <set>

using namespace mlir;
using namespace boostc;

static ReferenceValue draw(Type type, uint64_t stream) {
  ReferenceValue value = ReferenceValue::zeros(type);
  bool isFloat = isa<FloatType>(getElementTypeOrSelf(type));
  for (int64_t i = 0; i < value.size(); ++i) {
    double uniform = boost_random_uniform(/*seed=*/1, stream, i);
    value.data[i] = isFloat ? 2.0 * uniform - 1.0 : std::floor(3.0 * uniform);
  }
  roundToTypes(type, value);
  return value;
}

FailureOr<std::vector<SmallVector<ReferenceValue>>>
boostc::randomArguments(func::FuncOp function, uint64_t rank) {
  SmallVector<ReferenceValue> arguments;
  std::optional<unsigned> valid;
  for (auto [index, type] : llvm::enumerate(function.getArgumentTypes())) {
    auto shaped = dyn_cast<ShapedType>(type);
    if (shaped && !shaped.hasStaticShape())
      return function.emitOpError("expected arguments of static shape, found ")
             << type;
    arguments.push_back(draw(type, (rank << 32) + index));
    rt::BindingAttr binding = rt::getArgumentBinding(function, index);
    if (binding && binding.getKind() == rt::BindingKind::Valid)
      valid = index;
  }
  auto program = function->getParentOfType<train::ProgramOp>();
  if (!valid || !program)
    return std::vector{arguments};
  std::vector<SmallVector<ReferenceValue>> lists;
  int64_t batch = static_cast<int64_t>(program.getBatchSize());
  for (int64_t samples : std::set<int64_t>{0, 1, batch - 1, batch}) {
    arguments[*valid] = ReferenceValue::scalar(static_cast<double>(samples));
    lists.push_back(arguments);
  }
  return lists;
}
