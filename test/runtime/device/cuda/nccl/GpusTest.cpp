// Sums and Adasum of GPUs over NCCL, where there are GPUs: bits of the host's.
#include "runtime/comm/Collectives.h"
#include "runtime/comm/HostVectors.h"
#include "runtime/comm/adasum/Adasum.h"
#include "runtime/device/cuda/GpuVectors.h"
#include "test/runtime/comm/Contributions.h"
#include "test/runtime/device/cuda/nccl/GpuRanks.h"

#include <gtest/gtest.h>

#include <cstring>

using namespace boostrt;
using namespace boostrt::test;

namespace {

constexpr size_t kElements = 5000003;

/// For a vector in `memory`.
using Collective = Status(Group &, std::span<float>, Workspace &,
                          VectorMemory &memory);

Status sum(Group &group, std::span<float> values, Workspace &workspace,
           VectorMemory &memory) {
  return allReduceSum(group, {&values, 1}, workspace, memory);
}

Status combine(Group &group, std::span<float> values, Workspace &workspace,
               VectorMemory &memory) {
  const AdasumTensor tensors[] = {{0, 70001, 0},
                                  {70001, values.size() - 70001, 1}};
  Result<Adasum> adasum = Adasum::plan(group.size(), group.self(), tensors, {});
  return adasum.ok() ? adasum->run(group, values.data(), workspace, memory)
                     : adasum.status();
}

Status runOnGpu(GpuConnection &connection, std::vector<float> &values,
                Collective *collective) {
  CudaDriver &driver = connection.gpu();
  Result<std::unique_ptr<GpuVectors>> vectors = GpuVectors::create(driver);
  if (!vectors.ok())
    return vectors.status();
  size_t bytes = values.size() * sizeof(float);
  Result<uint64_t> address = driver.allocate(bytes, "values");
  if (!address.ok())
    return address.status();
  std::span<std::byte> onHost = std::as_writable_bytes(std::span(values));
  BOOSTRT_RETURN_IF_ERROR(driver.copyIn(*address, onHost));
  std::span<float> onGpu(reinterpret_cast<float *>(*address), values.size());
  Group group(connection);
  Workspace workspace;
  BOOSTRT_RETURN_IF_ERROR(collective(group, onGpu, workspace, **vectors));
  DeviceCopy copy{onHost, onGpu.data()};
  return driver.copyOut({&copy, 1});
}

void expectTheHostsBits(Collective *collective) {
  std::optional<TransportKind> gpus = ncclOnGpus();
  if (!gpus)
    GTEST_SKIP() << "it takes two GPUs and NCCL";
  for (uint32_t ranks = 2; ranks <= gpus->maxRanks; ++ranks) {
    std::vector<std::vector<float>> onGpus(ranks), onHost(ranks);
    expectRanks(*gpus, ranks, [&](Transport &transport) {
      std::vector<float> &values = onGpus[transport.rank()];
      values = contribution(transport.rank(), kElements);
      return runOnGpu(static_cast<GpuConnection &>(transport), values,
                      collective);
    });
    expectRanks(transportKinds().front(), ranks, [&](Transport &transport) {
      std::vector<float> &values = onHost[transport.rank()];
      values = contribution(transport.rank(), kElements);
      Group group(transport);
      Workspace workspace;
      HostVectors memory(workspace);
      return collective(group, values, workspace, memory);
    });
    for (uint32_t rank = 0; rank < ranks; ++rank)
      EXPECT_EQ(std::memcmp(onGpus[rank].data(), onHost[0].data(),
                            onHost[0].size() * sizeof(float)),
                0)
          << rank << " of " << ranks;
  }
}

TEST(Gpus, AddWithTheHostsBits) { expectTheHostsBits(sum); }

TEST(Gpus, CombineByAdasumWithTheHostsBits) { expectTheHostsBits(combine); }

} // namespace
