// ThreadAllocations.h - counts how often this thread has called operator new,
// and lets one of these calls fail; replaces it for the whole program.
#pragma once

#include <cstdint>

namespace boostrt::test {
int64_t threadAllocationCount();

/// The allocation number `number` from now on, counted from 1, throws
/// std::bad_alloc; 0: none does. Of this thread alone.
void failThreadAllocation(int64_t number);
} // namespace boostrt::test
