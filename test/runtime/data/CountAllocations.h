// CountAllocations.h - how often the program has called operator new; replaces
// it for the whole program. A translation unit of its own, so that compilers do
// not see half of a pair of new and delete and warn.
#pragma once

#include <cstdint>

namespace boostrt {
int64_t allocationCount();
} // namespace boostrt
