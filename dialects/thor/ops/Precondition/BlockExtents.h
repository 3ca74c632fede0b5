// BlockExtents.h - how the blocks of inverses cover a gradient.
#pragma once

#include "dialects/thor/ThorDialect.h"

namespace boostc::thor {

/// The extents of a gradient as matrices of blocks.
struct BlockExtents {
  int64_t groups, outputs, inputs;       ///< of a group
  int64_t outputBlocks, outputBlockSize; ///< blocks of a group
  int64_t inputBlocks, inputBlockSize;

  explicit BlockExtents(PreconditionOp op)
      : groups(op.getGroups()),
        outputs(op.getType().getDimSize(0) / op.getGroups()),
        inputs(op.getType().getNumElements() / op.getType().getDimSize(0)),
        outputBlocks(op.getG().getType().getDimSize(0) / op.getGroups()),
        outputBlockSize(op.getG().getType().getDimSize(1)),
        inputBlocks(op.getA().getType().getDimSize(0) / op.getGroups()),
        inputBlockSize(op.getA().getType().getDimSize(1)) {}

  int64_t getPaddedOutputs() const { return outputBlocks * outputBlockSize; }
  int64_t getPaddedInputs() const { return inputBlocks * inputBlockSize; }
};

} // namespace boostc::thor
