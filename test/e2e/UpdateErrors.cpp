#include "test/e2e/UpdateErrors.h"
#include "dialects/interfaces/Approximate.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/TypeSwitch.h"
#include <gtest/gtest.h>

using namespace mlir;
using namespace boostc;
using namespace boostc::e2e;

using Tensor = std::vector<Approximate>;

namespace {

Approximate constant(APFloat value) {
  return Approximate::constant(value.convertToDouble());
}

/// g + decay * w.
Approximate decayed(Approximate g, Approximate w, APFloat decay) {
  return decay.isZero() ? g : g + constant(decay) * w;
}

/// Evaluates the region of train.update in approximate arithmetic.
class UpdateAnalysis {
public:
  void set(Value value, Tensor tensor) { values[value] = std::move(tensor); }
  const Tensor &get(Value value) const { return values.at(value); }

  void visit(Operation *op) {
    TypeSwitch<Operation *>(op)
        .Case<arith::ConstantOp>([&](arith::ConstantOp op) {
          Tensor tensor;
          for (APFloat element :
               cast<DenseElementsAttr>(op.getValue()).getValues<APFloat>())
            tensor.push_back(element.convertToDouble());
          set(op, tensor);
        })
        .Case<train::SquaredNormOp>([&](train::SquaredNormOp op) {
          ApproximateSum sum;
          for (Approximate x : get(op.getInput()))
            sum.add(x * x);
          set(op, {sum.get()});
        })
        .Case<train::GlobalNormOp>([&](train::GlobalNormOp op) {
          ApproximateSum sum;
          for (Value square : op.getSquares())
            sum.add(scalar(square));
          set(op, {sqrt(sum.get())});
        })
        .Case<train::ClipFactorOp>([&](train::ClipFactorOp op) {
          Approximate guarded =
              scalar(op.getNorm()) + Approximate::constant(1e-6);
          set(op, {min(constant(op.getLimit()) / guarded, 1.0)});
        })
        .Case<train::TrustRatioOp>([&](train::TrustRatioOp op) {
          Approximate w = sqrt(scalar(op.getWeight()));
          Approximate g = sqrt(scalar(op.getGradient()));
          Approximate divisor =
              g + constant(op.getWeightDecay()) * w + constant(op.getEpsilon());
          bool isDefined = w.value > 0.0 && g.value > 0.0;
          set(op, {isDefined ? constant(op.getCoefficient()) * w / divisor
                             : Approximate(1.0)});
        })
        .Case<train::ScaleGradientOp>([&](train::ScaleGradientOp op) {
          Tensor result;
          for (Approximate x : get(op.getGradient()))
            result.push_back(x * scalar(op.getFactor()));
          set(op, result);
        })
        .Case<train::ClampGradientOp>([&](train::ClampGradientOp op) {
          Approximate limit = constant(op.getLimit());
          Tensor result;
          for (Approximate x : get(op.getGradient()))
            result.push_back(clamp(x, limit));
          set(op, result);
        })
        .Case<train::SgdOp>([&](train::SgdOp op) {
          eachElement(op, [&](ArrayRef<Approximate> x, Tensor &out) {
            out = {x[0] - x[2] * decayed(x[1], x[0], op.getWeightDecay())};
          });
        })
        .Case<train::MomentumOp>([&](train::MomentumOp op) {
          eachElement(op, [&](ArrayRef<Approximate> x, Tensor &out) {
            Approximate share = constant(op.getMomentum());
            bool isCoupled = !op.getDecoupled();
            Approximate direction =
                isCoupled ? decayed(x[1], x[0], op.getWeightDecay()) : x[1];
            Approximate velocity = share * x[3] + direction;
            Approximate descent =
                op.getNesterov() ? direction + share * velocity : velocity;
            if (!isCoupled)
              descent = decayed(descent, x[0], op.getWeightDecay());
            out = {x[0] - x[2] * descent, velocity};
          });
        })
        .Case<train::LarsOp>([&](train::LarsOp op) {
          eachElement(op, [&](ArrayRef<Approximate> x, Tensor &out) {
            Approximate velocity =
                constant(op.getMomentum()) * x[4] +
                x[3] * decayed(x[1], x[0], op.getWeightDecay());
            out = {x[0] - x[2] * velocity, velocity};
          });
        })
        .Case<train::AdamOp>([&](train::AdamOp op) {
          eachElement(op, [&](ArrayRef<Approximate> x, Tensor &out) {
            out = adam(op, x);
          });
        })
        .Default([](Operation *op) {
          ADD_FAILURE() << "no rule for " << op->getName().getStringRef().str();
        });
  }

private:
  Approximate scalar(Value value) const { return get(value).front(); }

  static Tensor adam(train::AdamOp op, ArrayRef<Approximate> x) {
    double beta1 = op.getBeta1().convertToDouble();
    double beta2 = op.getBeta2().convertToDouble();
    bool isCoupled = !op.getDecoupled();
    Approximate g = isCoupled ? decayed(x[1], x[0], op.getWeightDecay()) : x[1];
    Approximate first = Approximate::constant(beta1) * x[5] +
                        Approximate::constant(1.0 - beta1) * g;
    Approximate second = Approximate::constant(beta2) * x[6] +
                         Approximate::constant(1.0 - beta2) * (g * g);
    Approximate scale = sqrt(second / x[4]) + constant(op.getEpsilon());
    // A root is not negative, and rounding keeps an order.
    Approximate descent =
        divide(first / x[3], scale,
               op.getEpsilon().convertToDouble() * (1.0 - kUnitRoundoff));
    if (!isCoupled)
      descent = decayed(descent, x[0], op.getWeightDecay());
    return {x[0] - x[2] * descent, first, second};
  }

  /// `rule` on the elements of the op's operands; scalars stand for all.
  void
  eachElement(Operation *op,
              llvm::function_ref<void(ArrayRef<Approximate>, Tensor &)> rule) {
    std::vector<Tensor> results(op->getNumResults());
    size_t size = get(op->getOperand(0)).size();
    for (size_t i = 0; i < size; ++i) {
      SmallVector<Approximate> elements;
      for (Value operand : op->getOperands()) {
        const Tensor &tensor = get(operand);
        elements.push_back(tensor.size() == size ? tensor[i] : tensor[0]);
      }
      Tensor out;
      rule(elements, out);
      for (auto [tensor, element] : llvm::zip_equal(results, out))
        tensor.push_back(element);
    }
    for (auto [result, tensor] : llvm::zip_equal(op->getResults(), results))
      set(result, tensor);
  }

  llvm::DenseMap<Value, Tensor> values;
};

Tensor toExact(const ReferenceValue &value) {
  return Tensor(value.data.begin(), value.data.end());
}

} // namespace

std::map<std::string, std::vector<double>>
e2e::getUpdateErrors(train::ProgramOp program,
                     const ReferenceTrainer::Partial &sums,
                     const ReferenceTrainer::Values &weights,
                     const ReferenceTrainer::Values &state,
                     const std::map<std::string, double> &controls) {
  func::FuncOp function = program.getFunction(train::kUpdate);
  UpdateAnalysis analysis;
  std::vector<const ReferenceValue *> gradients;
  auto bindingOf = [](Attribute attribute) {
    return cast<rt::BindingAttr>(attribute);
  };
  for (BlockArgument argument : function.getArguments()) {
    auto binding = bindingOf(
        function.getArgAttr(argument.getArgNumber(), rt::kBindingAttrName));
    std::string name = binding.getName().str();
    if (binding.getKind() == rt::BindingKind::Parameter)
      analysis.set(argument, toExact(weights.at(name)));
    else if (binding.getKind() == rt::BindingKind::State)
      analysis.set(argument, toExact(state.at(name)));
    else if (binding.getKind() == rt::BindingKind::Control)
      analysis.set(argument, {Approximate(controls.at(name))});
    else if (binding.getKind() == rt::BindingKind::Gradient)
      gradients.push_back(&sums.gradients.at(name));
  }
  for (auto constant : function.getOps<arith::ConstantOp>())
    analysis.visit(constant);
  std::map<std::string, std::vector<double>> errors;
  // A sum of means is divided by the number of ranks alone.
  auto averaging =
      program->getAttrOfType<train::AveragingAttr>(train::kAveragingAttrName);
  bool isSumOfMeans =
      averaging && averaging.getMicroBatches() == train::Reduction::Sum;
  Approximate divisor(isSumOfMeans ? 1.0 : static_cast<double>(sums.lossCount));
  for (auto op : function.getOps<train::UpdateOp>()) {
    Block &body = op.getBody().front();
    for (auto [argument, sum] :
         llvm::zip_equal(body.getArguments(), gradients)) {
      Tensor mean;
      for (double element : sum->data)
        mean.push_back(Approximate(element) / divisor);
      analysis.set(argument, mean);
    }
    for (Operation &nested : body.without_terminator())
      analysis.visit(&nested);
    for (auto [result, value] :
         llvm::enumerate(body.getTerminator()->getOperands())) {
      auto binding =
          bindingOf(function.getResultAttr(result, rt::kBindingAttrName));
      if (binding.getKind() != rt::BindingKind::Parameter &&
          binding.getKind() != rt::BindingKind::State)
        continue;
      for (Approximate element : analysis.get(value))
        errors[binding.getName().str()].push_back(element.error);
    }
  }
  return errors;
}
