#include "runtime/trainer/DeviceLink.h"

#include "runtime/device/cuda/nccl/NcclTransport.h"

#include <cstring>
#include <fmt/format.h>

namespace boostrt {
namespace {

template <size_t size> void write(char (&to)[size], const std::string &text) {
  std::strncpy(to, text.c_str(), size - 1);
}

constexpr const char *kNames[] = {"a CPU", "the simulated GPU", "a GPU"};

/// Fills in why NCCL cannot connect the GPU, or what it needs to know.
void describeGpu(Device &device, Ranks &ranks,
                 const cuda::SearchContext &libraries, DeviceLink &link,
                 PeerCapability &offer) {
  if (!ranks.transport().controlPlane())
    return write(offer.why, "it is a thread of a process of several ranks");
  if (!device.stream())
    return write(offer.why, "its driver has no stream for libraries");
  Result<nccl::NcclApi> api = nccl::NcclApi::open(libraries);
  if (!api.ok())
    return write(offer.why, api.status().message());
  link.nccl = std::make_unique<nccl::NcclApi>(*api);
  offer.ncclVersion = api->version;
  write(offer.bus, device.stream()->busAddress());
}

} // namespace

std::string directTransferBlocker(std::span<const PeerCapability> offers,
                                  std::span<const uint32_t> servers) {
  const PeerCapability &first = offers[0];
  for (size_t rank = 1; rank < offers.size(); ++rank)
    if (offers[rank].kind != first.kind)
      return fmt::format("rank {} computes on {}, and rank 0 on {}", rank,
                         kNames[offers[rank].kind], kNames[first.kind]);
  if (first.kind == PeerCapability::Cpu)
    return "a CPU computes";
  for (size_t rank = 0; rank < offers.size(); ++rank)
    if (*offers[rank].why)
      return fmt::format("rank {}: {}", rank, offers[rank].why);
  if (first.kind == PeerCapability::SimulatedGpu)
    return {};
  for (size_t rank = 1; rank < offers.size(); ++rank)
    if (offers[rank].ncclVersion != first.ncclVersion)
      return fmt::format("rank {} has NCCL {}, and rank 0 has {}", rank,
                         cuda::versionText(offers[rank].ncclVersion),
                         cuda::versionText(first.ncclVersion));
  for (size_t rank = 1; rank < offers.size(); ++rank)
    for (size_t other = 0; other < rank; ++other)
      if (servers[rank] == servers[other] &&
          std::strcmp(offers[rank].bus, offers[other].bus) == 0)
        return fmt::format("ranks {} and {} share the GPU at {}, and NCCL "
                           "needs one for each",
                           other, rank, offers[rank].bus);
  return {};
}

Result<std::unique_ptr<DeviceLink>>
linkDevices(Device &device, Ranks &ranks, CommKind comm,
            const cuda::SearchContext &libraries) {
  auto link = std::make_unique<DeviceLink>();
  Result<VectorMemory *> vectors = device.vectors();
  if (!vectors.ok())
    return vectors.status();
  PeerCapability own;
  if (*vectors)
    own.kind = (*vectors)->isOnHost() ? PeerCapability::SimulatedGpu
                                      : PeerCapability::Gpu;
  if (comm == CommKind::Gloo)
    write(own.why, "--comm=gloo");
  else if (own.kind == PeerCapability::Gpu)
    describeGpu(device, ranks, libraries, *link, own);
  std::vector<PeerCapability> offers(ranks.size());
  BOOSTRT_RETURN_IF_ERROR(ranks.gather(own, std::span(offers)));
  std::string why = directTransferBlocker(offers, ranks.servers());
  if (why.empty() && comm == CommKind::Nccl && own.kind != PeerCapability::Gpu)
    why = "the GPU is a simulated one";
  if (!why.empty() && comm == CommKind::Nccl)
    return Status(ExitCode::Usage,
                  fmt::format("--comm=nccl cannot be: {}; with --comm=auto the "
                              "host carries what GPUs exchange",
                              why));
  if (!why.empty()) {
    if (own.kind != PeerCapability::Cpu)
      link->note =
          fmt::format("GPUs exchange gradients through the host: {}", why);
    return link;
  }
  link->vectors = *vectors;
  link->memory = device.memory();
  link->transport = &ranks.transport();
  if (own.kind == PeerCapability::SimulatedGpu)
    return link;
  Result<std::unique_ptr<Transport>> transport =
      connectNccl(ranks.transport(), *link->nccl, *device.stream());
  if (!transport.ok())
    return transport.status();
  link->ncclTransport = std::move(transport).value();
  link->transport = link->ncclTransport.get();
  link->note = fmt::format("GPUs exchange gradients over {}",
                           link->transport->describe());
  return link;
}

} // namespace boostrt
