// HostAdasumKernels.h - Adasum's passes over vectors in the memory of the host,
// on the CPU that calls them.
#pragma once

#include "runtime/comm/vectors/AdasumKernels.h"

namespace boostrt::adasum {

class HostAdasumKernels final : public AdasumKernels {
public:
  Status gram(const Rows &rows, std::span<const ChunkPlace> chunks,
              double *sums) override;
  Status dots(const Rows &rows, uint32_t row,
              std::span<const ChunkPlace> chunks, double *sums) override;
  Status addPlaces(const double *sums, size_t places, uint32_t products,
                   const uint32_t *begins, uint32_t vectors,
                   double *totals) override;
  Status combine(const Rows &rows, uint32_t into,
                 std::span<const ChunkPlace> chunks, const Term *terms,
                 size_t vectors) override;
};

} // namespace boostrt::adasum
