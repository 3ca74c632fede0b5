// EntryBuilder.h - the keys of one layer, loss, metric or optimizer, as its op
// reads them.
#pragma once

#include "compiler/frontend/ErrorList.h"
#include "compiler/frontend/ModelTable.h"

namespace boostc::frontend {

/// A value of the model and where it came from, for notes.
struct NamedValue {
  std::string name;
  mlir::Value value;
  Extent extent;
  int64_t classes = 0; ///< of an input of integers: how many they can be
};

class EntryBuilder : public LayerBuilder {
public:
  EntryBuilder(mlir::OpBuilder &builder, mlir::Location loc,
               const LayerSpec &spec, const Node &node, std::string noun,
               ErrorList &errors)
      : LayerBuilder(builder, loc, spec), node(node), noun(std::move(noun)),
        errors(errors) {}

  int64_t getInteger(llvm::StringRef key) override {
    return node.at(key).integer;
  }
  double getNumber(llvm::StringRef key) override { return node.at(key).number; }
  bool getBoolean(llvm::StringRef key) override { return node.at(key).boolean; }
  llvm::StringRef getChoice(llvm::StringRef key) override {
    return node.at(key).text;
  }
  llvm::SmallVector<int64_t> getIntegers(llvm::StringRef key) override;

  llvm::FailureOr<mlir::Value> parameter(llvm::StringRef name,
                                         llvm::ArrayRef<int64_t> shape,
                                         int64_t fanIn,
                                         int64_t fanOut) override;
  mlir::Value statistic(llvm::StringRef name,
                        llvm::ArrayRef<int64_t> shape) override;
  void trackMoments(const RunningMoments &moments) override;
  llvm::FailureOr<mlir::Value> state(llvm::StringRef slot) override;
  mlir::Value appliedSteps() override;
  int64_t getClasses(unsigned index) override { return reads[index].classes; }
  mlir::InFlightDiagnostic emitError(llvm::StringRef key) override;

  /// What the layer reads, for the notes of its errors.
  std::vector<NamedValue> reads;

protected:
  const Node &node;
  std::string noun; ///< "layer 'fc1'"
  ErrorList &errors;
};

/// "[1, 28, 28]": the shape of one sample of `value`, as the model file would
/// write it.
std::string describeShape(mlir::Value value);

/// The location of `extent`, under `name`.
mlir::Location nameLocation(mlir::OpBuilder &builder, llvm::StringRef name,
                            const Extent &extent);

} // namespace boostc::frontend
