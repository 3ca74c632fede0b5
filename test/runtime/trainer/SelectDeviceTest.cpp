// What a run takes of a program's targets and the machine's devices, and what
// it says about it.
#include "runtime/trainer/SelectDevice.h"

#include "runtime/device/cuda/CudaDriver.h"
#include "test/runtime/trainer/Fixtures.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

using namespace boostrt;
using testing::HasSubstr;

namespace {

class SelectDevice : public testing::Test {
protected:
  Result<SelectedDevice> select(const std::string &program,
                                const std::string &device) {
    auto loaded = Program::load(fixture(program));
    EXPECT_TRUE(loaded.ok()) << loaded.status().message();
    program_ = std::move(loaded).value();
    Options options;
    options.device = device;
    return selectDevice(options, *program_);
  }

  void expectNote(const std::string &program, const std::string &device,
                  BoostTargetKind kind, const std::string &note) {
    SCOPED_TRACE(program + " on " + device);
    Result<SelectedDevice> selected = select(program, device);
    ASSERT_TRUE(selected.ok()) << selected.status().message();
    EXPECT_EQ(selected->target, program_->target(kind));
    ASSERT_FALSE(selected->notes.empty());
    EXPECT_EQ(selected->notes[0], note);
  }

  void expectRefused(const std::string &program, const std::string &device,
                     const std::string &text) {
    SCOPED_TRACE(program + " on " + device);
    Result<SelectedDevice> selected = select(program, device);
    ASSERT_FALSE(selected.ok());
    EXPECT_EQ(selected.status().code(), ExitCode::Usage);
    EXPECT_EQ(selected.status().message(), text);
  }

  /// Why no GPU can be used; empty where one can.
  std::string noGpu() const { return CudaDriver::create().status().message(); }

  // What is selected points into it.
  std::unique_ptr<Program> program_;
};

TEST_F(SelectDevice, TheOnlyTarget) {
  for (const char *device : {"auto", "cpu"})
    expectNote("softmax", device, BOOSTC_TARGET_CPU,
               std::string("softmax on cpu with 2 threads (") +
                   (*device == 'a' ? "the only target of the program)"
                                   : "as --device says)"));
}

TEST_F(SelectDevice, TheSimulatedGpuIsNeverTakenUnasked) {
  expectNote("linear", "sim", BOOSTC_TARGET_CUDA,
             "linear on the simulated GPU (as --device says)");
  expectNote("linear_cuda", "sim", BOOSTC_TARGET_CUDA,
             "linear on the simulated GPU (as --device says)");
  if (noGpu().empty())
    GTEST_SKIP() << "this machine has a GPU";
  expectNote("linear", "auto", BOOSTC_TARGET_CPU,
             fmt::format("linear on cpu with 2 threads ({})", noGpu()));
}

TEST_F(SelectDevice, ATargetThatTheProgramHasNot) {
  auto text = [](const char *device, const char *program, const char *target) {
    return fmt::format("--device={}: '{}' was compiled for {} alone; compile "
                       "it with boostc --target=cpu,cuda",
                       device, fixture(program), target);
  };
  for (const char *device : {"cuda", "sim"})
    expectRefused("softmax", device, text(device, "softmax", "cpu"));
  expectRefused("linear_cuda", "cpu", text("cpu", "linear_cuda", "cuda"));
}

TEST_F(SelectDevice, AGpuThatIsNotThere) {
  if (noGpu().empty())
    GTEST_SKIP() << "this machine has a GPU";
  expectRefused("linear", "cuda",
                fmt::format("--device=cuda: {}; --device=cpu and --device=sim "
                            "need no GPU",
                            noGpu()));
  expectRefused("linear_cuda", "auto",
                fmt::format("'{}' was compiled for cuda alone: {}; "
                            "--device=sim needs no GPU",
                            fixture("linear_cuda"), noGpu()));
}

TEST_F(SelectDevice, ACpuThatIsNotEnough) {
  Result<SelectedDevice> selected = select("unknown_feature", "auto");
  ASSERT_FALSE(selected.ok());
  EXPECT_EQ(selected.status().code(), ExitCode::Input);
  EXPECT_THAT(selected.status().message(),
              testing::AllOf(testing::StartsWith(fmt::format(
                                 "'{}': ", fixture("unknown_feature"))),
                             HasSubstr("quantum")));
}

} // namespace
