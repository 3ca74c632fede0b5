// Every statement of the descriptor but those of its targets
// (ValidateTargetsTest.cpp), broken one at a time.
#include "test/runtime/program/BrokenDescriptor.h"

#include <cmath>
#include <fmt/format.h>

using namespace boostrt;

namespace {

class ValidateProgram : public BrokenDescriptor {};

TEST_F(ValidateProgram, Header) {
  expectDefect([](Copy &c) { c.program.magic ^= 1; }, "wrong magic number");
  expectDefect([](Copy &c) { c.program.abi_version = 99; },
               fmt::format("interface version 99, layout {:08x}, in a program "
                           "that claims {}, layout ",
                           BOOSTC_ABI_LAYOUT, BOOSTC_ABI_VERSION));
  expectDefect([](Copy &c) { c.program.abi_layout = 0x600; },
               "layout 00000600, in a program that claims ");
  expectDefect([](Copy &c) { c.program.name = nullptr; }, "name is missing");
  expectDefect([](Copy &c) { c.program.name = "a\x1b[31m"; },
               "name is not a short, printable text");
  expectDefect([](Copy &c) { c.program.compiler_version = nullptr; },
               "compiler_version is missing");
  expectDefect([](Copy &c) { c.program.recipe_json = nullptr; },
               "recipe_json is missing");
  expectDefect([](Copy &c) { c.program.recipe_hash = nullptr; },
               "recipe_hash is missing");
  expectDefect([](Copy &c) { c.program.batch_size = 0; }, "batch size 0");
  expectDefect([](Copy &c) { c.program.micro_batches = 0; },
               "0 micro-batches a step");
  expectDefect([](Copy &c) { c.program.min_samples = 0; },
               "0 samples at least, in a batch of 32");
}

/// Its function and its choices are in ValidateTargetsTest.cpp.
TEST_F(ValidateProgram, TheScalarsOfASelector) {
  using Scalar = BoostTensor BoostSelector::*;
  for (auto [scalar, text] :
       {std::pair<Scalar, const char *>{&BoostSelector::step,
                                        "scalar 'step' lies in arena result, "
                                        "expected control"},
        {&BoostSelector::length,
         "scalar 'run_length' lies in arena result, expected control"},
        {&BoostSelector::choice,
         "scalar 'choice' lies in arena control, expected result"}}) {
    BoostSelector selector = soundSelector();
    BoostTensor &tensor = selector.*scalar;
    tensor.arena = tensor.arena == BOOSTC_ARENA_RESULT ? BOOSTC_ARENA_CONTROL
                                                       : BOOSTC_ARENA_RESULT;
    expectDefect([&](Copy &c) { c.add(selector); }, text);
  }
  BoostSelector selector = soundSelector();
  selector.choice.dtype = BOOSTC_F32;
  expectDefect([&](Copy &c) { c.add(selector); },
               "scalar 'choice' is not a scalar of the expected type");
}

TEST_F(ValidateProgram, LossScalesOfGroups) {
  auto vector = [](const char *name, BoostDType dtype, uint64_t bytes) {
    return BoostTensor{name,  "model.json:1:1",    nullptr, 0,
                       dtype, BOOSTC_ARENA_RESULT, 0,       0,
                       bytes};
  };
  static constexpr int64_t kTwo[] = {2};
  BoostTensor two = vector("loss_scale", BOOSTC_F32, 8);
  two.shape = kTwo;
  two.rank = 1;
  expectDefect([&](Copy &c) { c.program.loss_scale = two; },
               "scalar 'loss_scale' is not a scalar of the expected type");
  expectDefect(
      [&](Copy &c) {
        c.program.overflows = vector("overflows", BOOSTC_I64, 8);
        c.program.loss_scale = vector("loss_scale", BOOSTC_F32, 4);
        c.program.loss_scale.arena = BOOSTC_ARENA_CONTROL;
      },
      "vector 'loss_scale' lies in arena control, expected result");
  for (auto [scales, counts] : {std::pair(vector("loss_scale", BOOSTC_F32, 4),
                                          vector("overflows", BOOSTC_I32, 4)),
                                {vector("loss_scale", BOOSTC_I32, 4),
                                 vector("overflows", BOOSTC_I64, 8)},
                                {two, vector("overflows", BOOSTC_I64, 8)}})
    expectDefect(
        [&](Copy &c) {
          c.program.loss_scale = scales;
          c.program.overflows = counts;
        },
        "'loss_scale' and 'overflows' are not an f32 and an i64 for each group "
        "of loss scales");
}

/// Collective 0: operands weight, bias, loss sum, loss count.
TEST_F(ValidateProgram, Collectives) {
  expectDefect([](Copy &c) { c.program.collectives = nullptr; },
               "table collectives of 1 entries");
  expectDefect([](Copy &c) { c.program.state_is_private = 2; },
               "state_is_private is 2, expected 0 or 1");
  expectDefect([](Copy &c) { c.program.adasum_scope = 3; },
               "adasum_scope is 3, which is not a BoostAdasumScope");
  expectDefect([](Copy &c) { c.collectives[0].index = 1; },
               "collective 0 has index 1");
  expectDefect([](Copy &c) { c.collectives[0].kind = BOOSTC_COLLECTIVE_COUNT; },
               "collectives[0].kind is 6, which is not a BoostCollectiveKind");
  expectDefect([](Copy &c) { c.collectives[0].root = -1; },
               "collective 0 of kind all_reduce has root -1");
  expectDefect([](Copy &c) { c.collectives[0].ranks = 3; },
               "collectives[0].ranks is 3, which is not a BoostRankGroup");
  expectDefect([](Copy &c) { c.collectives[0].location = nullptr; },
               "collectives[0].location is missing");
  expectDefect([](Copy &c) { c.collectives[0].operand_count = 0; },
               "collective 0 has no operands");
  expectDefect([](Copy &c) { c.collectives[0].operands = nullptr; },
               "table collectives[0].operands of 4 entries");
  expectDefect(
      [](Copy &c) { c.exchanged[2].dtype = 9; },
      "collectives[0].operands[2].dtype is 9, which is not a BoostDType");
  // Known, but nothing that ranks exchange.
  expectDefect([](Copy &c) { c.exchanged[2].dtype = BOOSTC_I32; },
               "operand 2 of collective 0 has elements of type i32");
  expectDefect(
      [](Copy &c) { c.collectives[0].kind = BOOSTC_COLLECTIVE_ADASUM; },
      "collective 0 of kind adasum is for ranks all; Adasum alone combines "
      "across groups, and does nothing else");
  expectDefect(
      [](Copy &c) { c.collectives[0].ranks = BOOSTC_RANKS_INTER_GROUP; },
      "collective 0 of kind all_reduce is for ranks inter_group");
  expectDefect(
      [](Copy &c) {
        c.collectives[0].kind = BOOSTC_COLLECTIVE_ADASUM;
        c.collectives[0].ranks = BOOSTC_RANKS_INTER_GROUP;
      },
      "operand 3 of collective 0 has elements of type i64");
  expectDefect([](Copy &c) { c.exchanged[3].elements = 0; },
               "operand 3 of collective 0 has 0 elements");
  expectDefect([](Copy &c) { c.exchanged[3].elements = ~0ull; },
               "operand 3 of collective 0 has 18446744073709551615 elements");
  expectDefect([](Copy &c) { c.exchanged[1].rows = 3; },
               "operand 1 of collective 0 has 10 elements in 3 rows");
  expectDefect([](Copy &c) { c.exchanged[2].rows = 0; },
               "operand 2 of collective 0 has 1 elements in 0 rows");
  expectDefect([](Copy &c) { c.exchanged[1].parameter = 2; },
               "collectives[0].operands[1].parameter is 2, where there are 2");
  expectDefect([](Copy &c) { c.exchanged[1].elements = 20; },
               "operand 1 of collective 0 has 80 bytes, its parameter "
               "'fc.bias' 40");
}

TEST_F(ValidateProgram, Tables) {
  expectDefect([](Copy &c) { c.program.parameters = nullptr; },
               "table parameters of 2 entries");
  expectDefect([](Copy &c) { c.program.states = nullptr; },
               "table states of 2 entries");
  expectDefect([](Copy &c) { c.program.input_count = 4000000000u; },
               "table inputs of 4000000000 entries");
  expectDefect(
      [](Copy &c) { c.program.arena_bytes[BOOSTC_ARENA_STATE] = ~0ull; },
      "arena state of 18446744073709551615 bytes");
  expectDefect(
      [](Copy &c) { c.program.arena_bytes[BOOSTC_ARENA_GRADIENT_OTHER] = 64; },
      "gradient and gradient_other differ in size");
  expectDefect(
      [](Copy &c) {
        c.program.reproducible = BOOSTC_REPRODUCIBLE_OFF;
        c.program.arena_bytes[BOOSTC_ARENA_GRADIENT_OTHER] =
            c.program.arena_bytes[BOOSTC_ARENA_GRADIENT];
      },
      "in a program whose micro-batches share one gradient set");
  expectDefect([](Copy &c) { c.program.reproducible = 3; },
               "reproducible is 3, which is not a BoostReproducible");
  expectDefect([](Copy &c) { c.program.matmul_precision = 2; },
               "matmul_precision is 2, which is not a BoostPrecision");
  expectDefect(
      [](Copy &c) { c.program.arena_bytes[BOOSTC_ARENA_TRANSIENT] = 64; },
      "arena transient of 64 bytes, which the targets alone have");
}

TEST_F(ValidateProgram, Tensors) {
  expectDefect([](Copy &c) { c.parameters[0].tensor.name = nullptr; },
               "parameters[0].tensor.name is missing");
  expectDefect(
      [](Copy &c) { c.parameters[0].tensor.arena = BOOSTC_ARENA_STATE; },
      "'fc.weight' lies in arena state, expected parameter");
  expectDefect(
      [](Copy &c) { c.parameters[0].tensor.arena = 77; },
      "parameters[0].tensor.arena is 77, which is not a BoostArenaKind");
  expectDefect([](Copy &c) { c.parameters[0].tensor.dtype = 9; },
               "parameters[0].tensor.dtype is 9, which is not a BoostDType");
  expectDefect([](Copy &c) { c.parameters[0].tensor.shape = nullptr; },
               "table parameters[0].tensor.shape of 2 entries");
  expectDefect([](Copy &c) { c.parameters[0].tensor.rank = 100; },
               "'fc.weight' has rank 100");
  static const int64_t zero[] = {10, 0}, huge[] = {INT64_MAX, INT64_MAX};
  expectDefect([](Copy &c) { c.parameters[0].tensor.shape = zero; },
               "'fc.weight' has an impossible extent 0");
  expectDefect([](Copy &c) { c.parameters[0].tensor.shape = huge; },
               "'fc.weight' has an impossible extent");
  expectDefect([](Copy &c) { c.parameters[0].tensor.bytes += 4; },
               "'fc.weight' has 31364 bytes where its shape needs 31360");
  expectDefect([](Copy &c) { c.parameters[1].tensor.offset += 4; },
               "'fc.bias' at offset 31364 with 40 bytes does not lie aligned");
  expectDefect([](Copy &c) { c.parameters[1].tensor.offset += 64; },
               "inside arena parameter of 31424 bytes");
  expectDefect([](Copy &c) { c.parameters[1].tensor.offset = ~63ull; },
               "does not lie aligned inside arena parameter");
  expectDefect([](Copy &c) { c.parameters[1].tensor.offset = 0; },
               "overlap in arena parameter");
  expectDefect([](Copy &c) { c.accumulators[1].tensor.offset = 64; },
               "overlap in arena gradient");
  expectDefect([](Copy &c) { c.program.valid.offset = 0; },
               "overlap in arena batch");
}

TEST_F(ValidateProgram, ParametersAndStates) {
  expectDefect([](Copy &c) { c.parameters[1].tensor.name = "fc.weight"; },
               "duplicate parameter 'fc.weight'");
  expectDefect([](Copy &c) { c.parameters[0].role = 6; },
               "parameters[0].role is 6, which is not a BoostRole");
  expectDefect([](Copy &c) { c.parameters[0].initializer = 4; },
               "parameters[0].initializer is 4, which is not a "
               "BoostInitializerKind");
  expectDefect([](Copy &c) { c.parameters[0].tensor.dtype = BOOSTC_I32; },
               "'fc.weight' has elements of type i32, expected f32");
  expectDefect([](Copy &c) { c.states[0].parameter = 2; },
               "states[0].parameter is 2, where there are 2");
  expectDefect([](Copy &c) { c.states[0].saved = 4; },
               "states[0].saved is 4, which is not a BoostSaved");
  expectDefect([](Copy &c) { c.states[0].saved = BOOSTC_SAVED_IN_BASIS; },
               "is not a parameter's part of a basis");
  expectDefect([](Copy &c) { c.states[0].saved = BOOSTC_SAVED_WITH_WEIGHTS; },
               "state 'fc.weight.momentum' lies in arena state, expected "
               "parameter");
  expectDefect([](Copy &c) { c.states[0].slot = ""; },
               "states[0].slot is missing");
  expectDefect([](Copy &c) { c.states[1].tensor.name = "fc.weight.momentum"; },
               "duplicate state 'fc.weight.momentum'");
}

/// Those of the weight, the bias, the loss sum and the loss count.
TEST_F(ValidateProgram, Accumulators) {
  expectDefect([](Copy &c) { c.program.accumulators = nullptr; },
               "table accumulators of 4 entries");
  expectDefect(
      [](Copy &c) { c.accumulators[1].kind = 5; },
      "accumulators[1].kind is 5, which is not a BoostAccumulatorKind");
  expectDefect(
      [](Copy &c) { c.accumulators[2].tensor.arena = BOOSTC_ARENA_RESULT; },
      "loss sum 'loss_sum' lies in arena result, expected gradient");
  expectDefect([](Copy &c) { c.accumulators[3].tensor.offset = 1u << 20; },
               "loss count 'loss_count' at offset 1048576");
  expectDefect([](Copy &c) { c.accumulators[1].tensor.name = "fc.weight"; },
               "duplicate accumulator 'fc.weight'");
  expectDefect([](Copy &c) { c.accumulators[0].tensor.dtype = BOOSTC_I32; },
               "gradient 'fc.weight' has elements of type i32, which ranks do "
               "not sum");
  expectDefect([](Copy &c) { c.accumulators[0].parameter = 2; },
               "accumulators[0].parameter is 2, where there are 2");
  for (uint32_t parameter : {0u, UINT32_MAX})
    expectDefect([=](Copy &c) { c.accumulators[1].parameter = parameter; },
                 "gradient 'fc.bias' is not the one gradient of a parameter");
  expectDefect([](Copy &c) { c.accumulators[2].tensor.dtype = BOOSTC_I64; },
               "loss sum 'loss_sum' has 4 bytes where its shape needs 8");
  expectDefect([](Copy &c) { c.accumulators[3].tensor.dtype = BOOSTC_F32; },
               "loss count 'loss_count' has 8 bytes where its shape needs 4");
  expectDefect(
      [](Copy &c) { c.accumulators[1].kind = BOOSTC_ACCUMULATOR_LOSS_SUM; },
      "loss sum 'fc.bias' is not a scalar of the expected type");
  expectDefect(
      [](Copy &c) { c.accumulators[3].kind = BOOSTC_ACCUMULATOR_OTHER; },
      "0 accumulators of kind 'loss count', expected one");
  // The sum of sample weights is there or not.
  auto appendWeights = [](Copy &c, std::initializer_list<const char *> names) {
    for (const char *name : names) {
      c.accumulators.push_back(c.accumulators[2]);
      c.accumulators.back().tensor.name = name;
      c.accumulators.back().kind = BOOSTC_ACCUMULATOR_LOSS_WEIGHT;
      c.program.accumulators = c.accumulators.data();
      ++c.program.accumulator_count;
    }
  };
  expectDefect([&](Copy &c) { appendWeights(c, {"a", "b"}); },
               "2 accumulators of kind 'loss weight', expected one at most");
  expectDefect(
      [&](Copy &c) {
        appendWeights(c, {"a"});
        c.accumulators.back().tensor = c.accumulators[3].tensor;
        c.accumulators.back().tensor.name = "a";
      },
      "loss weight 'a' is not a scalar of the expected type");
}

TEST_F(ValidateProgram, AFrozenParameterNeedsNoGradient) {
  Copy copy(program_->descriptor());
  ++copy.program.accumulators;
  --copy.program.accumulator_count;
  EXPECT_TRUE(validateProgram(copy.program, "p.so").ok());
}

TEST_F(ValidateProgram, Inputs) {
  expectDefect([](Copy &c) { c.inputs[0].kind = BOOSTC_INPUT_PIXELS; },
               "input 'image' of pixels has elements of type f32, expected u8");
  expectDefect([](Copy &c) { c.inputs[0].kind = 7; },
               "inputs[0].kind is 7, which is not a BoostInputKind");
  expectDefect([](Copy &c) { c.inputs[1].tensor.name = "image"; },
               "duplicate input 'image'");
  expectDefect([](Copy &c) { c.program.batch_size = 31; },
               "input 'image' is not a batch of 31");
  expectDefect([](Copy &c) { c.inputs[1].classes = 0; },
               "input 'label' of labels has 0 classes");
  expectDefect([](Copy &c) { c.inputs[1].classes = int64_t{1} << 31; },
               "input 'label' of labels has 2147483648 classes");
  expectDefect([](Copy &c) { c.inputs[0].classes = 10; },
               "input 'image' of features has 10 classes");
  expectDefect(
      [](Copy &c) { c.inputs[0].kind = BOOSTC_INPUT_LABELS; },
      "input 'image' of labels has elements of type f32, expected i32");
  expectDefect(
      [](Copy &c) { c.inputs[1].kind = BOOSTC_INPUT_FEATURES; },
      "input 'label' of features has elements of type i32, expected f32");
  expectDefect([](Copy &c) { c.program.input_count = 0; },
               "0 inputs of features, 0 of pixels and 0 of indices, expected "
               "one of them");
  expectDefect([](Copy &c) { ++c.program.inputs, c.program.input_count = 1; },
               "0 inputs of features, 0 of pixels and 0 of indices, expected "
               "one of them");
  expectDefect(
      [](Copy &c) {
        c.inputs[1].tensor.rank = 0;
        c.inputs[1].tensor.bytes = 4;
      },
      "input 'label' is not a batch of 32");
}

// They have another size in evaluations, and the address of the input in
// training.
TEST_F(ValidateProgram, EvalInputs) {
  Copy copy(program_->descriptor());
  BoostInput inputs[] = {copy.inputs[0], copy.inputs[1], copy.inputs[0]};
  BoostInput &eval = inputs[2];
  eval.tensor.name = "image.eval";
  copy.program.inputs = inputs;
  copy.program.input_count = 3;
  auto verdict = [&] {
    return validateProgram(copy.program, "p.so").message();
  };
  EXPECT_EQ(verdict(), "");
  const BoostTensor sound = eval.tensor;
  std::vector<int64_t> shape(sound.shape, sound.shape + sound.rank);
  shape.back() *= 1 << 16;
  eval.tensor.shape = shape.data();
  eval.tensor.bytes <<= 16;
  EXPECT_THAT(verdict(),
              testing::HasSubstr("input 'image.eval' at offset 0 with "));
  copy.program.arena_bytes[BOOSTC_ARENA_BATCH] <<= 16;
  EXPECT_THAT(
      verdict(),
      testing::HasSubstr("'image.eval' and 'label' overlap in arena batch"));
  const char *text = "input 'image.eval' is not read in the place of another "
                     "one that the layers read";
  eval.tensor = sound;
  eval.tensor.offset = inputs[1].tensor.offset;
  EXPECT_THAT(verdict(), testing::HasSubstr(text));
  eval.tensor = sound;
  inputs[0].tensor.name = "picture";
  EXPECT_THAT(verdict(), testing::HasSubstr(text));
  inputs[2] = inputs[1];
  eval.tensor.name = "label.eval";
  EXPECT_THAT(verdict(), testing::HasSubstr(
                             "input 'label.eval' is not read in the place"));
}

TEST_F(ValidateProgram, LabelsMayBeOfPositions) {
  static const int64_t column[] = {32, 1};
  Copy copy(program_->descriptor());
  copy.inputs[1].tensor.shape = column;
  copy.inputs[1].tensor.rank = 2;
  EXPECT_TRUE(validateProgram(copy.program, "p.so").ok());
}

TEST_F(ValidateProgram, LabelsMayBeAbsent) {
  Copy copy(program_->descriptor());
  copy.program.input_count = 1;
  EXPECT_TRUE(validateProgram(copy.program, "p.so").ok());
}

/// Inputs 0 of indices, 1 of targets, 2 of keys.
TEST_F(ValidateProgram, InputsOfOtherKinds) {
  load("table");
  expectDefect([](Copy &c) { c.inputs[0].classes = 0; },
               "input 'token' of indices has 0 classes");
  expectDefect(
      [](Copy &c) { c.inputs[0].tensor.dtype = BOOSTC_F32; },
      "input 'token' of indices has elements of type f32, expected i32");
  expectDefect(
      [](Copy &c) { c.inputs[1].tensor.dtype = BOOSTC_I32; },
      "input 'wanted' of targets has elements of type i32, expected f32");
  expectDefect([](Copy &c) { c.inputs[1].classes = 3; },
               "input 'wanted' of targets has 3 classes");
  expectDefect(
      [](Copy &c) { c.inputs[2].tensor.dtype = BOOSTC_F32; },
      "input 'key' of sample keys has elements of type f32, expected i32");
  expectDefect([](Copy &c) { c.inputs[2].classes = 1; },
               "input 'key' of sample keys has 1 classes");
  static const int64_t column[] = {12, 1}, short_[] = {6, 6};
  expectDefect(
      [](Copy &c) {
        c.inputs[2].tensor.shape = column;
        c.inputs[2].tensor.rank = 2;
      },
      "input 'key' of sample keys has rank 2, expected 1");
  expectDefect([](Copy &c) { c.inputs[1].tensor.shape = short_; },
               "input 'wanted' is not a batch of 12");
  // Two of a kind. The other becomes what the first is, where its type allows.
  expectDefect(
      [](Copy &c) {
        c.inputs[2].kind = BOOSTC_INPUT_INDICES;
        c.inputs[2].classes = 8;
      },
      "0 inputs of features, 0 of pixels and 2 of indices, expected one of "
      "them");
  expectDefect([](Copy &c) { c.inputs[1].kind = BOOSTC_INPUT_FEATURES; },
               "1 inputs of features, 0 of pixels and 1 of indices, expected "
               "one of them");
  auto append = [](Copy &c, size_t from, const char *name) {
    c.inputs.push_back(c.inputs[from]);
    c.inputs.back().tensor.name = name;
    c.program.inputs = c.inputs.data();
    ++c.program.input_count;
  };
  expectDefect([&](Copy &c) { append(c, 1, "other"); },
               "2 inputs of targets, expected one at most");
  expectDefect([&](Copy &c) { append(c, 2, "other"); },
               "2 inputs of sample keys, expected one at most");
  expectDefect(
      [&](Copy &c) {
        for (const char *name : {"a", "b"}) {
          append(c, 1, name);
          c.inputs.back().kind = BOOSTC_INPUT_WEIGHTS;
        }
      },
      "2 inputs of weights, expected one at most");
  expectDefect([](Copy &c) { c.inputs[2].kind = BOOSTC_INPUT_WEIGHTS; },
               "input 'key' of weights has elements of type i32, expected f32");
  expectDefect(
      [&](Copy &c) {
        for (const char *name : {"a", "b"}) {
          append(c, 2, name);
          c.inputs.back().kind = BOOSTC_INPUT_LABELS;
          c.inputs.back().classes = 2;
        }
      },
      "2 inputs of labels, expected one at most");
  // One of each is sound.
  Copy copy(program_->descriptor());
  append(copy, 2, "label");
  copy.inputs.back().kind = BOOSTC_INPUT_LABELS;
  copy.inputs.back().classes = 2;
  copy.inputs.back().tensor.offset =
      copy.program.arena_bytes[BOOSTC_ARENA_BATCH];
  copy.program.arena_bytes[BOOSTC_ARENA_BATCH] += 64;
  Status status = validateProgram(copy.program, "p.so");
  EXPECT_TRUE(status.ok()) << status.message();
}

TEST_F(ValidateProgram, Scalars) {
  expectDefect([](Copy &c) { c.program.valid.name = nullptr; },
               "valid.name is missing");
  expectDefect(
      [](Copy &c) {
        c.program.valid.dtype = BOOSTC_I64;
        c.program.valid.bytes = 8;
      },
      "'valid' is not a scalar of the expected type");
  expectDefect([](Copy &c) { c.program.applied.offset = 512; },
               "'applied' at offset 512");
  expectDefect([](Copy &c) { c.program.failed.offset = 512; },
               "'failed' at offset 512");
  expectDefect([](Copy &c) { c.program.seed_control.offset = 128; },
               "'seed' at offset 128");
  expectDefect([](Copy &c) { c.metrics[1].name = "loss"; },
               "duplicate metric 'loss'");
  expectDefect([](Copy &c) { c.metrics[1].name = ""; },
               "metrics[1].name is missing");
  expectDefect([](Copy &c) { c.metrics[1].sum.offset = 1 << 12; },
               "metric sum 'top_1.sum' at offset 4096");
  expectDefect([](Copy &c) { c.metrics[1].count.arena = BOOSTC_ARENA_BATCH; },
               "'top_1.count' lies in arena batch, expected result");
  expectDefect(
      [](Copy &c) {
        c.addStepNumber("plain_layers");
        c.addStepNumber("plain_layers");
      },
      "duplicate step number 'plain_layers'");
  expectDefect(
      [](Copy &c) {
        c.addStepNumber("plain_layers");
        c.stepNumbers[0].tensor.dtype = BOOSTC_F32;
      },
      "step number 'plain_layers' is not a scalar of the expected type");
  expectDefect(
      [](Copy &c) {
        c.addStepNumber("plain_layers");
        c.stepNumbers[0].tensor.arena = BOOSTC_ARENA_CONTROL;
      },
      "'plain_layers' lies in arena control, expected result");
  expectDefect(
      [](Copy &c) { c.schedules[0].kind = BOOSTC_SCHEDULE_COUNT; },
      fmt::format("schedules[0].kind is {}, which is not a BoostScheduleKind",
                  int{BOOSTC_SCHEDULE_COUNT}));
  expectDefect([](Copy &c) { c.schedules[0].unit = 2; },
               "schedules[0].unit is 2, which is not a BoostScheduleUnit");
  expectDefect([](Copy &c) { c.schedules[0].value = INFINITY; },
               "schedule 'learning_rate' has a number that is not finite");
  expectDefect([](Copy &c) { c.schedules[0].warmup = -1; },
               "schedule 'learning_rate' has length -1, expected a finite "
               "number of 0 or more");
  expectDefect([](Copy &c) { c.schedules[0].control.offset = 192; },
               "schedule 'learning_rate' at offset 192");
}

} // namespace
