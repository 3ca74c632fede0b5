"""Small inputs that tools/fuzz begins with: what its targets read, made here or files of the tree."""

import gzip
import json
import lzma
import pathlib
import re
import struct
import sys
import typing

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "test"))
from data_files import idx_file, npy_file  # noqa: E402: from the folder above


def safetensors_file(header, data):
    head = json.dumps(header).encode()
    return struct.pack("<Q", len(head)) + head + data


def message(kind, *fields):
    """A message of the control plane (runtime/comm/control/Wire.h)."""
    body = bytes([kind])
    for field in fields:
        body += struct.pack("<Q", field if isinstance(field, int) else len(field))
        body += b"" if isinstance(field, int) else field
    return struct.pack("<I", len(body)) + body


def control():
    hello = message(1, b"boost-control-1", b"token", 0, 2)
    # The first byte says in pieces of how many bytes they come.
    return [b"\x07" + hello + message(4, b"key", b"value") + message(13),
            b"\xff" + message(5, 1, b"key") + message(10, b"cause")]


def idx():
    plain = [idx_file((3, 2, 2), bytes(range(12))), idx_file((3,), b"\0\1\2")]
    return plain + [gzip.compress(file, mtime=0) for file in plain]


def manifest():
    file = {"bytes": 40, "sha256": 64 * "0"}
    return [json.dumps({
        "format": "boost-checkpoint", "version": 3, "program": "m", "epoch": 1, "step": 2,
        "samples": 100, "global_step": 2, "skipped": 0, "skipped_in_row": 0, "ranks": 1,
        "micro_batch": 50, "micro_batches": 1, "seed": 1, "shuffle": True, "recipe_hash": 64 * "0",
        "data_fingerprint": 1, "recipe": "{}", "files": {
            "weights.safetensors": file, "state.safetensors": file}}).encode()]


def npy():
    integers = npy_file("<i4", (3,), struct.pack("<3i", 0, 1, 2))
    return [npy_file("|u1", (2, 3), bytes(6)), npy_file("<f4", (2, 1, 2, 2), bytes(32)),
            npy_file("<i8", (3,), bytes(24)), gzip.compress(integers, mtime=0),
            lzma.compress(integers)]


def safetensors():
    return [safetensors_file({}, b""), safetensors_file({
        "__metadata__": {"format": "pt"},
        "a": {"dtype": "I64", "shape": [], "data_offsets": [0, 8]},
        "fc1.weight": {"dtype": "F32", "shape": [2, 3], "data_offsets": [8, 32]}}, bytes(32))]


def files(*patterns):
    return lambda: [path.read_bytes() for pattern in patterns for path in sorted(ROOT.glob(pattern))]


def layers_of(*texts):
    """A model of these layers, some lines of JSON each."""
    return """{ "name": "m", "batch_size": 2, "epochs": 1, "seed": 1,
  "input": { "x": { "shape": [4, 6, 6] }, "y": { "classes": 3 } },
  "layers": [
    LAYERS,
    { "op": "flatten" }, { "op": "dense", "units": 3, "name": "head" } ],
  "loss": { "op": "softmax_cross_entropy" }, "metrics": ["top_1"],
  "optimizer": { "type": "sgd", "learning_rate": 0.1 } }""".replace("LAYERS", ",\n    ".join(texts))


MLP = layers_of('{ "op": "dense", "units": 4 }', '{ "op": "relu" }')
NORMED = layers_of('{ "op": "conv2d", "filters": 4, "kernel": 3, "padding": 1 }',
                   '{ "op": "batch_norm" }', '{ "op": "relu" }', '{ "op": "dropout" }')
LAYERS = [
    layers_of('{ "op": "conv2d", "filters": 4, "kernel": [3, 2], "stride": 2, "padding": "same", '
              '"groups": 2, "bias": false }', '{ "op": "group_norm", "groups": 2 }',
              '{ "op": "leaky_relu" }', '{ "op": "global_avg_pool" }'),
    layers_of('{ "op": "conv2d", "filters": 2, "kernel": 2, "dilation": 2 }',
              '{ "op": "bias", "axis": 0 }', '{ "op": "relu6" }',
              '{ "op": "max_pool", "kernel": 2, "padding": [1, 0, 0, 1] }',
              '{ "op": "avg_pool", "kernel": 2, "stride": 1, "padding": "same_lower" }'),
    layers_of('{ "op": "slice", "axis": 1, "start": 2, "size": 3, "name": "a" }',
              '{ "op": "slice", "axis": 1, "size": 3, "inputs": ["x"] }',
              '{ "op": "concat", "axis": 0, "inputs": ["a", "slice1"] }', '{ "op": "gelu" }',
              '{ "op": "mul", "inputs": ["gelu1", "concat1"] }', '{ "op": "softplus" }',
              '{ "op": "reduce_max", "axes": [0], "keep_dims": true }', '{ "op": "silu" }'),
    layers_of('{ "op": "conv2d_transpose", "filters": 4, "kernel": 2, "stride": [2, 3], '
              '"output_padding": [1, 0], "padding": [0, 1], "groups": 2 }',
              '{ "op": "conv2d_transpose", "filters": 2, "kernel": 3, "padding": "same" }',
              '{ "op": "upsample", "factor": [1, 2], "name": "up" }',
              '{ "op": "reduce_mean", "axes": [1, 2], "keep_dims": true, "name": "gate" }',
              '{ "op": "mul", "inputs": ["up", "gate"] }'),
    layers_of('{ "op": "reshape", "shape": [12, 12] }', '{ "op": "transpose", "axes": [1, 0] }',
              '{ "op": "matmul", "inputs": ["transpose1", "reshape1"], "transpose_a": true }',
              '{ "op": "softmax" }', '{ "op": "layer_norm" }', '{ "op": "scale", "factor": 0.5 }',
              '{ "op": "multiplier" }', '{ "op": "reduce_mean", "axes": [-1] }'),
    layers_of('{ "op": "reduce_sum", "axes": [1, 2] }', '{ "op": "l2_normalize" }',
              '{ "op": "sub", "inputs": ["l2_normalize1", "reduce_sum1"] }', '{ "op": "tanh" }',
              '{ "op": "normalized_dense", "units": 4 }', '{ "op": "log_softmax" }',
              '{ "op": "sigmoid" }'),
    layers_of('{ "use": "b", "repeat": 2, "with": { "n": 4 }, "with_first": { "p": true } }')
    .replace('"layers"', """"blocks": { "b": {
    "params": ["n", { "name": "p", "default": false }, { "name": "act", "default": "relu" }],
    "layers": [ { "name": "c", "op": "conv2d", "filters": "$n * 2", "kernel": 1, "if": "$p" },
                { "name": "d", "op": "conv2d", "filters": "$n / 2", "kernel": 1 },
                { "name": "e", "op": "conv2d", "filters": "$n * 2", "kernel": 1 },
                { "op": "$act" }, { "op": "add", "inputs": ["e", "c"], "if": "$p" } ] } },
  "layers\"""", 1)]
OPTIMIZERS = [
    '{ "type": "sgd", "learning_rate": { "schedule": "recipe_steps", "value": 0.1, "warmup": 1 } }',
    '{ "type": "momentum", "learning_rate": 0.1, "nesterov": true, "decay": "decoupled", '
    '"weight_decay": 0.1, "groups": [{ "roles": ["bias"], "weight_decay": 0 }] }',
    '{ "type": "lars", "learning_rate": { "schedule": "polynomial", "value": 1, "length": 2 } }',
    '{ "type": "adam", "learning_rate": { "schedule": "step", "value": 0.1, "every": 1 } }',
    '{ "type": "adamw", "learning_rate": { "schedule": "cosine", "value": 0.1, "warmup": 2 } }',
    '{ "type": "muon", "adjust_lr_fn": "match_rms_adamw", "groups": [{ "match": "head*", '
    '"learning_rate": { "schedule": "exponential", "value": 1, "factor": 0.5 } }] }',
    '{ "type": "thor", "frequency": 2, "block_size": 4, "enable_clip_grad": true, '
    '"learning_rate": { "schedule": "recipe_thor", "value": 0.1, "power": 2 }, '
    '"damping": { "schedule": "recipe_damping", "value": 0.1, "factor": 0.5 } }']
LOSSES = [
    '{ "op": "softmax_cross_entropy", "label_smoothing": 0.1, "smoothing": "others" }',
    '{ "op": "binary_cross_entropy" }', '{ "op": "l1" }', '{ "op": "mse" }']
BOOSTS = [
    '{ "less_bn": { "fn_flag": true, "gc_flag": true } }\n%O1',
    '{ "grad_freeze": { "param_groups": 2, "freeze_type": 0, "freeze_p": 0.5 } }\n%O1',
    '{ "boost": { "adasum": true }, "adasum": { "mode": "gradient", "across": "ranks" } }\n%O2',
    '{ "boost": { "grad_accumulation": true }, '
    '"grad_accumulation": { "grad_accumulation_step": 2 } }\n%boost boost.mode=enable_all',
    '{ "boost": { "dim_reduce": true }, "dim_reduce": { "n_components": 2, "rho": 0.5 } }',
    '{ "boost": { "loss_scale_group": true }, "loss_scale_group": { "groups": [["head"]] } }',
    '{ "common": { "gradient_split_groups": [1] } }\n%boost adasum=true']
SETTINGS = [
    'amp={ "level": "O2", "dtype": "bf16", "loss_scale": { "type": "dynamic" } }\n%bf16',
    'amp={ "level": "O1", "dtype": "f16", "loss_scale": { "type": "fixed", "value": 8 } }\n%f16',
    'train={ "clip_norm": 0.5, "gradient_norm": true, "ema": 0.9 }', 'train.micro_batch=1',
    'data={ "source": "digits:train=4,test=2", "transforms": [{ "op": "rescale", "scale": 1 }, '
    '{ "op": "normalize", "mean": [0], "std": [1] }] }',
    'layers.head.init.bias={ "type": "uniform", "min": -1, "max": 1 }', 'layers.0.units=5',
    'input.w={ "role": "weight" }', 'input.y={ "shape": [3], "role": "target" }']


def model():
    """Models, with parts after them as test/fuzz/ModelFuzz.cpp says."""
    texts = [path.read_text() for pattern in ("examples/*/model.json", "test/e2e/Inputs/*.json")
             for path in sorted(ROOT.glob(pattern))]
    overlays = {"dim-reduce": "convnet-cifar10", "resnet50-boost": "resnet50-imagenet"}
    for folder, of in overlays.items():
        for path in sorted((ROOT / "examples" / folder).glob("*.json")):
            under = (ROOT / "examples" / of / "model.json").read_text()
            texts.append(f"{under}\n%overlay {path.read_text()}")
    texts += [MLP, NORMED, *LAYERS]
    texts += [f"{MLP}\n%set optimizer={value}" for value in OPTIMIZERS]
    texts += [f"{MLP}\n%set loss={value}" for value in LOSSES]
    texts += [f"{MLP}\n%set {value}" for value in SETTINGS]
    texts += [f"{NORMED}\n%config {value}" for value in BOOSTS]
    return [text.encode() for text in texts]


def ir():
    """The tests' own IR, without comments, and one small program in each phase."""
    texts = []
    for pattern in ("test/compiler/*/*.mlir", "test/dialects/**/*.mlir", "test/passes/*.mlir"):
        for path in sorted(ROOT.glob(pattern)):
            for text in re.split(r"^// -----.*|^//--- .*", path.read_text(), flags=re.MULTILINE):
                text = re.sub(r"^ *//.*\n", "", text, flags=re.MULTILINE).strip()
                texts += [text + "\n"] if text else []
    texts += [path.read_text() for path in sorted((ROOT / "test/fuzz/Inputs").glob("*.mlir"))]
    return [text.encode() for text in texts]


def words(pattern, form):
    """A dictionary of what the documentation of `pattern` has in backticks."""
    texts = {word for path in ROOT.glob(pattern)
             for word in re.findall(r"`([a-z#!][\w.]{1,40})`", path.read_text())}
    return "".join(f'"{form.format(word)}"\n' for word in sorted(texts))


class Target(typing.NamedTuple):
    longest: int  # input
    seeds: typing.Callable
    words: typing.Callable = lambda: ""  # what inputs are likely to hold, for libFuzzer


TARGETS = {
    "control": Target(1 << 12, control),
    "idx": Target(1 << 10, idx),
    "image": Target(1 << 14, files("test/runtime/data/images/*.jpg",
                                   "test/runtime/data/images/*.png")),
    "ir": Target(1 << 13, ir, lambda: words("docs/generated/*.md", "{}")),
    "manifest": Target(1 << 12, manifest),
    "model": Target(1 << 13, model, lambda: words("docs/model-format.md", '\\"{}\\"')),
    "npy": Target(1 << 10, npy),
    "ptx": Target(1 << 14, files("test/sim/Inputs/*.ptx")),
    "rank-table": Target(1 << 13, files("examples/*/rank_table*.json")),
    "safetensors": Target(1 << 12, safetensors),
}
