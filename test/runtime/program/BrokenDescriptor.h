// BrokenDescriptor.h - a sound descriptor of a fixture, to be broken.
#pragma once

#include "runtime/program/Program.h"
#include "test/runtime/trainer/Fixtures.h"

#include <gmock/gmock.h>

namespace boostrt {

/// A descriptor whose tables can be written to.
struct Copy {
  BoostProgram program;
  std::vector<BoostParameter> parameters;
  std::vector<BoostAccumulator> accumulators;
  std::vector<BoostState> states;
  std::vector<BoostInput> inputs;
  std::vector<BoostMetric> metrics;
  std::vector<BoostStepNumber> stepNumbers;
  std::vector<BoostSchedule> schedules;
  std::vector<BoostTarget> targets;
  std::vector<BoostCollective> collectives;
  std::vector<BoostCollectiveOperand> exchanged; ///< of the first collective
  std::vector<std::vector<BoostFunction>> functions; ///< by target
  std::vector<BoostVariant> variants;
  std::vector<BoostSelector> selectors;
  std::vector<BoostPhase> phases; ///< of the first variant
  // From the first target.
  std::vector<BoostLibraryCall> calls;
  // From the last target.
  std::vector<BoostLaunch> launches;
  std::vector<BoostOperand> operands; ///< of launch 1
  std::vector<BoostModule> modules;

  explicit Copy(const BoostProgram &p)
      : program(p), parameters(p.parameters, p.parameters + p.parameter_count),
        accumulators(p.accumulators, p.accumulators + p.accumulator_count),
        states(p.states, p.states + p.state_count),
        inputs(p.inputs, p.inputs + p.input_count),
        metrics(p.metrics, p.metrics + p.metric_count),
        schedules(p.schedules, p.schedules + p.schedule_count),
        targets(p.targets, p.targets + p.target_count),
        collectives(p.collectives, p.collectives + p.collective_count),
        variants(p.variants, p.variants + p.variant_count),
        calls(p.targets->library_calls,
              p.targets->library_calls + p.targets->library_call_count) {
    program.parameters = parameters.data();
    program.accumulators = accumulators.data();
    program.states = states.data();
    program.inputs = inputs.data();
    program.metrics = metrics.data();
    program.schedules = schedules.data();
    program.targets = targets.data();
    program.collectives = collectives.data();
    program.variants = variants.data();
    for (BoostTarget &target : targets) {
      functions.emplace_back(target.functions,
                             target.functions + target.function_count);
      target.functions = functions.back().data();
    }
    if (!collectives.empty()) {
      exchanged.assign(collectives[0].operands,
                       collectives[0].operands + collectives[0].operand_count);
      collectives[0].operands = exchanged.data();
    }
    targets[0].library_calls = calls.data();
    BoostTarget &last = targets.back();
    if (last.kind != BOOSTC_TARGET_CUDA)
      return;
    launches.assign(last.launches, last.launches + last.launch_count);
    last.launches = launches.data();
    operands.assign(launches[1].operands,
                    launches[1].operands + launches[1].operand_count);
    launches[1].operands = operands.data();
    modules.assign(last.modules, last.modules + 2);
    last.modules = modules.data();
  }

  /// Appends a step number, in RESULT.
  void addStepNumber(const char *name) {
    stepNumbers.push_back({{name, "model.json:1:1", nullptr, 0, BOOSTC_I32,
                            BOOSTC_ARENA_RESULT, 0, 0, 4}});
    program.step_numbers = stepNumbers.data();
    program.step_number_count = static_cast<uint32_t>(stepNumbers.size());
  }

  /// Appends a function to those of every target.
  void add(const char *name, BoostFunctionRole role) {
    for (size_t i = 0; i < targets.size(); ++i) {
      functions[i].push_back(functions[i].back());
      functions[i].back().name = name;
      functions[i].back().role = role;
      targets[i].functions = functions[i].data();
      ++targets[i].function_count;
    }
  }

  /// With the selector's function.
  void add(const BoostSelector &selector) {
    selectors = {selector};
    program.selectors = selectors.data();
    program.selector_count = 1;
    add("select", BOOSTC_FUNCTION_SELECT);
  }

  /// A phase that repeats, of function 5, before the only one that the first
  /// variant has.
  void addPhase() {
    static constexpr BoostSum kSums[] = {{0, 0}};
    add("probe", BOOSTC_FUNCTION_PROBE);
    for (auto &table : functions) {
      table[1].sums = kSums;
      table[1].sum_count = 1;
    }
    phases = {{1, 2, 5, 1}};
    variants[0].phases = phases.data();
    variants[0].phase_count = 1;
    program.repeat = {"repeat",   "model.json:1:1",    nullptr, 0,
                      BOOSTC_I32, BOOSTC_ARENA_RESULT, 0,       0,
                      4};
  }
};

/// For Copy::add(): one choice, of the fixtures' only variant.
inline BoostSelector soundSelector() {
  static constexpr BoostChoice kFirst[] = {{0, 0}};
  auto scalar = [](const char *name, BoostDType dtype, BoostArenaKind arena,
                   uint64_t bytes) {
    return BoostTensor{name, "model.json:1:1", nullptr, 0, dtype, arena, 0, 0,
                       bytes};
  };
  return {5,
          2,
          kFirst,
          1,
          0,
          scalar("step", BOOSTC_I64, BOOSTC_ARENA_CONTROL, 8),
          scalar("run_length", BOOSTC_I64, BOOSTC_ARENA_CONTROL, 8),
          scalar("choice", BOOSTC_I32, BOOSTC_ARENA_RESULT, 4)};
}

class BrokenDescriptor : public testing::Test {
protected:
  void SetUp() override { load("softmax"); }

  void load(const std::string &name) {
    auto loaded = Program::load(fixture(name));
    ASSERT_TRUE(loaded.ok()) << loaded.status().message();
    program_ = std::move(loaded).value();
  }

  template <typename Break>
  void expectDefect(Break &&breakIt, const std::string &text) {
    SCOPED_TRACE(text);
    Copy copy(program_->descriptor());
    ASSERT_TRUE(validateProgram(copy.program, "p.so").ok());
    breakIt(copy);
    Status status = validateProgram(copy.program, "p.so");
    ASSERT_FALSE(status.ok());
    EXPECT_EQ(status.code(), ExitCode::Input);
    EXPECT_THAT(status.message(),
                testing::StartsWith("'p.so' has a defective descriptor: "));
    EXPECT_THAT(status.message(), testing::HasSubstr(text));
    EXPECT_THAT(status.message(),
                testing::HasSubstr("build it again with boostc"));
  }

  std::unique_ptr<Program> program_;
};

} // namespace boostrt
