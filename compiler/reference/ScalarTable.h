// ScalarTable.h - the arithmetic of one element of each elementwise foreign op.
// The same entry serves the op itself, on scalars and on tensors, and the
// regions of linalg ops.
#pragma once

#include "dialects/interfaces/Interfaces.h"
#include "llvm/ADT/DenseMap.h"
#include <functional>

namespace boostc {

/// The result of one element; `operands` has one number per operand of the op.
using ScalarFunction = std::function<double(const double *operands)>;

/// Applies `function` to each element; an operand of one element (the condition
/// of a select) matches all.
void applyElementwise(const ScalarFunction &function, mlir::Type type,
                      llvm::ArrayRef<ReferenceValue> operands,
                      llvm::SmallVectorImpl<ReferenceValue> &results);

class ScalarTable {
public:
  /// The only one; it never changes.
  static const ScalarTable &get();

  /// The arithmetic of `op`, null for an op without an entry.
  ScalarFunction find(mlir::Operation *op) const;

  /// Gives the ops of dialect `name` their ReferenceOpInterface.
  void attach(mlir::MLIRContext &context, llvm::StringRef name) const;

  /// Adds an op whose arithmetic depends on its types or attributes.
  template <typename Op>
  void addFactory(std::function<ScalarFunction(Op)> factory) {
    factories[mlir::TypeID::get<Op>()] = [factory](mlir::Operation *op) {
      return factory(llvm::cast<Op>(op));
    };
    attachers.emplace_back(
        Op::getOperationName(), [](mlir::MLIRContext &context) {
          Op::template attachInterface<ElementwiseModel<Op>>(context);
        });
  }
  /// Adds an op whose arithmetic is always `function`.
  template <typename Op> void add(double (*function)(const double *)) {
    addFactory<Op>([function](Op) { return function; });
  }

private:
  ScalarTable();

  template <typename Op>
  struct ElementwiseModel
      : ReferenceOpInterface::ExternalModel<ElementwiseModel<Op>, Op> {
    llvm::LogicalResult
    evaluate(mlir::Operation *op, ReferenceContext &,
             llvm::ArrayRef<ReferenceValue> operands,
             llvm::SmallVectorImpl<ReferenceValue> &results) const {
      applyElementwise(get().find(op), op->getResult(0).getType(), operands,
                       results);
      return llvm::success();
    }
  };

  llvm::DenseMap<mlir::TypeID, std::function<ScalarFunction(mlir::Operation *)>>
      factories;
  std::vector<std::pair<llvm::StringRef, void (*)(mlir::MLIRContext &)>>
      attachers;
};

/// The entries of the two dialects.
void addArithOps(ScalarTable &table);
void addMathOps(ScalarTable &table);

} // namespace boostc
