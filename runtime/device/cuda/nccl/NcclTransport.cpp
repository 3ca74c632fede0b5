#include "runtime/device/cuda/nccl/NcclTransport.h"

#include "runtime/comm/Collectives.h"
#include "runtime/comm/LoopbackMessages.h"
#include "runtime/device/cuda/nccl/NcclCommunicator.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace boostrt {
namespace {

using control::ControlClient;
using control::PendingMessage;
using nccl::NcclApi;
using nccl::NcclCommunicator;
using nccl::NcclResult;

class NcclTransport final : public Transport {
public:
  NcclTransport(Transport &host, const NcclApi &api, GpuStream &gpu,
                const NcclOptions &options)
      : host_(host), plane_(*host.controlPlane()), api_(api), gpu_(gpu),
        communicator_(plane_, api, gpu, options), sent_(host.size()),
        received_(host.size()) {}

  Status connect();

  std::string describe() const override {
    return fmt::format("nccl {}, {} ranks", cuda::versionText(api_.version),
                       size());
  }
  uint32_t rank() const override { return host_.rank(); }
  uint32_t size() const override { return host_.size(); }
  const Traffic &traffic() const override { return traffic_; }
  control::ControlPlane *controlPlane() override { return &plane_; }
  void abort(const std::string &cause) override { host_.abort(cause); }
  void setActivity(const Activity &activity) override {
    host_.setActivity(activity);
  }

  Status exchangeEach(std::span<const Outgoing> sends,
                      std::span<const Incoming> receives,
                      const std::function<void(size_t)> &received) override;

private:
  ControlClient &client() const { return plane_.client(); }
  Status post(std::span<const Outgoing> sends,
              std::span<const Incoming> receives);
  Status carryOut(std::span<const Outgoing> sends,
                  std::span<const Incoming> receives);
  void count(std::span<const Outgoing> sends,
             std::span<const Incoming> receives);

  Transport &host_;
  control::ControlPlane &plane_;
  const NcclApi &api_;
  GpuStream &gpu_;
  NcclCommunicator communicator_;
  /// A message without bytes takes one of these; the second is received into.
  std::byte *nothing_ = nullptr;
  std::vector<uint64_t> sent_, received_; ///< messages, by peer
  Traffic traffic_;
};

Status NcclTransport::connect() {
  Result<uint64_t> nothing = gpu_.allocate(2, "messages without bytes");
  if (!nothing.ok())
    return nothing.status();
  nothing_ = reinterpret_cast<std::byte *>(*nothing);
  BOOSTRT_RETURN_IF_ERROR(communicator_.connect(rank(), size()));
  // Who leaves at once would otherwise end what others connect to.
  Group all(*this);
  BOOSTRT_RETURN_IF_ERROR(barrier(all));
  traffic_ = {};
  return Status();
}

Status NcclTransport::post(std::span<const Outgoing> sends,
                           std::span<const Incoming> receives) {
  std::vector<PendingMessage> &messages = plane_.call().messages;
  auto add = [&](bool isSend, uint32_t peer, size_t bytes) {
    if (peer != rank())
      messages.push_back(
          {isSend, peer, (isSend ? sent_ : received_)[peer]++, bytes});
  };
  for (const Incoming &receive : receives)
    add(false, receive.from, receive.data.size());
  for (const Outgoing &send : sends)
    add(true, send.to, send.data.size());
  plane_.call().begin();

  auto stream = static_cast<nccl::Stream>(gpu_.handle());
  BOOSTRT_RETURN_IF_ERROR(
      communicator_.check("ncclGroupStart", api_.ncclGroupStart()));
  NcclResult result = nccl::kSuccess;
  const char *call = "ncclRecv";
  auto goesOn = [&] {
    return result == nccl::kSuccess || result == nccl::kInProgress;
  };
  // NCCL may leave out what has no bytes, and no rank would have waited.
  for (size_t i = 0; i < receives.size() && goesOn(); ++i) {
    std::span<std::byte> to = receives[i].data;
    result = api_.ncclRecv(to.empty() ? nothing_ + 1 : to.data(),
                           std::max<size_t>(to.size(), 1), nccl::kBytes,
                           static_cast<int>(receives[i].from),
                           communicator_.get(), stream);
  }
  for (size_t i = 0; i < sends.size() && goesOn(); ++i) {
    call = "ncclSend";
    std::span<const std::byte> from = sends[i].data;
    result = api_.ncclSend(from.empty() ? nothing_ : from.data(),
                           std::max<size_t>(from.size(), 1), nccl::kBytes,
                           static_cast<int>(sends[i].to), communicator_.get(),
                           stream);
  }
  // A group that has begun also ends.
  NcclResult ended = api_.ncclGroupEnd();
  BOOSTRT_RETURN_IF_ERROR(communicator_.check(call, result));
  return communicator_.check("ncclGroupEnd", ended);
}

Status NcclTransport::carryOut(std::span<const Outgoing> sends,
                               std::span<const Incoming> receives) {
  if (sends.empty() && receives.empty())
    return Status();
  BOOSTRT_RETURN_IF_ERROR(post(sends, receives));
  return communicator_.awaitEnd();
}

void NcclTransport::count(std::span<const Outgoing> sends,
                          std::span<const Incoming> receives) {
  for (const Incoming &receive : receives)
    if (receive.from != rank()) {
      traffic_.receivedBytes += receive.data.size();
      ++traffic_.receivedMessages;
    }
  for (const Outgoing &send : sends)
    if (send.to != rank()) {
      traffic_.sentBytes += send.data.size();
      ++traffic_.sentMessages;
    }
}

Status
NcclTransport::exchangeEach(std::span<const Outgoing> sends,
                            std::span<const Incoming> receives,
                            const std::function<void(size_t)> &received) {
  Status status = client().status();
  if (status.ok()) {
    std::string misfit =
        matchLoopbackMessages(rank(), sends, receives, [](auto, auto) {});
    if (!misfit.empty()) {
      client().abort(misfit);
      status = client().status();
    }
  }
  if (status.ok())
    status = carryOut(sends, receives);
  if (!status.ok()) {
    // Its memory is the caller's again.
    communicator_.abandon();
    plane_.call().end();
    return status;
  }
  plane_.call().end();
  count(sends, receives);
  for (size_t i = 0; i < receives.size(); ++i)
    received(i);
  return status;
}

} // namespace

Result<std::unique_ptr<Transport>> connectNccl(Transport &host,
                                               const NcclApi &api,
                                               GpuStream &gpu,
                                               const NcclOptions &options) {
  auto transport = std::make_unique<NcclTransport>(host, api, gpu, options);
  Status status = transport->connect();
  if (status.ok())
    return std::unique_ptr<Transport>(std::move(transport));
  host.abort(status.message()); // unless another rank was the first
  return host.controlPlane()->client().status();
}

} // namespace boostrt
