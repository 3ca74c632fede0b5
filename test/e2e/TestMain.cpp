// As boost-run does: without it tests on a machine with other work are slow.
#include "runtime/device/cpu/SpinPolicy.h"
#include <gtest/gtest.h>

int main(int argc, char **argv) {
  boostrt::limitSpinning(argv);
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
