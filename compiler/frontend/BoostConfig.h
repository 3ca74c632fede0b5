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
/// Two that are asked for by name and cannot be combined (BoostPlan.h) are an
/// error. What mode enable_all alone turns on is left out, with a warning, where
/// it cannot be. `decisions` may be null.
void resolveBoosts(Node &model, int level, ErrorList &errors,
                   std::vector<BoostDecision> *decisions);

} // namespace boostc::frontend
