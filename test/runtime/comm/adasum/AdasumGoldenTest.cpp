// Vectors and results of an implementation that shares nothing with this one.
#include "test/runtime/comm/adasum/AdasumCase.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <fstream>

using namespace boostrt;
using namespace boostrt::test;

namespace {

TEST(AdasumGolden, MatchesTheReference) {
  std::ifstream file(BOOSTC_ADASUM_GOLDEN);
  nlohmann::json golden = nlohmann::json::parse(file);
  ASSERT_GE(golden.at("cases").size(), 10u);
  for (const nlohmann::json &entry : golden["cases"]) {
    auto ranks = entry.at("ranks").get<Vectors>();
    auto sizes = entry.at("layers").get<std::vector<size_t>>();
    auto result = entry.at("result").get<Vector>();
    AdasumCase what = caseOf(ranks, sizes);
    for (const AdasumForm &form : mainForms(what.ranks())) {
      Vector found = run(what, form.options).values();
      size_t offset = 0;
      for (size_t size : sizes) {
        Vector part(found.begin() + offset, found.begin() + offset + size);
        Vector expected(result.begin() + offset,
                        result.begin() + offset + size);
        EXPECT_LE(relative(part, expected), kTolerance)
            << entry.at("name") << ", " << form.name;
        offset += size;
      }
    }
  }
}

} // namespace
