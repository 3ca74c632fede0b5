// SourceNames.h - the names in reports of the runtime: the
// model file's positions, layers and tensors.
#pragma once

#include "dialects/rt/RtDialect.h"
#include "dialects/train/TrainDialect.h"
#include "llvm/ADT/DenseMap.h"
#include <string>

namespace boostc {

/// "model.json:14:5", or "unknown".
std::string formatLocation(mlir::Location loc);

/// "model.json:14:5, model.json:20:5": every position that `loc` has, each
/// once; of many, the first four and how many others there are.
std::string formatPositions(mlir::Location loc);

/// A layer that a location names.
struct NamedLayer {
  llvm::StringRef name;
  llvm::StringRef role; ///< "backward of", as autodiff marks it, or empty

  bool operator==(const NamedLayer &other) const = default;
};

/// The layers that `loc` names, each once, in their order.
llvm::SmallVector<NamedLayer> getNamedLayers(mlir::Location loc);

/// These as a text: "relu1, backward of fc2"; of many, the first four and how
/// many others there are.
std::string formatLayers(mlir::Location loc);

/// The names of a program's buffers.
class BufferNames {
public:
  explicit BufferNames(train::ProgramOp program);

  /// "parameter fc1.weight" where `buffer` is a tensor of the program,
  /// "buffer of relu1" or "buffer" elsewhere.
  std::string lookup(rt::BufferOp buffer) const;

private:
  llvm::DenseMap<std::pair<rt::Arena, uint64_t>, rt::BindingAttr> bindings;
};

} // namespace boostc
