// GlooTransport.h - ranks that are processes, connected by TCP through Gloo.
//
// Gloo carries the messages. It has no rendezvous of its own without a shared
// disk, no token, and learns late or never that a peer is gone: all of that is
// the control plane's (runtime/comm/control), to which every rank keeps a
// connection and which one rank serves.
//
// Gloo's own ports carry no token: on a network where strangers can reach them
// a job can be disturbed. They are open on `listenAddress` alone.
#pragma once

#include "runtime/comm/Transport.h"
#include "runtime/comm/control/ControlPlane.h"

#include <memory>
#include <string>

namespace boostrt {

struct GlooOptions : control::PlaneOptions {
  /// Where this rank listens for the others; empty: the address under which it
  /// reaches the master, so that a job of one machine stays on loopback.
  std::string listenAddress;
};

/// Returns when all ranks are connected with each other. The transport says
/// goodbye when it is destroyed; the master's then waits for the others. Who
/// ends because of an error calls Transport::abort() before.
///
/// The process ignores SIGPIPE from then on unless it handles it: Gloo writes
/// to connections whose other end may be gone.
Result<std::unique_ptr<Transport>> connectGloo(const GlooOptions &options);

} // namespace boostrt
