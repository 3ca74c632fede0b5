#include "test/e2e/Programs.h"
#include "compiler/reference/Interpreter.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "runtime/abi/boost_random.h"
#include "runtime/device/cpu/CpuDevice.h"
#include "runtime/device/cuda/CudaDevice.h"
#include "runtime/program/ProgramAccumulators.h"
#include "llvm/Support/JSON.h"
#include <cstring>
#include <fstream>
#include <gtest/gtest.h>

using namespace mlir;
using namespace boostc;
using namespace boostc::e2e;

TemporaryDirectory::TemporaryDirectory() {
  std::string pattern =
      (std::filesystem::temp_directory_path() / "boost-e2e-XXXXXX").string();
  path = mkdtemp(pattern.data());
}
TemporaryDirectory::~TemporaryDirectory() {
  std::error_code ignored;
  std::filesystem::remove_all(path, ignored);
}

std::string Model::getJson() const {
  std::string input = "\"image\": { \"shape\": " + sample;
  if (!evalSample.empty())
    input += ", \"eval_shape\": " + evalSample;
  if (vocabulary)
    input += ", \"classes\": " + std::to_string(vocabulary);
  if (!transforms.empty())
    input += R"(, "dtype": "u8")";
  input += " }";
  if (!target.empty())
    input += ", \"target\": { \"shape\": " + target + " }";
  if (!weights.empty())
    input += R"(, "weight": { )" +
             (weights == "[]" ? "" : R"("shape": )" + weights + ", ") +
             R"("role": "weight" })";
  if (!metrics.empty() || !StringRef(loss).contains("target"))
    input += ",\n  \"label\": { \"dtype\": \"i32\", \"classes\": " +
             std::to_string(classes) +
             (positions == "[]"
                  ? ""
                  : ", \"shape\": " + positions + ", \"role\": \"target\"") +
             " }";
  return "{\n\"name\": \"" + name +
         "\", \"seed\": 7, \"epochs\": 1,\n\"batch_size\": " +
         std::to_string(batch) + ",\n\"input\": { " + input +
         " },\n" + (blocks.empty() ? "" : "\"blocks\": " + blocks + ",\n") +
         "\"layers\": [\n" + layers + "],\n\"loss\": " + loss +
         ",\n\"metrics\": [" + metrics + "],\n\"train\": " + train +
         (transforms.empty()
              ? ""
              : ",\n\"data\": { \"transforms\": " + transforms + " }") +
         ",\n\"optimizer\": " + optimizer + "\n}\n";
}

Model e2e::getPerceptron(std::string name, std::string optimizer) {
  Model model;
  model.name = std::move(name);
  model.batch = 4;
  model.sample = "[5]";
  model.layers =
      R"({ "name": "a", "op": "dense", "units": 4 }, { "op": "tanh" },
{ "name": "b", "op": "dense", "units": 3 })";
  model.optimizer = std::move(optimizer);
  return model;
}

const std::vector<Model> &e2e::getModels() {
  // Constants of the optimizers are binary fractions: the interpreter keeps
  // them in double precision, phase linalg in single.
  static const std::string sgd = R"({ "type": "sgd", "learning_rate": 0.1 })";
  static const std::string decay =
      R"({ "type": "sgd", "learning_rate": 0.05, "weight_decay": 0.0078125 })";
  static const std::string momentum =
      R"({ "type": "momentum", "learning_rate": 0.1, "momentum": 0.875 })";
  static const std::string momentumDecay =
      R"({ "type": "momentum", "learning_rate": 0.03, "momentum": 0.5,)"
      R"( "weight_decay": 0.001953125 })";
  static const std::string mlp = R"({ "op": "dense", "units": 33 },
{ "op": "relu" },
{ "op": "dense", "units": 3 })";
  static const std::vector<Model> models = {
      {"one_layer", 5, "[17]", 3, R"({ "op": "dense", "units": 3 })", sgd},
      {"one_sample", 1, "[1]", 2, R"({ "op": "dense", "units": 2 })", momentum},
      {"mlp", 5, "[17]", 3, mlp, sgd},
      {"mlp_batch_1", 1, "[3]", 3, mlp, decay},
      {"mlp_batch_2", 2, "[33]", 3, mlp, momentumDecay},
      // 32 x 129 x 3 iterations and more: loops that are cut among threads.
      {"parallel", 32, "[1, 7, 19]", 10,
       R"({ "op": "flatten" },
{ "op": "dense", "units": 600 },
{ "op": "relu" },
{ "op": "dense", "units": 65 },
{ "op": "relu" },
{ "op": "dense", "units": 10 })",
       momentum, "\"top_1\", \"top_5\""},
      // Equal extents everywhere: loops cut along rows next to loops cut along
      // columns.
      {"square", 130, "[130]", 130, R"({ "op": "dense", "units": 130 },
{ "op": "relu" },
{ "op": "dense", "units": 130 })",
       sgd},
      {"no_bias", 3, "[17]", 5,
       R"({ "op": "dense", "units": 17, "bias": false },
{ "op": "relu" },
{ "op": "dense", "units": 5, "bias": false })",
       sgd, "\"top_1\", \"top_5\""},
      {"shapes", 5, "[2, 3, 3]", 3,
       R"({ "op": "bias", "init": { "bias": { "type": "normal", "std": 0.1 } } },
{ "op": "relu" },
{ "op": "reshape", "shape": [6, 3] },
{ "op": "flatten" },
{ "op": "dense", "units": 8 },
{ "op": "reshape", "shape": [2, 4] },
{ "op": "bias", "init": { "bias": "ones" } },
{ "op": "bias", "axis": -1 },
{ "op": "flatten" },
{ "op": "dense", "units": 3 })",
       momentumDecay},
      {"residual", 5, "[17]", 3,
       R"({ "name": "in", "op": "dense", "units": 33 },
{ "name": "act", "op": "relu" },
{ "name": "side", "op": "dense", "units": 33,
  "init": { "weight": { "type": "normal", "std": 0.2 } } },
{ "name": "sum", "op": "add", "inputs": ["side", "act"] },
{ "name": "twice", "op": "add", "inputs": ["sum", "sum"] },
{ "op": "relu" },
{ "op": "dense", "units": 3 })",
       decay},
      // Batches of whole vectors, of half ones and of no vector at all.
      {"lenet", 16, "[1, 12, 12]", 3,
       R"({ "op": "conv2d", "filters": 6, "kernel": 5 },
{ "op": "relu" },
{ "op": "max_pool", "kernel": 2 },
{ "op": "conv2d", "filters": 16, "kernel": 3 },
{ "op": "relu" },
{ "op": "max_pool", "kernel": 2 },
{ "op": "flatten" },
{ "op": "dense", "units": 3 })",
       momentum, R"("top_1")"},
      // Loops fused around two vectors at a time, and pieces of them.
      {"images", 32, "[2, 13, 13]", 3,
       R"({ "op": "conv2d", "filters": 6, "kernel": 2 },
{ "op": "relu" },
{ "op": "max_pool", "kernel": 2 },
{ "op": "sigmoid" },
{ "op": "bias" },
{ "op": "avg_pool", "kernel": 2, "stride": 1 },
{ "op": "conv2d", "filters": 5, "kernel": 3 },
{ "op": "max_pool", "kernel": 2 },
{ "op": "relu" },
{ "op": "flatten" },
{ "op": "dense", "units": 16 },
{ "op": "relu" },
{ "op": "dense", "units": 3 })",
       sgd, R"("top_1")"},
      {"padded", 4, "[3, 7, 9]", 3,
       R"({ "op": "conv2d", "filters": 4, "kernel": [3, 2], "stride": [2, 1],
  "padding": "same" },
{ "op": "relu" },
{ "op": "max_pool", "kernel": 3, "stride": 2, "padding": 1 },
{ "op": "conv2d", "filters": 5, "kernel": 3, "stride": 2, "padding": [1, 0, 2, 1],
  "bias": false },
{ "op": "relu" },
{ "op": "global_avg_pool" },
{ "op": "dense", "units": 3 })",
       sgd},
      {"grouped", 3, "[4, 9, 8]", 4,
       R"({ "op": "conv2d", "filters": 8, "kernel": 3, "dilation": 2, "groups": 4,
  "padding": "same_lower" },
{ "op": "avg_pool", "kernel": [4, 2], "stride": 2,
  "padding": [1, 0, 1, 1] },
{ "op": "relu" },
{ "op": "conv2d", "filters": 6, "kernel": 2, "groups": 2, "dilation": [1, 2],
  "stride": [1, 2], "padding": 1 },
{ "op": "avg_pool", "kernel": 2 },
{ "op": "flatten" },
{ "op": "dense", "units": 4 })",
       momentumDecay},
      // Vectors along a tap: the bias is none of what is summed.
      {"taps", 1, "[5, 9, 9]", 3,
       R"({ "op": "conv2d", "filters": 5, "kernel": [4, 2], "stride": 4 },
{ "op": "flatten" },
{ "op": "dense", "units": 3 })",
       sgd},
      {"smooth", 16, "[19]", 3, R"({ "op": "dense", "units": 40 },
{ "op": "sigmoid" },
{ "op": "dense", "units": 31 },
{ "op": "tanh" },
{ "op": "dense", "units": 3 })",
       momentum},
      {"rectifiers", 6, "[19]", 3, R"({ "op": "dense", "units": 18 },
{ "op": "gelu" },
{ "op": "dense", "units": 7 },
{ "op": "gelu", "approximate": "tanh" },
{ "op": "silu" },
{ "op": "scale", "factor": 8 },
{ "op": "relu6" },
{ "op": "dense", "units": 9 },
{ "op": "leaky_relu" },
{ "op": "softplus" },
{ "op": "dense", "units": 3 })",
       sgd, R"("top_1")",
       R"({ "op": "softmax_cross_entropy", "label_smoothing": 0.1 })"},
      {"attention", 5, "[6, 4]", 3,
       R"({ "name": "norm", "op": "layer_norm" },
{ "name": "t", "op": "transpose", "permutation": [1, 0] },
{ "name": "scores", "op": "matmul", "inputs": ["norm", "t"] },
{ "name": "scaled", "op": "scale", "factor": 0.5 },
{ "name": "weights", "op": "softmax" },
{ "name": "mixed", "op": "matmul", "inputs": ["weights", "norm"] },
{ "name": "skip", "op": "add", "inputs": ["mixed", "norm"] },
{ "op": "layer_norm", "dimensions": 2 },
{ "op": "flatten" },
{ "op": "dense", "units": 3 })",
       momentum, R"("top_1")",
       R"({ "op": "softmax_cross_entropy", "label_smoothing": 0.1, "smoothing": "others" })"},
      // Statistics over images and over columns, of tails of one sample too.
      {"normed_images", 4, "[3, 7, 6]", 3,
       R"({ "name": "first", "op": "conv2d", "filters": 5, "kernel": 3, "padding": 1 },
{ "name": "norm", "op": "batch_norm" },
{ "op": "relu" },
{ "op": "conv2d", "filters": 5, "kernel": 3, "padding": 1 },
{ "op": "batch_norm", "momentum": 0.25, "affine": false, "running_variance": "biased" },
{ "name": "skip", "op": "add", "inputs": ["norm", "batch_norm1"] },
{ "op": "relu" },
{ "op": "flatten" },
{ "op": "dense", "units": 3 })",
       momentum},
      {"normed_columns", 9, "[11]", 3,
       R"({ "op": "dense", "units": 17 },
{ "op": "batch_norm", "eps": 0.001 },
{ "op": "tanh" },
{ "op": "dense", "units": 3 })",
       R"({ "type": "adam", "learning_rate": 0.0625 })"},
      // Some groups, as many as channels, and one of numbers without a plane.
      {"groups", 5, "[4, 5, 3]", 3,
       R"({ "op": "conv2d", "filters": 12, "kernel": 2 },
{ "name": "norm", "op": "group_norm", "groups": 4 },
{ "op": "relu" },
{ "name": "each", "op": "group_norm", "groups": 12, "affine": false },
{ "op": "add", "inputs": ["each", "norm"] },
{ "op": "global_avg_pool" },
{ "op": "flatten" },
{ "op": "group_norm", "groups": 1, "eps": 0.125 },
{ "op": "dense", "units": 3 })",
       momentum},
      {"parts", 4, "[6, 5, 5]", 3,
       R"({ "name": "all", "op": "conv2d", "filters": 4, "kernel": 3, "padding": "same" },
{ "name": "left", "op": "slice", "start": 0, "size": 3 },
{ "name": "right", "op": "slice", "inputs": ["all"], "start": 1, "size": 3 },
{ "name": "product", "op": "mul", "inputs": ["left", "right"] },
{ "name": "difference", "op": "sub", "inputs": ["left", "right"] },
{ "name": "joined", "op": "concat", "inputs": ["product", "difference", "all"] },
{ "op": "conv2d", "filters": 6, "kernel": 2 },
{ "name": "rows", "op": "reduce_max", "axes": [-1] },
{ "name": "means", "op": "reduce_mean", "axes": [1], "keep_dims": true },
{ "op": "log_softmax", "axis": 0 },
{ "name": "flat", "op": "flatten" },
{ "op": "dense", "units": 3 })",
       sgd, R"("top_1")", R"({ "op": "mse" })"},
      {"distances", 7, "[9]", 4, R"({ "op": "dense", "units": 4 })", sgd,
       R"("top_1")", R"({ "op": "l1" })"},
      {"yes_no", 7, "[9]", 4, R"({ "op": "dense", "units": 4 })", momentum,
       R"("top_1")", R"({ "op": "binary_cross_entropy" })"},
      {"adam", 5, "[17]", 3, mlp,
       R"({ "type": "adam", "learning_rate": 0.01, "beta1": 0.875, "beta2": 0.96875,
  "epsilon": 9.5367431640625e-07, "weight_decay": 0.0078125 })"},
      {"adamw", 5, "[17]", 3, mlp,
       R"({ "type": "adamw", "learning_rate": { "schedule": "cosine", "value": 0.01 },
  "beta1": 0.875, "beta2": 0.96875, "epsilon": 9.5367431640625e-07,
  "weight_decay": 0.0078125,
  "groups": [{ "roles": ["bias"], "weight_decay": 0, "learning_rate": 0.02 }] })"},
      {"nesterov", 5, "[17]", 3, mlp,
       R"({ "type": "momentum", "learning_rate": 0.1, "momentum": 0.875, "nesterov": true,
  "weight_decay": 0.001953125, "decay": "decoupled" })"},
      {"lars", 5, "[17]", 3, mlp,
       R"({ "type": "lars", "learning_rate": 1.5, "momentum": 0.875,
  "trust_coefficient": 0.001953125, "weight_decay": 0.001953125 })",
       R"("top_1")", Model().loss,
       R"({ "clip_norm": 0.1, "gradient_norm": true })"},
      {"clipped", 5, "[17]", 3, mlp, momentum, R"("top_1")", Model().loss,
       R"({ "clip_value": 0.01, "clip_norm": 0.05 })"},
      {"averaged", 5, "[17]", 3, mlp, momentum, R"("top_1")", Model().loss,
       R"({ "ema": { "decay": 0.875 } })"},
      {"averaged_statistics", 5, "[17]", 3,
       R"({ "op": "dense", "units": 9 },
{ "op": "batch_norm", "momentum": 0.25 },
{ "op": "dense", "units": 3 })",
       sgd, R"("top_1")", Model().loss,
       R"({ "ema": { "decay": 0.875, "evaluate": false }, "clip_norm": 0.05 })"},
      // Gradients of the first layer far below the rounding of the limit that
      // none of them reaches; what the trust ratio divides by is as small.
      {"small_gradients", 5, "[17]", 3,
       R"({ "op": "dense", "units": 9 },
{ "op": "scale", "factor": 1.1641532182693481e-10 },
{ "op": "dense", "units": 3 })",
       R"({ "type": "lars", "learning_rate": 0.0625, "momentum": 0.875 })",
       R"("top_1")", Model().loss,
       R"({ "clip_value": 0.015625, "clip_norm": 0.0625 })"},
      {"dropout", 5, "[3, 7]", 3,
       R"({ "op": "dropout", "rate": 0.25 },
{ "op": "flatten" },
{ "op": "dense", "units": 33 },
{ "op": "dropout" },
{ "op": "dense", "units": 3 })",
       momentum},
      // Its place in the sample is asked for inside a loop over windows.
      {"dropout_pooled", 4, "[3, 6, 5]", 3,
       R"({ "op": "dropout" },
{ "op": "max_pool", "kernel": [2, 1] },
{ "op": "flatten" },
{ "op": "dense", "units": 3 })",
       momentum},
      {"tokens", 5, "[7]", 3,
       R"({ "op": "embedding", "units": 9 },
{ "op": "reduce_mean", "axes": [1] },
{ "op": "dense", "units": 3 })",
       momentum, R"("top_1")", Model().loss, "{}", 11},
      // A label for each position, after a block that mixes them.
      {"tagger", 5, "[6]", 3,
       R"({ "name": "embedding1", "op": "embedding", "units": 8 },
{ "name": "query", "op": "dense", "units": 9 },
{ "name": "key", "op": "dense", "units": 9, "inputs": ["embedding1"] },
{ "name": "scores", "op": "matmul", "transpose_b": true, "inputs": ["query", "key"] },
{ "name": "weights", "op": "softmax" },
{ "name": "mixed", "op": "matmul", "inputs": ["weights", "embedding1"] },
{ "name": "skip", "op": "add", "inputs": ["mixed", "embedding1"] },
{ "op": "layer_norm" },
{ "op": "dense", "units": 17 },
{ "op": "gelu" },
{ "op": "dense", "units": 3 })",
       momentum, R"("top_1")",
       R"({ "op": "softmax_cross_entropy", "label_smoothing": 0.1 })", "{}", 11,
       "", "[6]"},
      {"rows", 3, "[2, 3, 17]", 5, R"({ "op": "dense", "units": 33 },
{ "op": "relu" },
{ "op": "dense", "units": 5, "bias": false })",
       sgd, R"("top_1", "top_5")", Model().loss, "{}", 0, "", "[2, 3]"},
      {"row_distances", 3, "[4, 9]", 3, R"({ "op": "dense", "units": 3 })", sgd,
       R"("top_1")", R"({ "op": "mse" })", "{}", 0, "", "[4]"},
      // A part is written over zeros and read as a whole, by other threads.
      {"sliced", 2, "[12]", 3,
       R"({ "op": "layer_norm" },
{ "op": "slice", "start": 4, "size": 3 },
{ "op": "relu" },
{ "op": "dense", "units": 3 })",
       sgd},
      // 32 x 40 places of 96 columns: threads share them.
      {"many_tokens", 32, "[8, 5]", 3,
       R"({ "op": "embedding", "units": 96 },
{ "op": "dropout", "rate": 0.125 },
{ "op": "flatten" },
{ "op": "dense", "units": 3 })",
       sgd, R"("top_1")", Model().loss, "{}", 50},
      // Weights: of samples, of labels, of samples with several labels; each
      // loss.
      {"weighted", 5, "[17]", 3, mlp, momentum, R"("top_1")", Model().loss,
       R"({ "clip_norm": 0.5, "gradient_norm": true })", 0, "", "[]", "[]"},
      {"weighted_tags", 4, "[6]", 6,
       R"({ "op": "embedding", "units": 8 }, { "op": "dense", "units": 6 })",
       R"({ "type": "adam", "learning_rate": 0.0625 })", R"("top_1", "top_5")",
       R"({ "op": "softmax_cross_entropy", "label_smoothing": 0.1 })", "{}", 11,
       "", "[6]", "[6]"},
      {"weighted_rows", 3, "[4, 9]", 3, R"({ "op": "dense", "units": 3 })", sgd,
       R"("top_1")", R"({ "op": "mse" })", "{}", 0, "", "[4]", "[]"},
      {"weighted_yes_no", 7, "[9]", 4, R"({ "op": "dense", "units": 4 })",
       momentum, R"("top_1")", R"({ "op": "binary_cross_entropy" })", "{}", 0,
       "", "[]", "[]"},
      {"weighted_distances", 7, "[9]", 4, R"({ "op": "dense", "units": 4 })",
       sgd, R"("top_1")", R"({ "op": "l1" })", "{}", 0, "", "[]", "[]"},
      {"weighted_soft_rows", 5, "[2, 7]", 3, R"({ "op": "dense", "units": 3 })",
       momentum, "", R"({ "op": "softmax_cross_entropy", "target": "target" })",
       "{}", 0, "[2, 3]", "[2]", "[2]"},
      // Statistics count all samples alike.
      {"weighted_norm", 5, "[9]", 3,
       R"({ "op": "dense", "units": 17, "bias": false }, { "op": "batch_norm" },
{ "op": "tanh" }, { "op": "dense", "units": 3 })",
       momentum, R"("top_1")", Model().loss, "{}", 0, "", "[]", "[]"},
      {"soft_labels", 5, "[17]", 3, R"({ "op": "dense", "units": 3 })",
       momentum, R"("top_1")",
       R"({ "op": "softmax_cross_entropy", "target": "target" })", "{}", 0,
       "[3]"},
      {"soft_rows", 5, "[2, 7]", 3, R"({ "op": "dense", "units": 3 })",
       momentum, "", R"({ "op": "softmax_cross_entropy", "target": "target" })",
       "{}", 0, "[2, 3]", "[2]"},
      {"regression", 7, "[2, 5]", 3,
       R"({ "op": "flatten" }, { "op": "dense", "units": 6 },
{ "op": "reshape", "shape": [2, 3] })",
       momentum, "", R"({ "op": "mse", "target": "target" })", "{}", 0,
       "[2, 3]"},
      {"autoencoder", 5, "[17]", 3,
       R"({ "op": "dense", "units": 4 }, { "op": "tanh" },
{ "op": "dense", "units": 17 })",
       momentum, "", R"({ "op": "mse", "target": "image" })", "{}", 0, ""},
      {"bias_only", 4, "[3]", 3, R"({ "op": "bias" })", sgd},
      // Bytes, of all channels alike or of each its own way, in rows that are
      // no vectors.
      {"pixels", 5, "[3, 5, 7]", 3,
       R"({ "op": "conv2d", "filters": 4, "kernel": 3 },
{ "op": "relu" },
{ "op": "flatten" },
{ "op": "dense", "units": 3 })",
       momentum, R"("top_1")", Model().loss, "{}", 0, "", "[]", "",
       R"([{ "op": "rescale", "scale": 0.00390625, "shift": -0.5 },
{ "op": "normalize", "mean": [0.25, 0.125, -0.25], "std": [0.3, 0.25, 0.2] }])"},
      {"grey_pixels", 3, "[1, 4, 9]", 3,
       R"({ "op": "flatten" }, { "op": "dense", "units": 3 })", sgd,
       R"("top_1")", Model().loss, "{}", 0, "", "[]", "",
       R"([{ "op": "normalize", "mean": [33.3], "std": [78.6] }])"},
      // Channels lie innermost: several vectors of them, the last one full or
      // not, a whole number of rows of weights that are packed or not.
      {"many_channels", 2, "[3, 9, 7]", 4,
       R"({ "op": "conv2d", "filters": 32, "kernel": 3, "stride": 2, "padding": 1, "bias": false },
{ "op": "batch_norm" },
{ "op": "relu" },
{ "op": "conv2d", "filters": 20, "kernel": 3, "padding": 1 },
{ "op": "relu" },
{ "op": "conv2d", "filters": 40, "kernel": 5, "padding": 2 },
{ "op": "tanh" },
{ "op": "global_avg_pool" },
{ "op": "dense", "units": 4 })",
       momentum},
      {"many_groups", 2, "[3, 7, 8]", 4,
       R"({ "op": "conv2d", "filters": 37, "kernel": 1 },
{ "op": "conv2d", "filters": 37, "kernel": 3, "groups": 37, "dilation": 3, "padding": 3 },
{ "op": "relu" },
{ "op": "conv2d", "filters": 74, "kernel": 3, "groups": 37 },
{ "op": "conv2d", "filters": 130, "kernel": 1 },
{ "op": "tanh" },
{ "op": "conv2d", "filters": 1, "kernel": 1 },
{ "op": "flatten" },
{ "op": "dense", "units": 4 })",
       momentum},
      // Evaluated on larger images, and on smaller ones.
      {"larger_eval", 5, "[3, 5, 7]", 3,
       R"({ "op": "conv2d", "filters": 9, "kernel": 3, "bias": false },
{ "op": "batch_norm" },
{ "op": "relu" },
{ "op": "conv2d", "filters": 17, "kernel": 3, "padding": 1, "stride": 2 },
{ "op": "global_avg_pool" },
{ "op": "dense", "units": 3 })",
       momentum, R"("top_1")", Model().loss, "{}", 0, "", "[]", "",
       R"([{ "op": "normalize", "mean": [127.5], "std": [64] }])", "",
       "[3, 9, 8]"},
      {"smaller_eval", 4, "[2, 9, 9]", 3,
       R"({ "op": "conv2d", "filters": 8, "kernel": 3 },
{ "op": "relu" },
{ "op": "global_avg_pool" },
{ "op": "dropout", "rate": 0.25 },
{ "op": "dense", "units": 3 })",
       sgd, R"("top_1")", Model().loss, "{}", 0, "", "[]", "", "", "",
       "[2, 4, 5]"}};
  return models;
}

Context::Context()
    : mlir(
          [] {
            DialectRegistry registry;
            registerCompilerDialects(registry);
            registerReferenceExternalModels(registry);
            return registry;
          }(),
          MLIRContext::Threading::DISABLED),
      handler(&mlir, [this](Diagnostic &diagnostic) {
        diagnostics += diagnostic.str() + "\n";
        return success();
      }) {
  mlir.loadAllAvailableDialects();
}

SmallVector<char, 0> e2e::compileText(StringRef text, CompileOptions options) {
  TemporaryDirectory directory;
  bool isJson = options.from == Phase::Input && text.starts_with("{");
  options.input = directory.file(isJson ? "model.json" : "model.mlir");
  std::ofstream(options.input) << text.str();
  // Locations name the file, so the same text must come from a file of the same
  // name.
  std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(
      std::filesystem::path(options.input).parent_path());
  options.input = isJson ? "model.json" : "model.mlir";
  Context context;
  llvm::SourceMgr sources;
  SmallVector<char, 0> output;
  CompileResult result = compile(context.mlir, sources, options, output);
  std::filesystem::current_path(before);
  EXPECT_EQ(result, CompileResult::Ok) << context.diagnostics;
  return output;
}

Interpreted::Interpreted(StringRef ir) {
  module = parseSourceString<ModuleOp>(ir, &context.mlir);
  if (!module) {
    ADD_FAILURE() << context.diagnostics;
    return;
  }
  program = *module->getOps<train::ProgramOp>().begin();
  trainer.emplace(program);
}

template <typename T> static T take(boostrt::Result<T> result) {
  if (!result.ok()) {
    ADD_FAILURE() << result.status().message();
    std::abort(); // nothing that follows could run
  }
  return std::move(result).value();
}

Compiled::Compiled(ArrayRef<char> library, uint32_t threads,
                   uint32_t gradientSets, boostrt::LibraryUse libraryUse) {
  std::string path = directory.file("train.so");
  std::ofstream(path, std::ios::binary).write(library.data(), library.size());
  program = take(boostrt::Program::load(path));
  const BoostTarget &target = program->targets().front();
  if (target.kind == BOOSTC_TARGET_CPU)
    device = take(
        boostrt::CpuDevice::create(threads, target, descriptor().reproducible));
  else {
    auto driver = take(boostrt::sim::SimDriver::create(threads));
    simulated = driver.get();
    device = take(boostrt::CudaDevice::create(std::move(driver), target, path,
                                              {libraryUse, {}, ""}));
  }
  boostrt::MemoryPlan plan = boostrt::planTraining(descriptor(), target);
  plan.copies[BOOSTC_ARENA_GRADIENT] = gradientSets;
  arenas = take(boostrt::Arenas::reserve(plan, device->memory()));
  exec.emplace(*program, *device, *arenas);
}

static ReferenceValue read(const BoostTensor &tensor,
                           const std::byte *address) {
  ReferenceValue value(ArrayRef(tensor.shape, tensor.rank));
  auto readAs = [&](auto zero) {
    for (int64_t i = 0; i < value.size(); ++i) {
      auto element = zero;
      std::memcpy(&element, address + i * sizeof element, sizeof element);
      value.data[i] = static_cast<double>(element);
    }
  };
  switch (static_cast<BoostDType>(tensor.dtype)) {
  case BOOSTC_F32:
    readAs(0.0f);
    break;
  case BOOSTC_I32:
    readAs(int32_t{0});
    break;
  case BOOSTC_I64:
    readAs(int64_t{0});
    break;
  case BOOSTC_U8:
    readAs(uint8_t{0});
    break;
  }
  return value;
}

template <typename T>
static void writeAs(const ReferenceValue &value, std::byte *address) {
  for (int64_t i = 0; i < value.size(); ++i) {
    T element = static_cast<T>(value.data[i]);
    std::memcpy(address + i * sizeof(T), &element, sizeof(T));
  }
}

void Compiled::write(const ReferenceTrainer::Values &inputs, int64_t valid,
                     const BoostInput &samples) {
  for (const BoostInput &input : program->inputs()) {
    // Either of the two is at this address.
    if (input.kind == samples.kind && &input != &samples)
      continue;
    const ReferenceValue &value = inputs.at(input.tensor.name);
    std::byte *address = batch() + input.tensor.offset;
    if (input.tensor.dtype == BOOSTC_I32)
      writeAs<int32_t>(value, address);
    else if (input.tensor.dtype == BOOSTC_U8)
      writeAs<uint8_t>(value, address);
    else
      writeAs<float>(value, address);
  }
  writeAs<int32_t>(ReferenceValue::scalar(static_cast<double>(valid)),
                   batch() + descriptor().valid.offset);
}

static void expectOk(const boostrt::Status &status) {
  EXPECT_TRUE(status.ok()) << status.message();
}

ReferenceTrainer::Values Compiled::getParameters() const {
  expectOk(exec->downloadPersistent());
  ReferenceTrainer::Values values;
  for (const BoostParameter &parameter : program->parameters())
    values[parameter.tensor.name] =
        read(parameter.tensor, exec->tensor(parameter.tensor));
  return values;
}

ReferenceTrainer::Values Compiled::getState() const {
  expectOk(exec->downloadPersistent());
  ReferenceTrainer::Values values;
  for (const BoostState &state : program->states())
    values[state.tensor.name] = read(state.tensor, exec->tensor(state.tensor));
  return values;
}

void Compiled::setParameters(const ReferenceTrainer::Values &values) {
  expectOk(exec->downloadPersistent());
  for (const BoostParameter &parameter : program->parameters())
    writeAs<float>(values.at(parameter.tensor.name),
                   exec->tensor(parameter.tensor));
  expectOk(exec->uploadPersistent());
}

void Compiled::forgetSkips() {
  int32_t no = 0;
  expectOk(arenas->write(BOOSTC_ARENA_RESULT, descriptor().failed.offset,
                         std::as_bytes(std::span(&no, 1))));
}

ReferenceTrainer::Partial Compiled::getPartial(int gradients) const {
  ReferenceTrainer::Partial partial;
  expectOk(arenas->pull(arenas->copyOf(BOOSTC_ARENA_GRADIENT, gradients)));
  const std::byte *base = arenas->base(BOOSTC_ARENA_GRADIENT, gradients);
  for (const BoostAccumulator &accumulator :
       boostrt::accumulatorsOf(descriptor())) {
    const BoostTensor &tensor = accumulator.tensor;
    if (accumulator.kind == BOOSTC_ACCUMULATOR_GRADIENT)
      partial.gradients[tensor.name] = read(tensor, base + tensor.offset);
    else if (accumulator.kind == BOOSTC_ACCUMULATOR_OTHER)
      partial.accumulators[tensor.name] = read(tensor, base + tensor.offset);
  }
  boostrt::SumCount loss = take(exec->loss(gradients));
  partial.lossSum = loss.sum;
  partial.lossCount = loss.count;
  partial.lossWeight = loss.weight.value_or(0.0f);
  return partial;
}

std::vector<std::byte> Compiled::getPersistentBytes() const {
  std::vector<std::byte> bytes;
  expectOk(exec->downloadPersistent());
  for (BoostArenaKind kind : {BOOSTC_ARENA_PARAMETER, BOOSTC_ARENA_STATE})
    if (const std::byte *base = arenas->base(kind))
      bytes.insert(bytes.end(), base, base + descriptor().arena_bytes[kind]);
  return bytes;
}

/// `shape` for each sample of the batch.
static ReferenceValue makeInput(const Model &model, StringRef shape) {
  llvm::Expected<llvm::json::Value> sample = llvm::json::parse(shape);
  SmallVector<int64_t> extents = {model.batch};
  for (const llvm::json::Value &extent : *sample->getAsArray())
    extents.push_back(*extent.getAsInteger());
  return ReferenceValue(extents);
}

int64_t Model::countLabels(int64_t samples) const {
  return samples * makeInput(*this, positions).size() / batch;
}

static std::vector<double> &drawNumbers(ReferenceValue &value, uint64_t seed,
                                        uint64_t stream) {
  for (int64_t i = 0; i < value.size(); ++i)
    value.data[i] =
        static_cast<float>(2.0 * boost_random_uniform(seed, stream, i) - 1.0);
  return value.data;
}

static void drawIntegers(ReferenceValue &value, uint64_t seed, uint64_t stream,
                         int64_t count) {
  for (int64_t i = 0; i < value.size(); ++i)
    value.data[i] = std::floor(boost_random_uniform(seed, stream, i) *
                               static_cast<double>(count));
}

ReferenceTrainer::Values e2e::drawBatch(const Model &model, uint64_t stream) {
  ReferenceTrainer::Values batch;
  auto drawSamples = [&](const std::string &name, const std::string &shape,
                         uint64_t seed) {
    ReferenceValue &sample = batch[name] = makeInput(model, shape);
    if (model.vocabulary)
      drawIntegers(sample, seed, stream, model.vocabulary);
    else if (!model.transforms.empty())
      drawIntegers(sample, seed, stream, 256);
    else
      drawNumbers(sample, seed, stream);
  };
  drawSamples("image", model.sample, 11);
  if (!model.evalSample.empty())
    drawSamples("image.eval", model.evalSample, 16);
  drawIntegers(batch["label"] = makeInput(model, model.positions), 12, stream,
               model.classes);
  if (!model.target.empty())
    drawNumbers(batch["target"] = makeInput(model, model.target), 13, stream);
  // Some do not count at all.
  if (!model.weights.empty())
    for (double &weight : drawNumbers(
             batch["weight"] = makeInput(model, model.weights), 15, stream))
      weight = static_cast<float>(std::max(weight + 0.5, 0.0));
  ReferenceValue &keys = batch["sample_key"] = makeInput(model, "[]");
  for (int64_t i = 0; i < keys.size(); ++i)
    keys.data[i] = static_cast<int32_t>(boost_sample_key(14, stream, i));
  return batch;
}
