#include "runtime/device/cuda/GpuAdasumKernels.h"

#include "runtime/comm/vectors/ElementLoops.h"
#include "runtime/device/cuda/AdasumPtx.h"

#include <algorithm>
#include <cstddef>

namespace boostrt {

using namespace adasum;

namespace {

/// So many threads have a product.
constexpr size_t kLanes = 8;

// What the kernels read.
static_assert(sizeof(ChunkPlace) == 32 && offsetof(ChunkPlace, begin) == 8 &&
              offsetof(ChunkPlace, count) == 16 &&
              offsetof(ChunkPlace, held) == 20 &&
              offsetof(ChunkPlace, place) == 24);
static_assert(sizeof(Term) == 16 && offsetof(Term, coefficient) == 8);

uint64_t stagingBytes(const Rows &rows) {
  return (rows.count - 1) * rows.stride * sizeof(float);
}

} // namespace

Result<std::unique_ptr<GpuAdasumKernels>>
GpuAdasumKernels::create(GpuDriver &driver) {
  std::unique_ptr<GpuAdasumKernels> passes(new GpuAdasumKernels(driver));
  BOOSTRT_RETURN_IF_ERROR(
      loadKernels(driver, kAdasumPtx,
                  {&passes->products_, &passes->add_, &passes->combine_}));
  return passes;
}

Status GpuAdasumKernels::gram(const Rows &rows,
                              std::span<const ChunkPlace> chunks,
                              double *sums) {
  return multiply(rows, UINT32_MAX, pairCount(rows.count), chunks, sums);
}

Status GpuAdasumKernels::dots(const Rows &rows, uint32_t row,
                              std::span<const ChunkPlace> chunks,
                              double *sums) {
  return multiply(rows, row, rows.count, chunks, sums);
}

/// With `row` UINT32_MAX all pairs of rows are multiplied. Chunks go to the GPU
/// in turns, so that it can number their products in 32 bits.
Status GpuAdasumKernels::multiply(const Rows &rows, uint32_t row,
                                  size_t products,
                                  std::span<const ChunkPlace> chunks,
                                  double *sums) {
  constexpr size_t kMaxItems = size_t(1) << 28;
  size_t atOnce = std::max<size_t>(kMaxItems / products, 1);
  while (!chunks.empty()) {
    std::span now = chunks.first(std::min(atOnce, chunks.size()));
    chunks = chunks.subspan(now.size());
    size_t items = now.size() * products;
    BOOSTRT_RETURN_IF_ERROR(
        launch(products_, items * kLanes,
               {{"bucket", rows.bucket, rows.bucketElements * sizeof(float)},
                {"staging", rows.staging, stagingBytes(rows)},
                {"chunks", now.data(), now.size_bytes()},
                {"sums", sums, rows.places * products * sizeof(double), true}},
               {items, products, row, rows.own, rows.stride}));
  }
  return Status();
}

Status GpuAdasumKernels::addPlaces(const double *sums, size_t places,
                                   uint32_t products, const uint32_t *begins,
                                   uint32_t vectors, double *totals) {
  size_t items = size_t(vectors) * products;
  return launch(add_, items,
                {{"sums", sums, places * products * sizeof(double)},
                 {"begins", begins, (vectors + 1) * sizeof(uint32_t)},
                 {"totals", totals, items * sizeof(double), true}},
                {items, products});
}

Status GpuAdasumKernels::combine(const Rows &rows, uint32_t into,
                                 std::span<const ChunkPlace> chunks,
                                 const Term *terms, size_t vectors) {
  size_t length = rows.count + 1;
  bool isOwn = into == rows.own;
  // A block has a chunk.
  return launch(
      combine_, chunks.size() * kRuntimeKernelThreads,
      {{"bucket", rows.bucket, rows.bucketElements * sizeof(float), isOwn},
       {"staging", rows.staging, stagingBytes(rows), !isOwn},
       {"chunks", chunks.data(), chunks.size_bytes()},
       {"terms", terms, vectors * length * sizeof(Term)}},
      {chunks.size(), length, into, rows.own, rows.stride});
}

} // namespace boostrt
