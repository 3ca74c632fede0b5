// Library calls on the simulated GPU: what they compute, and every defect that
// the simulator is to find, planted.
#include "sim/Floats.h"
#include "test/runtime/device/MatmulCall.h"
#include "test/sim/LibraryCallFixture.h"

#include <bit>
#include <cmath>

using namespace boostrt;
using namespace boostrt::sim;
using testing::HasSubstr;

namespace {

constexpr int64_t kM = 5, kN = 3, kK = 4;

class LibraryCall : public LibraryCallFixture {
protected:
  LibraryCall() : LibraryCallFixture("matmul") {}

  void SetUp() override { prepare(kCall); }

  static constexpr BoostLibraryCall kCall =
      matmulCall({kM, kN, kK, {kK, 1}, {1, kK}, 1, 0}, /*scratchBytes=*/0,
                 "model.json:14:5");
};

TEST_F(LibraryCall, Computes) {
  for (auto [factor, stored] : kFloatTypes)
    for (uint32_t hasBias : {0, 1}) {
      prepare(kCall, factor, stored);
      call.matmul.has_bias = hasBias;
      operands[2] = hasBias ? operands[2] : 0;
      Status status = run();
      ASSERT_TRUE(status.ok()) << status.message();
      std::vector<float> found = result();
      for (int64_t i = 0; i < kM; ++i)
        for (int64_t j = 0; j < kN; ++j) {
          // The operands have few bits: the sums are exact.
          float sum = hasBias ? bias[j] : 0;
          for (int64_t k = 0; k < kK; ++k)
            sum += a[i * kK + k] * b[j * kK + k];
          EXPECT_EQ(found[i * kN + j], rounded(sum, stored)) << i << ", " << j;
        }
    }
}

TEST_F(LibraryCall, ReportsNameTheTypes) {
  auto expect = [&](uint32_t factor, uint32_t stored, const char *text) {
    prepare(kCall, factor, stored);
    operands[4] = 0;
    EXPECT_THAT(run().message(), HasSubstr(text));
  };
  expect(BOOSTC_FLOAT_F32, BOOSTC_FLOAT_F32, "of B 1 and 4\n");
  expect(BOOSTC_FLOAT_BF16, BOOSTC_FLOAT_BF16, "of B 1 and 4, in bf16\n");
  expect(BOOSTC_FLOAT_F16, BOOSTC_FLOAT_F32, "of B 1 and 4, in f16, to f32\n");
  prepare(kCall, BOOSTC_FLOAT_BF16, BOOSTC_FLOAT_BF16);
  call.operand_bytes[3] -= 2;
  expectFault("out-of-bounds access",
              "C reaches over 30 bytes, and 28 were planned for it");
  prepare(kCall, BOOSTC_FLOAT_BF16, BOOSTC_FLOAT_F32);
  ASSERT_TRUE(memory.forget(operands[0] + 2, 2).ok());
  expectFault("uninitialised read", "A: no operation wrote all of the 8 bytes",
              Checks::All);
}

TEST(Tf32, RoundsToNearest) {
  const std::pair<float, float> pairs[] = {
      {0.0f, 0.0f},
      {-0.0f, -0.0f},
      {1.0f, 1.0f},
      {1.0f + 0x1p-10f, 1.0f + 0x1p-10f},
      {1.0f + 0x1p-12f, 1.0f},
      {1.0f + 0x1p-11f, 1.0f + 0x1p-10f}, // the middle: away from zero
      {-1.0f - 0x1p-11f, -1.0f - 0x1p-10f},
      {1.0f + 0x1p-11f - 0x1p-23f, 1.0f},
      {2.0f - 0x1p-12f, 2.0f}, // into the exponent
      {0x1p-126f, 0x1p-126f},
      {0x1p-137f, 0x1p-136f},
      {0x1p-138f, 0.0f},
      {0x1.ffcp127f, 0x1.ffcp127f},
      {0x1.fffffep127f, INFINITY},
      {-INFINITY, -INFINITY}};
  for (auto [value, rounded] : pairs) {
    EXPECT_EQ(roundToTf32(value), rounded) << value;
    EXPECT_EQ(std::signbit(roundToTf32(value)), std::signbit(rounded));
  }
  for (uint32_t bits : {0x7fffffffu, 0x7f800001u, 0xffffffffu})
    EXPECT_TRUE(std::isnan(roundToTf32(std::bit_cast<float>(bits))));
}

TEST_F(LibraryCall, RoundsFactorsToTf32) {
  for (float &value : a)
    value += 0x1.8p-12f;
  for (float &value : b)
    value -= 0x1.4p-11f;
  operands[0] = upload(a, "a");
  operands[1] = upload(b, "b");
  bias[0] = 0x1p-20f; // no factor
  operands[2] = upload(bias, "bias");
  for (uint32_t precision : {BOOSTC_PRECISION_FLOAT32, BOOSTC_PRECISION_TF32}) {
    call.precision = precision;
    Status status = run();
    ASSERT_TRUE(status.ok()) << status.message();
    auto factor = [&](float value) {
      return precision == BOOSTC_PRECISION_TF32 ? roundToTf32(value) : value;
    };
    std::vector<float> found = result();
    for (int64_t i = 0; i < kM; ++i)
      for (int64_t j = 0; j < kN; ++j) {
        float sum = 0;
        for (int64_t k = 0; k < kK; ++k)
          sum =
              __builtin_fmaf(factor(b[j * kK + k]), factor(a[i * kK + k]), sum);
        EXPECT_EQ(found[i * kN + j], sum + bias[j]) << i << ", " << j;
      }
  }
  operands[4] = 0;
  EXPECT_THAT(run().message(), HasSubstr("of B 1 and 4, in tf32\n"));
}

TEST_F(LibraryCall, ANanStaysOne) {
  a[kK] = NAN;
  operands[0] = upload(a, "a");
  ASSERT_TRUE(run().ok());
  std::vector<float> found = result();
  for (int64_t i = 0; i < kM * kN; ++i)
    EXPECT_EQ(std::isnan(found[i]), i / kN == 1) << i;
}

TEST_F(LibraryCall, WhatItLeavesCountsAsWritten) {
  EXPECT_FALSE(memory.isWritten(operands[3], kM * kN * 4));
  ASSERT_TRUE(memory.fill(operands[4], kScratchBytes, std::byte{1}).ok());
  ASSERT_TRUE(run().ok());
  EXPECT_TRUE(memory.isWritten(operands[3], kM * kN * 4));
  EXPECT_FALSE(memory.isWritten(operands[4], 1)) << "it may not be read";
}

TEST_F(LibraryCall, AWrongStride) {
  call.matmul.a_strides[0] = kK + 1;
  expectFault("out-of-bounds access",
              "A reaches over 96 bytes, and 80 were planned for it");
  call.matmul.a_strides[0] = kK;
  call.matmul.b_strides[1] = kK + 3;
  expectFault("out-of-bounds access",
              "B reaches over 72 bytes, and 48 were planned for it");
  call.matmul.b_strides[1] = kK;
  call.matmul.a_strides[1] = 2;
  Status status = run();
  EXPECT_EQ(status.message(),
            "sim: a library call that the library cannot execute (matmul of "
            "fc1, relu1, model.json:14:5)\n  A of 5 x 4 has strides "
            "4 and 2; "
            "cuBLASLt reads matrices whose rows or columns are contiguous and "
            "apart");
  EXPECT_EQ(status.code(), ExitCode::Internal);
}

TEST_F(LibraryCall, TooSmallABuffer) {
  call.operand_bytes[3] -= 4;
  expectFault("out-of-bounds access",
              "C reaches over 60 bytes, and 56 were planned for it");
  call.operand_bytes[3] += 4;
  // Planned so, and not there.
  operands[2] = reserve(kN * 4 - 4, "short");
  expectFault("out-of-bounds access", "bias: 12 bytes at ");
  operands[2] = kDeviceBase - 64;
  expectFault("out-of-bounds access", "bias: 12 bytes at ");
  operands[2] = upload(bias, "bias");
  operands[4] = reserve(kScratchBytes - 1, "short");
  expectFault("out-of-bounds access", "scratch: 256 bytes at ");
}

TEST_F(LibraryCall, Overlaps) {
  std::vector<uint64_t> apart = operands;
  uint64_t all = reserve(4096, "all");
  ASSERT_TRUE(memory.fill(all, 4096, std::byte{0}).ok());
  const char *names[] = {"A", "B", "bias", "C", "scratch"};
  for (auto [written, other] :
       {std::pair(3, 0), {3, 1}, {3, 2}, {4, 0}, {4, 1}, {4, 2}, {4, 3}}) {
    operands = apart;
    operands[other] = operands[written] = all;
    expectFault("overlapping operands", std::string(names[written]) +
                                            " is written and shares memory "
                                            "with " +
                                            names[other]);
  }
}

TEST_F(LibraryCall, MissingAndUnexpectedOperands) {
  uint64_t address = std::exchange(operands[2], 0);
  expectFault("missing operand", "bias is needed and its address is 0");
  operands[2] = address;
  call.matmul.has_bias = 0;
  expectFault("unexpected operand", "bias is given and the call has none");
  call.matmul.has_bias = 1;
  operands[4] = 0;
  expectFault("missing operand", "scratch is needed and its address is 0");
}

TEST_F(LibraryCall, Alignment) {
  uint64_t all = reserve(4096, "all");
  operands[1] = all + 16;
  expectFault("misaligned address", "B lies at ");
}

TEST_F(LibraryCall, UninitialisedReads) {
  const char *names[] = {"A", "B", "bias"};
  for (int operand : {0, 1, 2}) {
    ASSERT_TRUE(memory.forget(operands[operand] + 4, 4).ok());
    expectFault("uninitialised read",
                std::string(names[operand]) +
                    ": no operation wrote all of the ",
                Checks::All);
    EXPECT_TRUE(run(Checks::Bounds).ok());
    ASSERT_TRUE(memory.fill(operands[operand] + 4, 4, std::byte{0}).ok());
  }
  EXPECT_TRUE(run().ok());
}

// Gaps between rows belong to no operand.
TEST_F(LibraryCall, GapsAreNotRead) {
  ASSERT_TRUE(run().ok());
  std::vector<float> expected = result();
  call.matmul.a_strides[0] = kK + 2;
  call.operand_bytes[0] = kM * (kK + 2) * 4;
  uint64_t wide = reserve(call.operand_bytes[0], "wide");
  for (int64_t i = 0; i < kM; ++i)
    ASSERT_TRUE(memory
                    .copyIn(wide + i * (kK + 2) * 4,
                            std::as_bytes(std::span(a).subspan(i * kK, kK)))
                    .ok());
  operands[0] = wide;
  Status status = run();
  ASSERT_TRUE(status.ok()) << status.message();
  EXPECT_EQ(result(), expected);
}

} // namespace
