// CountThreadAllocations.h - how often this thread has called operator new;
// replaces it for the whole program.
#pragma once

#include <cstdint>

namespace boostrt::test {
int64_t threadAllocationCount();
} // namespace boostrt::test
