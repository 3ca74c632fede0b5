// Every statement of a descriptor's targets, broken one at a time.
#include "test/runtime/device/ConvolutionCall.h"
#include "test/runtime/program/BrokenDescriptor.h"

#include <functional>

using namespace boostrt;

namespace {

/// Targets 0 for CPUs, 1 for GPUs.
class ValidateTargets : public BrokenDescriptor {
protected:
  void SetUp() override { load("linear"); }

  /// For what add(Copy &) makes of the descriptor.
  template <typename Add> void expectSound(Add &&add) {
    Copy copy(program_->descriptor());
    add(copy);
    Status status = validateProgram(copy.program, "p.so");
    EXPECT_TRUE(status.ok()) << status.message();
  }
  /// The same, broken by breakIt(Copy &).
  template <typename Add, typename Break>
  void expectBroken(Add &&add, Break &&breakIt, const std::string &text) {
    expectDefect(
        [&](Copy &c) {
          add(c);
          breakIt(c);
        },
        text);
  }
};

/// With library calls.
class ValidateCpuTarget : public BrokenDescriptor {};

TEST_F(ValidateTargets, Table) {
  expectDefect([](Copy &c) { c.program.target_count = 0; },
               "table targets of 0 entries");
  expectDefect([](Copy &c) { c.program.target_count = 3; },
               "table targets of 3 entries");
  expectDefect([](Copy &c) { c.program.targets = nullptr; },
               "table targets of 2 entries");
  expectDefect([](Copy &c) { c.targets[1].kind = 2; },
               "target 1 has unknown kind 2");
  expectDefect([](Copy &c) { std::swap(c.targets[0], c.targets[1]); },
               "target cpu is in the wrong place");
  expectDefect([](Copy &c) { c.targets[1] = c.targets[0]; },
               "target cpu is in the wrong place");
  for (int i : {0, 1}) {
    std::string name = i == 0 ? "cpu" : "cuda";
    expectDefect([&](Copy &c) { c.targets[i].requirements = nullptr; },
                 name + ": requirements is missing");
    expectDefect([&](Copy &c) { c.targets[i].library_version = nullptr; },
                 name + ": library_version is missing");
    expectDefect([&](Copy &c) { c.targets[i].transient_bytes = ~0ull; },
                 name + ": arena TRANSIENT of 18446744073709551615 bytes");
    expectDefect([&](Copy &c) { c.functions[i][3].entry = nullptr; },
                 name + ": function 3 has no name or no code");
    expectDefect([&](Copy &c) { c.functions[i][2].role = 9; },
                 name + ": function combine has unknown role 9");
    expectDefect(
        [&](Copy &c) { c.functions[i][1].transient_bytes = 1u << 30; },
        name + ": function micro uses 1073741824 bytes of arena TRANSIENT, "
               "which has 64");
  }
}

TEST_F(ValidateTargets, TargetsHaveTheSameFunctions) {
  expectDefect([](Copy &c) { c.targets[1].function_count = 4; },
               "cuda: 4 functions, where another target has 5");
  expectDefect([](Copy &c) { std::swap(c.functions[1][1], c.functions[1][4]); },
               "cuda: function eval has another role or other collectives than "
               "on another target");
  expectDefect([](Copy &c) { c.functions[0][3].collective_count = 7; },
               "cpu: function update calls 7 collectives from 0 on, of 0");
  expectDefect(
      [](Copy &c) {
        for (auto &functions : c.functions)
          functions[4].role = BOOSTC_FUNCTION_INIT;
      },
      "expected one function of role 0");
}

TEST_F(ValidateTargets, VariantsNameFunctionsAndSteps) {
  expectDefect([](Copy &c) { c.program.variant_count = 0; },
               "table variants of 0 entries");
  expectDefect([](Copy &c) { c.variants[0].name = nullptr; },
               "a variant has no name");
  expectDefect([](Copy &c) { c.variants[0].update = 1; },
               "variant step has function 1 where one of role 3 is expected");
  expectDefect([](Copy &c) { c.variants[0].combine = UINT32_MAX; },
               "variant step has function 4294967295 where one of role 2 is "
               "expected");
  static constexpr BoostStepRange kWrong[] = {{3, 0, 0}};
  expectDefect(
      [](Copy &c) {
        c.variants[0].ranges = kWrong;
        c.variants[0].range_count = 1;
      },
      "variant step has 1 ranges of steps");
  expectDefect(
      [](Copy &c) {
        c.variants.push_back(c.variants[0]);
        c.variants[0].ranges = kWrong;
        c.variants[0].range_count = 1;
        c.program.variants = c.variants.data();
        c.program.variant_count = 2;
      },
      "variant step is of every 0th step from 3 to 0");
}

TEST_F(ValidateTargets, EitherAloneIsSound) {
  for (int i : {0, 1})
    expectSound([&](Copy &c) {
      c.program.targets += i;
      c.program.target_count = 1;
    });
}

TEST_F(ValidateCpuTarget, ItsOwn) {
  expectDefect([](Copy &c) { c.targets[0].threads = 0; }, "cpu: 0 threads");
  expectDefect([](Copy &c) { c.targets[0].threads = 4097; },
               "cpu: 4097 threads");
  static const BoostModule modules[1] = {};
  expectDefect([](Copy &c) { c.targets[0].modules = modules; },
               "cpu: modules, which are for GPUs");
  static const BoostLaunch launches[1] = {};
  expectDefect(
      [](Copy &c) {
        c.targets[0].launches = launches;
        c.targets[0].launch_count = 1;
      },
      "cpu: 1 launches, which are for GPUs");
  expectDefect([](Copy &c) { c.targets[0].library_calls = nullptr; },
               "cpu: table library_calls of 2 entries");
}

TEST_F(ValidateCpuTarget, LibraryCalls) {
  expectDefect([](Copy &c) { c.calls[0].kind = 1; },
               "cpu: library call 0 has an unknown kind");
  expectDefect([](Copy &c) { c.calls[1].matmul.has_bias = 2; },
               "cpu: library call 1 has an unknown kind");
  expectDefect([](Copy &c) { c.calls[1].location = nullptr; },
               "cpu: library call 1 has no location or no layers");
  expectDefect([](Copy &c) { c.calls[1].layers = nullptr; },
               "cpu: library call 1 has no location or no layers");
  expectDefect([](Copy &c) { c.calls[1].matmul.k = 0; },
               "cpu: library call 1 has an extent or stride of 0");
  expectDefect([](Copy &c) { c.calls[1].matmul.a_strides[0] = -1; },
               "cpu: library call 1 has an extent or stride of -1");
  expectDefect([](Copy &c) { c.calls[0].scratch_bytes = 1u << 30; },
               "cpu: library call 0 needs 1073741824 bytes of scratch memory, "
               "arena TRANSIENT has ");
}

TEST_F(ValidateTargets, Cuda) {
  expectDefect([](Copy &c) { c.targets[1].threads = 2; },
               "cuda: 2 threads, which are for CPUs");
  expectDefect([](Copy &c) { c.targets[1].launches = nullptr; },
               "cuda: table launches of 8 entries");
  expectDefect([](Copy &c) { c.targets[1].launch_count = 1u << 21; },
               "cuda: table launches of 2097152 entries");
}

/// Gives the program for GPUs a library call, whose fallback launch 1 is.
void attach(Copy &c, const BoostLibraryCall &call, BoostOperand *operands,
            uint32_t count) {
  c.launches[1].operands = operands;
  c.launches[1].operand_count = count;
  c.targets[1].library_calls = &call;
  c.targets[1].library_call_count = 1;
}

/// A product of 4 x 5 and 5 x 6.
void addCall(Copy &c, BoostLibraryCall &call) {
  call = {BOOSTC_LIBRARY_MATMUL,
          1,
          64,
          "model.json:5:3",
          "fc1",
          {4, 6, 5, {5, 1}, {6, 1}, 0, 0},
          {80, 120, 0, 96},
          {},
          BOOSTC_PRECISION_FLOAT32,
          0};
  static BoostOperand operands[] = {
      {80, 0, 0, "a"}, {120, 0, 0, "b"}, {96, 1, 0, "c"}, {24, 0, 0, "d"}};
  attach(c, call, operands, 3);
}

TEST_F(ValidateTargets, LibraryCallsOfGpus) {
  BoostLibraryCall call;
  auto add = [&](Copy &c) { addCall(c, call); };
  expectSound(add);
  auto expect = [&](auto &&breakIt, const std::string &text) {
    expectBroken(add, breakIt, text);
  };
  expect([&](Copy &) { call.kind = 4; },
         "cuda: library call 0 has an unknown kind");
  expect([&](Copy &) { call.matmul.m = 0; },
         "cuda: library call 0 has an extent or stride of 0");
  expect([&](Copy &) { call.fallback_launch = 8; },
         "cuda: the fallback of library call 0 is launch 8 of 8");
  const std::string unfit =
      "cuda: launch 1 does not fit library call 0, whose fallback it is";
  expect([](Copy &c) { c.launches[1].operand_count = 2; }, unfit);
  expect([](Copy &c) { c.launches[1].operand_count = 4; }, unfit);
  expect([&](Copy &) { call.matmul.has_bias = 1; }, unfit);
  for (uint64_t &bytes :
       {std::ref(call.operand_bytes[0]), std::ref(call.operand_bytes[1]),
        std::ref(call.operand_bytes[3])})
    expect([&](Copy &) { bytes += 4; }, unfit);
}

void addConvolution(Copy &c, BoostLibraryCall &call) {
  call = convolutionCall(BOOSTC_LIBRARY_CONVOLUTION, {2, 4, 5, 5}, {6, 2, 3, 3},
                         {}, /*hasBias=*/true);
  call.fallback_launch = 1;
  call.scratch_bytes = 64;
  static BoostOperand operands[] = {
      {800, 0, 0, "a"}, {432, 0, 0, "b"}, {24, 0, 0, "c"}, {432, 1, 0, "d"}};
  attach(c, call, operands, 4);
}

TEST_F(ValidateTargets, ConvolutionsOfGpus) {
  BoostLibraryCall call;
  auto add = [&](Copy &c) { addConvolution(c, call); };
  expectSound(add);
  auto expect = [&](auto &&breakIt, const std::string &text) {
    expectBroken(add, breakIt, text);
  };
  BoostConvolution &convolution = call.convolution;
  for (int64_t *value :
       {convolution.input, convolution.weight + 3, convolution.output + 1,
        convolution.input_strides, convolution.weight_strides + 2,
        convolution.output_strides + 3, convolution.strides + 1,
        convolution.dilations})
    expect([&](Copy &) { *value = 0; },
           "cuda: library call 0 has an extent or stride of 0");
  expect([&](Copy &) { convolution.padding[2] = -1; },
         "cuda: library call 0 has an extent or stride of -1");
  expect([&](Copy &) { convolution.input[2] = int64_t{1} << 31; },
         "cuda: library call 0 has an extent or stride of 2147483648");
  expect([&](Copy &) { std::fill_n(convolution.output, 4, int64_t{1} << 30); },
         "cuda: library call 0 has an operand of more than ");
  expect([&](Copy &) { ++convolution.output[3]; },
         "cuda: library call 0: no convolution of an input [2, 4, 5, 5] with "
         "a weight [6, 2, 3, 3] has an output [2, 6, 3, 4]");
  expect([&](Copy &) { convolution.input_strides[0] = 101; },
         "cuda: library call 0: an input [2, 4, 5, 5] has strides");
  // A gradient has no bias.
  for (uint32_t kind : {BOOSTC_LIBRARY_CONVOLUTION_BACKWARD_DATA,
                        BOOSTC_LIBRARY_CONVOLUTION_BACKWARD_WEIGHT})
    expect([&](Copy &) { call.kind = kind; },
           "cuda: library call 0 has an unknown kind");
  expect([&](Copy &) { convolution.has_bias = 2; },
         "cuda: library call 0 has an unknown kind");
  const std::string unfit =
      "cuda: launch 1 does not fit library call 0, whose fallback it is";
  expect([&](Copy &) { convolution.has_bias = 0; }, unfit);
  for (uint64_t &bytes : call.operand_bytes)
    expect([&](Copy &) { bytes += 4; }, unfit);
  // Neither less nor more than the program says.
  expect([&](Copy &) { call.precision = BOOSTC_PRECISION_TF32; },
         "cuda: library call 0 has precision 1 where the program says 0");
  expect([](Copy &c) { c.program.matmul_precision = BOOSTC_PRECISION_TF32; },
         "cuda: library call 0 has precision 0 where the program says 1");
  expectSound([&](Copy &c) {
    add(c);
    call.precision = c.program.matmul_precision = BOOSTC_PRECISION_TF32;
  });
}

TEST_F(ValidateTargets, Modules) {
  expectDefect([](Copy &c) { c.targets[1].modules = nullptr; },
               "cuda: table modules is missing");
  expectDefect([](Copy &c) { c.modules[0].kind = BOOSTC_MODULE_END; },
               "cuda: no module");
  expectDefect([](Copy &c) { c.modules[0].kind = 3; },
               "cuda: module 0 has unknown kind 3");
  expectDefect([](Copy &c) { c.modules[0].data = nullptr; },
               "cuda: module 0 of ");
  expectDefect([](Copy &c) { c.modules[0].bytes = 0; },
               "cuda: module 0 of 0 bytes");
  expectDefect([](Copy &c) { c.modules[0].bytes = (1u << 30) + 1; },
               "cuda: module 0 of 1073741825 bytes");
  expectDefect([](Copy &c) { --c.modules[0].bytes; },
               "cuda: module 0 of PTX does not end where it says");
  auto many = [](Copy &c, size_t count) {
    c.modules.assign(count, c.modules[0]);
    c.modules.push_back({});
    c.targets[1].modules = c.modules.data();
  };
  expectDefect([&](Copy &c) { many(c, 17); }, "cuda: more than 16 modules");
  expectSound([&](Copy &c) {
    many(c, 16);
    c.modules[3].kind = BOOSTC_MODULE_CUBIN;
    --c.modules[3].bytes; // machine code needs no terminator
  });
}

TEST_F(ValidateTargets, Launches) {
  expectDefect([](Copy &c) { c.launches[1].kernel = nullptr; },
               "cuda: the kernel of launch 1 has no name");
  expectDefect([](Copy &c) { c.launches[1].kernel = "a\x1b[31m"; },
               "cuda: the kernel of launch 1 has an unprintable name");
  expectDefect([](Copy &c) { c.launches[1].location = nullptr; },
               "cuda: launch 1 has no location or no layers");
  expectDefect([](Copy &c) { c.launches[1].layers = nullptr; },
               "cuda: launch 1 has no location or no layers");
  expectDefect([](Copy &c) { c.launches[1].operands = nullptr; },
               "cuda: launch 1 of 5 operands");
  for (uint32_t count : {0u, 4097u})
    expectDefect([&](Copy &c) { c.launches[1].operand_count = count; },
                 "cuda: launch 1 of " + std::to_string(count) + " operands");
  for (uint32_t blocks : {0u, 1u << 31})
    expectDefect([&](Copy &c) { c.launches[1].blocks = blocks; },
                 "cuda: launch 1 of " + std::to_string(blocks) + " blocks");
  for (uint32_t threads : {0u, 1025u})
    expectDefect([&](Copy &c) { c.launches[1].threads = threads; },
                 "cuda: launch 1 of " + std::to_string(threads) +
                     " threads a block");
  expectDefect([](Copy &c) { c.operands[4].bytes = 0; },
               "cuda: operand 4 of launch 1 has 0 bytes and is_written 1");
  expectDefect([](Copy &c) { c.operands[3].bytes = ~0ull; },
               "cuda: operand 3 of launch 1 has 18446744073709551615 bytes");
  expectDefect([](Copy &c) { c.operands[3].is_written = 2; },
               "cuda: operand 3 of launch 1 has 4 bytes and is_written 2");
  expectDefect([](Copy &c) { c.operands[3].name = nullptr; },
               "cuda: operand 3 of launch 1 has no name");
}

} // namespace
