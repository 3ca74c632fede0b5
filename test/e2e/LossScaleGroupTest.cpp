// Programs with loss scales for groups of layers against the interpreter,
// within the bounds that follow.
#include "test/e2e/Differential.h"
#include <gtest/gtest.h>

using namespace boostc;
using namespace boostc::e2e;

namespace {

/// Values of the first group are read in the second and in the third one.
Model getModel() {
  Model model;
  model.name = "groups";
  model.batch = 3;
  model.sample = "[2, 5, 5]";
  model.layers = R"(
{ "name": "stem", "op": "conv2d", "filters": 3, "kernel": 3, "padding": 1 },
{ "name": "norm", "op": "batch_norm" },
{ "name": "act", "op": "relu" },
{ "name": "inner", "op": "conv2d", "filters": 3, "kernel": 3, "padding": 1 },
{ "name": "sum", "op": "add", "inputs": ["inner", "act"] },
{ "name": "last", "op": "conv2d", "filters": 3, "kernel": 1 },
{ "name": "join", "op": "add", "inputs": ["last", "act"] },
{ "op": "global_avg_pool" },
{ "name": "head", "op": "dense", "units": 3 })";
  model.optimizer =
      R"({ "type": "momentum", "learning_rate": 0.0625, "momentum": 0.5 })";
  return model;
}

struct Case {
  std::string name;
  std::vector<std::string> sets = {}, boosts = {};
  bool isForGpus = false;
};

void PrintTo(const Case &one, std::ostream *stream) { *stream << one.name; }

class LossScaleGroups : public testing::TestWithParam<Case> {};

TEST_P(LossScaleGroups, StepsStayInTheirBounds) {
  const Case &one = GetParam();
  CompileOptions options;
  options.phase.threads = 2;
  options.phase.forCpu = !one.isForGpus;
  options.phase.forCuda = one.isForGpus;
  options.phase.cudaLibrary = one.isForGpus ? "never" : "auto";
  options.sets = one.sets;
  options.boosts = {"loss_scale_group=true",
                    R"(groups=[["stem","norm"],["inner"],["last","head"]])",
                    "loss_scale_group.initial=[96,8,2.5]"};
  options.boosts.insert(options.boosts.end(), one.boosts.begin(),
                        one.boosts.end());
  // Every tail of an epoch once.
  expectSteps(getModel(), options, 4);
}

INSTANTIATE_TEST_SUITE_P(
    Programs, LossScaleGroups,
    testing::Values(
        Case{"f32"}, Case{"f32_gpu", {}, {}, true},
        Case{"O2_f16", {"amp.level=O2", "amp.dtype=f16"}},
        Case{"O2_f16_gpu", {"amp.level=O2", "amp.dtype=f16"}, {}, true},
        Case{"O1_bf16", {"amp.level=O1", "amp.dtype=bf16"}},
        Case{"O3_bf16_gpu", {"amp.level=O3", "amp.dtype=bf16"}, {}, true},
        Case{"freeze",
             {},
             {"grad_freeze=true", "param_groups=2", "freeze_type=0",
              "freeze_p=0.5"}},
        Case{"less_bn",
             {"train.clip_norm=0.25", "train.gradient_norm=true"},
             {"less_bn=true", "fn_flag=false"}}),
    [](const testing::TestParamInfo<Case> &info) { return info.param.name; });

} // namespace
