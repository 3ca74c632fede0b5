// The models that programs of the end-to-end tests are compiled from.
#include "test/e2e/Programs.h"

using namespace mlir;
using namespace boostc;
using namespace boostc::e2e;

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
         std::to_string(batch) + ",\n\"input\": { " + input + " },\n" +
         (blocks.empty() ? "" : "\"blocks\": " + blocks + ",\n") +
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
      // Vectors on both sides of the epsilon: most have a squared length of
      // about 1.
      {"unit_vectors", 5, "[6, 4]", 3,
       R"({ "op": "l2_normalize", "epsilon": 1.0 },
{ "op": "multiplier", "init": { "multiplier": { "type": "constant", "value": 1.5 } } },
{ "op": "dense", "units": 7 },
{ "op": "tanh" },
{ "op": "l2_normalize" },
{ "op": "flatten" },
{ "op": "normalized_dense", "units": 3 })",
       momentumDecay, R"("top_1")"},
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
      // Large enough for tiles, whose factors are slices; columns are rows for
      // one of them.
      {"sliced_factors", 2, "[64, 7]", 3,
       R"({ "name": "all", "op": "dense", "units": 96 },
{ "name": "query", "op": "slice", "axis": 1, "start": 32, "size": 32 },
{ "name": "key", "op": "slice", "axis": 1, "start": 64, "size": 32, "inputs": ["all"] },
{ "name": "scores", "op": "matmul", "transpose_b": true, "inputs": ["query", "key"] },
{ "name": "scaled", "op": "scale", "factor": 0.03125 },
{ "name": "mixed", "op": "matmul", "inputs": ["scaled", "key"] },
{ "op": "flatten" }, { "op": "dense", "units": 3 })",
       sgd},
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
      // Large enough for tiles of sums, in several blocks.
      {"preconditioned", 5, "[96]", 3,
       R"({ "op": "dense", "units": 96 },
{ "op": "relu" },
{ "op": "dense", "units": 3 })",
       R"({ "type": "thor", "learning_rate": 0.0625, "damping": 0.25,
  "frequency": 1, "block_size": 48 })"},
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
