// The part of the table that says what blocks and their uses look like.
#include "compiler/frontend/ExpandBlocks.h"
#include "compiler/frontend/ModelTable.h"

using namespace boostc;
using namespace boostc::frontend;
using Kind = ValueTable::Kind;

ObjectTable frontend::useTable() {
  ValueTable name{.kind = Kind::Name};
  ValueTable arguments{
      .kind = Kind::Map,
      .maxItems = kMaxBlockParameters,
      .element = std::make_shared<ValueTable>(ValueTable{.kind = Kind::Any})};
  return {
      "use",
      "The layers of a block.",
      {{"use", name, "Name of the block.", {}, true},
       {"name", name,
        "Prefix of the names of the block's layers, and the name of its output "
        "for other layers; by default the block's name and a number."},
       {"inputs", makeList(name, 1, kMaxBlockInputs),
        "Layers or inputs it reads, one for each input of the block; by "
        "default the layer before it."},
       {"with", arguments, "Values of the block's parameters."},
       {"with_first", arguments, "Values that differ in the first repetition."},
       {"repeat", makeInteger(1, kMaxRepeat),
        "How often the block is repeated; each repetition reads the one "
        "before. With it, layers are called `<name>.<number from 0>.<layer>`, "
        "without it `<name>.<layer>`."},
       {"if",
        {.kind = Kind::Boolean},
        "Whether it is present; if not, layers that read it read its input "
        "instead."}}};
}

ValueTable frontend::blocksTable(ValueTable layer) {
  ValueTable word{.kind = Kind::Word};
  ObjectTable parameter{"parameter",
                        "A parameter with a default.",
                        {{"name", word, "Its name.", {}, true},
                         {"default",
                          {.kind = Kind::Any},
                          "Its value where a use gives none; may refer to "
                          "parameters before it."}}};
  ValueTable either{.kind = Kind::Either,
                    .alternatives = {word, makeObject(std::move(parameter))}};
  ValueTable layers = makeList(std::move(layer), 1, 1 << 16);
  layers.isTemplate = true;
  ObjectTable block{
      "block",
      "Layers to be used under a name.",
      {{"params", makeList(either, 0, kMaxBlockParameters),
        "Names of its parameters, or objects with `name` and `default`."},
       {"inputs", makeList(word, 1, kMaxBlockInputs),
        "The names, after `$`, by which its layers read its inputs; by default "
        "one, `$input`."},
       {"layers",
        layers,
        "As in a model; texts may be references.",
        {},
        true}}};
  return {.kind = Kind::Map,
          .maxItems = 1024,
          .element =
              std::make_shared<ValueTable>(makeObject(std::move(block)))};
}
