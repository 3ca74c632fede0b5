// ResolveModel.h - what the table cannot say: names, references, and the places
// of a model file that must fit each other.
#pragma once

#include "compiler/frontend/ErrorList.h"
#include "compiler/frontend/ModelTable.h"

namespace boostc::frontend {

/// The names of the items of "layers", given or automatic: an unnamed layer is
/// called by its op and the first number from 1 that is free.
std::vector<std::string> layerNames(const Node &layers);

/// Before the check against the table: gives every layer its name and checks
/// names and references. Places of a wrong type are left for the table to
/// report.
void resolveNames(Node &document, ErrorList &errors);

/// After the check: fills in default inputs and checks what spans several
/// places. The document must have no errors so far.
void resolveModel(Node &model, const ModelTable &table, ErrorList &errors);

/// The name of the one input with features, and of the one with labels, of a
/// resolved model.
const Member &featuresInput(const Node &model);
const Member &labelsInput(const Node &model);

} // namespace boostc::frontend
