// TextTable.h - columns of text for people.
#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"
#include <string>
#include <vector>

namespace boostc::report {

class TextTable {
public:
  /// One character per column: 'l' for left, 'r' for right.
  explicit TextTable(llvm::StringRef alignment) : alignment(alignment) {}

  void addRow(std::vector<std::string> cells) {
    rows.push_back(std::move(cells));
  }
  /// A line under the last row.
  void addRule() { rules.push_back(rows.size()); }
  /// Prints the rows, each after two spaces and without spaces at its end.
  void print(llvm::raw_ostream &os) const;

private:
  llvm::StringRef alignment;
  std::vector<std::vector<std::string>> rows;
  std::vector<size_t> rules;
};

/// 4089284608 as "4,089,284,608".
std::string withSeparators(int64_t number);

} // namespace boostc::report
