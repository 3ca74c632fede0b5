// Overrides.h - --set PATH=VALUE.
#pragma once

#include "compiler/frontend/ErrorList.h"

namespace boostc::frontend {

/// Puts the value of `option`, "PATH=VALUE", into `document`, as if the file
/// had said so there; the table then judges it as it judges the file. Parts of
/// the path are keys, numbers of list elements (the number after the last one
/// appends) and names of layers. The value is JSON, or else a text: `name=x`
/// means `name="x"`.
void applyOverride(Node &document, const Source &option, ErrorList &errors);

/// The value that the text of `option` from `begin` on means.
std::optional<Node> readOptionValue(const Source &option, size_t begin,
                                    ErrorList &errors);

/// That a list has no element `part`, and what it has: `names`, those of layers
/// (empty without).
std::string noElement(llvm::StringRef part,
                      const std::vector<std::string> &names);

} // namespace boostc::frontend
