// Rank tables: what is read is written, and read again as the same.

#include "runtime/launch/RankTable.h"
#include "test/fuzz/Fuzz.h"

using namespace boostrt;
using namespace boostrt::fuzz;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::string text(textOf(data, size));
  for (TableKind kind : {TableKind::Whole, TableKind::Part}) {
    Result<RankTable> table = parseRankTable(text, "table.json", kind);
    if (!table.ok()) {
      expectRefusal(table.status(), "table.json");
      continue;
    }
    if (kind == TableKind::Part)
      continue;
    std::string written = table->toJson();
    Result<RankTable> again = parseRankTable(written, "again.json");
    expect(again.ok(), "a table that was written is refused");
    expect(again->toJson() == written, "a table changes when it is written");
  }
  return 0;
}
