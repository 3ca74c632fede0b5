// LibraryCallFixture.h - a library call on the memory of the simulated GPU,
// its operands, and what the simulator says of it.
#pragma once

#include "runtime/device/cuda/CallElements.h"
#include "sim/SimLibrary.h"
#include "test/runtime/device/Elements.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace boostrt::sim {

class LibraryCallFixture : public testing::Test {
protected:
  /// Types of factors and of results.
  static constexpr std::pair<uint32_t, uint32_t> kFloatTypes[] = {
      {BOOSTC_FLOAT_F32, BOOSTC_FLOAT_F32},
      {BOOSTC_FLOAT_BF16, BOOSTC_FLOAT_BF16},
      {BOOSTC_FLOAT_BF16, BOOSTC_FLOAT_F32},
      {BOOSTC_FLOAT_F16, BOOSTC_FLOAT_F16},
      {BOOSTC_FLOAT_F16, BOOSTC_FLOAT_F32}};
  /// As the compiler's own types round.
  static float rounded(float value, uint32_t type) {
    Elements one(&value, type);
    one.set(0, value);
    return one[0];
  }

  static constexpr uint64_t kScratchBytes = 256;

  /// Reports name the call as `what`.
  explicit LibraryCallFixture(std::string what) : what_(std::move(what)) {}

  /// Few bits: sums are exact.
  static std::vector<float> draw(uint64_t count, uint64_t seed) {
    std::vector<float> values;
    for (uint64_t i = 0; i < count; ++i)
      values.push_back(static_cast<float>((i * 37 + seed * 11) % 29) / 16 - 1);
    return values;
  }
  uint64_t reserve(uint64_t bytes, const std::string &name) {
    Result<uint64_t> address = memory.allocate(bytes, name);
    EXPECT_TRUE(address.ok());
    return *address;
  }
  uint64_t upload(const std::vector<float> &values, const std::string &name) {
    uint64_t address = reserve(values.size() * 4, name);
    EXPECT_TRUE(memory.copyIn(address, std::as_bytes(std::span(values))).ok());
    return address;
  }
  /// `values` in the operand's type, in fresh memory.
  uint64_t uploadAs(uint32_t type, const std::vector<float> &values,
                    const std::string &name) {
    std::vector<std::byte> elements(values.size() *
                                    boostrt::bytesOfElement(type));
    cuda::roundElements(type, values, elements);
    uint64_t address = reserve(elements.size(), name);
    EXPECT_TRUE(memory.copyIn(address, elements).ok());
    return address;
  }
  /// Numbers in fresh memory for everything that `wanted`, a call on f32,
  /// reads. They are the same in the types given.
  void prepare(const BoostLibraryCall &wanted,
               uint32_t factor = BOOSTC_FLOAT_F32,
               uint32_t result = BOOSTC_FLOAT_F32) {
    call = wanted;
    call.layers = "fc1, relu1";
    call.scratch_bytes = kScratchBytes;
    a = draw(call.operand_bytes[0] / 4, 1);
    b = draw(call.operand_bytes[1] / 4, 2);
    bias = draw(call.operand_bytes[2] / 4, 3);
    call.factor_type = factor;
    call.result_type = result;
    for (auto number : {cuda::CallOperands::A, cuda::CallOperands::B,
                        cuda::CallOperands::Bias, cuda::CallOperands::C})
      call.operand_bytes[number] =
          call.operand_bytes[number] / 4 *
          boostrt::bytesOfElement(cuda::typeOfOperand(call, number));
    operands = {uploadAs(factor, a, "a"), uploadAs(factor, b, "b"),
                bias.empty() ? 0 : uploadAs(result, bias, "bias"),
                reserve(call.operand_bytes[3], "c"),
                reserve(kScratchBytes, "scratch")};
  }

  std::vector<float> result() {
    std::vector<std::byte> elements(call.operand_bytes[3]);
    EXPECT_TRUE(memory.copyOut(elements, operands[3]).ok());
    return cuda::extendElements(call.result_type, elements);
  }
  Status run(Checks checks = Checks::All) {
    return executeCall(memory, checks, call, operands);
  }

  /// A report of `kind` that names the call, and says `detail`.
  void expectFault(const char *kind, const std::string &detail,
                   Checks checks = Checks::Off) {
    SCOPED_TRACE(detail);
    Status status = run(checks);
    EXPECT_EQ(status.code(), ExitCode::Internal);
    EXPECT_THAT(status.message(),
                testing::StartsWith(
                    std::string("sim: ") + kind + " in a library call (" +
                    what_ + " of fc1, relu1, " + call.location + ")\n"));
    EXPECT_THAT(status.message(), testing::HasSubstr("\n  " + detail));
  }

  Memory memory;
  BoostLibraryCall call{};
  std::vector<float> a, b, bias;
  std::vector<uint64_t> operands;

private:
  std::string what_;
};

} // namespace boostrt::sim
