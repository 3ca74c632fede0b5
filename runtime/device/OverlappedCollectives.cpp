#include "runtime/device/OverlappedCollectives.h"

#include "runtime/support/CaughtException.h"

#include <algorithm>
#include <fmt/format.h>

namespace boostrt {

OverlappedCollectives::OverlappedCollectives(CollectiveRunner &collectives,
                                             size_t count)
    : collectives_(collectives), begun_(count) {}

OverlappedCollectives::~OverlappedCollectives() {
  if (!thread_.joinable())
    return;
  {
    std::lock_guard lock(mutex_);
    ends_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void OverlappedCollectives::close() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return doneCount_ == begunCount_; });
  begunCount_ = doneCount_ = 0;
  isOpen_ = false;
}

void OverlappedCollectives::ready(uint32_t index,
                                  std::span<void *const> operands) {
  if (!isOpen_)
    return;
  std::lock_guard lock(mutex_);
  if (index != first_ + begunCount_ || begunCount_ >= begun_.size())
    return; // update runs it
  // Generated code calls this, and no exception may pass through it.
  try {
    begun_[begunCount_].operands.assign(operands.begin(), operands.end());
    if (!thread_.joinable())
      thread_ = std::thread(&OverlappedCollectives::carryOut, this);
  } catch (...) {
    return; // update runs it
  }
  ++begunCount_;
  changed_.notify_all();
}

Status OverlappedCollectives::run(uint32_t index, void *const *operands) {
  {
    std::unique_lock lock(mutex_);
    size_t number = index - first_;
    bool hasBegun = begunCount_ > 0 && number < begunCount_;
    size_t awaited = hasBegun ? number + 1 : begunCount_;
    changed_.wait(lock, [&] { return doneCount_ >= awaited; });
    if (hasBegun) {
      const Begun &begun = begun_[number];
      if (!std::equal(begun.operands.begin(), begun.operands.end(), operands))
        return Status(ExitCode::Internal,
                      fmt::format("collective {} began on other memory than "
                                  "update has for it; please report this",
                                  index));
      return begun.status;
    }
  }
  return collectives_.run(index, operands);
}

void OverlappedCollectives::carryOut() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return ends_ || doneCount_ < begunCount_; });
    if (doneCount_ == begunCount_)
      return;
    auto index = static_cast<uint32_t>(first_ + doneCount_);
    Begun &begun = begun_[doneCount_];
    if (doneCount_ > 0 && !begun_[doneCount_ - 1].status.ok()) {
      begun.status = begun_[doneCount_ - 1].status;
    } else {
      lock.unlock();
      Status status = catching(
          [&] { return collectives_.run(index, begun.operands.data()); });
      lock.lock();
      begun.status = std::move(status);
    }
    ++doneCount_;
    changed_.notify_all();
  }
}

} // namespace boostrt
