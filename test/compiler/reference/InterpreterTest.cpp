// What the interpreter says of arguments that do not fit a function, and of ops
// that evaluate to other results than they have.

#include "compiler/reference/Interpreter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include <gtest/gtest.h>

using namespace mlir;
using namespace boostc;

namespace {

/// Evaluates arith.remf, of which the interpreter knows nothing, to `kValues`
/// values of shape [kExtent].
template <int kValues, int kExtent>
struct WrongModel
    : ReferenceOpInterface::ExternalModel<WrongModel<kValues, kExtent>,
                                          arith::RemFOp> {
  LogicalResult evaluate(Operation *, ReferenceContext &,
                         ArrayRef<ReferenceValue>,
                         SmallVectorImpl<ReferenceValue> &results) const {
    for (int i = 0; i < kValues; ++i)
      results.push_back(ReferenceValue({kExtent}));
    return success();
  }
};

class InterpreterErrors : public testing::Test {
protected:
  InterpreterErrors() {
    DialectRegistry registry;
    registry.insert<arith::ArithDialect, func::FuncDialect>();
    registerReferenceExternalModels(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
    handler.emplace(&context, [this](Diagnostic &diagnostic) {
      message += diagnostic.str();
      return success();
    });
  }

  /// What is said when a function of one argument is run on `arguments`.
  std::string errorOf(ArrayRef<ReferenceValue> arguments) {
    OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(
        R"mlir(func.func @f(%x: tensor<2xf32>) -> tensor<2xf32> {
  %y = arith.remf %x, %x : tensor<2xf32>
  return %y : tensor<2xf32>
})mlir",
        &context);
    EXPECT_TRUE(module);
    SmallVector<ReferenceValue> results;
    EXPECT_TRUE(failed(Interpreter().interpret(
        *module->getOps<func::FuncOp>().begin(), arguments, results)));
    return message;
  }

  MLIRContext context{MLIRContext::Threading::DISABLED};
  std::optional<ScopedDiagnosticHandler> handler;
  std::string message;
};

TEST_F(InterpreterErrors, AnotherNumberOfArguments) {
  EXPECT_EQ(errorOf({}), "'func.func' op expected 1 arguments, found 0");
}

TEST_F(InterpreterErrors, AnOpWithAnotherNumberOfValues) {
  arith::RemFOp::attachInterface<WrongModel<2, 2>>(context);
  EXPECT_EQ(errorOf({ReferenceValue({2})}),
            "'arith.remf' op evaluated to 2 values, expected 1");
}

TEST_F(InterpreterErrors, AnOpWithAnotherShape) {
  arith::RemFOp::attachInterface<WrongModel<1, 3>>(context);
  EXPECT_EQ(errorOf({ReferenceValue({2})}),
            "'arith.remf' op evaluated to the shape [3], expected that of "
            "'tensor<2xf32>'");
}

} // namespace
