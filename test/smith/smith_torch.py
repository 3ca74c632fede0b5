#!/usr/bin/env python3
"""Trains random models of boost-smith, compiled and in PyTorch, and looks for a difference.

  smith_torch.py --build DIR [--seed N] [--count N] [--jobs N] [--keep DIR]

boost-smith compares the compiler with its own interpreter, and both may share a mistake. This
script compares it with a training that is written from the documents (smith_network.py,
smith_training.py): the loss of each step, all weights and running statistics after each step,
norms of gradients, and an evaluation at the end.

How far boostc may be from PyTorch in double precision is measured: BEYOND times the largest
deviation of runs in single precision, of which one begins with the same numbers, and others with
weights, features and gradients moved by one unit in the last place; and at least a few units in
the last place of the largest number of the tensor (smith_models.py). Where these runs deviate by
more than CHAOTIC of a tensor, a comparison would show nothing: this tensor and all later steps are
left out. Such a model counts as compared in part, or as ill-conditioned where not even a step is
left.

Layers that less_bn takes out are the compiler's word; all else that it says is compared.

Needs numpy and torch (Debian: python3-torch).
"""

import argparse
import collections
import json
import math
import pathlib
import shutil
import sys
import tempfile
import traceback

import numpy as np
import torch
from smith_models import (CHAOTIC, NOT_FINITE, PERTURBATIONS, ROOT, Finding, add_options, allow,
                          columns_of, compile_model, count_text, describe, examine_all,
                          read_arguments, read_boosts, read_weights, run, step_of, train_from)

sys.path += [str(ROOT / part) for part in ("test/compiler/reference/Inputs", "tools/bench")]
from layers import write_weights  # noqa: E402
from data_files import read_header  # noqa: E402
from smith_network import Skip, Tensors  # noqa: E402
from smith_training import Recipe, train  # noqa: E402

EPOCHS = 2


def draw_data(model, recipe, draw):
    """Split -> columns. A pass ends with a window that is not full."""
    sizes = {"train": 2 * recipe.window + int(draw.integers(1, recipe.window + 1)),
             "test": recipe.batch + int(draw.integers(1, recipe.batch + 1))}
    data = {}
    for split, count in sizes.items():
        columns = data[split] = {}
        for name, shape, classes, low, high in columns_of(model):
            whole = (count, *shape)
            columns[name] = draw.integers(0, classes, whole).astype(np.int32) if classes else \
                draw.uniform(low, high, whole).astype(np.float32)
        if "weights" in columns:
            columns["weights"] = np.maximum(columns["weights"], 0)
        if not columns.get("weights", np.ones(1)).any():
            columns["weights"][0] = 1
    return data


def move(draw, array):
    """Each number by one unit in the last place."""
    if array.dtype != np.float32:
        return array
    ends = np.array([-np.inf, np.inf], np.float32)
    return np.nextafter(array, draw.choice(ends, array.shape))


def train_in_torch(recipe, roles, gone, start, data, steps):
    """The run in double precision, how far those in single precision are from it, and sizes."""
    exact, sizes = train(recipe, roles, gone, start, data, steps, torch.float64)
    if not all(np.isfinite(value).all() for value in exact.values()):
        raise Skip("not finite")
    draw, worst = np.random.default_rng(0), dict.fromkeys(exact, 0.0)
    torch.manual_seed(0)
    for number in range(1 + PERTURBATIONS):
        weights, columns = start, data
        if number:
            weights = {name: move(draw, value) for name, value in start.items()}
            columns = {split: {**part, "features": move(draw, part["features"])}
                       for split, part in data.items()}
        found, _ = train(recipe, roles, gone, weights, columns, steps, torch.float32,
                         draw if number else None)
        for name in exact:
            off = np.abs(found[name] - exact[name]).max() if name in found else math.inf
            worst[name] = max(worst[name], off if np.isfinite(off) else math.inf)
    return exact, worst, sizes


def compare(exact, worst, found, sizes):
    """How many values are compared, and how many are left out: those that nothing is known of, and
    all of the steps after them."""
    counts, chaotic = collections.Counter(), math.inf
    for name, expected in exact.items():
        step = step_of(name)
        if name not in found:
            raise Finding(f"{name} is missing")
        values = np.array(found[name] if found[name] is not None else math.nan,
                          np.float64).reshape(expected.shape)
        own = np.abs(expected).max(initial=0)
        largest = max(own, sizes.get(name, 0))
        if worst[name] > CHAOTIC * largest or step > chaotic:
            counts["left out"] += 1
            chaotic = min(chaotic, step)
            continue
        allowed = allow(name, worst[name], largest, own)
        off = np.abs(values - expected)
        if not off.max(initial=0) <= allowed:
            at = np.unravel_index(np.nanargmax(np.where(np.isnan(off), np.inf, off)), off.shape)
            raise Finding(f"{name}{list(map(int, at)) if at else ''} is {values[at]:.9g}, expected "
                          f"{expected[at]:.9g}: {off[at]:.3g} away, allowed {allowed:.3g}")
        counts["compared"] += 1
    return counts


def check(binaries, folder, base):
    """Compares the model in `base`.json: the outcome."""
    model = json.loads(base.with_suffix(".json").read_text(encoding="utf-8"))
    arguments = read_arguments(base)
    recipe = Recipe(model, read_boosts(arguments))
    program = folder / "train.so"
    compile_model(binaries, base.with_suffix(".json"), program, arguments)
    data = draw_data(model, recipe, np.random.default_rng(int(base.name)))
    for split, columns in data.items():
        for name, column in columns.items():
            np.save(folder / f"{split}_{name}.npy", column)
    # Which norms less_bn removes is the compiler's word: what is left is compared.
    _, text = run(binaries / "boost-run", "info", program, "--json")
    names = {entry["name"] for entry in json.loads(text)["parameters"]}
    code, text = run(binaries / "boost-run", program, "--data", f"npy:{folder}", "--steps", "1",
                     "--no-eval", "--progress", "none", "--save", folder / "drawn.safetensors")
    if code == NOT_FINITE:
        raise Skip("not finite with the weights that boostc draws")
    if code:
        raise Finding(f"boost-run ends with {code}: {text}")
    saved, _ = read_header(folder / "drawn.safetensors")
    saved.pop("__metadata__", None)
    gone = {layer["name"] for layer in recipe.network(()).layers if layer["op"] == "batch_norm"
            and f"{layer['name']}.running_mean" not in saved} if recipe.centers else set()

    tensors = Tensors()
    features = torch.tensor(data["train"]["features"][:2])
    features = features.long() if features.dtype == torch.int32 else features.double()
    recipe.network(gone)(features, tensors, True, 0, range(len(features)))
    start = {name: value.numpy().astype(np.float32) for name, value in tensors.values.items()}
    shapes = {name: list(value.shape) for name, value in start.items()}
    theirs = {name: entry["shape"] for name, entry in saved.items()}
    roles = {name: role for name, role in tensors.roles.items() if role != "statistic"}
    if shapes != theirs or set(roles) != names:
        raise Finding(f"parameters are {theirs}, expected {shapes}")
    write_weights(folder / "start.safetensors",
                  {name: (value.shape, value.flatten().tolist()) for name, value in start.items()})

    count = len(data["train"]["labels"])
    steps = EPOCHS * math.ceil(count / recipe.window)
    exact, worst, sizes = train_in_torch(recipe, roles, gone, start, data, steps)
    code, found, checkpoints = train_from(folder, binaries, program, steps, EPOCHS)
    if code:
        raise Finding("boost-run says that the loss or a gradient is not finite")
    for step, path in enumerate(checkpoints, 1):
        for name, values in read_weights(path / "weights.safetensors").items():
            found[f"{name} after step {step}"] = values
    counts = compare(exact, worst, found, sizes)
    if not counts["left out"]:
        return "compared"
    # The weights after a step, its loss and its rate.
    return "compared in part" if counts["compared"] >= len(start) + 2 else "ill-conditioned"


def examine(binaries, base, keep):
    """The outcome for a model, and what there is to say."""
    torch.set_num_threads(1)
    folder = pathlib.Path(tempfile.mkdtemp(prefix="smith-torch-"))
    try:
        return check(binaries, folder, base), ""
    except Skip as skip:
        return f"skipped ({skip})", ""
    except Finding as finding:
        if keep:
            shutil.copytree(folder, keep / base.name, dirs_exist_ok=True)
        return "findings", str(finding)
    except Exception:  # also ours is one that must not be lost
        return "findings", traceback.format_exc()
    finally:
        shutil.rmtree(folder)


def main():
    parser = argparse.ArgumentParser(description="Compares random models with PyTorch.")
    add_options(parser)
    options = parser.parse_args()
    outcomes = collections.Counter()
    for base, (outcome, text) in examine_all(options, examine):
        outcomes[outcome] += 1
        if text:
            print(f"seed {base.name}: {text}\n{describe(base)}", flush=True)
    outcomes.setdefault("findings", 0)
    print(f"{options.count} models: {count_text(outcomes)}")
    return 1 if outcomes["findings"] else 0


if __name__ == "__main__":
    sys.exit(main())
