#!/usr/bin/env python3
"""Every layer and loss of the model format, held to PyTorch: values and gradients.

  layers.py models FOLDER          writes the models of all cases, their weights and data
  layers.py build FOLDER [OPTION]  compiles them
  layers.py check FOLDER DEVICE    trains a step of each and compares it with layers.json
  layers.py covers SCHEMA          fails where layer_cases.py lacks what model files may say
  layers.py golden                 prints layers.json: what PyTorch computes

The cases are in layer_cases.py. One step shows all of a layer: its inputs x are weights, rows of
an embedding that sample n reads as its row n. So the gradient of x is a gradient of weights. The
output y is multiplied by other such weights, c, and added up to a number, with a loss whose
derivative is 1 / samples. So c is the gradient that arrives at the layer, and the gradient of c
is y. With the learning rate 0 the velocity of `momentum` is the gradient, to the bit, and
checkpoints have it. A program holds many such cases side by side. A loss has a program of its own,
which reads x and is evaluated as well, on three samples of four in another order.

The bound of a value or gradient is twice the largest deviation of PyTorch's single precision from
its double precision, over all of its elements and 33 runs: of the numbers, and of numbers
moved by one unit in the last place; and at least a unit in the last place of the largest
element. Each sample of inputs and outputs has its own bound. Whole numbers are not moved, and equal
numbers are moved alike, so ties and bends stay. `least` in layer_cases.py is for functions that are
less accurate here.

Where PyTorch has another convention or none, the functions of layer_cases.py compute ours:

  - avg_pool and max_pool with other padding than PyTorch's, and `same`: explicit padding before
    the pool, with zeros that count, and with -infinity;
  - conv2d_transpose that cuts the sides of an axis differently, and `same`: a slice of the whole;
  - l2_normalize and normalized_dense bound the squared length below, PyTorch's normalize the
    length: eps is the root of epsilon. Its gradient at zeros is not a number, ours dy / root;
  - running_variance `biased`: by hand, PyTorch divides by the number less 1. Running means begin
    near the mean: the step's variance is that of distances from them (train.running_statistics);
  - smoothing `others`: by hand, PyTorch has `uniform` only;
  - classes are the last dimension, PyTorch's the one after the batch;
  - top_1 and top_5: equal outputs count for the lower class; PyTorch's topk does not say;
  - weighted losses are divided by the sum of the weights, also in evaluation;
  - softplus is the identity from 20 on in PyTorch, which is the same to 2e-9;
  - dropout: which elements are zero is ours, so a zero is let pass where its gradient is zero too.

The same as in PyTorch, and not chosen by us: the first of equal maxima in max_pool has the
gradient, in reduce_max all share it; relu has 0 at 0, relu6 at 0 and 6, leaky_relu its slope at
0, l1 0 where output and target are equal.

`golden` needs numpy and torch (Debian: python3-torch); all else needs neither.
"""

import json
import math
import pathlib
import random
import shutil
import struct
import sys

from layer_cases import LAYERS, LOSSES, PLAIN, TOKENS
from trainings import (as_float32, read_events, read_golden, read_weights, run_command,
                       run_program, write_npy)
from data_files import npy_file  # noqa: E402: trainings.py knows its folder

SAMPLES, PER_PROGRAM, FAR, MOVED = 4, 32, -1e36, 32
EVALUATED = (3, 1, 0)
INPUTS = ("x", "y", "z")


# --- What both sides compute with --------------------------------------------


def draw_numbers(name, shape, kind):
    """A kind is numbers in turn, the ends of an interval, or a list of the kinds of rows."""
    if isinstance(kind, list):
        return [number for i, row in enumerate(kind[:shape[0]])
                for number in draw_numbers(f"{name} {i}", shape[1:], row)]
    draw, count = random.Random(name), math.prod(shape)
    if isinstance(kind, tuple):
        return [kind[i % len(kind)] for i in range(count)]
    return [as_float32(draw.uniform(kind["from"], kind["to"])) for _ in range(count)]


def draw_values(name, case):
    """Name -> shape and numbers, of the inputs, a row for each sample, and the parameters."""
    drawn = {}
    for value, shape in case["shapes"].items():
        shape = (SAMPLES, *shape) if value in INPUTS else shape
        drawn[value] = shape, draw_numbers(f"{name} {value}", shape,
                                           case["values"].get(value, PLAIN))
    return drawn


def draw_cotangent(name, case, count):
    """The gradient that arrives at the output, of `count` elements a sample."""
    shape = (SAMPLES, count)
    return shape, draw_numbers(f"{name} c", shape, case["cotangent"] or PLAIN)


def draw_split(name, case, split):
    """What a loss compares with, and weights: of the samples of a split."""
    draw, columns = random.Random(f"{name} {split}"), {}
    count = SAMPLES if split == "train" else len(EVALUATED)
    if case["labels"]:
        classes, shape = case["labels"]
        shape = (count, *shape)
        columns["labels"] = shape, [draw.randrange(classes) for _ in range(math.prod(shape))]
    else:
        shape = (count, *case["targets"])
        columns["targets"] = shape, draw_numbers(f"{name} {split} t", shape,
                                                 case["values"].get("t", PLAIN))
    if case["pixels"]:
        shape = (count, *case["pixels"])
        columns["images"] = shape, [draw.choice((0, 255, draw.randrange(256)))
                                    for _ in range(math.prod(shape))]
    if case["weights"] is not None:
        shape = (count, *case["weights"])
        columns["weights"] = shape, [max(0.0, as_float32(draw.uniform(-0.5, 3)))
                                     for _ in range(math.prod(shape))]
    return columns


def programs():
    """Name of a program -> names of its cases of layers."""
    short = [name for name, case in LAYERS.items() if "samples" in case]
    tokens = [name for name in LAYERS if name.startswith("embedding")]
    plain = [name for name in LAYERS if name not in (*short, *tokens)]
    parts = {f"layers-{i // PER_PROGRAM}": plain[i:i + PER_PROGRAM]
             for i in range(0, len(plain), PER_PROGRAM)}
    return parts | {"short": short, "embedding": tokens}


def spell(name, parameter):
    """What boost-run calls a parameter of a case."""
    if parameter in INPUTS:
        return f"{name}.{parameter}.weight"
    layer, _, part = parameter.rpartition("__")
    return f"{name}.{layer}.{part}" if layer else f"{name}.{part}"


# --- The models ---------------------------------------------------------------


def embed(name, units, first):
    """Layers that read row n of the weights `name` for sample n."""
    layers = [{"op": "embedding", "name": name, "units": units, "inputs": ["row"]}]
    if first:
        layers.append({"op": "slice", "size": 1})
    return layers


def layers_of(name, case, first):
    """Those of a case, from its inputs to its output."""
    layers, inputs = [], [value for value in INPUTS if value in case["shapes"]]
    for value in inputs:
        shape = case["shapes"][value]
        layers += embed(f"{name}.{value}", math.prod(shape), first)
        layers.append({"op": "reshape", "name": f"{name}.{value}.rows", "shape": list(shape)})
    for i, layer in enumerate(case["layers"]):
        layer = dict(layer)
        layer["name"] = f"{name}.{layer['name']}" if "name" in layer else \
            name if i == 0 else f"{name}.{i}"
        if "inputs" in layer:
            layer["inputs"] = [f"{name}.{value}.rows" if value in INPUTS else value
                               for value in layer["inputs"]]
        elif i == 0 and inputs:
            layer["inputs"] = [f"{name}.{value}.rows" for value in inputs]
        layers.append(layer)
    return layers


def model(program, layers, tokens=1, **more):
    # Classes are the tokens: as many as there are samples.
    return {"name": program, "batch_size": SAMPLES, "epochs": 1, "layers": layers,
            "optimizer": {"type": "momentum", "learning_rate": 0, "momentum": 0.5}, **more,
            "input": {"row": {"shape": [tokens], "classes": SAMPLES}, **more["input"]}}


def write_weights(path, weights):
    """A safetensors file of name -> shape and numbers."""
    header, data = {}, b""
    for name, (shape, numbers) in weights.items():
        part = struct.pack(f"<{len(numbers)}f", *numbers)
        header[name] = {"dtype": "F32", "shape": list(shape),
                        "data_offsets": [len(data), len(data) + len(part)]}
        data += part
    text = json.dumps(header).encode()
    pathlib.Path(path).write_bytes(struct.pack("<Q", len(text)) + text + data)


def write_program(folder, program, described, weights, splits):
    (folder / f"{program}.json").write_text(json.dumps(described, indent=1), encoding="utf-8")
    write_weights(folder / f"{program}.safetensors", weights)
    (folder / program).mkdir()
    for split, columns in splits.items():
        for column, (shape, numbers) in columns.items():
            path = folder / program / f"{split}_{column}.npy"
            if column == "images":
                path.write_bytes(npy_file("|u1", shape, bytes(numbers)))
                continue
            write_npy(path, "<i4" if column in ("labels", "features") else "<f4", shape, numbers)


def write_layers(folder, program, names, golden):
    tokens, layers, weights = 4 if program == "embedding" else 1, [], {}
    samples, first = 3 if program == "short" else SAMPLES, tokens > 1
    cotangents = [[] for _ in range(SAMPLES)]
    for name in names:
        case, count = LAYERS[name], len(golden[name]["out"]["values"]) // SAMPLES
        layers += [*layers_of(name, case, first), {"op": "flatten", "name": f"{name}.out"}]
        for value, (shape, numbers) in draw_values(name, case).items():
            shape = (SAMPLES, len(numbers) // SAMPLES) if value in INPUTS else shape
            weights[spell(name, value)] = shape, numbers
        _, numbers = draw_cotangent(name, case, count)
        for i, row in enumerate(cotangents):
            row += numbers[i * count:(i + 1) * count]
    weights["c.weight"] = (SAMPLES, len(cotangents[0])), [c for row in cotangents for c in row]
    layers += [{"op": "concat", "name": "out", "inputs": [f"{name}.out" for name in names]},
               *embed("c", len(cotangents[0]), first), {"op": "flatten", "name": "c.rows"},
               {"op": "mul", "inputs": ["out", "c.rows"]},
               {"op": "reduce_sum", "axes": [0], "keep_dims": True}]
    rows = [n for i in range(samples) for n in ((i, *TOKENS[i]) if first else (i,))]
    split = {"features": ((samples, tokens), rows), "targets": ((samples, 1), [FAR] * samples)}
    write_program(folder, program, model(
        program, layers, tokens, input={"far": {"shape": [1], "role": "target"}},
        loss={"op": "l1", "target": "far"}), weights, {"train": split, "test": split})


def write_loss(folder, name, case):
    inputs = {}
    if case["labels"]:
        classes, shape = case["labels"]
        inputs["label"] = {"classes": classes, "role": "target"}
        if shape:
            inputs["label"]["shape"] = list(shape)
    else:
        inputs["target"] = {"shape": list(case["targets"]), "role": "target"}
    if case["weights"] is not None:
        inputs["weight"] = {"role": "weight"}
        if case["weights"]:
            inputs["weight"]["shape"] = list(case["weights"])
    weights = {spell(name, value): (
        (SAMPLES, len(numbers) // SAMPLES) if value in INPUTS else shape, numbers)
        for value, (shape, numbers) in draw_values(name, case).items()}
    splits = {}
    for split, rows in (("train", range(SAMPLES)), ("test", EVALUATED)):
        splits[split] = draw_split(name, case, split)
        if not case["pixels"]:
            splits[split]["features"] = (len(rows), 1), list(rows)
    described = model(name, layers_of(name, case, False), input=inputs, loss=case["loss"],
                      metrics=case["metrics"])
    if case["pixels"]:
        described["input"]["row"] = {"shape": list(case["pixels"]), "dtype": "u8"}
        described["data"] = {"transforms": case["transforms"]}
    write_program(folder, name, described, weights, splits)


def write_models(folder):
    folder, golden = pathlib.Path(folder), read_golden("layers")["layers"]
    folder.mkdir()
    for program, names in programs().items():
        write_layers(folder, program, names, golden)
    for name, case in LOSSES.items():
        write_loss(folder, name, case)


def build(folder, *options):
    for program in (*programs(), *LOSSES):
        run_program("boostc", f"{program}.json", *options, "-o", f"{program}.so", cwd=folder)


# --- What PyTorch computes ----------------------------------------------------


def move(draw, numbers):
    """Numbers moved by one unit in the last place, equal ones alike, and whole ones not."""
    import numpy as np
    if numbers.dtype != np.float32:
        return numbers
    values, places = np.unique(numbers, return_inverse=True)
    moved = np.nextafter(values, draw.choice(np.array([-np.inf, np.inf], np.float32),
                                             values.shape))
    whole = (values == np.round(values)) & (np.abs(values) < 2**24)
    return np.where(whole, values, moved)[places].reshape(numbers.shape)


def deviate(run, numbers, least=()):
    """The run in double precision: value -> its numbers, and their bounds."""
    import numpy as np
    import torch
    arrays = {name: np.array(values, np.int64 if "labels" in name else np.float32).reshape(shape)
              for name, (shape, values) in numbers.items()}
    draw, exact = np.random.default_rng(0), run(arrays, torch.float64)
    runs = [run(arrays, torch.float32)]
    for _ in range(MOVED):
        runs.append(run({name: move(draw, value) for name, value in arrays.items()},
                        torch.float32))
    golden = {}
    for name, values in exact.items():
        parts = SAMPLES if name in (*INPUTS, "out") else 1
        values = [[float(f"{value:.9g}") for value in part]
                  for part in values.reshape(parts, -1).tolist()]
        others = [other[name].reshape(parts, -1).tolist() for other in runs]
        bounds = []
        for i, part in enumerate(values):
            worst = max(abs(found - expected) for other in others
                        for found, expected in zip(other[i], part))
            unit = 2**-23 * max(map(abs, part))
            bounds.append(float(f"{max(2 * worst, unit, dict(least).get(name, 0)):.3g}"))
        assert np.isfinite(bounds).all(), (name, bounds)
        golden[name] = {"bounds": bounds, "values": [value for part in values for value in part]}
    return golden


def evaluate(function, values, **more):
    import torch
    return eval(function, {"torch": torch, "F": torch.nn.functional, "math": math,
                           "tokens": torch.tensor(TOKENS)}, {**values, **more})


def tensors(arrays, dtype):
    import torch
    return {name: torch.tensor(value) if "labels" in name else
            torch.tensor(value).to(dtype).requires_grad_("running" not in name and " " not in name)
            for name, value in arrays.items()}


def gradients_of(values):
    return {name: value.grad if value.requires_grad else value for name, value in values.items()}


def layer_golden(name, case):
    import torch
    samples = case.get("samples", SAMPLES)

    def rows(values):
        return {key: value[:samples] if key in INPUTS else value for key, value in values.items()}

    drawn = draw_values(name, case)
    plain = {key: torch.tensor(numbers, dtype=torch.float64).reshape(shape)
             for key, (shape, numbers) in drawn.items()}
    count = math.prod(evaluate(case["function"], rows(plain)).shape[1:])

    def run(arrays, dtype):
        values = tensors(arrays, dtype)
        c = values.pop("c")
        y = evaluate(case["function"], rows(values))
        (y.reshape(samples, -1) * c[:samples]).sum().backward()
        output = torch.zeros(SAMPLES, count, dtype=dtype)
        output[:samples] = y.detach().reshape(samples, -1)
        return {"out": output, **gradients_of(values)}

    return deviate(run, drawn | {"c": draw_cotangent(name, case, count)}, case["least"])


def shares(logits, t, k):
    """Whether a label is among the k largest: equal ones count for the lower class."""
    import torch
    own = logits.gather(-1, t.unsqueeze(-1))
    lower = torch.arange(logits.shape[-1]) < t.unsqueeze(-1)
    return ((logits > own) | (logits == own) & lower).sum(-1) < k


def loss_golden(name, case):
    import torch

    def compare_with(values, split):
        """The labels or targets of a split, its weights, and its pixels."""
        return next(values.pop(f"{split} {column}") for column in ("labels", "targets")
                    if f"{split} {column}" in values), values.pop(
                        f"{split} weights", None), values.pop(f"{split} images", None)

    def mean(terms, w):
        if w is None:
            return terms.mean()
        w = w.reshape(w.shape + (1,) * (terms.dim() - w.dim())).expand(terms.shape)
        return (w * terms).sum() / w.sum()

    def run(arrays, dtype):
        values = tensors(arrays, dtype)
        (t, w, image), (tested, shown, other) = (
            compare_with(values, split) for split in ("train", "test"))
        pixels = {"x": image} if case["pixels"] else {}
        trained = mean(evaluate(case["function"], values | pixels, t=t, training=True), w)
        trained.backward()
        read = {"x": other} if case["pixels"] else {"x": values["x"][list(EVALUATED)]}
        found = {"loss": trained, "evaluation.loss": mean(
            evaluate(case["function"], values | read, t=tested, training=False), shown)}
        for metric in case["metrics"]:
            right = shares(read["x"].detach(), tested, int(metric[-1])).to(dtype)
            found[f"evaluation.{metric}"] = mean(right, shown)
        return {key: value.detach() for key, value in (found | gradients_of(values)).items()}

    compared = {f"{split} {column}": drawn for split in ("train", "test")
                for column, drawn in draw_split(name, case, split).items()}
    return deviate(run, draw_values(name, case) | compared)


def print_golden():
    import numpy as np
    import torch
    torch.set_num_threads(1)
    torch.use_deterministic_algorithms(True)
    golden = {"what": "values and gradients of layers and losses by PyTorch in double precision,"
                      " and twice what its single precision deviates",
              "command": "python3 test/e2e/reference/layers.py golden",
              "versions": {"torch": torch.__version__, "numpy": np.__version__},
              "layers": {name: layer_golden(name, case) for name, case in LAYERS.items()},
              "losses": {name: loss_golden(name, case) for name, case in LOSSES.items()}}
    lines = [f"{json.dumps(key)}: {json.dumps(value)}" for key, value in list(golden.items())[:3]]
    for kind in ("layers", "losses"):
        cases = ",\n".join(f"  {json.dumps(name)}: {json.dumps(case, separators=(',', ':'))}"
                           for name, case in golden[kind].items())
        lines.append(f"{json.dumps(kind)}: {{\n{cases}\n}}")
    print("{\n" + ",\n".join(lines) + "\n}")


# --- Comparison ---------------------------------------------------------------


def train(folder, program, device, *options):
    """Gradients and statistics after a step, its loss, and what an evaluation reports."""
    kept, metrics = folder / f"{program}-{device}", folder / f"{program}-{device}.jsonl"
    shutil.rmtree(kept, ignore_errors=True)
    run_program("boost-run", f"{program}.so", "--data", f"npy:{program}", "--init",
                f"{program}.safetensors", "--shuffle", "off", "--progress", "none", "--threads",
                "1", "--device", device, "--checkpoint-dir", kept.name, "--metrics", metrics.name,
                *options, cwd=folder)
    checkpoint = kept / f"{program}-1_1.ckpt"
    state = read_weights(checkpoint / "state.safetensors")
    found = {name.removesuffix(".momentum"): values for name, values in state.items()}
    saved = read_weights(checkpoint / "weights.safetensors")
    found |= {name: values for name, values in saved.items() if name not in found}
    steps, evaluation = read_events(metrics)
    return found, steps[0]["loss"], evaluation


def off(found, golden, rounding=0):
    """What is beyond its bound, if something is."""
    length = len(golden["values"]) // len(golden["bounds"])
    pairs = list(zip(found, golden["values"], strict=True))
    wrong = [i for i, (number, expected) in enumerate(pairs)
             if not abs(number - expected) <= golden["bounds"][i // length] + rounding]
    if not wrong:
        return None
    first = max(wrong, key=lambda i: abs(pairs[i][0] - pairs[i][1]))
    return (f"{len(wrong)} of {len(pairs)} are off; element {first} is {pairs[first][0]}, expected "
            f"{pairs[first][1]}, bound {golden['bounds'][first // length]}")


def check_dropout(case, found, golden):
    """Fills in what was dropped, and says if that is not a share of `rate`."""
    rate = case["layers"][0].get("rate", 0.5)
    dropped = [i for i, value in enumerate(found["out"]) if value == 0]
    if any(found["x"][i] != 0 for i in dropped):
        return "an element is dropped whose gradient is not"
    for value in ("out", "x"):
        found[value] = [golden[value]["values"][i] if i in dropped else number
                        for i, number in enumerate(found[value])]
    count = len(found["out"])
    if abs(len(dropped) - rate * count) > 4 * math.sqrt(rate * (1 - rate) * count):
        return f"{len(dropped)} of {count} elements are dropped, expected a share of {rate}"
    return None


def check(folder, device):
    folder, golden, wrong, count = pathlib.Path(folder), read_golden("layers"), [], 0
    for kind, cases in (("layers", LAYERS), ("losses", LOSSES)):
        if golden[kind].keys() != cases.keys():
            sys.exit(f"layers.json lacks cases, or has others, of {kind}: make it again")
    for program, names in programs().items():
        found, _, _ = train(folder, program, device, "--no-eval")
        # The loss is a mean over samples.
        samples, at = 3 if program == "short" else SAMPLES, 0
        found = {name: values if "running" in name else [value * samples for value in values]
                 for name, values in found.items()}
        width = len(found["c.weight"]) // SAMPLES
        for name in names:
            length = len(golden["layers"][name]["out"]["values"]) // SAMPLES
            values = {value: found[spell(name, value)] for value in LAYERS[name]["shapes"]}
            values["out"] = [found["c.weight"][row * width + at + i] for row in range(SAMPLES)
                             for i in range(length)]
            at += length
            if LAYERS[name]["layers"][0]["op"] == "dropout":
                wrong.append((name, "out", check_dropout(LAYERS[name], values,
                                                         golden["layers"][name])))
            for value, expected in golden["layers"][name].items():
                wrong.append((name, value, off(values[value], expected)))
                count += len(expected["values"])
    for name, case in LOSSES.items():
        found, step, evaluation = train(folder, name, device)
        for value, expected in golden["losses"][name].items():
            event, _, key = value.rpartition(".")
            numbers = [step] if value == "loss" else [evaluation[key]] if event else \
                found[spell(name, value)]
            # Metrics have seven digits of a step's loss.
            rounding = 5e-7 * 10 ** math.floor(math.log10(abs(step))) if value == "loss" else 0
            wrong.append((name, value, off(numbers, expected, rounding)))
            count += len(expected["values"])
    wrong = [entry for entry in wrong if entry[2]]
    for name, value, text in wrong:
        print(f"{name}: {value}: {text}")
    print(f"{len(LAYERS)} cases of layers, {len(LOSSES)} of losses, {count} numbers, on {device}")
    if wrong:
        sys.exit(f"{len(wrong)} values are not PyTorch's")


def enumerated(schema):
    """All words of a part of a JSON schema."""
    if isinstance(schema, list):
        return [word for part in schema for word in enumerated(part)]
    if not isinstance(schema, dict):
        return []
    return [*schema.get("enum", ()), *enumerated(list(schema.values()))]


def covers(schema):
    """Each op has a case, each attribute one with another value than its default, and each
    word that an attribute may be has one."""
    definitions = json.loads(pathlib.Path(schema).read_text(encoding="utf-8"))["$defs"]
    used = [layer for case in (*LAYERS.values(), *LOSSES.values()) for layer in case["layers"]]
    used += [case["loss"] for case in LOSSES.values()]
    metrics = {metric for case in LOSSES.values() for metric in case["metrics"]} | {"loss"}
    missing = []
    for key, definition in definitions.items():
        kind, _, op = key.partition(".")
        if kind == "metric" and op not in metrics:
            missing.append(f"metric {op}")
        if kind not in ("layer", "loss") or "op" not in definition.get("properties", {}):
            continue
        ours = [entry for entry in used if entry["op"] == op]
        if not ours:
            missing.append(f"{kind} {op}")
        for attribute, described in definition["properties"].items():
            if not ours or attribute in ("op", "name", "inputs", "if", "init"):
                continue
            referred = definitions.get(described.get("$ref", "").removeprefix("#/$defs/"), {})
            default = described.get("default")
            values = [entry.get(attribute, default) for entry in ours]
            if all(value == default for value in values):
                missing.append(f"{op}.{attribute}")
            words = enumerated(described) + enumerated(referred)
            missing += [f"{op}.{attribute} {word}" for word in words if word not in values]
    if missing:
        sys.exit(f"no case in layer_cases.py for {', '.join(missing)}")
    print(f"all of {sum(key.startswith('layer.') for key in definitions) - 1} layers")


if __name__ == "__main__":
    run_command(models=write_models, build=build, check=check, covers=covers, golden=print_golden)
