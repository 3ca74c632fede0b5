// WrappedTransport.h - another transport, for tests that do something before or
// after its exchanges.
#pragma once

#include "runtime/comm/Transport.h"

namespace boostrt {

class WrappedTransport : public Transport {
public:
  explicit WrappedTransport(Transport &base) : base_(base) {}
  std::string describe() const override { return base_.describe(); }
  uint32_t rank() const override { return base_.rank(); }
  uint32_t size() const override { return base_.size(); }
  Status exchangeEach(std::span<const Outgoing> sends,
                      std::span<const Incoming> receives,
                      const std::function<void(size_t)> &received) override {
    return base_.exchangeEach(sends, receives, received);
  }
  void abort(const std::string &cause) override { base_.abort(cause); }
  void setActivity(const Activity &activity) override {
    base_.setActivity(activity);
  }
  const Traffic &traffic() const override { return base_.traffic(); }
  control::ControlPlane *controlPlane() override {
    return base_.controlPlane();
  }

private:
  Transport &base_;
};

} // namespace boostrt
