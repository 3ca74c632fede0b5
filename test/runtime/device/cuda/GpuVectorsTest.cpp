// Sums on the simulated GPU have the bits of the host's.
#include "runtime/device/cuda/GpuVectors.h"

#include "runtime/comm/Collectives.h"
#include "runtime/comm/HostVectors.h"
#include "runtime/comm/local/LocalJob.h"
#include "sim/SimDriver.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <limits>
#include <random>
#include <thread>

using namespace boostrt;

namespace {

/// A GPU with what it adds.
struct Gpu {
  Gpu() {
    auto made = sim::SimDriver::create(1);
    EXPECT_TRUE(made.ok()) << made.status().message();
    driver = std::move(made).value();
    auto added = GpuVectors::create(*driver);
    EXPECT_TRUE(added.ok()) << added.status().message();
    vectors = std::move(added).value();
  }
  template <typename T> T *upload(const std::vector<T> &values) {
    auto address =
        driver->allocate(std::max<size_t>(values.size(), 1) * sizeof(T), "x");
    EXPECT_TRUE(address.ok());
    EXPECT_TRUE(
        driver->copyIn(*address, std::as_bytes(std::span(values))).ok());
    return reinterpret_cast<T *>(*address);
  }
  template <typename T> std::vector<T> read(const T *address, size_t count) {
    std::vector<T> values(count);
    DeviceCopy copy{std::as_writable_bytes(std::span(values)), address};
    EXPECT_TRUE(driver->copyOut({&copy, 1}).ok());
    return values;
  }
  std::unique_ptr<sim::SimDriver> driver;
  std::unique_ptr<GpuVectors> vectors;
};

/// Many sizes, so that every order of addition has other bits; and what is
/// not usual.
std::vector<float> values(size_t count, uint32_t seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> mantissa(-2, 2);
  std::vector<float> result(count);
  for (float &value : result)
    value = std::ldexp(mantissa(random), int(random() % 20) - 10);
  const float unusual[] = {0.0f,
                           -0.0f,
                           std::numeric_limits<float>::denorm_min() * 3,
                           -std::numeric_limits<float>::min(),
                           std::numeric_limits<float>::infinity(),
                           std::numeric_limits<float>::max()};
  for (size_t i = 0; i < count && i < 6; ++i)
    result[i] = unusual[(i + seed) % 6];
  return result;
}

template <typename T>
void expectSameBits(const std::vector<T> &a, const std::vector<T> &b) {
  ASSERT_EQ(a.size(), b.size());
  for (size_t i = 0; i < a.size(); ++i)
    ASSERT_EQ(std::memcmp(&a[i], &b[i], sizeof(T)), 0)
        << i << ": " << a[i] << " and " << b[i];
}

/// The sum of `pieces` on both, into piece `own` or, at -1, elsewhere.
template <typename T>
void compareSums(const std::vector<std::vector<T>> &pieces, int own) {
  size_t count = pieces[0].size();
  Gpu gpu;
  std::vector<void *> onGpu;
  for (const std::vector<T> &piece : pieces)
    onGpu.push_back(gpu.upload(piece));
  T *into = own < 0 ? gpu.upload(std::vector<T>(count))
                    : static_cast<T *>(onGpu[size_t(own)]);
  Status status = gpu.vectors->sum(elementOf<T>, onGpu, count, into);
  ASSERT_TRUE(status.ok()) << status.message();

  std::vector<std::vector<T>> onHost = pieces;
  std::vector<void *> addresses;
  for (std::vector<T> &piece : onHost)
    addresses.push_back(piece.data());
  std::vector<T> sum(count);
  Workspace workspace;
  HostVectors host(workspace);
  ASSERT_TRUE(host.sum(elementOf<T>, addresses, count, sum.data()).ok());
  expectSameBits(gpu.read(into, count), sum);
}

TEST(GpuVectors, ATreeOfPiecesHasTheHostsBits) {
  for (uint32_t pieces = 1; pieces <= 9; ++pieces)
    for (int own : {-1, 0, int(pieces) - 1}) {
      std::vector<std::vector<float>> floats;
      std::vector<std::vector<int64_t>> integers;
      for (uint32_t i = 0; i < pieces; ++i) {
        floats.push_back(values(777, i));
        integers.push_back({int64_t(i) << 40, -int64_t(i), INT64_MAX / 16});
      }
      compareSums(floats, own);
      compareSums(integers, own);
    }
}

TEST(GpuVectors, ThreadsTakeSeveralElementsOfALongVector) {
  Gpu gpu;
  // One more than a grid has threads.
  std::vector<float> a(4096 * 256 + 1, 1.5f), b(a.size(), 2);
  float *into = gpu.upload(a);
  Status status = gpu.vectors->add(Element::F32, into, gpu.upload(b), a.size());
  ASSERT_TRUE(status.ok()) << status.message();
  expectSameBits(gpu.read(into, a.size()), std::vector<float>(a.size(), 3.5f));
}

/// Vectors of several parts; returns what each rank has in the end.
std::vector<std::vector<float>> reduce(uint32_t ranks,
                                       const std::vector<size_t> &sizes,
                                       AllReduceAlgorithm algorithm,
                                       bool onGpu) {
  LocalJob job(ranks);
  std::vector<std::vector<float>> results(ranks);
  std::vector<std::thread> threads;
  for (uint32_t rank = 0; rank < ranks; ++rank)
    threads.emplace_back([&, rank] {
      std::unique_ptr<Transport> transport = job.connect(rank);
      Group group(*transport);
      Workspace workspace;
      std::optional<Gpu> gpu;
      if (onGpu)
        gpu.emplace();
      std::vector<std::vector<float>> parts;
      std::vector<std::span<float>> spans;
      for (size_t i = 0; i < sizes.size(); ++i)
        parts.push_back(values(sizes[i], rank * 100 + uint32_t(i)));
      for (std::vector<float> &part : parts)
        spans.emplace_back(onGpu ? gpu->upload(part) : part.data(),
                           part.size());
      Status status = onGpu ? allReduceSum(group, spans, workspace,
                                           *gpu->vectors, algorithm)
                            : allReduceSum(group, spans, workspace, algorithm);
      EXPECT_TRUE(status.ok()) << status.message();
      for (size_t i = 0; i < sizes.size(); ++i) {
        std::vector<float> part =
            onGpu ? gpu->read(spans[i].data(), spans[i].size()) : parts[i];
        results[rank].insert(results[rank].end(), part.begin(), part.end());
      }
      if (onGpu) {
        EXPECT_LE(gpu->vectors->capacity(),
                  allReduceScratchBytes(ranks, results[rank].size(),
                                        gpu->vectors->cuts()));
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  return results;
}

// Short neighbours, which travel together, and a long part, which travels in
// place.
TEST(GpuVectors, AnAllReduceHasTheBitsOfTheHosts) {
  const std::vector<size_t> sizes = {10, 1000, 0, 70001, 3, 5};
  for (uint32_t ranks : {2u, 3u, 4u})
    for (AllReduceAlgorithm algorithm :
         {AllReduceAlgorithm::Direct, AllReduceAlgorithm::Halving}) {
      if (algorithm == AllReduceAlgorithm::Halving && ranks == 3)
        continue;
      auto onGpu = reduce(ranks, sizes, algorithm, true);
      auto onHost = reduce(ranks, sizes, algorithm, false);
      for (uint32_t rank = 0; rank < ranks; ++rank)
        expectSameBits(onGpu[rank], onHost[0]);
    }
}

// A fault of the device is the sum's failure.
TEST(GpuVectors, WhatIsNotThereCannotBeAdded) {
  Gpu gpu;
  float *there = gpu.upload(std::vector<float>(4));
  Status status = gpu.vectors->add(Element::F32, there, there + 4096, 4);
  EXPECT_EQ(status.code(), ExitCode::Internal);
  EXPECT_THAT(status.message(),
              testing::HasSubstr("cannot launch 'boost_add_f32' of a sum over "
                                 "ranks: extent 'right'"));
  status = gpu.vectors->copy(there, there + 4096, 4);
  EXPECT_EQ(status.code(), ExitCode::Internal);
  EXPECT_THAT(status.message(),
              testing::HasSubstr("sim: cannot copy 4 bytes at 0x"));
}

} // namespace
