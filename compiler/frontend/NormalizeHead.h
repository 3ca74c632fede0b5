// NormalizeHead.h - what less_bn makes of the last layer of a classifier.
#pragma once

#include "compiler/frontend/CheckModel.h"

namespace boostc::frontend {

/// less_bn.fn_flag, after resolveBoosts(): the last layer of a classifier
/// becomes its normalised form, of which `checker` fills in the defaults. A
/// remark says so, or why it stays what it is.
void normalizeHead(Node &model, const ModelTable &table, Checker &checker);

} // namespace boostc::frontend
