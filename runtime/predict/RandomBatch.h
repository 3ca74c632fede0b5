// RandomBatch.h - a batch for a program without a data set.
#pragma once

#include "runtime/abi/boost_abi.h"

#include <cstddef>

namespace boostrt {

/// Fills the arena BATCH at `base`, every row valid: features standard normal,
/// labels and indices uniform below their classes, targets uniform in [0, 1),
/// and the keys that samples 0, 1, ... of epoch 0 have. A function of the
/// program's inputs and of `seed`.
void fillRandomBatch(const BoostProgram &program, std::byte *base,
                     uint64_t seed);

} // namespace boostrt
