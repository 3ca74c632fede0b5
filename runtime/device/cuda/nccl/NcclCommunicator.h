// NcclCommunicator.h - NCCL's connection of a rank with all others, from its
// begin to its end, neither of which NCCL can be left alone with.
#pragma once

#include "runtime/comm/control/ControlPlane.h"
#include "runtime/device/cuda/nccl/NcclTransport.h"

namespace boostrt::nccl {

class NcclCommunicator {
public:
  /// All but the options outlive the object.
  NcclCommunicator(control::ControlPlane &plane, const NcclApi &api,
                   GpuStream &gpu, const NcclOptions &options)
      : plane_(plane), api_(api), gpu_(gpu), options_(options) {}
  /// Ends it in order, or after a failure of the job, by abandon().
  ~NcclCommunicator();
  NcclCommunicator(const NcclCommunicator &) = delete;
  NcclCommunicator &operator=(const NcclCommunicator &) = delete;

  /// Every rank of the control plane's job calls it.
  Status connect(uint32_t rank, uint32_t size);
  Communicator get() const { return communicator_; }

  /// What `result` of `call` means: nothing wrong, or the failure of the job.
  Status check(const char *call, NcclResult result);
  /// Waits until NCCL has begun what it was asked for and the GPU is done.
  Status awaitEnd();
  /// Takes the GPU from NCCL, whatever that is waiting for. When it does not
  /// let go, see NcclOptions::onStuck.
  void abandon();

private:
  control::ControlClient &client() const { return plane_.client(); }
  /// What this rank saw fail, or what the job fails of, which came first.
  Status broken(const std::string &what);
  /// Whether NCCL has begun all that it was asked for.
  Result<bool> hasSettled();
  Result<UniqueId> agreeOnId(uint32_t rank);
  /// Ends it in order. False when that does not succeed in time.
  bool leave();

  control::ControlPlane &plane_;
  const NcclApi &api_;
  GpuStream &gpu_;
  const NcclOptions options_;
  Communicator communicator_ = nullptr;
};

} // namespace boostrt::nccl
