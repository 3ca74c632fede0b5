// MicroBatches.h - the sizes that micro-batches of a model may have:
// train.micro_batch.
#pragma once

#include "compiler/frontend/ErrorList.h"
#include "compiler/frontend/Frontend.h"
#include "compiler/frontend/ModelTable.h"

namespace boostc::frontend {

/// Micro-batches of an optimizer step of a resolved model, of `size` samples
/// each.
int64_t countMicroBatches(const Node &model, int64_t size);

/// What train.micro_batch of a resolved model allows; an error where it allows
/// no size, or a size would change what a step computes.
MicroBatchSizes resolveMicroBatches(const Node &model, const ModelTable &table,
                                    ErrorList &errors);

} // namespace boostc::frontend
