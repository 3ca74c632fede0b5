// Blocks.h - the "blocks" of a model file, checked by themselves.
#pragma once

#include "compiler/frontend/CheckModel.h"
#include "llvm/ADT/MapVector.h"

namespace boostc::frontend {

struct BlockParameter {
  std::string name;
  Extent extent;
  std::optional<Node> defaultValue; ///< without one, every use gives a value
};

struct Block {
  std::string name;
  Extent nameExtent;
  std::vector<BlockParameter> parameters;
  std::vector<std::string> inputs; ///< without the '$'
  Node layers;
  bool isUsed = false;
  bool isBroken = false; ///< no object at all, as was reported

  const BlockParameter *find(llvm::StringRef parameter) const;
};

/// Reads and checks "blocks" of `document`. Blocks with errors are included,
/// as far as they could be read.
std::deque<Block> readBlocks(const Node &document, const ModelTable &table,
                             Checker &checker, ErrorList &errors);

} // namespace boostc::frontend
