// LayerNames.h - names in a document that the table has not judged yet.
#pragma once

#include "compiler/frontend/Document.h"

namespace boostc::frontend {

/// The text at `key`, empty when there is none.
llvm::StringRef textAt(const Node &node, llvm::StringRef key);

/// The names of the items of a list of layers, given or automatic: an unnamed
/// one is called by its op or block and the first number from 1 that is free.
std::vector<std::string> layerNames(const Node &layers);

/// The input that the first layer reads; empty when the document has none.
std::string featuresName(const Node &document);

} // namespace boostc::frontend
