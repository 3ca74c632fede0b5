// Cells.h - which cells of a large matrix of tests run.
#pragma once

#include "llvm/Support/ErrorHandling.h"
#include <cstdlib>
#include <tuple>
#include <vector>

namespace boostc::e2e {

/// Whether everything runs, as with tools/test --long, and not what
/// continuous integration has the time for.
inline bool runsLongTests() { return std::getenv("BOOSTC_LONG_TESTS"); }

/// Every row with every column at night. Else every row with one column of each
/// kind: the columns of a kind take turns, so that each has about as many rows.
template <typename Row, typename Column>
std::vector<std::tuple<Row, Column>>
chooseCells(const std::vector<Row> &rows,
            const std::vector<std::vector<Column>> &kinds,
            bool isLong = runsLongTests()) {
  std::vector<std::tuple<Row, Column>> cells;
  for (size_t row = 0; row < rows.size(); ++row)
    for (size_t kind = 0; kind < kinds.size(); ++kind) {
      const std::vector<Column> &columns = kinds[kind];
      if (rows.size() < columns.size())
        llvm::report_fatal_error("a column would have no row");
      // Kinds do not begin alike: else columns at the same place of two lists
      // would share their rows.
      size_t turn = (row + kind) % columns.size();
      for (size_t column = 0; column < columns.size(); ++column)
        if (isLong || column == turn)
          cells.emplace_back(rows[row], columns[column]);
    }
  return cells;
}

} // namespace boostc::e2e
