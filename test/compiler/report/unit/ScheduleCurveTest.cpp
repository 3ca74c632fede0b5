#include "compiler/report/ScheduleCurve.h"
#include "compiler/report/TextTable.h"
#include <gtest/gtest.h>

using namespace boostc::report;

static std::string draw(llvm::function_ref<double(int64_t)> value,
                        int64_t steps, int64_t epochs) {
  std::string text;
  llvm::raw_string_ostream os(text);
  drawCurve(value, steps, epochs, os);
  return text;
}

TEST(ScheduleCurve, ConstantIsOneLine) {
  EXPECT_EQ(draw([](int64_t) { return 0.25; }, 1000, 10),
            "    0.25 at every step\n");
  EXPECT_EQ(draw([](int64_t) { return 3.0; }, 1, 1), "    3.0 at every step\n");
}

TEST(ScheduleCurve, LineFallsFromCornerToCorner) {
  EXPECT_EQ(draw([](int64_t step) { return 7.0 - double(step); }, 8, 2),
            "           7.0 |*\n"
            "               | *\n"
            "               |  *\n"
            "               |   *\n"
            "               |    *\n"
            "               |     *\n"
            "               |      *\n"
            "           0.0 |       *\n"
            "               +--------\n"
            "                0 epoch 2\n");
}

TEST(ScheduleCurve, LongRunsAreSampledFromFirstToLastStep) {
  int64_t first = -1, last = -1;
  std::string text = draw(
      [&](int64_t step) {
        if (first < 0)
          first = step;
        last = step;
        return step < 500000 ? 1.0 : 0.5;
      },
      1000000, 90);
  EXPECT_EQ(first, 0);
  EXPECT_EQ(last, 999999);
  EXPECT_NE(text.find("1.0 |" + std::string(30, '*') + "\n"), std::string::npos)
      << text;
  EXPECT_NE(text.find("0.5 |" + std::string(30, ' ') + std::string(30, '*')),
            std::string::npos)
      << text;
}

TEST(TextTable, SeparatesThousands) {
  EXPECT_EQ(withSeparators(0), "0");
  EXPECT_EQ(withSeparators(999), "999");
  EXPECT_EQ(withSeparators(4089284608), "4,089,284,608");
}
