#include "runtime/comm/vectors/HostAdasumKernels.h"

#include "runtime/comm/vectors/ElementLoops.h"

#include <algorithm>
#include <array>

namespace boostrt::adasum {
namespace {

const ElementLoops &loops() {
  static const ElementLoops &fastest = supportedLoops().front();
  return fastest;
}

/// No level has more rows, so the pointers fit on the stack.
using RowPointers = std::array<const float *, kMaxRadix>;

void pointToRows(const Rows &rows, const ChunkPlace &chunk, RowPointers &x) {
  for (uint32_t row = 0; row < rows.count; ++row)
    x[row] = rows.at(row, chunk);
}

} // namespace

Status HostAdasumKernels::gram(const Rows &rows,
                               std::span<const ChunkPlace> chunks,
                               double *sums) {
  RowPointers x;
  for (const ChunkPlace &chunk : chunks) {
    pointToRows(rows, chunk, x);
    loops().gram(x.data(), rows.count, chunk.count,
                 sums + chunk.place * pairCount(rows.count));
  }
  return Status();
}

Status HostAdasumKernels::dots(const Rows &rows, uint32_t row,
                               std::span<const ChunkPlace> chunks,
                               double *sums) {
  RowPointers x;
  for (const ChunkPlace &chunk : chunks) {
    pointToRows(rows, chunk, x);
    loops().dots(x[row], x.data(), rows.count, chunk.count,
                 sums + size_t(chunk.place) * rows.count);
  }
  return Status();
}

Status HostAdasumKernels::addPlaces(const double *sums, size_t,
                                    uint32_t products, const uint32_t *begins,
                                    uint32_t vectors, double *totals) {
  std::fill_n(totals, size_t(vectors) * products, 0.0);
  for (uint32_t vector = 0; vector < vectors; ++vector, totals += products)
    for (uint32_t place = begins[vector]; place < begins[vector + 1]; ++place)
      for (uint32_t product = 0; product < products; ++product)
        totals[product] += sums[size_t(place) * products + product];
  return Status();
}

Status HostAdasumKernels::combine(const Rows &rows, uint32_t into,
                                  std::span<const ChunkPlace> chunks,
                                  const Term *terms, size_t) {
  RowPointers x;
  std::array<double, kMaxRadix> c;
  for (const ChunkPlace &chunk : chunks) {
    const Term *list = terms + size_t(chunk.held) * (rows.count + 1);
    size_t count = list->row;
    for (size_t i = 0; i < count; ++i) {
      x[i] = rows.at(static_cast<uint32_t>(list[1 + i].row), chunk);
      c[i] = list[1 + i].coefficient;
    }
    if (count)
      loops().combine(x.data(), c.data(), count, chunk.count,
                      rows.at(into, chunk));
  }
  return Status();
}

} // namespace boostrt::adasum
