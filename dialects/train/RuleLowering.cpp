#include "dialects/train/RuleLowering.h"
#include "dialects/train/OptimizerHelpers.h"

using namespace mlir;
using namespace boostc;
using namespace boostc::train;

namespace {

/// A gradient as a tensor and what is done with each of its elements.
class Gradient {
public:
  explicit Gradient(Value value) {
    while (auto op = value.getDefiningOp<GradientTransformOpInterface>()) {
      transforms.insert(transforms.begin(), op);
      value = op->getOperand(0);
    }
    source = value;
  }

  /// Appends the operands that the elements need: the source, then the controls
  /// of the transforms, one for all elements or one for each index of
  /// dimension 0.
  void addOperands(OpBuilder &b, SmallVectorImpl<Value> &inputs,
                   SmallVectorImpl<AffineMap> &maps) const {
    unsigned rank = cast<RankedTensorType>(source.getType()).getRank();
    inputs.push_back(source);
    maps.push_back(b.getMultiDimIdentityMap(rank));
    for (Operation *transform : transforms)
      for (Value control : transform->getOperands().drop_front()) {
        inputs.push_back(control);
        bool isScalar =
            cast<RankedTensorType>(control.getType()).getRank() == 0;
        maps.push_back(isScalar ? projection(b, rank, {})
                                : projection(b, rank, {0}));
      }
  }

  /// The element, from those of the operands.
  Value build(OpBuilder &b, ValueRange args) const {
    Value element = args.front();
    args = args.drop_front();
    for (GradientTransformOpInterface transform : transforms) {
      unsigned controls = transform->getNumOperands() - 1;
      SmallVector<Value> operands = {element};
      llvm::append_range(operands, args.take_front(controls));
      args = args.drop_front(controls);
      element = transform.buildScalarTransform(b, operands);
    }
    return element;
  }

  Value source;

private:
  SmallVector<GradientTransformOpInterface> transforms; ///< the first first
};

} // namespace

SmallVector<Value> train::lowerRule(OpBuilder &b,
                                    ScalarUpdateOpInterface rule) {
  OperandRange operands = rule->getOperands();
  unsigned rank =
      cast<RankedTensorType>(rule->getResult(0).getType()).getRank();
  unsigned controls = rule.getNumControls();
  AffineMap scalar = projection(b, rank, {});
  AffineMap identity = b.getMultiDimIdentityMap(rank);

  Gradient gradient(operands[1]);
  SmallVector<Value> inputs = {rule.getAppliedFlag()};
  SmallVector<AffineMap> maps = {scalar};
  gradient.addOperands(b, inputs, maps);
  unsigned firstControl = inputs.size();
  for (Value control : operands.slice(2, controls)) {
    inputs.push_back(control);
    maps.push_back(scalar);
  }
  // Outputs are the tensors that the rule replaces: the parameter, or the
  // gradient by the change, then the state.
  bool isDelta = rule.givesDelta();
  if (isDelta) {
    inputs.push_back(operands[0]);
    maps.push_back(identity);
  }
  SmallVector<Value> outputs = {isDelta ? gradient.source : operands[0]};
  llvm::append_range(outputs, operands.drop_front(2 + controls).drop_back());
  maps.append(outputs.size(), identity);

  auto generic = linalg::GenericOp::create(
      b, rule.getLoc(), ValueRange(outputs).getTypes(), inputs, outputs, maps,
      SmallVector<utils::IteratorType>(rank, utils::IteratorType::parallel),
      [&](OpBuilder &nested, Location loc, ValueRange args) {
        SmallVector<Value> old(args.drop_front(inputs.size()));
        if (isDelta)
          old[0] = args[inputs.size() - 1];
        SmallVector<Value> elements = {
            old[0], gradient.build(nested, args.slice(1, firstControl - 1))};
        llvm::append_range(elements, args.slice(firstControl, controls));
        llvm::append_range(elements, ArrayRef(old).drop_front());
        SmallVector<Value> changed = rule.buildScalarRule(nested, elements);
        Value isApplied = buildIsSet(nested, loc, args[0]);
        if (isDelta) {
          changed[0] = arith::SubFOp::create(nested, loc, changed[0], old[0]);
          old[0] = buildConstant(nested, loc, 0.0);
        }
        for (auto [value, current] : llvm::zip(changed, old))
          value =
              arith::SelectOp::create(nested, loc, isApplied, value, current);
        linalg::YieldOp::create(nested, loc, changed);
      });
  return SmallVector<Value>(generic.getResults());
}

Value train::lowerGradientTransform(OpBuilder &b,
                                    GradientTransformOpInterface transform) {
  Gradient gradient(transform->getResult(0));
  auto type = cast<RankedTensorType>(gradient.source.getType());
  SmallVector<Value> inputs;
  SmallVector<AffineMap> maps;
  gradient.addOperands(b, inputs, maps);
  // Written over a gradient that nothing else reads: no second buffer.
  // Otherwise it is a value of its own, which fusion takes into its user.
  if (!gradient.source.hasOneUse())
    return buildElementwise(
        b, transform.getLoc(), type, inputs, maps,
        [&](OpBuilder &nested, Location, ValueRange args) -> Value {
          return gradient.build(nested, args);
        });
  std::rotate(inputs.begin(), inputs.begin() + 1, inputs.end());
  std::rotate(maps.begin(), maps.begin() + 1, maps.end());
  auto generic = linalg::GenericOp::create(
      b, transform.getLoc(), TypeRange{type}, ArrayRef(inputs).drop_back(),
      inputs.back(), maps,
      SmallVector<utils::IteratorType>(type.getRank(),
                                       utils::IteratorType::parallel),
      [&](OpBuilder &nested, Location loc, ValueRange args) {
        SmallVector<Value> elements = {args.back()};
        llvm::append_range(elements, args.drop_back());
        linalg::YieldOp::create(nested, loc, gradient.build(nested, elements));
      });
  return generic.getResult(0);
}

void train::evaluateCommitted(ScalarUpdateOpInterface rule,
                              ArrayRef<ReferenceValue> operands,
                              SmallVectorImpl<ReferenceValue> &results) {
  bool isApplied = operands.back().item() != 0.0;
  ArrayRef<ReferenceValue> states =
      operands.drop_front(2 + rule.getNumControls()).drop_back();
  if (isApplied) {
    rule.evaluateRule(operands, results);
  } else {
    results.push_back(operands.front());
    llvm::append_range(results, states);
  }
  if (!rule.givesDelta())
    return;
  for (int64_t i = 0; i < results.front().size(); ++i)
    results.front().data[i] -= operands.front().data[i];
}
