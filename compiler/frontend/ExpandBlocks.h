// ExpandBlocks.h - uses of blocks become the layers they mean: what comes
// after knows a flat list of layers with full names alone.
#pragma once

#include "compiler/frontend/CheckModel.h"

namespace boostc::frontend {

/// Limits that no model meets and that keep a small file from becoming a huge
/// model.
constexpr size_t kMaxBlockParameters = 256, kMaxBlockInputs = 16;
constexpr double kMaxRepeat = 4096;
constexpr size_t kMaxNesting = 16, kMaxLayers = 1 << 16, kMaxNameLength = 200;
constexpr int64_t kMaxExpandedValues = 1 << 20;

/// What the flat list of layers does not say itself.
struct ExpandedLayers {
  /// For each layer, what it reads unless it says so.
  std::vector<std::string> previous;
};

/// Before the check against the table: replaces the items of "layers" by the
/// layers they mean, takes "blocks" out of the document, gives every layer
/// its full name and "inputs" full names, and checks blocks, names and
/// references. Places of a wrong type are left for the table to report.
/// `expansions` is what the extents of layers of blocks point to.
ExpandedLayers expandBlocks(Node &document, const ModelTable &table,
                            Checker &checker, std::deque<Expansion> &expansions,
                            ErrorList &errors);

} // namespace boostc::frontend
