"""What the scripts share that hold a training to PyTorch: data, runs and their comparison.

A script makes its golden values from a run of PyTorch in double precision. How far a run in
single precision may be from them is measured: runs in single precision, from the initial
weights and from weights moved by one unit in the last place, deviate by some largest
difference. A run of ours may deviate by twice that, for the largest of so few runs is a draw.

Making golden values needs numpy and torch (Debian: python3-torch), all else neither.
"""

import json
import math
import pathlib
import random
import struct
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path += [str(ROOT / "test"), str(ROOT / "tools/bench")]
from data_files import read_weights, write_npy  # noqa: E402: from the folders above

PERTURBATIONS = 8


def read_model(name):
    return json.loads((ROOT / f"test/e2e/Inputs/{name}.json").read_text(encoding="utf-8"))


def as_float32(value):
    return struct.unpack("f", struct.pack("f", value))[0]


def write_data(folder, samples, shape, kind="<f4"):
    """Samples of a split are tuples of features, class (or a list of them) and perhaps weight."""
    pathlib.Path(folder).mkdir()
    for split in ("train", "test"):
        rows = samples(split)
        columns = list(zip(*rows))
        write_npy(f"{folder}/{split}_features.npy", kind, (len(rows), *shape),
                  [value for features in columns[0] for value in features])
        labels = columns[1]
        if isinstance(labels[0], list):
            write_npy(f"{folder}/{split}_labels.npy", "<i4", (len(rows), len(labels[0])),
                      [label for of_sample in labels for label in of_sample])
        else:
            write_npy(f"{folder}/{split}_labels.npy", "<i4", (len(rows),), labels)
        if len(columns) > 2:
            write_npy(f"{folder}/{split}_weights.npy", "<f4", (len(rows),), columns[2])


def draw_points(split, sizes, features, classes):
    """Pairs of a point and its class, as many as `sizes` has for the split."""
    draw, drawn = random.Random(split), []
    for _ in range(sizes[split]):
        point = [as_float32(draw.uniform(-2, 2)) for _ in range(features)]
        drawn.append((point, max(range(classes), key=lambda c: point[c] * (c + 1))))
    return drawn


def dense_shapes(model, features):
    """Shapes of the parameters of a model's dense layers, each of which reads the one before, with
    how many values an output reads."""
    shapes, columns = {}, features
    for layer in model["layers"]:
        if layer["op"] == "dense":
            shapes[f"{layer['name']}.weight"] = ((layer["units"], columns), columns)
            if layer.get("bias", True):
                shapes[f"{layer['name']}.bias"] = ((layer["units"],), columns)
            columns = layer["units"]
    return shapes


def draw_dense(model, features):
    return {name: draw_weight(model["seed"], name, shape, fan_in)
            for name, (shape, fan_in) in dense_shapes(model, features).items()}


def draw_weight(seed, name, shape, fan_in):
    """A weight as boost-run draws it: uniform within one over the root of its fan-in."""
    import numpy as np
    from torch_reference import uniform
    bound = 1.0 / math.sqrt(fan_in)
    values = uniform(seed, name, math.prod(shape))
    return (-bound + 2 * bound * values).astype(np.float32).reshape(shape)


def run_in_fp32(train, start, perturbations):
    """Runs from the weights `start`, and from weights moved by one unit in the last place."""
    import numpy as np
    import torch
    draw, runs = np.random.default_rng(0), [train(start, torch.float32)]
    for _ in range(perturbations):
        runs.append(train({name: np.nextafter(value, draw.choice(
            np.array([-np.inf, np.inf], np.float32), value.shape))
            for name, value in start.items()}, torch.float32))
    return runs


def numbers(run):
    """All numbers of nested lists and dictionaries in their order, without None."""
    if isinstance(run, dict):
        run = run.values()
    elif not isinstance(run, (list, tuple)):
        return [] if run is None else [run]
    return [number for part in run for number in numbers(part)]


def train_exactly(train, start):
    """The run in double precision, and how far those in single precision are from it."""
    import torch
    exact = train(start, torch.float64)
    worst = max(abs(found - expected) for run in run_in_fp32(train, start, PERTURBATIONS)
                for found, expected in zip(numbers(run), numbers(exact), strict=True))
    return exact, {"perturbations_by_one_ulp": PERTURBATIONS, "max_deviation_of_fp32": worst}


def print_golden(script, model, **values):
    import numpy as np
    import torch
    from torch_reference import check_generator, to_text
    check_generator()
    print(to_text({
        "what": f"test/e2e/Inputs/{model}.json, trained by PyTorch in double precision",
        "command": f"python3 test/e2e/reference/{script}.py golden",
        "versions": {"torch": torch.__version__, "numpy": np.__version__}, **values}))


def read_golden(script):
    return json.loads(pathlib.Path(__file__).with_name(f"{script}.json").read_text(
        encoding="utf-8"))


def read_events(metrics):
    """The steps of a run, and its last evaluation: none where it did not evaluate."""
    with open(metrics, encoding="utf-8") as file:
        events = [json.loads(line) for line in file]
    evaluations = [event for event in events if event["event"] == "eval"]
    return ([event for event in events if event["event"] == "step"],
            evaluations[-1] if evaluations else None)


def pair_weights(path, golden):
    """What is compared, found and expected, of each number of the saved weights."""
    saved = read_weights(path)
    if sorted(saved) != sorted(golden):
        sys.exit(f"weights are {sorted(saved)}, expected {sorted(golden)}")
    return [(name, *pair) for name, values in saved.items()
            for pair in zip(values, golden[name], strict=True)]


def compare(pairs, conditioning):
    bound = 2 * conditioning["max_deviation_of_fp32"]
    what, found, expected = max(pairs, key=lambda pair: abs(pair[1] - pair[2]))
    print(f"{len(pairs)} numbers, largest difference {abs(found - expected):.3g}, bound {bound:.3g}")
    if not abs(found - expected) <= bound:
        sys.exit(f"{what} is {found}, expected {expected}")


def run_program(*command, cwd=None):
    done = subprocess.run([str(part) for part in command], cwd=cwd, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))} ended with {done.returncode}\n{done.stdout}")


def run_command(**commands):
    command, *arguments = sys.argv[1:]
    commands[command](*arguments)
