// GlooThread.h - has Gloo's own thread do something.
//
// Each of Gloo's connections has a lock. While another thread holds it to send,
// Gloo's thread, woken by what comes in, tries it again and again, and where
// the two share a CPU for a whole time slice, 4 ms. When one thread does all,
// none waits for a lock.
#pragma once

#include "runtime/support/Descriptor.h"

#include <gloo/transport/tcp/device.h>

#include <cerrno>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <system_error>

namespace boostrt {

class GlooThread final : public gloo::transport::tcp::Handler {
public:
  /// Exceptions are Gloo's way to fail.
  explicit GlooThread(std::shared_ptr<gloo::transport::tcp::Device> device)
      : device_(std::move(device)),
        event_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
    if (!event_.isOpen())
      throw std::system_error(errno, std::generic_category(), "eventfd");
    device_->registerDescriptor(event_.get(), EPOLLIN, this);
  }
  ~GlooThread() override { device_->unregisterDescriptor(event_.get(), this); }

  /// One at a time; `work` throws nothing.
  void begin(std::function<void()> work) {
    {
      std::lock_guard lock(mutex_);
      work_ = std::move(work);
      isDone_ = false;
    }
    eventfd_write(event_.get(), 1);
  }
  /// Until it is done; returns at once where nothing has begun.
  void wait() {
    std::unique_lock lock(mutex_);
    done_.wait(lock, [this] { return isDone_; });
  }

private:
  void handleEvents(int) override {
    eventfd_t count;
    eventfd_read(event_.get(), &count);
    std::lock_guard lock(mutex_);
    if (!isDone_)
      work_();
    isDone_ = true;
    done_.notify_all();
  }

  std::shared_ptr<gloo::transport::tcp::Device> device_;
  Descriptor event_;
  std::mutex mutex_;
  std::condition_variable done_;
  std::function<void()> work_;
  bool isDone_ = true;
};

} // namespace boostrt
