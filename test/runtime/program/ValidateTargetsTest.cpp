// Every statement of a descriptor's targets, broken one at a time.
#include "test/runtime/program/BrokenDescriptor.h"

#include <fmt/format.h>

using namespace boostrt;

namespace {

/// Targets 0 for CPUs, 1 for GPUs.
class ValidateTargets : public BrokenDescriptor {
protected:
  void SetUp() override { load("linear"); }

  template <typename Change> void expectSound(Change &&change) {
    Copy copy(program_->descriptor());
    change(copy);
    Status status = validateProgram(copy.program, "p.so");
    EXPECT_TRUE(status.ok()) << status.message();
  }
};

/// With library calls.
class ValidateCpuTarget : public BrokenDescriptor {};

TEST_F(ValidateTargets, Table) {
  expectDefect([](Copy &c) { c.program.target_count = 0; },
               "0 targets, expected 1 to 2");
  expectDefect([](Copy &c) { c.program.target_count = 3; },
               "3 targets, expected 1 to 2");
  expectDefect([](Copy &c) { c.program.targets = nullptr; },
               "table targets of 2 entries");
  expectDefect([](Copy &c) { c.targets[1].kind = 2; },
               "targets[1].kind is 2, which is not a BoostTargetKind");
  expectDefect([](Copy &c) { std::swap(c.targets[0], c.targets[1]); },
               "target cpu is in the wrong place");
  expectDefect([](Copy &c) { c.targets[1] = c.targets[0]; },
               "target cpu is in the wrong place");
  for (int i : {0, 1}) {
    std::string name = i == 0 ? "cpu" : "cuda",
                target = fmt::format("targets[{}].", i);
    expectDefect([&](Copy &c) { c.targets[i].requirements = nullptr; },
                 target + "requirements is missing");
    expectDefect([&](Copy &c) { c.targets[i].library_version = nullptr; },
                 target + "library_version is missing");
    expectDefect([&](Copy &c) { c.targets[i].transient_bytes = ~0ull; },
                 name + ": arena transient of 18446744073709551615 bytes");
    expectDefect([&](Copy &c) { c.functions[i][3].entry = nullptr; },
                 target + "functions[3].entry is missing");
    expectDefect(
        [&](Copy &c) { c.functions[i][2].role = 9; },
        target + "functions[2].role is 9, which is not a BoostFunctionRole");
    expectDefect(
        [&](Copy &c) { c.functions[i][1].transient_bytes = 1u << 30; },
        name + ": function micro uses 1073741824 bytes of arena transient, "
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
      "expected one function of role init");
}

TEST_F(ValidateTargets, VariantsNameFunctionsAndSteps) {
  expectDefect([](Copy &c) { c.program.variant_count = 0; }, "no variants");
  expectDefect([](Copy &c) { c.variants[0].name = nullptr; },
               "variants[0].name is missing");
  expectDefect(
      [](Copy &c) { c.variants[0].update = 1; },
      "variant step has function 1 where one of role update is expected");
  expectDefect(
      [](Copy &c) { c.variants[0].combine = UINT32_MAX; },
      "variant step has function 4294967295 where one of role combine is "
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

TEST_F(ValidateTargets, ASelectorNamesAFunctionAndVariants) {
  expectSound([](Copy &c) { c.add(soundSelector()); });
  auto expectSelectorDefect = [&](auto breakIt, const char *text) {
    BoostSelector selector = soundSelector();
    breakIt(selector);
    expectDefect([&](Copy &c) { c.add(selector); }, text);
  };
  expectSelectorDefect([](BoostSelector &s) { s.function = 1; },
                       "the selector has function 1 where one of role select "
                       "is expected");
  expectSelectorDefect([](BoostSelector &s) { s.lag = 3; },
                       "the selector has a lag of 3, expected 1 or 2");
  expectSelectorDefect([](BoostSelector &s) { s.choice_count = 0; },
                       "the selector has no choices");
  static constexpr BoostChoice kNone[] = {{UINT32_MAX, 0}};
  expectSelectorDefect([](BoostSelector &s) { s.choices = kNone; },
                       "a choice of the selector names no variant");
  expectDefect(
      [](Copy &c) {
        c.add(soundSelector());
        c.selectors.push_back(c.selectors[0]);
        c.program.selectors = c.selectors.data();
        c.program.selector_count = 2;
      },
      "2 selectors, expected one at most");
}

TEST_F(ValidateTargets, PhasesNameFunctionsAndWhatTheySum) {
  expectSound([](Copy &c) { c.addPhase(); });
  auto expectPhaseDefect = [&](auto breakIt, const char *text) {
    expectDefect(
        [&](Copy &c) {
          c.addPhase();
          breakIt(c);
        },
        text);
  };
  expectPhaseDefect([](Copy &c) { c.phases[0].probe = 3; },
                    "variant step has function 3 where one of role probe is "
                    "expected");
  expectPhaseDefect([](Copy &c) { c.phases[0].micro = UINT32_MAX; },
                    "variant step has function 4294967295 where one of role "
                    "micro is expected");
  expectPhaseDefect([](Copy &c) { c.phases[0].combine = 3; },
                    "variant step has function 3 where one of role combine is "
                    "expected");
  expectPhaseDefect([](Copy &c) { c.phases[0].repeats = 2; },
                    "variants[0].phases[0].repeats is 2, expected 0 or 1");
  expectPhaseDefect([](Copy &c) { c.program.repeat = {}; },
                    "variant step repeats a phase of a program without a "
                    "scalar 'repeat'");
  expectPhaseDefect([](Copy &c) { c.program.repeat.dtype = BOOSTC_F32; },
                    "scalar 'repeat' is not a scalar of the expected type");
  expectPhaseDefect([](Copy &c) { c.functions[0][1].sum_count = 0; },
                    "function micro of variant step does not say what it sums");
  static constexpr BoostSum kNone[] = {{UINT32_MAX, 0}};
  expectPhaseDefect([](Copy &c) { c.functions[0][1].sums = kNone; },
                    "cpu: function micro sums no accumulator");
}

// It reads what its phases have summed.
TEST_F(ValidateTargets, AnUpdateAfterPhasesNeedsNoMicro) {
  auto dropMicro = [](Copy &c) {
    c.variants[0].micro = c.variants[0].combine = UINT32_MAX;
  };
  expectDefect(dropMicro, "variant step has function 4294967295 where one of "
                          "role micro is expected");
  expectSound([&](Copy &c) {
    c.addPhase();
    dropMicro(c);
  });
}

// One that is not chosen is of no step.
TEST_F(ValidateTargets, AVariantThatIsChosenNeedsNoRange) {
  auto addVariant = [](Copy &c) {
    c.variants.push_back(c.variants[0]);
    c.program.variants = c.variants.data();
    c.program.variant_count = 2;
  };
  expectDefect(addVariant, "variant step has 0 ranges of steps");
  expectSound([&](Copy &c) {
    addVariant(c);
    c.add(soundSelector());
  });
}

TEST_F(ValidateTargets, EitherAloneIsSound) {
  for (int i : {0, 1})
    expectSound([&](Copy &c) {
      c.program.targets += i;
      c.program.target_count = 1;
    });
}

TEST_F(ValidateCpuTarget, LibraryCalls) {
  expectDefect([](Copy &c) { c.targets[0].library_calls = nullptr; },
               "table targets[0].library_calls of 2 entries");
  expectDefect([](Copy &c) { c.calls[0].kind = BOOSTC_LIBRARY_COUNT; },
               "targets[0].library_calls[0].kind is 5, which is not a "
               "BoostLibraryCallKind");
  expectDefect([](Copy &c) { c.calls[1].matmul.has_bias = 2; },
               "targets[0].library_calls[1].matmul.has_bias is 2, expected 0 "
               "or 1");
  expectDefect([](Copy &c) { c.calls[1].location = nullptr; },
               "targets[0].library_calls[1].location is missing");
  expectDefect([](Copy &c) { c.calls[1].layers = nullptr; },
               "targets[0].library_calls[1].layers is missing");
  expectDefect([](Copy &c) { c.calls[1].precision = 2; },
               "targets[0].library_calls[1].precision is 2, which is not a "
               "BoostPrecision");
}

TEST_F(ValidateTargets, Modules) {
  expectDefect([](Copy &c) { c.targets[1].modules = nullptr; },
               "cuda: no modules");
  expectDefect([](Copy &c) { c.modules[0].kind = 3; },
               "targets[1].modules[0].kind is 3, which is not a "
               "BoostModuleKind");
  expectDefect([](Copy &c) { c.modules[0].data = nullptr; },
               "targets[1].modules[0].data is missing");
}

TEST_F(ValidateTargets, Launches) {
  expectDefect([](Copy &c) { c.targets[1].launches = nullptr; },
               "table targets[1].launches of 8 entries");
  expectDefect([](Copy &c) { c.targets[1].launch_count = 1u << 21; },
               "table targets[1].launches of 2097152 entries");
  expectDefect([](Copy &c) { c.launches[1].kernel = nullptr; },
               "targets[1].launches[1].kernel is missing");
  expectDefect([](Copy &c) { c.launches[1].kernel = "a\x1b[31m"; },
               "targets[1].launches[1].kernel is not a short, printable text");
  expectDefect([](Copy &c) { c.launches[1].location = nullptr; },
               "targets[1].launches[1].location is missing");
  expectDefect([](Copy &c) { c.launches[1].layers = nullptr; },
               "targets[1].launches[1].layers is missing");
  expectDefect([](Copy &c) { c.launches[1].operands = nullptr; },
               "table targets[1].launches[1].operands of 5 entries");
  expectDefect([](Copy &c) { c.operands[3].is_written = 2; },
               "targets[1].launches[1].operands[3].is_written is 2, expected 0 "
               "or 1");
  expectDefect([](Copy &c) { c.operands[3].name = nullptr; },
               "targets[1].launches[1].operands[3].name is missing");
}

} // namespace
