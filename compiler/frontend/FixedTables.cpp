#include "compiler/boost/BoostPlan.h"
#include "compiler/frontend/ModelTable.h"
#include "dialects/train/TrainDialect.h"
#include "runtime/data/Draw.h"
#include "llvm/Support/FormatVariadic.h"

using namespace boostc;
using namespace boostc::frontend;
using Kind = ValueTable::Kind;

ValueTable frontend::makeInteger(double minimum, double maximum) {
  return {.kind = Kind::Integer, .minimum = minimum, .maximum = maximum};
}

ValueTable frontend::makeList(ValueTable element, size_t minItems,
                              size_t maxItems) {
  return {.kind = Kind::List,
          .minItems = minItems,
          .maxItems = maxItems,
          .element = std::make_shared<ValueTable>(std::move(element))};
}

ValueTable frontend::makeObject(ObjectTable object) {
  return {.kind = Kind::Object,
          .object = std::make_shared<ObjectTable>(std::move(object))};
}

ValueTable frontend::makeVariant(VariantTable variant) {
  return {.kind = Kind::Variant,
          .variant = std::make_shared<VariantTable>(std::move(variant))};
}

static ValueTable choice(std::vector<std::string> choices) {
  return {.kind = Kind::Text, .choices = std::move(choices)};
}

static KeyTable required(std::string name, ValueTable value, std::string doc) {
  return {std::move(name), std::move(value), std::move(doc), {}, true};
}

/// With what a message says when the key is missing.
static KeyTable requiredWith(std::string name, ValueTable value,
                             std::string doc, std::string whenMissing) {
  KeyTable key = required(std::move(name), std::move(value), std::move(doc));
  key.whenMissing = std::move(whenMissing);
  return key;
}

static KeyTable optional(std::string name, ValueTable value,
                         std::string defaultValue, std::string doc) {
  return {std::move(name), std::move(value), std::move(doc),
          std::move(defaultValue)};
}

/// The standard deviations that other systems use by default.
static const std::string kDeviations =
    "MindSpore's default is 0.01, Keras's 0.05, PyTorch's 1";

ValueTable frontend::initializerTable() {
  ValueTable number{.kind = Kind::Number};
  ValueTable deviation{.kind = Kind::Number, .minimum = 0.0};
  return makeVariant(
      {"type",
       "initializer",
       boostrt::NameKind::Initializer,
       {{"zeros", "Every element 0."},
        {"ones", "Every element 1."},
        {"constant",
         "Every element the same.",
         {required("value", number, "The element.")}},
        {"normal",
         "Normal distribution. The standard deviation must be given: " +
             kDeviations + ".",
         {optional("mean", number, "0.0", "Mean."),
          requiredWith("std", deviation, "Standard deviation.",
                       "; " + kDeviations)}},
        {"uniform",
         "Uniform distribution in `[min, max)`.",
         {required("min", number, "Smallest value."),
          required("max", number, "Bound above.")}},
        {"truncated_normal",
         "Normal distribution; values beyond two standard deviations are drawn "
         "again. The defaults of other systems are those of `normal`.",
         {optional("mean", number, "0.0", "Mean."),
          requiredWith("std", deviation, "Standard deviation before the cut.",
                       "; " + kDeviations)}},
        {"truncated_normal_fan_in",
         "Truncated normal whose standard deviation after the cut is "
         "`1/sqrt(fan_in)`: `std = 1/sqrt(fan_in)/0.87962566`."},
        {"xavier_uniform",
         "Uniform in `[-b, b)`, `b = gain * sqrt(6 / (fan_in + fan_out))` "
         "(Glorot and Bengio, 2010). The fans of a weight `[a, b, ...]` are "
         "`b` and `a`, times the extents after these, as in PyTorch; biases "
         "have those of their weights.",
         {optional("gain", deviation, "1.0", "Scale.")}},
        {"xavier_normal",
         "Normal, `std = gain * sqrt(2 / (fan_in + fan_out))`.",
         {optional("gain", deviation, "1.0", "Scale.")}},
        {"he_uniform",
         "Uniform in `[-b, b)`, `b = sqrt(6 / fan)` (He et al., 2015).",
         {optional("mode", choice({"fan_in", "fan_out"}), "\"fan_in\"",
                   "Which fan.")}},
        {"he_normal",
         "Normal, `std = sqrt(2 / fan)`.",
         {optional("mode", choice({"fan_in", "fan_out"}), "\"fan_in\"",
                   "Which fan.")}},
        {"uniform_fan_in",
         "Uniform in `[-1/sqrt(fan_in), 1/sqrt(fan_in))`, where "
         "fan_in is the number of inputs of one output: PyTorch's "
         "default, for weights and biases alike."}},
       /*hasTextForm=*/true});
}

ValueTable frontend::scheduleTable(std::optional<double> minimum,
                                   std::optional<double> maximum) {
  ValueTable value{
      .kind = Kind::Number, .minimum = minimum, .maximum = maximum};
  ValueTable length{.kind = Kind::Number, .minimum = 0.0};
  ValueTable share{.kind = Kind::Number, .minimum = 0.0};
  KeyTable unit = optional("unit", choice({"epochs", "steps"}), "\"epochs\"",
                           "What lengths count; steps are optimizer steps. "
                           "Lengths in epochs are rounded to whole steps.");
  KeyTable end = optional("end", value, "0.0", "The last value.");
  KeyTable span =
      optional("length", length, "0",
               "Its length after the warm-up, from which on the value stays; 0 "
               "means to the end of the run.");
  /// The warm-up before any schedule.
  auto make = [&](std::string name, std::string summary,
                  std::vector<KeyTable> own) {
    std::vector<KeyTable> keys = {
        required("value", value, "The value after the warm-up.")};
    llvm::append_range(keys, own);
    keys.push_back(optional(
        "warmup", length, "0",
        "Length of a linear rise at the start, `initial + (value - "
        "initial) * min(1, (i + 1) / warmup)` at its i-th step from 0."));
    keys.push_back(
        optional("initial", value, "0.0", "What the warm-up starts from."));
    keys.push_back(unit);
    return ObjectTable{std::move(name), std::move(summary), std::move(keys)};
  };
  /// One of the recipe's tables.
  auto recipe = [&](std::string name, std::string summary, bool hasWarmup,
                    bool hasEnd) {
    std::vector<KeyTable> keys = {required("value", value, "The maximum.")};
    if (hasEnd)
      keys.push_back(end);
    if (hasWarmup) {
      keys.push_back(optional("warmup", length, "0", "Length W of the rise."));
      keys.push_back(
          optional("initial", value, "0.0", "What the rise starts from."));
      keys.push_back(unit);
    }
    return ObjectTable{std::move(name), std::move(summary), std::move(keys)};
  };
  VariantTable schedules{
      "schedule",
      "schedule",
      boostrt::NameKind::Schedule,
      {make("constant", "The same value; a plain number means this.", {}),
       make("step",
            "`value * factor^floor(t / every)`, t from the end of the "
            "warm-up.",
            {required("every",
                      ValueTable{.kind = Kind::Number,
                                 .minimum = 0.0,
                                 .isMinimumExcluded = true},
                      "Length of a stage."),
             optional("factor", share, "0.1", "From one stage to the next.")}),
       make("exponential", "`value * factor^t`, t in units.",
            {required("factor", share, "From one unit to the next.")}),
       make("polynomial", "`end + (value - end) * (1 - t / length)^power`.",
            {end, optional("power", share, "1.0", "The exponent."), span}),
       make("cosine", "`end + (value - end) * (1 + cos(pi * t / length)) / 2`.",
            {end, span}),
       recipe(
           "recipe_linear",
           "Over T steps: `initial + (value - initial) * i / W` in the rise, "
           "then `value - (value - end) * (i - W) / (T - W)`.",
           true, true),
       recipe("recipe_poly",
              "The same rise, then `value * (1 - (i - W) / (T - W))^2`.", true,
              false),
       recipe(
           "recipe_cosine",
           "`initial + (value - initial) * min(1, (i + 1) / W)` in the rise, "
           "then with `D = T - W`: `value * ((T - i) / D * (1 + cos(0.94 * pi "
           "* i "
           "/ D)) / 2 + 1e-5)`.",
           true, false),
       recipe("recipe_steps",
              "The linear rise, then `value` times 1, 0.1, 0.01 and 0.001 up "
              "to 0.3, 0.6, 0.8 and 1 of T.",
              true, false),
       recipe(
           "recipe_step",
           "`value` times 1, 0.1, 0.01 and 0.001 up to 0.2, 0.5, 0.7 and 0.9 "
           "of T, then 5e-5.",
           false, false),
       {"recipe_thor",
        "THOR's learning rate for ResNet-50, with `e` the epochs at the end of "
        "the step: `value * (1 - e / length)^power`, half of it from epoch "
        "`halve_at` on and a quarter one epoch later.",
        {required("value", value, "The value of epoch 0."),
         required("power", share, "The exponent."),
         optional("length", length, "0",
                  "Epochs to the value 0; 0 means to the end of the run."),
         optional("halve_at", length, "39", "In epochs.")}},
       {"recipe_damping",
        "THOR's damping for ResNet-50, `value * factor^(e / 10)`, with `e` the "
        "epochs at the end of the step.",
        {required("value", value, "The value of epoch 0."),
         required("factor", share, "From one ten epochs to the next.")}}}};
  schedules.numberCase = "constant";
  return makeVariant(std::move(schedules));
}

ValueTable frontend::transformsTable() {
  constexpr double kMaxExtent = 16384;
  ValueTable number{.kind = Kind::Number};
  ValueTable positive{
      .kind = Kind::Number, .minimum = 0.0, .isMinimumExcluded = true};
  ValueTable part = positive;
  part.maximum = 1.0;
  ValueTable probability{.kind = Kind::Number, .minimum = 0.0, .maximum = 1.0};
  ValueTable extent = makeInteger(0, kMaxExtent);
  ValueTable padding{.kind = Kind::Either,
                     .alternatives = {extent, makeList(extent, 4, 4)}};
  // A factor or shift of color_jitter: how far to both sides, or both ends.
  auto strength = [](double most, double low, double high) {
    ValueTable side{.kind = Kind::Number, .minimum = 0.0, .maximum = most};
    ValueTable end{.kind = Kind::Number, .minimum = low, .maximum = high};
    return ValueTable{.kind = Kind::Either,
                      .alternatives = {side, makeList(end, 2, 2)}};
  };
  ValueTable factor = strength(1000, 0, 1001), shift = strength(0.5, -0.5, 0.5);
  std::string factors = "; x: a factor from `max(0, 1 - x)` to `1 + x`, "
                        "uniform; or its lowest and highest.";
  VariantTable transforms{
      "op",
      "transform",
      boostrt::NameKind::Transform,
      {{"rescale",
        "`x * scale + shift`; pixels come as 0 to 255.",
        {required("scale", number, "Factor."),
         optional("shift", number, "0.0", "Added afterwards.")}},
       {"normalize",
        "`(x - mean[c]) / std[c]` for channel c.",
        {required("mean", makeList(number, 1, kMaxExtent),
                  "One number for each channel, or one for all."),
         required("std", makeList(positive, 1, kMaxExtent),
                  "One number above 0 for each channel, or one for all.")}},
       {"resize",
        "Bilinear, half-pixel centres, edges clamped.",
        {required("size", makeList(makeInteger(1, kMaxExtent), 2, 2),
                  "`[height, width]`.")}},
       {"pad",
        "Adds pixels around the image.",
        {required("padding", padding,
                  "One number for all sides, or `[top, bottom, left, right]`."),
         optional("value", number, "0.0", "Of the pixels that are added.")}},
       {"resize_short",
        "Bilinear without aliasing: the shorter side becomes `size`, the other "
        "keeps the ratio, rounded down.",
        {required("size", makeInteger(1, kMaxExtent), "Pixels.")}},
       {"center_crop",
        "The part in the middle.",
        {required("size", makeList(makeInteger(1, kMaxExtent), 2, 2),
                  "`[height, width]`.")}},
       {"random_crop",
        "In training only: adds zeros on every side and cuts the image's size "
        "out again, at a random position for each sample in each epoch.",
        {required("padding", extent, "Zeros on each of the four sides.")}},
       {"random_flip",
        "In training only: mirrors left and right, at random for each sample "
        "in each epoch.",
        {optional("p", probability, "0.5", "How probable it is.")}},
       {"random_resized_crop",
        "In training only: a part of the image, another one for each sample in "
        "each epoch, bilinear without aliasing in `size`.",
        {required("size", makeList(makeInteger(1, kMaxExtent), 2, 2),
                  "`[height, width]`."),
         optional("scale", makeList(part, 2, 2), "[0.08, 1.0]",
                  "Lowest and highest share of the area; uniform."),
         optional("ratio", makeList(positive, 2, 2),
                  "[0.75, 1.3333333333333333]",
                  "Lowest and highest width by height; log-uniform.")}},
       {"color_jitter",
        "In training only: changes the colours of bytes in four ways, each at "
        "random for each sample in each epoch, in an order that is random, "
        "too. Images have 3 channels, or 1, of which saturation and hue change "
        "nothing. Before `rescale` and `normalize`.",
        {optional("brightness", factor, "0.0", "Blends with black" + factors),
         optional("contrast", factor, "0.0",
                  "Blends with the mean of the grey image" + factors),
         optional("saturation", factor, "0.0",
                  "Blends with the grey image" + factors),
         optional("hue", shift, "0.0",
                  "x: a shift of the hue from `-x` to `x` turns, uniform; or "
                  "its lowest and highest.")}}}};
  return makeList(makeVariant(std::move(transforms)), 0,
                  boostrt::kMaxOperations);
}

ValueTable frontend::inputTable() {
  std::string roles =
      "What the input is for: `sample`, the first layer reads it; `target`, "
      "the loss and the metrics compare with it. By default labels without a "
      "'shape' and the 'target' of the loss are targets.";
  KeyTable role{"role", choice({"sample", "target"}), roles};
  KeyTable roleOfNumbers{
      "role", choice({"sample", "target", "weight"}),
      roles + " `weight`: how much each sample, or each label of it, counts in "
              "the loss and the metrics; numbers of 0 or more."};
  ValueTable extent = makeInteger(1, static_cast<double>(kMaxElements));
  VariantTable input{
      "dtype",
      "input",
      boostrt::NameKind::Key,
      {{"f32",
        "Numbers: features, what the first layer reads, the 'target' of the "
        "loss, or sample weights.",
        {KeyTable{"shape", makeList(extent, 1, 8),
                  "Without the batch; images are channels-first. Left out for "
                  "one weight per sample."},
         KeyTable{"eval_shape", makeList(extent, 1, 8),
                  "Of what the first layer reads: the shape in evaluations, "
                  "where it is another one. The parameters are the same, so "
                  "layers such as `global_avg_pool` have to come before "
                  "`dense`."},
         optional("dtype", choice({"f32", "u8"}), "\"f32\"",
                  "Element type. `u8`: images, which the loader crops, flips "
                  "and resizes as bytes; `rescale` and `normalize`, the last "
                  "transforms, are compiled into the program."),
         roleOfNumbers}},
       {"i32",
        "Integers: labels, one class per sample, or with a 'shape' and the "
        "role `target` one per position; with a 'shape' alone what an "
        "embedding reads, such as tokens.",
        {optional("dtype", choice({"i32"}), "\"i32\"", "Element type."),
         required("classes", makeInteger(2, 1 << 24),
                  "Integers are 0 to classes - 1."),
         KeyTable{"shape", makeList(extent, 1, 8),
                  "Without the batch; left out for one label per sample."},
         role}}}};
  input.presenceKey = "classes";
  ValueTable map{
      .kind = Kind::Map,
      .minItems = 1,
      .maxItems = 16,
      .element = std::make_shared<ValueTable>(makeVariant(std::move(input)))};
  return map;
}

/// By what the loss is multiplied before the backward.
static ValueTable lossScaleTable() {
  // Above it small gradients of a scaled loss are infinite in f32.
  ValueTable scale{.kind = Kind::Number, .minimum = 1.0, .maximum = 0x1p40};
  ValueTable factor{
      .kind = Kind::Number, .minimum = 1.0, .isMinimumExcluded = true};
  ValueTable boolean{.kind = Kind::Boolean};
  ValueTable table = makeVariant(
      {"type",
       "loss scale",
       boostrt::NameKind::Key,
       {{"dynamic",
         "Starts high. A step whose gradients are not finite is skipped and "
         "lowers the scale; many good steps in a row raise it.",
         {optional("initial", scale, "16777216", "The first scale."),
          optional("factor", factor, "2",
                   "By what it is divided, down to 1, and multiplied."),
          optional("window", makeInteger(1, 1 << 30), "2000",
                   "Good steps in a row after which it is multiplied.")}},
        {"fixed",
         "The same at every step.",
         {required("value", scale, "The scale."),
          optional("drop_overflow", boolean, "true",
                   "Whether a step whose gradients are not finite is skipped; "
                   "false: it ends the run.")}}}});
  table.isNullable = true;
  return table;
}

ObjectTable frontend::ampTable() {
  ValueTable keep{.kind = Kind::Boolean};
  keep.isNullable = true;
  return {
      "amp",
      "Automatic mixed precision: what is stored in fewer bits.",
      {optional(
           "level", choice({"O0", "O1", "O2", "O3", "auto"}), "\"O0\"",
           "What is stored in `dtype`. `O0`: nothing. `O1`: factors and "
           "results of convolutions, dense layers and matmuls, and what relu "
           "makes of them. `O2`: everything between layers; layers that "
           "normalise keep weight and bias in f32. `O3`: these are rounded, "
           "too. `auto`: O2, in bf16 where every target computes in it, else "
           "in f16, unless `dtype` says which. At every level weights, "
           "gradients of weights, optimizer "
           "state, losses, metrics and statistics are f32, and arithmetic is "
           "in f32."),
       optional("dtype", choice({"bf16", "f16"}), "\"bf16\"",
                "The type: `bf16` has the exponents of f32 and 8 bits of "
                "mantissa, `f16` 11 bits and numbers up to 65504."),
       optional("keep_batchnorm_fp32", keep, "null",
                "Whether layers that normalise keep weight and bias in f32; "
                "null: at O2, not at O3."),
       optional("loss_scale", lossScaleTable(), "null",
                "By what the loss is multiplied before gradients are computed, "
                "and its gradients divided again; null: `dynamic` for f16 at "
                "O2 without loss_scale_group, else nothing. A step that is "
                "skipped is counted under "
                "`skipped` in the metrics, whatever `train.on_nonfinite` "
                "is.")}};
}

/// Exponential moving averages of weights; null: none.
static ValueTable emaTable() {
  ValueTable decay{
      .kind = Kind::Number, .minimum = 0.0, .maximum = 0.999999999};
  ValueTable table = makeObject(
      {"ema",
       "Exponential moving averages of the weights.",
       {optional("decay", decay, "0.9999",
                 "Weight of the average before the step: `a = decay "
                 "* a + (1 - decay) * w`, where the step is "
                 "applied. Averages start as the weights that the "
                 "run starts from."),
        optional("evaluate", ValueTable{.kind = Kind::Boolean}, "true",
                 "Whether evaluations, `--save` and `--save-best` "
                 "take the averages in place of the weights.")}});
  table.isNullable = true;
  return table;
}

/// What `boostc --memory-budget` may do to micro-batches; null: nothing.
static ValueTable microBatchTable() {
  ValueTable bound = makeInteger(1, kMaxBatch);
  ValueTable largest = bound;
  largest.isNullable = true;
  ValueTable table = makeObject(
      {"micro_batch",
       "Lets `boostc --memory-budget` divide a batch into micro-batches.",
       {optional("min", bound, "1", "The fewest samples of a micro-batch."),
        optional("max", largest, "null",
                 "The most samples; null: `batch_size`.")}});
  table.isNullable = true;
  return table;
}

ObjectTable frontend::trainTable() {
  ValueTable limit{.kind = Kind::Number,
                   .minimum = 0.0,
                   .isMinimumExcluded = true,
                   .isNullable = true};
  ValueTable boolean{.kind = Kind::Boolean};
  ValueTable ranks = makeInteger(1, 1 << 20);
  ranks.isNullable = true;
  return {
      "train",
      "How losses and gradients are combined, and when weights are "
      "evaluated.",
      {optional("clip_value", limit, "null",
                "Each element of a gradient is cut to `[-clip_value, "
                "clip_value]`; null leaves them."),
       optional("clip_norm", limit, "null",
                "All gradients together are scaled by `min(1, clip_norm / "
                "(norm + 1e-6))`, norm being their Euclidean norm; null "
                "leaves them. After clip_value."),
       optional("gradient_norm", boolean, "false",
                "Whether metrics report that norm, before any clipping. Where "
                "adasum combines steps (`mode` delta), each rank clips its own "
                "gradients, and the norm is rank 0's."),
       optional("on_nonfinite", choice({"fail", "skip"}), "\"fail\"",
                "What becomes of a step whose loss or gradients are not "
                "finite. It changes nothing in either case. `fail` ends the "
                "run with exit code 4. `skip` goes on with the next step; "
                "1000 skipped steps in a row end the run like `fail`."),
       optional("gradients_mean", boolean, "true",
                "Whether the gradient of a step is the mean over ranks or "
                "the sum of the ranks' means; 'reduction' has the "
                "formulas."),
       optional(
           "reduction", choice({"mean", "sum"}), "\"mean\"",
           "How micro-batches make the gradient of a step, of gradient "
           "sums `G` over `n` samples of micro-batch k of rank r. `mean`: "
           "`sum_rk G / sum_rk n`, and `sum_r (sum_k G / sum_k n)` without "
           "gradients_mean. `sum`: `sum_rk (G / n) / R`, R being the ranks "
           "that have samples, and `sum_rk (G / n)` without "
           "gradients_mean. Losses that are reported are means over "
           "samples in any case."),
       optional(
           "micro_batch", microBatchTable(), "null",
           "Lets `boostc --memory-budget` divide the `batch_size` samples of "
           "each batch into micro-batches of `min` to `max` samples, all of "
           "one size that divides `batch_size`, and accumulate their "
           "gradients. A step has the same samples and computes the same "
           "mean, but batch_norm normalises by the statistics of a "
           "micro-batch. null, and without a memory budget: micro-batches of "
           "`batch_size` samples."),
       optional("ema", emaTable(), "null",
                "Exponential moving averages of the weights, running "
                "statistics included; checkpoints have both. null: none."),
       optional("eval_every", makeInteger(0, 1e12), "1",
                "Epochs from one evaluation on held-out data to the next; "
                "0: only at the end. `boost-run --eval-every` overrides "
                "it."),
       optional("device_num", ranks, "null",
                "Ranks that train, on all servers together; null: any. "
                "`boost-run` refuses to train on another number.")}};
}

static KeyTable section(std::string name, std::string summary,
                        std::vector<KeyTable> keys) {
  return {name, makeObject({name, summary, std::move(keys)}), summary, "{}"};
}

static KeyTable lossScaleGroupSection() {
  constexpr auto kMaxGroups = static_cast<size_t>(train::kMaxLossScaleGroups);
  ValueTable scale{.kind = Kind::Number,
                   .minimum = train::kMinGroupScale,
                   .maximum = train::kMaxGroupScale};
  ValueTable scales{.kind = Kind::Either,
                    .alternatives = {scale, makeList(scale, 1, kMaxGroups)}};
  ValueTable groups = makeList(
      makeList(ValueTable{.kind = Kind::Text}, 1, 1 << 16), 1, kMaxGroups);
  groups.isNullable = true;
  return section(
      boost::kLossScaleGroup.str(), "A loss scale for each group of layers.",
      {optional("initial", scales, "4096",
                "The first scale of all groups, or a list with that of each."),
       optional("groups", groups, "null",
                "The groups, in the order of the network: of each the patterns "
                "of its parameters. A pattern stands for a parameter, or for "
                "all of a layer or block; `*` is any text. Each parameter is "
                "in one group, and all of a group come before those of the "
                "next. The boost needs this key.")});
}

ObjectTable frontend::boostTable() {
  ValueTable boolean{.kind = Kind::Boolean};
  ValueTable share{.kind = Kind::Number, .minimum = 0.0, .maximum = 1.0};
  ValueTable step{.kind = Kind::Number, .minimum = 0.0};
  // The basis is as many times as large as the weights.
  ValueTable components = makeInteger(1, train::kMaxComponents);
  ValueTable path{.kind = Kind::Text, .isNullable = true};
  ValueTable cuts = makeList(makeInteger(0, 1 << 20), 0, 1 << 16);
  cuts.isNullable = true;
  ValueTable count = makeInteger(1, 1 << 20);
  ValueTable ranks = count;
  ranks.isNullable = true;
  ValueTable steps = makeInteger(1, 1e12);
  steps.isNullable = true;

  std::vector<KeyTable> switches = {
      {"mode", choice({"auto", "manual", "enable_all", "disable_all"}),
       "`auto`: the level's boosts. `manual`: the level's, changed by the "
       "switches below; "
       "the default when one of them is given. `enable_all`, `disable_all`: "
       "every or no "
       "boost."}};
  for (const boost::Boost &boost : boost::getBoosts())
    switches.push_back(
        {boost.name.str(), boolean,
         llvm::formatv("Whether a boost is on that {0}; without it, as the "
                       "level says.",
                       boost.summary)});
  return {
      "boost",
      "Boost algorithms and their parameters.",
      {section("boost", "What is on.", std::move(switches)),
       section(
           "common", "Parameters of several boosts.",
           {optional(
                "gradient_split_groups", cuts, "null",
                "Indices of the parameters where a new group of gradients that "
                "travel together begins; null cuts once, in the middle."),
            optional("device_number", ranks, "null",
                     "Ranks on each server; null: any. "
                     "`boost-run` refuses to train where a server has "
                     "another number.")}),
       section("less_bn", "Fewer batch normalisations.",
               {optional("fn_flag", boolean, "true",
                         "Replace the last dense layer by a normalised head."),
                optional("gc_flag", boolean, "true", "Centralise gradients.")}),
       section(
           "grad_freeze", "Skip the first layers in some steps.",
           {optional("param_groups", makeInteger(1, train::kMaxFreezeGroups),
                     "10",
                     "Number of freeze groups: group k trains the layers from "
                     "number k * (layers / groups) on."),
            optional("freeze_type", makeInteger(0, 1), "1",
                     "0: whole steps, then one step of each group; 1: steps of "
                     "random groups among whole ones."),
            optional("freeze_p", share, "0.7",
                     "Share of the steps in which nothing is frozen."),
            optional(
                "total_steps", steps, "null",
                "Steps, and 1 % more, after which schedule 1 begins again; "
                "null: never.")}),
       section(
           "adasum", "Sum gradients over ranks less what they have in common.",
           {optional("mode", choice({"delta", "gradient"}), "\"delta\"",
                     "What is combined: `delta`, each rank's weight updates, "
                     "from an optimizer with state of its own; `gradient`, the "
                     "mean gradients, before one optimizer."),
            optional("granularity",
                     choice({"per_tensor", "per_group", "whole"}),
                     "\"per_tensor\"",
                     "What is one vector: each parameter, each group of "
                     "'gradient_split_groups', or all of them."),
            optional("across", choice({"auto", "servers", "ranks"}), "\"auto\"",
                     "`servers`: ranks of a server average, servers are "
                     "combined. `ranks`: each rank is. `auto`: servers where "
                     "there are several, else ranks.")}),
       section("grad_accumulation",
               "Several micro-batches for one optimizer step.",
               {optional("grad_accumulation_step", makeInteger(1, 1 << 20), "1",
                         "Micro-batches per optimizer step.")}),
       section("dim_reduce",
               "Search for each step in a subspace, along which weights moved "
               "before.",
               {optional("rho", share, "0.55",
                         "What the line search shrinks a step by that is too "
                         "long, once."),
                optional("gamma", share, "0.9",
                         "Momentum of what the gradient has outside of the "
                         "subspace."),
                optional("alpha", step, "0.001",
                         "Step size outside of the subspace."),
                optional("sigma", share, "0.4",
                         "Part of the predicted decrease of the loss that is "
                         "sufficient."),
                optional("n_components", components, "32",
                         "Dimension of the subspace."),
                optional("shards", components, "1",
                         "Ranks that the rows of the basis are divided over: "
                         "each keeps n_components / shards of them, and ranks "
                         "sum two vectors as long as all parameters in each "
                         "step. The program trains on as many ranks."),
                optional("pca_mat_path", path, "null",
                         "Basis of the subspace, a file of `boost-run pca`. "
                         "`boost-run --basis` overrides it."),
                optional("weight_load_dir", path, "null",
                         "Directory of checkpoints to make the basis of, as "
                         "basis.npy there, where `pca_mat_path` is null."),
                optional("timeout", makeInteger(1, 1 << 20), "1800",
                         "Seconds in which a basis is made of "
                         "`weight_load_dir`.")}),
       lossScaleGroupSection()}};
}
