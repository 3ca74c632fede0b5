// Mesh.h - Gloo's connections between ranks.
#pragma once

#include "runtime/comm/control/ControlClient.h"
#include "runtime/comm/gloo/GlooThread.h"

#include <fmt/format.h>
#include <gloo/context.h>
#include <gloo/transport/address.h>
#include <gloo/transport/device.h>
#include <gloo/transport/tcp/device.h>

#include <optional>
#include <string>
#include <vector>

namespace boostrt {

/// Gloo's connections of one rank to all others. Gloo would connect them
/// itself, but not let itself be interrupted.
class Mesh : public gloo::Context {
public:
  using gloo::Context::Context;

  /// Exceptions are Gloo's way to fail.
  void listen(const std::string &address) {
    gloo::transport::tcp::attr attributes;
    attributes.hostname = address;
    device_ = gloo::transport::tcp::CreateDevice(attributes);
    thread_.emplace(
        std::static_pointer_cast<gloo::transport::tcp::Device>(device_));
    transportContext_ = device_->createContext(rank, size);
    transportContext_->setTimeout(getTimeout());
    for (int peer = 0; peer < size; ++peer)
      if (peer != rank)
        transportContext_->createPair(peer);
  }

  Status connect(control::ControlClient &client,
                 std::chrono::milliseconds deadline) {
    for (int peer = 0; peer < size; ++peer) {
      if (peer == rank)
        continue;
      std::vector<char> address = getPair(peer)->address().bytes();
      BOOSTRT_RETURN_IF_ERROR(
          client.set(keyOf(rank, peer), {address.begin(), address.end()}));
    }
    for (int peer = 0; peer < size; ++peer) {
      if (peer == rank)
        continue;
      Result<std::string> address = client.get(keyOf(peer, rank), deadline);
      if (!address.ok())
        return address.status();
      getPair(peer)->connect({address->begin(), address->end()});
      BOOSTRT_RETURN_IF_ERROR(client.status());
    }
    return Status();
  }

  /// After listen().
  GlooThread &thread() { return *thread_; }

private:
  static std::string keyOf(int from, int to) {
    return fmt::format("mesh/{}/{}", from, to);
  }

  std::optional<GlooThread> thread_;
};

} // namespace boostrt
