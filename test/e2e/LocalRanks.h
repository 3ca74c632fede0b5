// LocalRanks.h - ranks that are threads of the test.
#pragma once

#include <cstdint>
#include <thread>
#include <vector>

namespace boostc::e2e {

/// Returns when work(rank) has, for every rank, all at once.
template <typename Work> void onRanks(uint32_t ranks, const Work &work) {
  std::vector<std::jthread> threads;
  for (uint32_t rank = 0; rank < ranks; ++rank)
    threads.emplace_back([&work, rank] { work(rank); });
}

} // namespace boostc::e2e
