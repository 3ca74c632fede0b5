#include "test/runtime/support/ThreadAllocations.h"

#include <cstdlib>
#include <new>

namespace {
thread_local int64_t count = 0;
thread_local int64_t untilFailure = 0;

void *allocate(size_t size) {
  ++count;
  if (untilFailure > 0 && --untilFailure == 0)
    throw std::bad_alloc();
  if (void *memory = std::malloc(size ? size : 1))
    return memory;
  throw std::bad_alloc();
}
} // namespace

namespace boostrt::test {
int64_t threadAllocationCount() { return count; }
void failThreadAllocation(int64_t number) { untilFailure = number; }
} // namespace boostrt::test

void *operator new(size_t size) { return allocate(size); }
void *operator new[](size_t size) { return allocate(size); }
void operator delete(void *memory) noexcept { std::free(memory); }
void operator delete[](void *memory) noexcept { std::free(memory); }
void operator delete(void *memory, size_t) noexcept { std::free(memory); }
void operator delete[](void *memory, size_t) noexcept { std::free(memory); }
