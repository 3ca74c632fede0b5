// --network as people write it.
#include "runtime/predict/NetworkText.h"

#include <gmock/gmock.h>

namespace boostrt {
namespace {

TEST(NetworkText, LatencyAndBandwidth) {
  struct Case {
    const char *text;
    double latency, bytesPerSecond;
  };
  for (const Case &c : {Case{"10us,100Gbit/s", 10e-6, 12.5e9},
                        {"1.5ms,800Mbit/s", 1.5e-3, 1e8},
                        {"250ns,3GB/s", 250e-9, 3e9},
                        {"1s,1MB/s", 1, 1e6}}) {
    Result<NetworkCosts> network = parseNetwork(c.text);
    ASSERT_TRUE(network.ok()) << network.status().message();
    EXPECT_DOUBLE_EQ(network->latency, c.latency);
    EXPECT_DOUBLE_EQ(network->bytesPerSecond, c.bytesPerSecond);
  }
}

TEST(NetworkText, SaysWhatIsWrong) {
  struct Case {
    const char *text, *message;
  };
  for (const Case &c :
       {Case{"10us", "'10us' has no comma; expected latency and bandwidth, as "
                     "in 10us,100Gbit/s"},
        {"10,1GB/s",
         "'10' is not a latency; expected a number above 0 and one of "
         "ns, us, ms, s, as in 10us"},
        {"0us,1GB/s", "'0us' is not a latency"},
        {"-1us,1GB/s", "'-1us' is not a latency"},
        {"us,1GB/s", "'us' is not a latency"},
        {"1us,10Gb", "'10Gb' is not a bandwidth; expected a number above 0 and "
                     "one of Mbit/s, Gbit/s, MB/s, GB/s, as in 100Gbit/s"},
        {"1us,nanGB/s", "'nanGB/s' is not a bandwidth"},
        {"1us,infGB/s", "'infGB/s' is not a bandwidth"},
        {"1us,1GB/s,", "'1GB/s,' is not a bandwidth"},
        {"1us,", "'' is not a bandwidth"}}) {
    Result<NetworkCosts> network = parseNetwork(c.text);
    ASSERT_FALSE(network.ok()) << c.text;
    EXPECT_EQ(network.status().code(), ExitCode::Usage);
    EXPECT_THAT(network.status().message(), testing::StartsWith(c.message));
  }
}

TEST(NetworkText, InTheUnitThatSuits) {
  EXPECT_EQ(describeSeconds(30e-6), "30 us");
  EXPECT_EQ(describeSeconds(1.5e-3), "1.5 ms");
  EXPECT_EQ(describeSeconds(2), "2 s");
  EXPECT_EQ(describeBandwidth(1.25e9), "10 Gbit/s");
}

} // namespace
} // namespace boostrt
