// Overlay.h - --overlay FILE: a JSON document merged over the model.
#pragma once

#include "compiler/frontend/ErrorList.h"

namespace boostc::frontend {

/// Merges `overlay` into `document` as RFC 7396 (JSON merge patch) says: keys
/// of objects one by one, null removes, anything else replaces; the table then
/// judges the result as it judges a file, and what came from the overlay points
/// into it. One thing extends the RFC, where it would make a model that is
/// never legal: an object over a list changes elements of the list, which its
/// keys name as paths of --set do.
void mergeOverlay(Node &document, Node overlay, ErrorList &errors);

} // namespace boostc::frontend
