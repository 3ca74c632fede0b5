// BoostConfig.h - where boost settings come from and what they turn on.
// Precedence:
// --boost, --boost-config, the model file, -O.
#pragma once

#include "compiler/frontend/ErrorList.h"
#include "compiler/frontend/Frontend.h"
#include "compiler/frontend/ModelTable.h"

namespace boostc::frontend {

/// Overrides the "boost" of `document` by `config`, key by key.
void mergeBoostConfig(Node &document, Node config, ErrorList &errors);

/// Applies --boost SECTION.KEY=VALUE, or KEY=VALUE for the first section that
/// has the key.
void applyBoostOverride(Node &document, const ModelTable &table,
                        const Source &option, ErrorList &errors);

/// Decides, in a resolved model, which boosts are on: writes every switch out.
/// A boost that was asked for by name and is not implemented is an error, and
/// so are two that cannot be combined (BoostPlan.h); what a level would turn on
/// and is not implemented is listed in one warning. `decisions` may be null.
void resolveBoosts(Node &model, int level, ErrorList &errors,
                   std::vector<BoostDecision> *decisions);

} // namespace boostc::frontend
