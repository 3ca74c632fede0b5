// BuildForward.h - the model's declarations and @forward.
#pragma once

#include "compiler/frontend/EntryBuilder.h"
#include "dialects/train/TrainDialect.h"
#include <optional>

namespace boostc::frontend {

/// What `train.running_statistics` of a layer reads and replaces.
struct TrackedMoments {
  mlir::Location loc;
  train::StateOp mean, variance;
  train::AccumulatorOp shifts, squares, count;
  double momentum;
  bool isUnbiased;
};

/// By what gradients are scaled.
struct LossScale {
  mlir::Location loc;
  double initial;                        ///< or what it always is
  bool isFixed;                          ///< the rest is of a dynamic one
  double factor = 0.0;                   ///< of each change
  int64_t window = 0;                    ///< good steps before the scale rises
  train::StateOp scale = {}, steps = {}; ///< declared with @micro
};

/// What the functions of a program share.
struct ProgramParts {
  mlir::OpBuilder &builder;
  const Node &model;
  const ModelTable &table;
  ErrorList &errors;
  int64_t microBatch = 1; ///< samples
  train::ProgramOp program = {};
  mlir::func::FuncOp forward = {};
  /// What evaluation computes, when that is something else.
  mlir::func::FuncOp inference = {};
  std::vector<train::ParameterOp> parameters =
      {};                                ///< in the order of the layers
  std::vector<std::string> metrics = {}; ///< names, the loss first
  /// Whether @forward returns the sum of sample weights, before these.
  bool isWeighted = false;
  /// The last results of @forward, in their order.
  std::vector<train::AccumulatorOp> accumulators = {};
  std::vector<TrackedMoments> moments = {}; ///< in the order of the layers
  std::optional<LossScale> lossScale = {};

  /// Whether a layer uses random numbers.
  bool isRandom() const;
  /// Whether an evaluation reads another shape, or a layer computes something
  /// else in it.
  bool hasInference() const;

  /// Where declarations are inserted: before the functions.
  void moveToDeclarations() { builder.setInsertionPoint(forward); }
};

/// Gives argument or result `index` of `function` its role.
void bindArgument(mlir::func::FuncOp function, unsigned index,
                  rt::BindingKind kind, llvm::StringRef name = {});
void bindResult(mlir::func::FuncOp function, unsigned index,
                rt::BindingKind kind, llvm::StringRef name = {});

/// A function of the program with an empty body whose arguments are to be
/// added.
mlir::func::FuncOp createFunction(ProgramParts &parts, llvm::StringRef name);
/// Adds an argument; finishFunction() makes the type agree.
mlir::Value addArgument(mlir::func::FuncOp function, mlir::Type type,
                        mlir::Location loc);
void finishFunction(ProgramParts &parts, mlir::func::FuncOp function,
                    mlir::ValueRange results);

/// Builds train.input, train.parameter, statistics, @forward and, when a layer
/// computes something else in evaluation, @inference into `parts.program`.
/// Fails after errors.
llvm::LogicalResult buildForward(ProgramParts &parts);

} // namespace boostc::frontend
