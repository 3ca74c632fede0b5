// FlatNest.h - nests whose loops may as well be one.
//
// An update goes through all elements of parameters, moments and gradients in
// the order in which they lie, whatever their shapes. As one loop, it has
// neighbours to read together in every shape, and differs from that of another
// parameter in the number of elements alone.
#pragma once

#include "compiler/lowering/cuda/GridNest.h"

namespace boostc {

/// How many elements `nest` goes through, when each body does the same to each
/// of them: what it reads and writes is one of as many that lie in order, or
/// the same for all. None for other nests.
std::optional<int64_t> countFlatElements(const GridNest &nest);

/// Makes one loop of the loops of a nest that countFlatElements() has a number
/// for, and leaves others alone.
void flatten(GridNest &nest);

} // namespace boostc
