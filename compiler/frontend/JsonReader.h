// JsonReader.h - JSON text to a Document, with limits that no model file meets
// and that keep hostile input from costing time or memory.
#pragma once

#include "compiler/frontend/ErrorList.h"

namespace boostc::frontend {

constexpr size_t kMaxFileBytes = size_t{16} << 20;
constexpr size_t kMaxDepth = 64;
constexpr size_t kMaxValues = size_t{1} << 18;

/// Reads the JSON value that bytes [begin, end of text) of `source` are;
/// nothing, and an error, when they are none. Duplicate keys are errors too;
/// the first one stays.
std::optional<Node> readJson(const Source &source, size_t begin,
                             ErrorList &errors);

} // namespace boostc::frontend
