// ResolveModel.h - what the table cannot say: default inputs, and the values
// of a model file that must match each other.
#pragma once

#include "compiler/frontend/ExpandBlocks.h"
#include "compiler/frontend/Frontend.h"
#include "compiler/frontend/ModelTable.h"

namespace boostc::frontend {

/// After the check: fills in default inputs and checks what spans several
/// values. The document must have no errors so far.
void resolveModel(Node &model, const ExpandedLayers &expanded,
                  const ModelTable &table, ErrorList &errors);

/// Before the check: level auto becomes O2, in bf16 if `hasBFloat16`; f16 at
/// level O2 has a dynamic loss scale, of the table's defaults, unless the file
/// says another one.
void resolveAmp(Node &document, bool hasBFloat16);

/// After it: says what 16 bits are worth where a target does not compute in
/// them.
void remarkPrecision(const Node &model, const FrontendOptions &options);

/// The one input that layers read, and the one with labels, of a resolved
/// model.
const Member &featuresInput(const Node &model);
/// The shape of the first in an evaluation, where it is not the same; else
/// null.
const Node *evalShape(const Node &model);
bool hasLabels(const Node &model);
const Member &labelsInput(const Node &model);
/// The one with sample weights; null where samples have none.
const Member *weightsInput(const Node &model);

} // namespace boostc::frontend
