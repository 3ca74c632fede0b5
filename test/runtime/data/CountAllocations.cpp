#include "test/runtime/data/CountAllocations.h"

#include <atomic>
#include <cstdlib>
#include <new>

static std::atomic<int64_t> allocations = 0;

void *operator new(size_t size) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  if (void *memory = std::malloc(size ? size : 1))
    return memory;
  throw std::bad_alloc();
}
void operator delete(void *memory) noexcept { std::free(memory); }
void operator delete(void *memory, size_t) noexcept { std::free(memory); }

int64_t boostrt::allocationCount() { return allocations; }
