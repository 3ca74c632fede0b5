// The table as docs/model-format.md.
#include "compiler/boost/BoostPlan.h"
#include "compiler/frontend/ExpandBlocks.h"
#include "compiler/frontend/Frontend.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace boostc;
using namespace boostc::frontend;
using llvm::raw_ostream;
using llvm::StringRef;
using Kind = ValueTable::Kind;

/// Text inside a cell of a table.
static std::string cell(StringRef text) {
  std::string escaped;
  for (char c : text) {
    if (c == '|')
      escaped += '\\';
    escaped += c;
  }
  return escaped;
}

/// What a value may be; what has a section of its own is linked to.
static std::string typeText(const ValueTable &table) {
  if (table.kind == Kind::Variant && table.variant->what == "schedule")
    return "a number or a [schedule](#schedules)";
  if (table.kind == Kind::Variant && table.variant->what == "initializer")
    return "an [initializer](#initializers)";
  if (table.kind == Kind::List && table.element->kind != Kind::Variant)
    return describeExpected(table) + ": " + typeText(*table.element);
  if (table.kind == Kind::Name)
    return "a name";
  return describeExpected(table);
}

static void printKeys(raw_ostream &os, const ObjectTable &table,
                      bool printCommon) {
  auto isPrinted = [&](const KeyTable &key) {
    return printCommon || !key.isCommon;
  };
  if (llvm::none_of(table.keys, isPrinted))
    return;
  os << "| key | value | default | meaning |\n|---|---|---|---|\n";
  for (const KeyTable &key : table.keys) {
    if (!isPrinted(key))
      continue;
    os << "| `" << key.name << "` | " << cell(typeText(key.value)) << " | ";
    if (key.isRequired)
      os << "required";
    else if (!key.defaultValue.empty())
      os << "`" << cell(key.defaultValue) << "`";
    os << " | " << cell(key.doc) << " |\n";
  }
  os << "\n";
}

/// "### `dense`" with its keys and parameters, for each case.
static void printCases(raw_ostream &os, const VariantTable &variant) {
  for (const ObjectTable &object : variant.cases) {
    os << "### `" << object.name << "`\n\n" << object.summary << "\n\n";
    printKeys(os, object, /*printCommon=*/false);
    const KeyTable *init = object.find("init");
    if (!init)
      continue;
    os << "Parameters, with the keys of `init`:\n\n";
    printKeys(os, *init->value.object, /*printCommon=*/true);
  }
}

static constexpr StringRef kHead = R"(# The model file

<!-- Written by boost-model-docs from the table that the compiler checks model files
     against. Do not edit: `boost-model-docs docs` writes it again. -->

A model file is a JSON object: a model and the recipe that trains it.
`examples/mlp-mnist/model.json` is a complete one. `docs/model.schema.json` is the schema
of these files; with `"$schema": "<path to it>"` in the file, editors complete and check
keys while you type.

Unknown keys, wrong types and values out of range are errors, reported with line, column
and the nearest legal spelling; up to 20 are reported at a time. Names of models, inputs
and layers are 1 to 200 letters, digits and characters of `_./-`. A file has at most 16 MiB
and 64 levels, a tensor at most 2^40 bytes.

)";

static constexpr StringRef kLayers = R"(## Layers

`layers` is a list of objects, computed in this order. A layer reads the one before it, the
first one the features, unless `inputs` names others. Shapes are channels-first and without
the batch. A name in `inputs` is that of a layer or use of a [block](#blocks) before it,
or of an input; a layer inside of a block is named in full, `stage1.0.conv1`.

Every layer has `"op"`, one of those below, and

| key | value | default | meaning |
|---|---|---|---|
| `name` | a name | the op and a number, `relu1` | What parameters (`fc1.weight`) and other layers call it. |
| `inputs` | a list of names | the layer before it | Layers or inputs it reads. |
| `if` | true or false | `true` | Whether the layer is present; if not, layers that read it read its input instead. |
| `init` | an object | `{}` | [Initializers](#initializers) of its parameters. |

)";

static constexpr StringRef kBlocks = R"(## Blocks

A block is a list of layers with parameters, written once and used wherever a layer is
allowed, in other blocks too:

```json
{
  "name": "residual", "batch_size": 32, "epochs": 1,
  "input": { "x": { "shape": [64] }, "y": { "classes": 10 } },
  "blocks": {
    "bottleneck": {
      "params": ["width", { "name": "middle", "default": "$width / 4" },
                 { "name": "project", "default": false }],
      "layers": [
        { "name": "reduce", "op": "dense", "units": "$middle" },
        { "op": "relu" },
        { "name": "expand", "op": "dense", "units": "$width" },
        { "name": "shortcut", "op": "dense", "units": "$width",
          "inputs": ["$input"], "if": "$project" },
        { "op": "add", "inputs": ["expand", "shortcut"] },
        { "op": "relu" }
      ]
    }
  },
  "layers": [
    { "name": "stage1", "use": "bottleneck", "repeat": 2, "with": { "width": 64 } },
    { "name": "stage2", "use": "bottleneck", "repeat": 3, "with": { "width": 128 },
      "with_first": { "project": true } },
    { "name": "head", "op": "dense", "units": 10 }
  ],
  "loss": { "op": "softmax_cross_entropy" },
  "optimizer": { "type": "sgd", "learning_rate": 0.1 }
}
```

Inside of a block a text `"$width"` means the value of the parameter `width`, of
whatever type, in any key of a layer or of the `with` of a use; `"$width * 4"`,
`"$width / 4"` and `"$width * $factor"` compute with integers, and a division must have no
remainder. The layers of a block read each other by their names, without a prefix, and what the
block reads as `"$input"`; the first one reads that anyway. The output of a block is that of
its last layer. The names of layers begin with the names of their uses: the parameters above
are called `stage1.0.reduce.weight`, `stage1.1.reduce.weight` and so on; for everything but
positions in messages, a model with blocks is the model with these layers written out.

A layer with `"if": false` is omitted, and layers that read it read its input: above, only the
first repetition of `stage2` has a shortcut with weights.

)";

static constexpr StringRef kTail = R"(## Overrides

`--overlay FILE` merges a JSON object over the file, as RFC 7396 (JSON merge patch) says:
objects key by key, `null` removes, anything else replaces, lists as a whole. An object over a
list changes the elements that its keys name, by number from 0 (the number after the last one
appends) or, in `layers`, by name; `null` removes such an element too:

```json
{ "epochs": 20, "layers": { "fc1": { "units": 256 }, "relu2": null } }
```

Several overlays are merged in their order, `--set` comes after them. Errors of values point
into the file that they came from, and end with exit code 1.

`--set PATH=VALUE` changes or adds a value before the file is checked, so that the same
checks hold: `--set optimizer.learning_rate=0.1`, `--set layers.fc1.units=256`,
`--set data.transforms.0.scale=1`. A path consists of keys, of numbers of list elements from
0 (the number after the last one appends) and, in `layers`, of names. The value is JSON;
what is not JSON is a text, so `--set name=x` and `--set 'name="x"'` are the same. Errors in
paths and values end with exit code 2, errors in the file with 1.

Boosts are set by `--boost [SECTION.]KEY=VALUE`, `--boost-config FILE` (a dictionary like
`boost`), the model file and `-O0|-O1|-O2`, in this order of precedence. Two that are
asked for by name and cannot be combined are an error.

## The recipe in a program

A compiled program carries the resolved recipe, with all defaults filled in, as JSON with
sorted keys; `boost-run info` prints it. Checkpoints carry it too, and the sha256 of the part
that they depend on: all but `name`, `epochs`, `metrics`, `data.source`, `data.workers`,
`data.bad_sample`, `train.eval_every`,
accumulation and boosts that are off. A run resumes what another program of the same hash began;
of another hash the keys that differ are named.
)";

static constexpr StringRef kGroups = R"(### Groups

`groups` gives some parameters a learning rate or a weight decay of their own, as groups of
parameters do in PyTorch and MindSpore. A parameter belongs to the first group whose `match`
and `roles` both match it, and to none when no group does. Biases and normalisation without
decay:

```json
"groups": [{ "roles": ["bias", "norm_scale", "norm_shift"], "weight_decay": 0.0 }]
```

Keys of a group:

)";

static void printBlocks(raw_ostream &os, const ObjectTable &file) {
  os << kBlocks << "Keys of a block:\n\n";
  const ObjectTable &block = *file.find("blocks")->value.element->object;
  printKeys(os, block, true);
  os << "Keys of a parameter with a default:\n\n";
  const ValueTable &parameter = *block.find("params")->value.element;
  printKeys(os, *parameter.alternatives[1].object, true);
  os << "Keys of a use, one item of `layers`:\n\n";
  const VariantTable &layer = *file.find("layers")->value.element->variant;
  for (const ObjectTable &keyed : layer.keyedCases)
    printKeys(os, keyed, true);
  os << "A block may use other blocks, not itself, " << kMaxNesting
     << " levels deep. A model has at most " << kMaxLayers << " layers.\n\n";
}

static const VariantTable &variantAt(const ObjectTable &file, StringRef key) {
  const ValueTable &value = file.find(key)->value;
  return value.kind == Kind::List ? *value.element->variant : *value.variant;
}

/// The keys of an optimizer's groups, which are the same for all of them: the
/// rates and decays that they override are keys of every optimizer.
static void printGroups(raw_ostream &os, const VariantTable &optimizers) {
  os << kGroups;
  const KeyTable *groups = optimizers.cases.front().find("groups");
  printKeys(os, *groups->value.element->object, true);
}

static void printInputs(raw_ostream &os, const ObjectTable &file) {
  os << "## Inputs\n\n`input` maps names to what the data set feeds: one entry "
        "that the layers read,\nand one with labels or numbers that the loss "
        "compares with. Entries with `classes` hold integers.\n\n";
  const VariantTable &inputs = *file.find("input")->value.element->variant;
  for (const ObjectTable &object : inputs.cases) {
    os << object.summary << "\n\n";
    printKeys(os, object, true);
  }
}

/// What each level turns on.
static void printLevels(raw_ostream &os) {
  os << "A level turns boosts on, in this order:\n\n| boost | `-O0` | `-O1` | "
        "`-O2` | what it does |\n|---|---|---|---|---|\n";
  for (const boost::Boost &boost : boost::getBoosts()) {
    os << "| `" << boost.name << "` |";
    for (int level : {0, 1, 2})
      os << (boost.level > 0 && level >= boost.level ? " on |" : " |");
    os << " " << cell(boost.summary) << " |\n";
  }
  os << "\n";
}

/// Which features go together: one half of a symmetric matrix.
static void printLegality(raw_ostream &os) {
  os << "Any two go together but those that are refused, an error that says "
        "why:\n\n|";
  llvm::ArrayRef<llvm::StringLiteral> features = boost::getFeatures();
  for (StringRef feature : features.drop_back())
    os << " | `" << feature << "`";
  os << " |\n|---|";
  for (size_t i = 0; i + 1 < features.size(); ++i)
    os << "---|";
  os << "\n";
  for (size_t row = 1; row < features.size(); ++row) {
    os << "| `" << features[row] << "` |";
    for (size_t column = 0; column + 1 < features.size(); ++column)
      os << (column >= row ? " |"
             : boost::findConflict(features[row], features[column])
                 ? " refused |"
                 : " yes |");
    os << "\n";
  }
  os << "\n| refused | why |\n|---|---|\n";
  for (const boost::Conflict &conflict : boost::getConflicts())
    os << "| `" << conflict.first << "`, `" << conflict.second << "` | "
       << cell(conflict.reason) << " |\n";
  os << "\n";
}

std::string boostc::generateModelFormatDoc(mlir::MLIRContext &context) {
  loadModelDialects(context);
  ModelTable table(context);
  const ObjectTable &file = table.file();
  std::string text;
  llvm::raw_string_ostream os(text);
  os << kHead << "## Top level\n\n";
  printKeys(os, file, true);
  printInputs(os, file);
  os << kLayers;
  printCases(os, variantAt(file, "layers"));
  printBlocks(os, file);
  os << "## Initializers\n\nA name, or an object with `\"type\"` and the keys "
        "below.\n\n";
  printCases(os, *initializerTable().variant);
  os << "## Losses\n\n`loss` is an object with `\"op\"`. It reads the last "
        "layer and the "
        "labels.\n\n";
  printCases(os, variantAt(file, "loss"));
  os << "## Metrics\n\n`metrics` is a list of names, or of objects with "
        "`\"op\"`.\n\n";
  printCases(os, variantAt(file, "metrics"));
  os << "## Optimizers\n\n`optimizer` is an object with `\"type\"`.\n\n";
  const VariantTable &optimizers = variantAt(file, "optimizer");
  printCases(os, optimizers);
  printGroups(os, optimizers);
  os << "## Schedules\n\nA number, or an object with `\"schedule\"`.\n\n";
  printCases(os, *scheduleTable({}, {}).variant);
  os << "## Data\n\n";
  const ObjectTable &data = *file.find("data")->value.object;
  printKeys(os, data, true);
  os << "Transforms are objects with `\"op\"`.\n\n";
  printCases(os, variantAt(data, "transforms"));
  os << "## Train\n\n";
  printKeys(os, *file.find("train")->value.object, true);
  os << "## Boost\n\n`boost` is a dictionary of sections. A section counts "
        "only when its "
        "boost is on. [Boosts](boosts.md) says what they compute.\n\n";
  printLevels(os);
  printLegality(os);
  for (const KeyTable &section : table.boost().keys) {
    os << "### `" << section.name << "`\n\n" << section.doc << "\n\n";
    printKeys(os, *section.value.object, true);
  }
  os << kTail;
  return text;
}
