// Convolutions as library calls on the simulated GPU: what they compute, and
// every defect that the simulator is to find, planted.
#include "test/runtime/device/ConvolutionCall.h"
#include "test/sim/LibraryCallFixture.h"

#include <cmath>

using namespace boostrt;
using namespace boostrt::sim;
using testing::HasSubstr;

namespace {

constexpr uint32_t kKinds[] = {BOOSTC_LIBRARY_CONVOLUTION,
                               BOOSTC_LIBRARY_CONVOLUTION_BACKWARD_DATA,
                               BOOSTC_LIBRARY_CONVOLUTION_BACKWARD_WEIGHT};

class ConvolutionCalls : public LibraryCallFixture {
protected:
  ConvolutionCalls() : LibraryCallFixture("convolution") {}

  using LibraryCallFixture::prepare;
  void prepare(uint32_t kind, bool hasBias = false) {
    prepare(convolutionCall(kind, {2, 4, 7, 9}, {6, 2, 3, 2},
                            {{2, 1}, {1, 0, 2, 3}, {1, 2}}, hasBias));
  }

  /// By definition, on row-major tensors.
  std::vector<double> expected() const {
    std::vector<double> sums(call.operand_bytes[3] /
                             boostrt::bytesOfElement(call.result_type));
    if (!bias.empty()) {
      size_t pixels = static_cast<size_t>(call.convolution.output[2] *
                                          call.convolution.output[3]);
      for (size_t i = 0; i < sums.size(); ++i)
        sums[i] = bias[i / pixels % bias.size()];
    }
    forEachProduct(call.kind, call.convolution,
                   [&](size_t result, size_t first, size_t second) {
                     sums[result] += double(a[first]) * b[second];
                   });
    for (double &sum : sums)
      sum = rounded(static_cast<float>(sum), call.result_type);
    return sums;
  }
  void expectComputed() {
    Status status = run();
    ASSERT_TRUE(status.ok()) << status.message();
    EXPECT_THAT(result(), testing::Pointwise(testing::Eq(), expected()));
  }
};

TEST_F(ConvolutionCalls, Compute) {
  struct Case {
    Extents input, weight;
    ConvolutionSteps steps;
  };
  const Case cases[] = {
      {{1, 1, 1, 1}, {1, 1, 1, 1}, {}},
      {{2, 3, 6, 5}, {4, 3, 3, 2}, {}},
      {{2, 4, 7, 9}, {6, 2, 3, 2}, {{2, 1}, {1, 0, 2, 3}, {1, 2}}},
      {{3, 4, 5, 5}, {4, 1, 3, 3}, {{2, 3}, {1, 1, 1, 1}}}, // depthwise
      {{1, 2, 4, 4}, {3, 2, 2, 2}, {{3, 3}, {3, 4, 5, 6}}}, // taps see nothing
      {{2, 2, 9, 2}, {2, 2, 4, 1}, {{1, 1}, {0, 0, 0, 0}, {2, 1}}}};
  for (const Case &each : cases)
    for (uint32_t kind : kKinds)
      for (bool hasBias : {false, true}) {
        if (hasBias && kind != BOOSTC_LIBRARY_CONVOLUTION)
          continue;
        SCOPED_TRACE(testing::Message() << "kind " << kind << ", case "
                                        << &each - cases << ", " << hasBias);
        for (auto [factor, stored] : kFloatTypes) {
          prepare(convolutionCall(kind, each.input, each.weight, each.steps,
                                  hasBias),
                  factor, stored);
          expectComputed();
        }
      }
}

TEST_F(ConvolutionCalls, RoundFactorsToTf32) {
  for (uint32_t kind : kKinds) {
    prepare(kind, kind == BOOSTC_LIBRARY_CONVOLUTION);
    call.precision = BOOSTC_PRECISION_TF32;
    // Rounded they are what they were: sums stay exact.
    std::vector<float> fuzzyA = a, fuzzyB = b;
    for (float &value : fuzzyA)
      value *= 1 + 0x1p-12f;
    for (float &value : fuzzyB)
      value *= 1 - 0x1p-13f;
    operands[0] = upload(fuzzyA, "a");
    operands[1] = upload(fuzzyB, "b");
    expectComputed();
    call.precision = BOOSTC_PRECISION_FLOAT32;
    ASSERT_TRUE(run().ok());
    EXPECT_THAT(result(),
                testing::Not(testing::Pointwise(testing::Eq(), expected())));
  }
  call.precision = BOOSTC_PRECISION_TF32;
  operands[4] = 0;
  EXPECT_THAT(run().message(), HasSubstr("dilations [1, 2], in tf32\n"));
}

TEST_F(ConvolutionCalls, FollowStrides) {
  for (uint32_t kind : kKinds) {
    prepare(kind);
    ASSERT_TRUE(run().ok());
    std::vector<float> rowMajor = result();
    // The input with channels last, read or written.
    BoostConvolution &c = call.convolution;
    const int64_t last[] = {4 * 7 * 9, 1, 9 * 4, 4};
    auto reordered = [](const std::vector<float> &values, bool back) {
      std::vector<float> input(values.size());
      for (size_t i = 0; i < values.size(); ++i) {
        size_t place = i / 252 * 252 + i % 63 * 4 + i / 63 % 4;
        (back ? input[i] : input[place]) = back ? values[place] : values[i];
      }
      return input;
    };
    std::copy(std::begin(last), std::end(last), c.input_strides);
    if (kind == BOOSTC_LIBRARY_CONVOLUTION)
      operands[0] = upload(reordered(a, false), "a");
    if (kind == BOOSTC_LIBRARY_CONVOLUTION_BACKWARD_WEIGHT)
      operands[1] = upload(reordered(b, false), "b");
    ASSERT_TRUE(run().ok());
    EXPECT_EQ(kind == BOOSTC_LIBRARY_CONVOLUTION_BACKWARD_DATA
                  ? reordered(result(), true)
                  : result(),
              rowMajor)
        << kind;
  }
}

TEST_F(ConvolutionCalls, ANanStaysOne) {
  prepare(BOOSTC_LIBRARY_CONVOLUTION);
  a[0] = NAN;
  operands[0] = upload(a, "a");
  ASSERT_TRUE(run().ok());
  std::vector<float> found = result();
  EXPECT_TRUE(std::isnan(found[0]));
  EXPECT_FALSE(std::isnan(found.back()));
}

TEST_F(ConvolutionCalls, WhatTheyLeaveCountsAsWritten) {
  for (uint32_t kind : kKinds) {
    prepare(kind);
    EXPECT_FALSE(memory.isWritten(operands[3], call.operand_bytes[3]));
    ASSERT_TRUE(memory.fill(operands[4], kScratchBytes, std::byte{1}).ok());
    ASSERT_TRUE(run().ok());
    EXPECT_TRUE(memory.isWritten(operands[3], call.operand_bytes[3]));
    EXPECT_FALSE(memory.isWritten(operands[4], 1)) << "it may not be read";
  }
}

TEST_F(ConvolutionCalls, AWrongDescription) {
  prepare(BOOSTC_LIBRARY_CONVOLUTION);
  call.convolution.input_strides[3] = 2;
  Status status = run();
  EXPECT_EQ(status.code(), ExitCode::Internal);
  EXPECT_EQ(status.message(),
            "sim: a library call that the library cannot execute "
            "(convolution of fc1, relu1, model.json:9:5)\n  an input [2, 4, 7, "
            "9] has "
            "strides [252, 63, 9, 2]; cuDNN is given tensors without gaps, "
            "whose elements do not share memory");
  call.convolution.input_strides[3] = 1;
  call.convolution.padding[1] = 2;
  EXPECT_THAT(run().message(),
              HasSubstr("no convolution of an input [2, 4, 7, 9] with a "
                        "weight [6, 2, 3, 2] has an output [2, 6, 4, 10]"));
}

TEST_F(ConvolutionCalls, TooSmallABuffer) {
  const char *names[3][4] = {{"input", "weight", "", "output"},
                             {"output", "weight", "", "input"},
                             {"output", "input", "", "weight"}};
  for (uint32_t kind : kKinds)
    for (int operand : {0, 1, 3}) {
      prepare(kind);
      std::string name = names[kind - BOOSTC_LIBRARY_CONVOLUTION][operand];
      uint64_t bytes = call.operand_bytes[operand];
      call.operand_bytes[operand] -= 4;
      expectFault("out-of-bounds access",
                  name + " reaches over " + std::to_string(bytes) +
                      " bytes, and " + std::to_string(bytes - 4) +
                      " were planned for it");
      call.operand_bytes[operand] += 4;
      // Planned so, and not there.
      operands[operand] = reserve(bytes - 4, "short");
      expectFault("out-of-bounds access",
                  name + ": " + std::to_string(bytes) + " bytes at ");
    }
  prepare(BOOSTC_LIBRARY_CONVOLUTION, true);
  call.operand_bytes[2] -= 4;
  expectFault("out-of-bounds access",
              "bias reaches over 24 bytes, and 20 were planned for it");
}

TEST_F(ConvolutionCalls, Overlaps) {
  prepare(BOOSTC_LIBRARY_CONVOLUTION, true);
  std::vector<uint64_t> apart = operands;
  uint64_t all = reserve(8192, "all");
  ASSERT_TRUE(memory.fill(all, 8192, std::byte{0}).ok());
  const char *names[] = {"input", "weight", "bias", "output", "scratch"};
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

TEST_F(ConvolutionCalls, MissingUnexpectedAndMisalignedOperands) {
  prepare(BOOSTC_LIBRARY_CONVOLUTION, true);
  uint64_t address = std::exchange(operands[2], 0);
  expectFault("missing operand", "bias is needed and its address is 0");
  operands[2] = address;
  call.convolution.has_bias = 0;
  expectFault("unexpected operand", "bias is given and the call has none");
  call.convolution.has_bias = 1;
  operands[4] = 0;
  expectFault("missing operand", "scratch is needed and its address is 0");
  prepare(BOOSTC_LIBRARY_CONVOLUTION_BACKWARD_WEIGHT);
  operands[1] = reserve(8192, "all") + 16;
  expectFault("misaligned address", "input lies at ");
}

TEST_F(ConvolutionCalls, UninitialisedReads) {
  prepare(BOOSTC_LIBRARY_CONVOLUTION, true);
  const char *names[] = {"input", "weight", "bias"};
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

} // namespace
