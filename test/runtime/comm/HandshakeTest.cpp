#include "runtime/comm/Handshake.h"
#include "test/runtime/device/cuda/nccl/NcclRanks.h"

#include <gtest/gtest.h>

using namespace boostrt;
using namespace boostrt::test;

namespace {

class Handshake : public ::testing::TestWithParam<TransportKind> {
protected:
  /// What all ranks say when rank 2 of 4 brings `facts` and the others bring
  /// program p1 and data d1.
  std::string verdict(const std::vector<Fact> &facts) {
    auto statuses = runRanks(GetParam(), 4, [&](Transport &transport) {
      std::vector<Fact> usual = {{"the program", "p1"}, {"the data set", "d1"}};
      return agree(transport, transport.rank() == 2 ? facts : usual);
    });
    for (const Status &status : statuses) {
      EXPECT_EQ(status.message(), statuses[0].message());
      EXPECT_EQ(status.code(), statuses[0].code());
    }
    EXPECT_EQ(statuses[0].code(),
              statuses[0].ok() ? ExitCode::Ok : ExitCode::RankLost);
    return statuses[0].message();
  }
};

INSTANTIATE_TEST_SUITE_P(Over, Handshake,
                         ::testing::ValuesIn(allTransportKinds()),
                         [](const auto &info) { return kindName(info.param); });

TEST_P(Handshake, AcceptsEqualFacts) {
  EXPECT_EQ(verdict({{"the program", "p1"}, {"the data set", "d1"}}), "");
}

TEST_P(Handshake, NamesTheRankTheFactAndBothValues) {
  EXPECT_EQ(verdict({{"the program", "p1"}, {"the data set", "d2"}}),
            "the ranks do not run the same job: the data set is 'd2' on rank 2 "
            "and 'd1' on rank 0; start all ranks with the same program, "
            "options and data");
}

TEST_P(Handshake, NamesAFactThatIsMissing) {
  EXPECT_EQ(verdict({{"the program", "p1"}}),
            "the ranks do not run the same job: the data set is missing on "
            "rank 2 and 'd1' on rank 0; start all ranks with the same program, "
            "options and data");
}

TEST_P(Handshake, SeesAnotherVersion) {
  EXPECT_EQ(verdict({{"something", "p1"}, {"the data set", "d1"}}),
            "rank 2 and rank 0 run different versions of boost-run; install "
            "the same one on all machines");
}

TEST_P(Handshake, PrintsNoControlCharacters) {
  std::string message =
      verdict({{"the program", "\033[2J"}, {"the data set", "d1"}});
  EXPECT_EQ(message.find('\033'), std::string::npos);
  EXPECT_NE(message.find("\\x1b"), std::string::npos) << message;
}

} // namespace
