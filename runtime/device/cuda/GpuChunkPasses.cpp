#include "runtime/device/cuda/GpuChunkPasses.h"

#include "runtime/comm/adasum/Passes.h"
#include "runtime/device/cuda/AdasumKernels.h"

#include <algorithm>
#include <array>

namespace boostrt {

using namespace adasum;

namespace {

constexpr BoostImage kImages[] = {
    {BOOST_IMAGE_PTX, 80, kAdasumPtx, sizeof kAdasumPtx - 1}, {}};

constexpr uint32_t kThreads = 256;
/// So many threads have a product.
constexpr size_t kLanes = 8;
/// More than any GPU runs at a time.
constexpr size_t kMostBlocks = 4096;

size_t divideUp(size_t a, size_t b) { return (a + b - 1) / b; }

uint64_t stagingBytes(const Rows &rows) {
  return (rows.count - 1) * rows.stride * sizeof(float);
}

} // namespace

Result<std::unique_ptr<GpuChunkPasses>>
GpuChunkPasses::create(GpuDriver &driver) {
  std::unique_ptr<GpuChunkPasses> passes(new GpuChunkPasses(driver));
  BOOSTRT_RETURN_IF_ERROR(driver.load(kImages, "boost-run"));
  for (Kernel *kernel :
       {&passes->products_, &passes->add_, &passes->combine_}) {
    Result<uint32_t> found = driver.findKernel(kernel->name);
    if (!found.ok())
      return found.status();
    kernel->number = *found;
  }
  return passes;
}

Status GpuChunkPasses::gram(const Rows &rows,
                            std::span<const ChunkPlace> chunks, double *sums) {
  return multiply(rows, UINT32_MAX, pairCount(rows.count), chunks, sums);
}

Status GpuChunkPasses::dots(const Rows &rows, uint32_t row,
                            std::span<const ChunkPlace> chunks, double *sums) {
  return multiply(rows, row, rows.count, chunks, sums);
}

/// With `row` UINT32_MAX all pairs of rows are multiplied. Chunks go to the GPU
/// in turns, so that it can number their products in 32 bits.
Status GpuChunkPasses::multiply(const Rows &rows, uint32_t row, size_t products,
                                std::span<const ChunkPlace> chunks,
                                double *sums) {
  constexpr size_t kMostItems = size_t(1) << 28;
  size_t atOnce = std::max<size_t>(kMostItems / products, 1);
  while (!chunks.empty()) {
    std::span now = chunks.first(std::min(atOnce, chunks.size()));
    chunks = chunks.subspan(now.size());
    size_t items = now.size() * products;
    BOOSTRT_RETURN_IF_ERROR(launch(
        products_, divideUp(items * kLanes, kThreads),
        std::array<Buffer, 4>{
            {{rows.bucket, rows.bucketElements * sizeof(float)},
             {rows.staging, stagingBytes(rows)},
             {now.data(), now.size_bytes()},
             {sums, rows.places * products * sizeof(double), true}}},
        std::array<uint64_t, 5>{items, products, row, rows.own, rows.stride}));
  }
  return Status();
}

Status GpuChunkPasses::addPlaces(const double *sums, size_t places,
                                 uint32_t products, const uint32_t *begins,
                                 uint32_t vectors, double *totals) {
  size_t items = size_t(vectors) * products;
  return launch(
      add_, divideUp(items, kThreads),
      std::array<Buffer, 3>{{{sums, places * products * sizeof(double)},
                             {begins, (vectors + 1) * sizeof(uint32_t)},
                             {totals, items * sizeof(double), true}}},
      std::array<uint64_t, 2>{items, products});
}

Status GpuChunkPasses::combine(const Rows &rows, uint32_t into,
                               std::span<const ChunkPlace> chunks,
                               const Term *terms, size_t vectors) {
  size_t length = rows.count + 1;
  bool isOwn = into == rows.own;
  return launch(combine_, chunks.size(),
                std::array<Buffer, 4>{
                    {{rows.bucket, rows.bucketElements * sizeof(float), isOwn},
                     {rows.staging, stagingBytes(rows), !isOwn},
                     {chunks.data(), chunks.size_bytes()},
                     {terms, vectors * length * sizeof(Term)}}},
                std::array<uint64_t, 5>{chunks.size(), length, into, rows.own,
                                        rows.stride});
}

Status GpuChunkPasses::launch(const Kernel &kernel, size_t blocks,
                              std::span<const Buffer> buffers,
                              std::span<const uint64_t> numbers) {
  if (blocks == 0)
    return Status();
  std::vector<BoostOperand> operands;
  std::vector<uint64_t> arguments;
  for (const Buffer &buffer : buffers) {
    operands.push_back({buffer.bytes, buffer.isWritten, 0});
    arguments.push_back(reinterpret_cast<uint64_t>(buffer.address));
  }
  arguments.insert(arguments.end(), numbers.begin(), numbers.end());
  BoostLaunch launch = {};
  launch.kernel = kernel.name;
  launch.location = "an Adasum over ranks";
  launch.operands = operands.data();
  launch.operand_count = static_cast<uint32_t>(operands.size());
  launch.blocks = static_cast<uint32_t>(std::min(blocks, kMostBlocks));
  launch.threads = kThreads;
  return driver_.launch(kernel.number, launch, arguments);
}

} // namespace boostrt
