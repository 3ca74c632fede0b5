// GpuAdasumKernels.h - Adasum's passes over vectors in the memory of a GPU, by
// kernels of the runtime's own, with the bits of the host's.
#pragma once

#include "runtime/comm/vectors/AdasumKernels.h"
#include "runtime/device/cuda/RuntimeKernels.h"

#include <memory>

namespace boostrt {

class GpuAdasumKernels final : public adasum::AdasumKernels {
public:
  /// `driver` outlives the object; its program is loaded and its kernels are
  /// found. Fails with ExitCode::Input.
  static Result<std::unique_ptr<GpuAdasumKernels>> create(GpuDriver &driver);

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
  explicit GpuAdasumKernels(GpuDriver &driver) : driver_(driver) {}
  Status multiply(const adasum::Rows &rows, uint32_t row, size_t products,
                  std::span<const adasum::ChunkPlace> chunks, double *sums);
  Status launch(const RuntimeKernel &kernel, size_t items,
                std::initializer_list<KernelBuffer> buffers,
                std::initializer_list<uint64_t> numbers) {
    return launchKernel(driver_, kernel, items,
                        {"an Adasum over ranks", buffers, numbers});
  }

  GpuDriver &driver_;
  RuntimeKernel products_ = {"boost_adasum_products"};
  RuntimeKernel add_ = {"boost_adasum_add"};
  RuntimeKernel combine_ = {"boost_adasum_combine"};
};

} // namespace boostrt
