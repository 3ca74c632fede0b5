// Connection.h - a rank's transport over NCCL with all that it is made of.
#pragma once

#include "test/runtime/comm/WrappedTransport.h"

#include <memory>

namespace boostrt::test {

template <class Gpu> class ConnectionWith : public WrappedTransport {
public:
  /// NCCL's `transport` over that of the hosts.
  ConnectionWith(std::unique_ptr<Transport> host, std::unique_ptr<Gpu> gpu,
                 std::unique_ptr<Transport> transport)
      : WrappedTransport(*transport), host_(std::move(host)),
        gpu_(std::move(gpu)), transport_(std::move(transport)) {}
  Gpu &gpu() { return *gpu_; }

private:
  std::unique_ptr<Transport> host_;
  std::unique_ptr<Gpu> gpu_;
  std::unique_ptr<Transport> transport_; // ends first
};

} // namespace boostrt::test
