// What CudaDriver copies, in which order, and how long it waits.
#include "test/runtime/device/cuda/FakeDriver.h"

#include <cstring>

using namespace boostrt;
using fake_cuda::liveObjects;

namespace {

using CudaCopies = FakeDriver;

std::span<std::byte> bytesOf(float &value) {
  return std::as_writable_bytes(std::span(&value, 1));
}

TEST_F(CudaCopies, CopiesReadTheirSourcesUntilTheyAreFinished) {
  load();
  ASSERT_TRUE(driver->finishCopies().ok()) << "none is nothing to wait for";
  Result<uint64_t> one = driver->allocate(4, "one"),
                   two = driver->allocate(4, "two");
  Result<uint32_t> kernel = driver->findKernel("add_one");
  ASSERT_TRUE(one.ok() && two.ok() && kernel.ok());
  float source = 1, later = 2, found[2] = {};
  fake_cuda::forget();
  ASSERT_TRUE(driver->copyIn(*one, bytesOf(source)).ok());
  ASSERT_TRUE(driver->copyIn(*two, bytesOf(later)).ok());
  EXPECT_EQ(fake_cuda::waits(fake_cuda::trace()), 0);
  uint64_t addresses[] = {0, *one};
  ASSERT_TRUE(driver->launch(*kernel, addOne, addresses).ok());
  ASSERT_TRUE(driver->finishCopies().ok());
  EXPECT_EQ(*reinterpret_cast<float *>(*one), 1)
      << "it waited for the kernel too";
  source = later = 50;
  // Both ways and all pieces with one wait, in order; the piece without bytes
  // is none.
  ASSERT_TRUE(driver->copyIn(*two, bytesOf(later)).ok());
  DeviceCopy copies[] = {
      {bytesOf(found[0]), reinterpret_cast<const void *>(*one)},
      {},
      {bytesOf(found[1]), reinterpret_cast<const void *>(*two)}};
  ASSERT_TRUE(driver->copyOut(copies).ok());
  EXPECT_EQ(found[0], 2);
  EXPECT_EQ(found[1], 50);
  std::string trace = fake_cuda::trace();
  EXPECT_EQ(fake_cuda::count(trace, "cuMemcpyDtoHAsync_v2"), 2);
  EXPECT_EQ(fake_cuda::count(trace, "cuStreamSynchronize"), 1);
  EXPECT_EQ(fake_cuda::waits(trace), 2);
}

TEST_F(CudaCopies, PagesAreLockedWhereThatCanBe) {
  create();
  alignas(4096) static std::byte pages[2][4096];
  int live = liveObjects();
  EXPECT_TRUE(driver->pin(pages[0]));
  EXPECT_EQ(liveObjects(), live + 1);
  set("FAKE_CUDA_FAILS", "cuMemHostRegister_v2=2");
  EXPECT_FALSE(driver->pin(pages[1])) << "which is not a failure";
  driver->unpin(pages[0]);
  EXPECT_EQ(liveObjects(), live);
}

// The driver of an H200 refuses to copy an arena that is pinned in part.
TEST_F(CudaCopies, WhatIsPinnedInPartGoesInPieces) {
  load();
  constexpr size_t kPage = 4096;
  alignas(kPage) static std::byte pages[4 * kPage];
  std::span<std::byte> all(pages);
  ASSERT_TRUE(driver->pin(all.subspan(kPage, kPage)));
  Result<uint64_t> at = driver->allocate(all.size(), "pages");
  ASSERT_TRUE(at.ok());
  for (size_t i = 0; i < all.size(); ++i)
    pages[i] = static_cast<std::byte>(i / 64);
  std::vector<std::byte> sent(all.begin(), all.end());
  fake_cuda::forget();
  ASSERT_TRUE(driver->copyIn(*at, all).ok());
  ASSERT_TRUE(driver->finishCopies().ok());
  EXPECT_EQ(fake_cuda::count(fake_cuda::trace(), "cuMemcpyHtoDAsync_v2"), 3);
  std::ranges::fill(all, std::byte{0});
  ASSERT_TRUE(read(all, *at).ok());
  EXPECT_TRUE(std::ranges::equal(all, sent));
  EXPECT_EQ(fake_cuda::count(fake_cuda::trace(), "cuMemcpyDtoHAsync_v2"), 3);
  fake_cuda::forget();
  ASSERT_TRUE(read(all.subspan(kPage, kPage), *at).ok());
  EXPECT_EQ(fake_cuda::count(fake_cuda::trace(), "cuMemcpyDtoHAsync_v2"), 1);
  driver->unpin(all.subspan(kPage, kPage));
  fake_cuda::forget();
  ASSERT_TRUE(driver->copyBatch(*at, all).ok());
  ASSERT_TRUE(driver->finishBatches().ok());
  EXPECT_EQ(fake_cuda::count(fake_cuda::trace(), "cuMemcpyHtoDAsync_v2@2"), 1);
}

TEST_F(CudaCopies, OutInTwoPartsWaitsForTheFirstAlone) {
  load();
  Result<uint64_t> one = driver->allocate(4, "one");
  Result<uint32_t> kernel = driver->findKernel("add_one");
  ASSERT_TRUE(one.ok() && kernel.ok());
  float source = 5, found = 0;
  uint64_t addresses[] = {0, *one};
  ASSERT_TRUE(driver->copyIn(*one, bytesOf(source)).ok());
  ASSERT_TRUE(driver->launch(*kernel, addOne, addresses).ok());
  DeviceCopy copy{bytesOf(found), reinterpret_cast<const void *>(*one)};
  ASSERT_TRUE(driver->beginCopyOut({&copy, 1}).ok());
  ASSERT_TRUE(driver->launch(*kernel, addOne, addresses).ok());
  EXPECT_EQ(found, 0);
  ASSERT_TRUE(driver->finishCopyOut().ok());
  EXPECT_EQ(found, 6);
  EXPECT_EQ(*reinterpret_cast<float *>(*one), 6) << "it waited for more";
}

TEST_F(CudaCopies, WordsThatAreWrittenNeedNoSource) {
  load();
  Result<uint64_t> at = driver->allocate(16, "words");
  ASSERT_TRUE(at.ok());
  std::array<int32_t, 4> words = {7, 7, 0, -1}, found{};
  fake_cuda::forget();
  ASSERT_TRUE(driver->write(*at, std::as_bytes(std::span(words))).ok());
  words.fill(9);
  EXPECT_EQ(fake_cuda::trace(),
            "cuMemsetD32Async\ncuMemsetD32Async\ncuMemsetD32Async\n")
      << "one for equal neighbours";
  ASSERT_TRUE(read(std::as_writable_bytes(std::span(found)), *at).ok());
  EXPECT_EQ(found, (std::array<int32_t, 4>{7, 7, 0, -1}));
}

/// Copies what its first pointer points to after its second.
struct Peek {
  const float *from;
  float *to;
};
void peek(void *pointers) {
  auto *p = static_cast<Peek *>(pointers);
  *p->to = *p->from;
}

class BatchCopies : public CudaCopies,
                    public testing::WithParamInterface<bool> {};

// As early or as late as copies may run: what reads a batch finds that one.
TEST_P(BatchCopies, AreOrderedWithWhatReadsThem) {
  if (GetParam())
    set("FAKE_CUDA_EAGER", "1");
  load();
  Result<uint32_t> kernel = driver->findKernel("call");
  Result<uint64_t> batch = driver->allocate(4, "batch"),
                   other = driver->allocate(4, "other");
  ASSERT_TRUE(kernel.ok() && batch.ok() && other.ok());
  float sources[4] = {1, 2, 3, 4}, found[4] = {}, last = 0;
  Peek peeks[4];
  int copied = 0;
  for (int i = 0; i < 4; ++i) {
    uint64_t to = i % 2 ? *other : *batch;
    ASSERT_TRUE(driver->copyBatch(to, bytesOf(sources[i])).ok());
    ASSERT_TRUE(driver->beginUse(to).ok());
    peeks[i] = {reinterpret_cast<const float *>(to), &found[i]};
    uint64_t operands[] = {reinterpret_cast<uint64_t>(peek),
                           reinterpret_cast<uint64_t>(&peeks[i])};
    ASSERT_TRUE(driver->launch(*kernel, addOne, operands).ok());
    ASSERT_TRUE(driver->endUse(to).ok());
    copied += found[i] != 0;
  }
  EXPECT_EQ(copied, 0) << "no launch was waited for";
  ASSERT_TRUE(driver->finishBatches().ok());
  // The last copies waited for the launches that read what was there before.
  EXPECT_EQ(found[0], 1);
  EXPECT_EQ(found[1], 2);
  EXPECT_EQ(found[3], 0) << "it waited for launches that no copy waits for";
  std::fill_n(sources, 4, 50.0f);
  ASSERT_TRUE(read(bytesOf(last), *other).ok());
  EXPECT_EQ(found[2], 3);
  EXPECT_EQ(found[3], 4);
  EXPECT_EQ(last, 4);
  // A launch waits for its copy where no other call has.
  Peek alone = {reinterpret_cast<const float *>(*batch), &found[0]};
  uint64_t operands[] = {reinterpret_cast<uint64_t>(peek),
                         reinterpret_cast<uint64_t>(&alone)};
  ASSERT_TRUE(driver->copyBatch(*batch, bytesOf(sources[0])).ok());
  ASSERT_TRUE(driver->beginUse(*batch).ok());
  ASSERT_TRUE(driver->launch(*kernel, addOne, operands).ok());
  ASSERT_TRUE(driver->endUse(*batch).ok());
  ASSERT_TRUE(read(bytesOf(last), *other).ok());
  EXPECT_EQ(found[0], 50);
  // Other memory has no copies to wait for.
  fake_cuda::forget();
  ASSERT_TRUE(driver->beginUse(0).ok());
  ASSERT_TRUE(driver->endUse(0).ok());
  EXPECT_EQ(fake_cuda::trace(), "");
}

INSTANTIATE_TEST_SUITE_P(LateAndEarly, BatchCopies, testing::Bool());

TEST_F(CudaCopies, EveryCallThatFailsIsNamed) {
  load();
  Result<uint64_t> at = driver->allocate(4, "x");
  ASSERT_TRUE(at.ok());
  std::byte bytes[4] = {};
  DeviceCopy copy{bytes, reinterpret_cast<const void *>(*at)};
  std::string text = failing("cuEventCreate", "cuEventCreate");
  expectStatus(driver->copyBatch(*at, bytes), ExitCode::Internal, text);
  set("FAKE_CUDA_FAILS", "");
  ASSERT_TRUE(driver->copyBatch(*at, bytes).ok());

  text = failing("cuMemcpyHtoDAsync", "cuMemcpyHtoDAsync_v2");
  expectStatus(driver->copyIn(*at, bytes), ExitCode::Internal, text);
  expectStatus(driver->copyBatch(*at, bytes), ExitCode::Internal, text);
  text = failing("cuMemcpyDtoHAsync", "cuMemcpyDtoHAsync_v2");
  expectStatus(read(bytes, *at), ExitCode::Internal, text);
  expectStatus(driver->beginCopyOut({&copy, 1}), ExitCode::Internal, text);
  text = failing("cuMemsetD32Async", "cuMemsetD32Async");
  expectStatus(driver->write(*at, bytes), ExitCode::Internal, text);
  text = failing("cuEventRecord", "cuEventRecord");
  expectStatus(driver->copyIn(*at, bytes), ExitCode::Internal, text);
  expectStatus(driver->beginCopyOut({&copy, 1}), ExitCode::Internal, text);
  expectStatus(driver->copyBatch(*at, bytes), ExitCode::Internal, text);
  expectStatus(driver->endUse(*at), ExitCode::Internal, text);
  text = failing("cuStreamWaitEvent", "cuStreamWaitEvent");
  expectStatus(driver->copyBatch(*at, bytes), ExitCode::Internal, text);
  expectStatus(driver->beginUse(*at), ExitCode::Internal, text);
  text = failing("cuEventSynchronize", "cuEventSynchronize");
  expectStatus(driver->finishCopies(), ExitCode::Internal, text);
  expectStatus(driver->finishCopyOut(), ExitCode::Internal, text);
  text = failing("cuStreamSynchronize", "cuStreamSynchronize");
  expectStatus(read(bytes, *at), ExitCode::Internal, text);
  expectStatus(driver->finishBatches(), ExitCode::Internal, text);
}

} // namespace
