#include "compiler/report/ScheduleCurve.h"
#include "runtime/abi/boost_schedule.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"
#include <cmath>
#include <nlohmann/json.hpp>

using namespace boostc;
using namespace boostc::report;

double report::evaluateSchedule(train::ScheduleAttr schedule, int64_t step,
                                int64_t stepsPerEpoch, int64_t steps) {
  BoostSchedule descriptor = schedule.getDescriptor();
  return boost_schedule_value(&descriptor, step, {stepsPerEpoch, steps});
}

/// Shortest text that a person would write.
static std::string number(double value) { return nlohmann::json(value).dump(); }

void report::drawCurve(llvm::function_ref<double(int64_t)> value, int64_t steps,
                       int64_t epochs, llvm::raw_ostream &os) {
  constexpr int64_t kColumns = 60, kRows = 8;
  int64_t columns = std::clamp<int64_t>(steps, 1, kColumns);
  std::vector<double> values;
  for (int64_t column = 0; column < columns; ++column)
    values.push_back(
        value(columns == 1 ? 0 : column * (steps - 1) / (columns - 1)));
  double low = *llvm::min_element(values), high = *llvm::max_element(values);
  if (low == high) {
    os << "    " << number(low) << " at every step\n";
    return;
  }
  for (int64_t row = kRows - 1; row >= 0; --row) {
    std::string line;
    for (double at : values) {
      double height = (at - low) / (high - low) * (kRows - 1);
      line += std::llround(height) == row ? '*' : ' ';
    }
    std::string label = row == kRows - 1 ? number(high)
                        : row == 0       ? number(low)
                                         : "";
    os << llvm::formatv("{0,14} |{1}\n", label, llvm::StringRef(line).rtrim());
  }
  std::string end = "epoch " + std::to_string(epochs);
  std::string gap(std::max<int64_t>(1, columns - 1 - int64_t(end.size())), ' ');
  os << std::string(15, ' ') << '+' << std::string(columns, '-') << "\n"
     << std::string(16, ' ') << "0" << gap << end << "\n";
}
