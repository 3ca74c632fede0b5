"""hostile_blocks.py DIR: small files that stand for huge models."""
import json
import pathlib
import sys


def write(name, blocks, use):
    model = {"name": "m", "batch_size": 1, "epochs": 1,
             "input": {"x": {"shape": [2]}, "y": {"classes": 2}},
             "blocks": blocks, "layers": [use, {"op": "dense", "units": 2}],
             "loss": {"op": "softmax_cross_entropy"},
             "optimizer": {"type": "sgd", "learning_rate": 1}}
    pathlib.Path(sys.argv[1], name).write_text(json.dumps(model, indent=1))


def chain(length, repeat):
    """Blocks that use the next one; the last one has a layer."""
    blocks = {f"b{i}": {"layers": [{"use": f"b{i + 1}", "repeat": repeat}]}
              for i in range(length)}
    blocks[f"b{length}"] = {"layers": [{"op": "relu", "if": False}]}
    return blocks


write("layers.json", chain(10, 4096), {"use": "b0"})
write("values.json",
      {"b": {"params": ["p"], "layers": [{"op": "reshape", "shape": "$p"}] * 100}},
      {"use": "b", "repeat": 100, "with": {"p": [1] * 10000}})
write("deep.json", chain(20, 1), {"use": "b0"})
write("long.json", {"b": {"layers": [{"op": "relu", "name": "n" * 200}]}},
      {"use": "b", "repeat": 2, "name": "u" * 100})
