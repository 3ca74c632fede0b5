"""check_schema.py SOURCE: docs/model.schema.json against the parser.

A validator of the part of draft 2020-12 that the schema uses; any other keyword is an error,
so that it cannot pass by being ignored.

1. Every example validates.
2. Every key the schema has anywhere is accepted by the parser at that place.
3. A key the schema lacks is refused by both, in every object that the model reaches.
4. For wrong types and values out of range both say no.
"""
import copy
import json
import pathlib
import re
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(sys.argv[1])
sys.path.append(str(SOURCE / "test"))
import model_schema

SCHEMA = model_schema.load(SOURCE)
TYPES = {"object": dict, "array": list, "string": str, "boolean": bool,
         "null": type(None)}
NOTES = {"$schema", "title", "description", "default"}


def has_type(value, name):
    if name in ("integer", "number"):
        kinds = int if name == "integer" else (int, float)
        return isinstance(value, kinds) and not isinstance(value, bool)
    return isinstance(value, TYPES[name])


def is_equal(a, b):
    return a == b and isinstance(a, bool) == isinstance(b, bool)


def is_valid(value, schema):
    if schema is False or schema is True:
        return schema
    rules = {
        "type": lambda r: has_type(value, r),
        "const": lambda r: is_equal(value, r),
        "enum": lambda r: any(is_equal(value, item) for item in r),
        "anyOf": lambda r: any(is_valid(value, item) for item in r),
        "not": lambda r: not is_valid(value, r),
        "minimum": lambda r: value >= r,
        "maximum": lambda r: value <= r,
        "exclusiveMinimum": lambda r: value > r,
        "pattern": lambda r: re.search(r, value) is not None,
        "minItems": lambda r: len(value) >= r,
        "maxItems": lambda r: len(value) <= r,
        "minProperties": lambda r: len(value) >= r,
        "maxProperties": lambda r: len(value) <= r,
        "items": lambda r: not isinstance(value, list) or all(
            is_valid(item, r) for item in value),
        "required": lambda r: all(key in value for key in r),
        "propertyNames": lambda r: all(is_valid(key, r) for key in value),
        "properties": lambda r: all(is_valid(value[k], r[k]) for k in r if k in value),
        "additionalProperties": lambda r: not isinstance(value, dict) or all(
            is_valid(value[k], r) for k in value if k not in schema.get("properties", {})),
    }
    # The type first: the other rules take it for granted.
    for rule in sorted(schema.keys() - NOTES, key=lambda rule: rule != "type"):
        if not rules[rule](schema[rule]):
            return False
    return True


def errors_of(models):
    """What the parser says of each model; one run for all."""
    with tempfile.TemporaryDirectory() as directory:
        for index, model in enumerate(models):
            pathlib.Path(directory, f"{index}.json").write_text(json.dumps(model))
        run = subprocess.run(["boost-import", *(f"{index}.json" for index in range(len(models)))],
                             cwd=directory, capture_output=True, text=True)
    assert run.returncode == 0, run
    parts = re.split(r"^--- (\d+)\.json\n", run.stderr, flags=re.M)
    assert parts[1::2] == [str(index) for index in range(len(models))], parts
    return parts[2::2]


BASE = json.loads((SOURCE / "examples/mlp-mnist/model.json").read_text())


def is_reference(schema):
    """Whether it is that of references to parameters of a block."""
    return schema.get("pattern", "").startswith(r"^\$")


def sample(schema, in_block=False):
    """A value that the schema accepts, with every key of every object; in a block a reference
    wherever there may be one."""
    if "const" in schema:
        return schema["const"]
    if "enum" in schema:
        return schema["enum"][0]
    if "anyOf" in schema:
        return sample([item for item in schema["anyOf"]
                       if in_block or not is_reference(item)][-1], in_block)
    if not schema.keys() - NOTES:
        return 1  # any value
    if is_reference(schema):
        return "$reference"
    kind = schema["type"]
    if kind == "object":
        return {key: sample(item, in_block)
                for key, item in schema.get("properties", {}).items()}
    if kind == "array":
        return [sample(schema["items"], in_block)] * max(1, schema["minItems"])
    low = schema.get("minimum", schema.get("exclusiveMinimum", 0))
    return {"integer": low, "number": low + (1 if "exclusiveMinimum" in schema else 0),
            "boolean": False, "string": "text", "null": None}[kind]


def objects(schema, wrap, in_block=False):
    """Every (function, schema, whether it is in a block) of an object; the function makes a
    model around it."""
    for item in schema.get("anyOf", []):
        # Outside of a block nothing is a layer whose op is a reference.
        if in_block or not any(map(is_reference, item.get("properties", {}).values())):
            yield from objects(item, wrap, in_block)
    if schema.get("type") == "array":
        yield from objects(schema["items"], lambda value: wrap([value]), in_block)
    if schema.get("type") != "object":
        return
    yield wrap, schema, in_block
    for key, item in schema.get("properties", {}).items():
        around = BASE if schema is SCHEMA else sample(schema, in_block)
        yield from objects(item, lambda value, key=key: wrap({**around, key: value}),
                           in_block or (schema is SCHEMA and key == "blocks"))
    if isinstance(schema.get("additionalProperties"), dict):
        yield from objects(schema["additionalProperties"],
                           lambda value: wrap({"any": value}), in_block)


def place(path, value):
    """The base model with `value` at `path`, a list of keys."""
    model = copy.deepcopy(BASE)
    node = model
    for key in path[:-1]:
        node = node.setdefault(key, {})
    node[path[-1]] = value
    return model


def with_uses(model):
    """The model with a use of each of its blocks: their layers are checked there."""
    blocks, uses = {}, []
    for name, block in model.get("blocks", {}).items():
        if isinstance(block, dict):
            # What samples of references refer to; samples of names would clash.
            block = {key: value for key, value in block.items() if key != "inputs"}
            block["params"] = block.get("params", []) + ["reference"]
            uses.append({"use": name, "with": {"reference": 1}})
        blocks[name] = block
    if not uses:
        return model
    return {**model, "blocks": blocks, "layers": uses}


failures = []
for example in sorted(SOURCE.glob("examples/*/model.json")):
    if not is_valid(json.loads(example.read_text()), SCHEMA):
        failures.append(f"{example} does not validate")

full, unknown = [], []
for wrap, schema, in_block in objects(SCHEMA, lambda value: value):
    value = sample(schema, in_block)
    full.append(with_uses(wrap(value)))
    if schema.get("additionalProperties", {}) != {}:
        extended = {**value, "surely_unknown": 1}
        assert not is_valid(extended, schema)
        unknown.append(with_uses(wrap(extended)))
print(f"{len(full)} objects of the schema")
assert len(full) > 30
for model, message in zip(full, errors_of(full)):
    # Values of samples may clash (a name that is taken); keys may not be unknown.
    if "unknown key" in message:
        failures.append(f"the parser refuses a key of the schema: {message}")
for model, message in zip(unknown, errors_of(unknown)):
    if "'surely_unknown'" not in message:
        failures.append(f"the parser accepts an unknown key: {json.dumps(model)}")

# References to parameters are for blocks, at every depth.
HEAD = {"op": "dense", "units": 10}
WRONG = [(["layers"], [{"op": "flatten"}, {**HEAD, **keys}]) for keys in (
             {"units": "$x"}, {"op": "$x"}, {"bias": "$x"}, {"init": {"weight": "$x"}},
             {"init": {"weight": {"type": "constant", "value": "$x"}}}, {"inputs": ["$x"]})]
WRONG += [(["batch_size"], 0), (["batch_size"], 1048577), (["batch_size"], 1.5),
         (["batch_size"], True), (["epochs"], "1"), (["name"], "a b"), (["name"], ""),
         (["seed"], -1), (["input"], {}), (["layers"], []), (["layers"], {}),
         (["loss"], "softmax_cross_entropy"), (["loss", "op"], "x"),
         (["loss", "label_smoothing"], 1), (["metrics"], ["top_9"]),
         (["optimizer", "learning_rate"], -0.1), (["optimizer", "learning_rate"], "x"),
         (["optimizer", "learning_rate"], {"schedule": "constant"}),
         (["optimizer", "decay"], "none"), (["train", "gradients_mean"], 0),
         (["train", "reduction"], "max"), (["data", "transforms"], [{"op": "pad"}]),
         (["data", "transforms"], [{"op": "pad", "padding": [1]}]),
         (["data", "transforms"], [{"op": "normalize", "mean": [0], "std": [0]}]),
         (["boost", "boost"], {"mode": "none"}), (["boost", "grad_freeze"],
                                                  {"freeze_p": 1.5}),
         (["blocks"], []), (["blocks"], {"b": {}}), (["blocks"], {"b": {"layers": []}}),
         (["blocks"], {"b": {"layers": [5]}}),
         (["blocks"], {"b": {"params": ["a b"], "layers": [{"op": "relu"}]}}),
         (["layers"], [{"use": 5}]), (["layers"], [{"use": "b", "repeat": 0}]),
         (["layers"], [{"use": "b", "op": "relu"}]),
         (["$schema"], 1), (["boost", "common"], {"gradient_split_groups": 7})]
RIGHT = [(["blocks"], {"b": {"params": ["x"], "layers": [
              {"op": "dense", "units": "$x", "bias": "$x"}, {"op": "$x"},
              {"op": "dense", "units": 4, "init": {"weight": "$x"}}]}}),
         (["$schema"], "model.schema.json"), (["metrics"], [{"op": "top_1"}]), (["metrics"], []),
         (["optimizer", "learning_rate"], {"schedule": "constant", "value": 0}),
         (["data", "transforms"], [{"op": "rescale", "scale": 1}]),
         (["boost", "common"], {"gradient_split_groups": None}),
         (["boost", "common"], {"gradient_split_groups": [1, 2]}),
         (["boost", "boost"], {"mode": "disable_all"}), (["seed"], 0)]
for cases, should in ((WRONG, False), (RIGHT, True)):
    models = [place(path, value) for path, value in cases]
    for model, (path, value), message in zip(models, cases, errors_of(models)):
        for who, verdict in (("schema", is_valid(model, SCHEMA)),
                             ("parser", "error:" not in message)):
            if verdict != should:
                failures.append(f"the {who} says {verdict} to {path} = {value}: {message}")
sys.exit("\n".join(failures) or 0)
