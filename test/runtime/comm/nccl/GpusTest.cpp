// Sums and Adasum of GPUs over NCCL, where there are GPUs: bits of the host's.
#include "runtime/comm/Collectives.h"
#include "runtime/comm/adasum/Adasum.h"
#include "runtime/device/cuda/GpuVectors.h"
#include "test/runtime/comm/nccl/GpuRanks.h"

#include <gtest/gtest.h>

#include <cstring>

using namespace boostrt;
using namespace boostrt::test;

namespace {

std::vector<float> valuesOf(uint32_t rank) {
  std::vector<float> values(5000003);
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = float((i * 2654435761u + rank * 40503u) % 1000003) / 977.0f;
  return values;
}

/// Of a vector in the memory of the host, or in another one.
using OnHost = Status(Group &, std::span<float>, Workspace &);
using OnGpu = Status(Group &, std::span<float>, Workspace &, VectorMemory &);

Status sumOnHost(Group &group, std::span<float> values, Workspace &workspace) {
  return allReduceSum(group, values, workspace);
}
Status sumOnGpu(Group &group, std::span<float> values, Workspace &workspace,
                VectorMemory &memory) {
  return allReduceSum(group, {&values, 1}, workspace, memory);
}

Result<Adasum> planAdasum(const Group &group, size_t elements) {
  const AdasumTensor tensors[] = {{0, 70001, 0}, {70001, elements - 70001, 1}};
  return Adasum::plan(group.size(), group.self(), tensors, {});
}
Status adasumOnHost(Group &group, std::span<float> values,
                    Workspace &workspace) {
  Result<Adasum> adasum = planAdasum(group, values.size());
  return adasum.ok() ? adasum->run(group, values.data(), workspace)
                     : adasum.status();
}
Status adasumOnGpu(Group &group, std::span<float> values, Workspace &workspace,
                   VectorMemory &memory) {
  Result<Adasum> adasum = planAdasum(group, values.size());
  return adasum.ok() ? adasum->run(group, values.data(), workspace, memory)
                     : adasum.status();
}

Status runOnGpu(GpuConnection &connection, std::vector<float> &values,
                OnGpu *collective) {
  CudaDriver &driver = connection.driver();
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

void expectTheHostsBits(OnHost *hosts, OnGpu *gpu) {
  std::optional<TransportKind> gpus = ncclOnGpus();
  if (!gpus)
    GTEST_SKIP() << "it takes two GPUs and NCCL";
  for (uint32_t ranks = 2; ranks <= gpus->mostRanks; ++ranks) {
    std::vector<std::vector<float>> onGpus(ranks), onHost(ranks);
    expectRanks(*gpus, ranks, [&](Transport &transport) {
      std::vector<float> &values = onGpus[transport.rank()];
      values = valuesOf(transport.rank());
      return runOnGpu(static_cast<GpuConnection &>(transport), values, gpu);
    });
    expectRanks(transportKinds().front(), ranks, [&](Transport &transport) {
      std::vector<float> &values = onHost[transport.rank()];
      values = valuesOf(transport.rank());
      Group group(transport);
      Workspace workspace;
      return hosts(group, values, workspace);
    });
    for (uint32_t rank = 0; rank < ranks; ++rank)
      EXPECT_EQ(std::memcmp(onGpus[rank].data(), onHost[0].data(),
                            onHost[0].size() * sizeof(float)),
                0)
          << rank << " of " << ranks;
  }
}

TEST(Gpus, AddWithTheHostsBits) { expectTheHostsBits(sumOnHost, sumOnGpu); }

TEST(Gpus, CombineByAdasumWithTheHostsBits) {
  expectTheHostsBits(adasumOnHost, adasumOnGpu);
}

} // namespace
