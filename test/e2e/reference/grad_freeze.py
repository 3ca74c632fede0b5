#!/usr/bin/env python3
"""Training with grad_freeze, held to PyTorch.

  grad_freeze.py data FOLDER                       writes the data set of Inputs/grad-freeze.json
  grad_freeze.py golden                            prints grad_freeze.json: PyTorch's training
  grad_freeze.py check SCHEDULE METRICS WEIGHTS    compares a run with grad_freeze.json

In PyTorch a step freezes a parameter by leaving its gradient None: then the optimizer touches
neither it nor its state, does not decay it and does not count the step for it, and the norm of
all gradients is without it. SCHEDULE is `interleaved` or `continuous`.

`golden` needs numpy and torch (Debian: python3-torch); `data` and `check` need neither.
"""

import json
import math
import pathlib
import random
import struct
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path += [str(ROOT / "test"), str(ROOT / "tools/bench"),
             str(ROOT / "test/compiler/reference/Inputs")]
from data_files import read_weights, write_npy  # noqa: E402: from the folders above
from freeze_groups import schedule as interleaved  # noqa: E402: likewise

MODEL = json.loads((ROOT / "test/e2e/Inputs/grad-freeze.json").read_text(encoding="utf-8"))
GOLDEN = pathlib.Path(__file__).with_name("grad_freeze.json")
POINT, CLASSES, SAMPLES, BATCH = 6, 3, 32, MODEL["batch_size"]
STEPS = MODEL["epochs"] * SAMPLES // BATCH
LAYERS = [layer for layer in MODEL["layers"] if layer["op"] == "dense"]
PERTURBATIONS = 8


def as_float32(value):
    return struct.unpack("f", struct.pack("f", value))[0]


def groups_of_steps(kind):
    recipe = MODEL["boost"]["grad_freeze"]
    groups, share = recipe["param_groups"], recipe["freeze_p"]
    if kind == "interleaved":
        return interleaved(groups, share, MODEL["seed"], STEPS)
    whole = int(share * (groups - 1) // (1 - share) + 0.5)
    return (([0] * whole + list(range(1, groups))) * STEPS)[:STEPS]


def learning_rate(step):
    recipe = MODEL["optimizer"]["learning_rate"]
    warmup, value = recipe["warmup"], recipe["value"]
    if step < warmup:
        return value * (step + 1) / warmup
    return value * (1 - (step - warmup) / (STEPS - warmup))


def samples(split):
    draw, drawn = random.Random(split), []
    for _ in range({"train": SAMPLES, "test": 10}[split]):
        point = [as_float32(draw.uniform(-2, 2)) for _ in range(POINT)]
        drawn.append((point, max(range(CLASSES), key=lambda c: point[c] * (c + 1))))
    return drawn


def write_data(folder):
    pathlib.Path(folder).mkdir()
    for split in ("train", "test"):
        rows = samples(split)
        write_npy(f"{folder}/{split}_features.npy", "<f4", (len(rows), POINT),
                  [value for point, _ in rows for value in point])
        write_npy(f"{folder}/{split}_labels.npy", "<i4", (len(rows),),
                  [label for _, label in rows])


def make_golden():
    import numpy as np
    import torch
    from torch.nn import functional as F
    from torch_reference import check_generator, to_text, uniform

    def initial():
        """Parameters in the order of the layers, with the number of their layer."""
        drawn, columns = {}, POINT
        for number, layer in enumerate(LAYERS):
            bound = 1.0 / math.sqrt(columns)
            parts = {"weight": (layer["units"], columns)}
            if layer.get("bias", True):
                parts["bias"] = (layer["units"],)
            for part, shape in parts.items():
                name = f"{layer['name']}.{part}"
                values = uniform(MODEL["seed"], name, math.prod(shape))
                drawn[name] = (number, (-bound + 2 * bound * values).astype(
                    np.float32).reshape(shape))
            columns = layer["units"]
            if layer["name"] == "b":
                drawn["norm.gamma"] = (number, np.ones(columns, np.float32))
                drawn["norm.beta"] = (number, np.zeros(columns, np.float32))
        return drawn

    def forward(w, x):
        for layer in LAYERS:
            name = layer["name"]
            x = F.linear(x, w[f"{name}.weight"], w.get(f"{name}.bias"))
            if name == "b":
                x = F.layer_norm(x, x.shape[1:], w["norm.gamma"], w["norm.beta"], 1e-5)
            if name != LAYERS[-1]["name"]:
                x = torch.tanh(x)
        return x

    def train(start, numbers, groups, dtype):
        """Losses, norms of the gradients, weights."""
        points, labels = zip(*samples("train"))
        x, t = torch.tensor(points, dtype=dtype), torch.tensor(labels)
        w = {name: torch.tensor(value).to(dtype).requires_grad_() for name, value in start.items()}
        recipe, losses, norms = MODEL["optimizer"], [], []
        optimizer = torch.optim.Adam(w.values(), 1.0, (0.9, 0.999), recipe["epsilon"],
                                     recipe["weight_decay"])
        stride = len(LAYERS) // MODEL["boost"]["grad_freeze"]["param_groups"]
        for step, group in enumerate(groups):
            first = step * BATCH % SAMPLES
            part = slice(first, first + BATCH)
            optimizer.zero_grad(set_to_none=True)
            loss = F.cross_entropy(forward(w, x[part]), t[part])
            loss.backward()
            for name, value in w.items():
                if numbers[name] < group * stride:
                    value.grad = None
            trained = [value for value in w.values() if value.grad is not None]
            norms.append(torch.nn.utils.clip_grad_norm_(
                trained, MODEL["train"]["clip_norm"]).item())
            optimizer.param_groups[0]["lr"] = learning_rate(step)
            optimizer.step()
            losses.append(loss.item())
        return losses, norms, {name: value.detach().flatten().tolist()
                               for name, value in w.items()}

    def numbers_of(run):
        losses, norms, weights = run
        return np.array(losses + norms + [value for values in weights.values()
                                          for value in values])

    check_generator()
    drawn = initial()
    numbers = {name: number for name, (number, _) in drawn.items()}
    start = {name: value for name, (_, value) in drawn.items()}
    result = {"what": "test/e2e/Inputs/grad-freeze.json, trained by PyTorch in double precision",
              "command": "python3 test/e2e/reference/grad_freeze.py golden",
              "versions": {"torch": torch.__version__, "numpy": np.__version__}}
    for kind in ("interleaved", "continuous"):
        groups = groups_of_steps(kind)
        exact = train(start, numbers, groups, torch.float64)
        draw, runs = np.random.default_rng(0), [train(start, numbers, groups, torch.float32)]
        for _ in range(PERTURBATIONS):
            runs.append(train({name: np.nextafter(value, draw.choice(
                np.array([-np.inf, np.inf], np.float32), value.shape))
                for name, value in start.items()}, numbers, groups, torch.float32))
        worst = max(float(np.max(np.abs(numbers_of(run) - numbers_of(exact)))) for run in runs)
        losses, norms, weights = exact
        result[kind] = {
            "conditioning": {"perturbations_by_one_ulp": PERTURBATIONS,
                             "max_deviation_of_fp32": worst},
            "groups": groups, "losses": losses, "norms": norms, "weights": weights}
    print(to_text(result))


def check(kind, metrics, weights):
    golden = json.loads(GOLDEN.read_text(encoding="utf-8"))[kind]
    with open(metrics, encoding="utf-8") as file:
        events = [json.loads(line) for line in file]
    steps = [event for event in events if event["event"] == "step"]
    # A run in single precision is as far off as PyTorch's are, whose worst is a draw.
    bound = 2 * golden["conditioning"]["max_deviation_of_fp32"]
    pairs = []
    for number, (step, loss, norm) in enumerate(
            zip(steps, golden["losses"], golden["norms"], strict=True)):
        pairs += [(f"loss of step {number + 1}", step["loss"], loss),
                  (f"gradient norm of step {number + 1}", step["grad_norm"], norm),
                  (f"rate of step {number + 1}", step["lr"], learning_rate(number))]
    for name, values in read_weights(weights).items():
        pairs += [(name, *pair) for pair in zip(values, golden["weights"][name], strict=True)]
    what, found, expected = max(pairs, key=lambda pair: abs(pair[1] - pair[2]))
    print(f"{len(pairs)} numbers, largest difference {abs(found - expected):.3g}, bound {bound:.3g}")
    if not abs(found - expected) <= bound:
        sys.exit(f"{what} is {found}, expected {expected}")


def main():
    command, *arguments = sys.argv[1:]
    {"data": write_data, "golden": make_golden, "check": check}[command](*arguments)


if __name__ == "__main__":
    main()
