#include "compiler/report/TextTable.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatAdapters.h"
#include "llvm/Support/FormatVariadic.h"

using namespace boostc::report;

void TextTable::print(llvm::raw_ostream &os) const {
  std::vector<size_t> widths(alignment.size(), 0);
  for (const std::vector<std::string> &row : rows)
    for (auto [width, cell] : llvm::zip(widths, row))
      width = std::max(width, cell.size());
  size_t total = 0;
  for (size_t width : widths)
    total += width + 2;
  for (auto [index, row] : llvm::enumerate(rows)) {
    if (llvm::is_contained(rules, index))
      os << "  " << std::string(total - 2, '-') << "\n";
    std::string line;
    for (auto [column, cell] : llvm::enumerate(row)) {
      std::string padding(widths[column] - cell.size(), ' ');
      bool isLeft = alignment[column] == 'l';
      line += "  ";
      line += isLeft ? cell + padding : padding + cell;
    }
    os << llvm::StringRef(line).rtrim() << "\n";
  }
}

std::string boostc::report::withSeparators(int64_t number) {
  return llvm::formatv("{0:N0}", number);
}
