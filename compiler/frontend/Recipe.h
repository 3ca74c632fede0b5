// Recipe.h - the resolved model as text for the runtime.
#pragma once

#include "compiler/frontend/Document.h"

namespace boostc::frontend {

/// Canonical JSON: keys sorted, no whitespace, shortest numbers that read back
/// equal.
std::string recipeText(const Node &model);

/// sha256, in hex, of the canonical JSON of what a checkpoint depends on, which
/// runtime/program/RecipeIdentity.h lists.
std::string recipeHash(const Node &model);

} // namespace boostc::frontend
