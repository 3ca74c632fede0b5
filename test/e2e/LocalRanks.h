// LocalRanks.h - ranks that are threads of the test.
#pragma once

#include <cstdint>
#include <dlfcn.h>
#include <thread>
#include <vector>

namespace boostc::e2e {

/// A GPU's driver is used by the thread that created it, whose CUDA context
/// this hands on to others. Nothing where none of the devices is a real GPU.
class SharedContext {
public:
  SharedContext() {
    if (void *driver = dlopen("libcuda.so.1", RTLD_NOLOAD | RTLD_NOW)) {
      auto getCurrent =
          reinterpret_cast<int (*)(void **)>(dlsym(driver, "cuCtxGetCurrent"));
      setCurrent =
          reinterpret_cast<int (*)(void *)>(dlsym(driver, "cuCtxSetCurrent"));
      getCurrent(&context);
    }
  }
  void enter() const {
    if (context)
      setCurrent(context);
  }

private:
  int (*setCurrent)(void *) = nullptr;
  void *context = nullptr;
};

/// Returns when work(rank) has, for every rank, all at once.
template <typename Work> void onRanks(uint32_t ranks, const Work &work) {
  SharedContext context;
  std::vector<std::jthread> threads;
  for (uint32_t rank = 0; rank < ranks; ++rank)
    threads.emplace_back([&, rank] {
      context.enter();
      work(rank);
    });
}

} // namespace boostc::e2e
