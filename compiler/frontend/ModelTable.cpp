#include "compiler/frontend/ModelTable.h"
#include "dialects/interfaces/Interfaces.h"
#include "runtime/data/DataLimits.h"
#include "runtime/data/WindowShard.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace boostc;
using namespace boostc::frontend;
using llvm::StringRef;
using Kind = ValueTable::Kind;

const KeyTable *ObjectTable::find(StringRef key) const {
  auto it =
      llvm::find_if(keys, [&](const KeyTable &k) { return k.name == key; });
  return it == keys.end() ? nullptr : &*it;
}

const ObjectTable *VariantTable::find(StringRef name) const {
  auto it = llvm::find_if(cases,
                          [&](const ObjectTable &c) { return c.name == name; });
  return it == cases.end() ? nullptr : &*it;
}

static std::vector<LayerEntry> collectEntries(mlir::MLIRContext &context) {
  std::vector<LayerEntry> entries;
  for (mlir::RegisteredOperationName op : context.getRegisteredOperations())
    if (auto *layer = op.getInterface<LayerOpInterface>())
      for (LayerSpec &spec : layer->getLayerSpecs())
        entries.push_back({std::move(spec), layer->buildLayer});
  // Not the order of registration: schema and documentation must not depend on
  // it.
  llvm::sort(entries, [](const LayerEntry &a, const LayerEntry &b) {
    return a.spec.name < b.spec.name;
  });
  return entries;
}

static ValueTable valueTable(const KeySpec &key) {
  ValueTable value{.minimum = key.minimum, .maximum = key.maximum};
  switch (key.type) {
  case KeyType::Integer:
    value.kind = Kind::Integer;
    return value;
  case KeyType::Number:
    value.kind = Kind::Number;
    return value;
  case KeyType::Boolean:
    value.kind = Kind::Boolean;
    return value;
  case KeyType::Choice:
    value.kind = Kind::Text;
    value.choices.assign(key.choices.begin(), key.choices.end());
    return value;
  case KeyType::IntegerList:
    value.kind = Kind::Integer;
    return makeList(value, 1, 8);
  case KeyType::Extents:
  case KeyType::Padding: {
    value.kind = Kind::Integer;
    ValueTable either{.kind = Kind::Either};
    if (key.type == KeyType::Extents) {
      either.alternatives = {value, makeList(value, 2, 2)};
      return either;
    }
    ValueTable name{.kind = Kind::Text};
    name.choices.assign(key.choices.begin(), key.choices.end());
    either.alternatives = {name, value, makeList(value, 2, 4)};
    return either;
  }
  case KeyType::Rate:
    return scheduleTable(key.minimum, key.maximum);
  }
  llvm_unreachable("all types are listed");
}

static ObjectTable objectTable(const LayerSpec &spec) {
  ObjectTable object{spec.name.str(), spec.summary.str()};
  for (const KeySpec &key : spec.keys)
    object.keys.push_back({key.name.str(), valueTable(key), key.doc.str(),
                           key.defaultValue.str(), key.isRequired()});
  return object;
}

/// Adds the keys that every layer has.
static void addLayerKeys(ObjectTable &object, const LayerSpec &spec) {
  ValueTable name{.kind = Kind::Name};
  object.keys.push_back(
      {"name", name,
       "What parameters and other layers call it; by default the op "
       "and a number."});
  object.keys.push_back(
      {"inputs",
       makeList(name, spec.inputs, std::max(spec.inputs, spec.maxInputs)),
       "Layers or inputs it reads; by default the layer before it."});
  object.keys.push_back({"if",
                         {.kind = Kind::Boolean},
                         "Whether the layer is present; if not, layers that "
                         "read it read its input instead."});
  if (!spec.parameters.empty()) {
    ObjectTable init{"init", "Initial values of the parameters."};
    for (const ParameterSpec &parameter : spec.parameters) {
      StringRef value = parameter.defaultInitializer;
      init.keys.push_back(
          {parameter.name.str(), initializerTable(), parameter.doc.str(),
           value.starts_with("{") ? value.str() : ("\"" + value + "\"").str()});
    }
    object.keys.push_back({"init", makeObject(std::move(init)),
                           "Initial values of the parameters.", "{}"});
  }
  StringRef separator = " Saved with the weights: ";
  for (const StatisticSpec &statistic : spec.statistics) {
    object.summary +=
        llvm::formatv("{0}`{1}` ({2}, at first {3})", separator, statistic.name,
                      statistic.doc, statistic.initial);
    separator = ", ";
  }
  if (!spec.statistics.empty())
    object.summary += ".";
  for (KeyTable &key : object.keys)
    key.isCommon |= !llvm::any_of(
        spec.keys, [&](const KeySpec &own) { return own.name == key.name; });
}

/// Groups of parameters with keys of their own: those of `own` that the
/// optimizer has.
static KeyTable groupsKey(const ObjectTable &optimizer) {
  ValueTable text{.kind = Kind::Text}, role{.kind = Kind::Text};
  role.choices = {"weight",     "bias",      "norm_scale",
                  "norm_shift", "embedding", "multiplier"};
  ObjectTable group{
      "group",
      "Parameters with keys of their own.",
      {{"match", text,
        "Names of parameters; `*` matches any text, `?` any letter.", "\"*\""},
       {"roles", makeList(role, 0, 6),
        "What they are to their layers; an empty list means anything.", "[]"}}};
  for (StringRef key : {"learning_rate", "weight_decay"})
    if (const KeyTable *own = optimizer.find(key)) {
      KeyTable overriding = *own;
      overriding.defaultValue.clear();
      overriding.isRequired = false;
      overriding.doc = "Instead of the optimizer's.";
      group.keys.push_back(std::move(overriding));
    }
  return {"groups", makeList(makeObject(std::move(group)), 0, 64),
          "Parameters with keys of their own; the first match applies.", "[]"};
}

static boostrt::NameKind namesOf(LayerSpec::Kind kind) {
  switch (kind) {
  case LayerSpec::Kind::Layer:
    return boostrt::NameKind::Layer;
  case LayerSpec::Kind::Loss:
    return boostrt::NameKind::Loss;
  case LayerSpec::Kind::Metric:
    return boostrt::NameKind::Metric;
  case LayerSpec::Kind::Optimizer:
    return boostrt::NameKind::Optimizer;
  }
  llvm_unreachable("all kinds are listed");
}

static ValueTable opTable(llvm::ArrayRef<LayerEntry> entries,
                          LayerSpec::Kind kind, std::string selector,
                          std::string what) {
  VariantTable variant{std::move(selector), std::move(what), namesOf(kind)};
  for (const LayerEntry &entry : entries) {
    if (entry.spec.kind != kind)
      continue;
    variant.cases.push_back(objectTable(entry.spec));
    if (kind == LayerSpec::Kind::Layer)
      addLayerKeys(variant.cases.back(), entry.spec);
    if (kind == LayerSpec::Kind::Loss)
      variant.cases.back().keys.push_back(
          {"target", ValueTable{.kind = Kind::Name},
           "The input that the output is compared with; by default the "
           "labels."});
    if (kind == LayerSpec::Kind::Optimizer)
      variant.cases.back().keys.push_back(groupsKey(variant.cases.back()));
  }
  variant.hasTextForm = kind == LayerSpec::Kind::Metric;
  if (kind == LayerSpec::Kind::Metric)
    variant.cases.push_back(
        {kLossMetric.str(), "The loss itself; evaluation always reports it."});
  if (kind == LayerSpec::Kind::Layer)
    variant.keyedCases = {useTable()};
  return makeVariant(std::move(variant));
}

ModelTable::ModelTable(mlir::MLIRContext &context)
    : entries(collectEntries(context)) {
  using Spec = LayerSpec::Kind;
  ValueTable name{.kind = Kind::Name}, text{.kind = Kind::Text};
  ValueTable precision{.kind = Kind::Text, .choices = {"float32", "tf32"}};
  ValueTable cache{.kind = Kind::Text, .choices = {"auto", "none", "eval"}};
  ValueTable badSample{.kind = Kind::Text, .choices = {"error", "skip"}};
  ValueTable layer = opTable(entries, Spec::Layer, "op", "layer op");
  ValueTable evalTransforms = transformsTable();
  evalTransforms.isNullable = true;
  ValueTable workers = makeInteger(1, kMaxWorkers);
  workers.isNullable = true;
  ObjectTable data{
      "data",
      "Where samples come from.",
      {{"source", text,
        "`mnist:DIR`, `cifar10:DIR`, `npy:DIR`, "
        "`imagefolder:DIR` or `digits`; `boost-run --data` "
        "overrides it.",
        "\"\""},
       {"transforms", transformsTable(),
        "What is done to an image, in this order.", "[]"},
       {"eval_transforms", evalTransforms,
        "What an evaluation does instead; null: the same without "
        "`random_crop`, `random_flip` and `color_jitter`.",
        "null"},
       {"workers", workers,
        "Threads on each rank that read samples and transform "
        "them while it computes. null: on a CPU the threads that "
        "compute, between two steps, or threads of their own "
        "where CPUs are idle; one thread with a GPU. Batches "
        "are the same in any case.",
        "null"},
       {"repeat", makeInteger(1, boostrt::kMaxPasses),
        "Passes over the training set in an epoch, each in an "
        "order of its own. Evaluations take every sample once.",
        "1"},
       {"drop_remainder", ValueTable{.kind = Kind::Boolean},
        "Whether a pass over the training set ends with its last "
        "full step, so that a few samples, others in each pass, "
        "are left out. Evaluations take all samples.",
        "false"},
       {"decode_memory",
        makeInteger(boostrt::kMinDecodeMemory, boostrt::kMaxDecodeMemory),
        "MiB in which each worker decodes an image, its file "
        "included. An image that takes more is a bad one.",
        std::to_string(boostrt::kDecodeMemory)},
       {"cache", cache,
        "Samples that stay in memory as the transforms made them. "
        "`auto`: those of training whose transforms are not random "
        "and take longer than a copy, if all of them fit into " +
            std::to_string(boostrt::kTrainingCache) +
            " MiB, so that each is transformed once in a run. "
            "`eval`: likewise, and held-out images in files, of any "
            "size, so that evaluations after the first of a "
            "training run decode no file again. `none`: no samples.",
        "\"auto\""},
       {"bad_sample", badSample,
        "What becomes of an image that cannot be read or decoded. "
        "`error` ends the run. `skip` leaves it out of its batch, "
        "and says how many there were. `boost-run --bad-sample` "
        "overrides it.",
        "\"error\""}}};
  root = {
      "model",
      "A model with its training recipe.",
      {{"$schema", text, "Address of the JSON schema, for editors; not read."},
       {"name", name, "Name of the model.", {}, true},
       {"seed", makeInteger(0, 9007199254740992.0),
        "Of initial values and of the order of the samples.", "1"},
       {"batch_size",
        makeInteger(1, kMaxBatch),
        "Samples per rank and micro-batch.",
        {},
        true},
       {"matmul_precision", precision,
        "The precision of matrix multiplications and convolutions on GPUs. "
        "`float32`: full precision. `tf32`: where a library computes them, the "
        "factors are rounded to 10 bits of mantissa, which GPUs multiply "
        "several times as fast; sums stay in float32. The kernels of boostc, "
        "and CPUs, compute in float32 in both cases. `tf32` corresponds to "
        "`torch.set_float32_matmul_precision(\"high\")` with "
        "`torch.backends.cudnn.allow_tf32` in PyTorch, and to "
        "`jax_default_matmul_precision` `tensorfloat32` in JAX.",
        "\"float32\""},
       {"amp", makeObject(ampTable()),
        "Automatic mixed precision: what is stored in fewer bits.", "{}"},
       {"epochs",
        makeInteger(1, 1 << 30),
        "Passes over the training set, or `data.repeat` times as many.",
        {},
        true},
       {"input",
        inputTable(),
        "What the data set feeds: samples, and labels or targets.",
        {},
        true},
       {"layers",
        makeList(layer, 1, 1 << 16),
        "The model, in the order of computation.",
        {},
        true},
       {"blocks", blocksTable(layer),
        "Lists of layers that `layers` uses by name, with parameters."},
       {"loss",
        opTable(entries, Spec::Loss, "op", "loss"),
        "What is minimised; it reads the last layer and its target.",
        {},
        true},
       {"metrics",
        makeList(opTable(entries, Spec::Metric, "op", "metric"), 0, 64),
        "What evaluation reports in addition to the loss.", "[]"},
       {"optimizer",
        opTable(entries, Spec::Optimizer, "type", "optimizer"),
        "How weights change.",
        {},
        true},
       {"data", makeObject(std::move(data)), "Where samples come from.", "{}"},
       {"train", makeObject(trainTable()),
        "How losses and gradients are combined.", "{}"},
       {"boost", makeObject(boostTable()),
        "Boost algorithms and their parameters.", "{}"}}};
}

const ObjectTable &ModelTable::boost() const {
  return *root.find("boost")->value.object;
}

const LayerEntry &ModelTable::entry(LayerSpec::Kind kind,
                                    StringRef name) const {
  auto it = llvm::find_if(entries, [&](const LayerEntry &entry) {
    return entry.spec.kind == kind && entry.spec.name == name;
  });
  assert(it != entries.end() &&
         "the checked file uses spellings of the table only");
  return *it;
}
