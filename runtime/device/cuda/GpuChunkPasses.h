// GpuChunkPasses.h - Adasum's passes over vectors in the memory of a GPU, by
// kernels of the runtime's own, with the bits of the host's.
#pragma once

#include "runtime/comm/adasum/ChunkPasses.h"
#include "runtime/device/cuda/GpuDriver.h"

#include <memory>
#include <optional>

namespace boostrt {

class GpuChunkPasses final : public adasum::ChunkPasses {
public:
  /// `driver` outlives the object; its program is loaded and its kernels are
  /// found. Fails with ExitCode::Input.
  static Result<std::unique_ptr<GpuChunkPasses>> create(GpuDriver &driver);

  Status gram(const adasum::Rows &rows,
              std::span<const adasum::ChunkPlace> chunks,
              double *sums) override;
  Status dots(const adasum::Rows &rows, uint32_t row,
              std::span<const adasum::ChunkPlace> chunks,
              double *sums) override;
  Status addPlaces(const double *sums, size_t places, uint32_t products,
                   const uint32_t *begins, uint32_t vectors,
                   double *totals) override;
  Status combine(const adasum::Rows &rows, uint32_t into,
                 std::span<const adasum::ChunkPlace> chunks,
                 const adasum::Term *terms, size_t vectors) override;

private:
  struct Kernel {
    const char *name;
    uint32_t number;
  };
  /// A place in the memory that a kernel gets.
  struct Buffer {
    const void *address;
    uint64_t bytes;
    bool isWritten = false;
  };

  explicit GpuChunkPasses(GpuDriver &driver) : driver_(driver) {}
  Status multiply(const adasum::Rows &rows, uint32_t row, size_t products,
                  std::span<const adasum::ChunkPlace> chunks, double *sums);
  Status launch(const Kernel &kernel, size_t blocks,
                std::span<const Buffer> buffers,
                std::span<const uint64_t> numbers);

  GpuDriver &driver_;
  Kernel products_ = {"boost_adasum_products", 0};
  Kernel add_ = {"boost_adasum_add", 0};
  Kernel combine_ = {"boost_adasum_combine", 0};
};

} // namespace boostrt
